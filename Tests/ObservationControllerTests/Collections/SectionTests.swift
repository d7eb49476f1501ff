import ObservationController
import TestSupport
import XCTest

/// Live views by sections and groups, and what `observeSections` delivers of them.
final class SectionTests: TestCase {
  private typealias List = ObservableArray<ObservableSection<Int, Tile>>
  private typealias Change = SectionChange<Int, Tile>

  private let observer = SilentObserver()
  private lazy var observations = ObservationController(observer: observer)
  private let tiles = Tile.row(ranks: [2, 0, 2, 1])
  private lazy var source = ObservableArray(tiles)
  private lazy var sections = source.sections(on: [\.rank]) { $0.rank }
  private var changes: [SectionChange<Int, Tile>] = []

  private func observe(
    _ elements: [PartialKeyPath<Tile>] = [], options: ObservationOptions = []
  ) {
    observations.observeSections(sections, elements: elements, options: options) {
      [unowned self] _, _, change in changes.append(change)
    }
  }

  private var lines: [String] { exchangeChanges().map(\.description) }

  private func exchangeChanges() -> [SectionChange<Int, Tile>] {
    defer { changes = [] }
    return changes
  }

  private func text(of list: ObservableArray<ObservableSection<Int, Tile>>) -> String {
    list.map { "\($0.key):" + $0.elements.map(\.letter).joined() }.joined(separator: " ")
  }

  // MARK: - Views

  func test_sections_areAscending_inTheOrderOfTheSource() {
    XCTAssertEqual(text(of: sections), "0:b 1:d 2:ac")
    source.insert(Tile("e", rank: 2), at: 1)
    source.swapAt(0, 3)
    XCTAssertEqual(text(of: sections), "0:b 1:d 2:cea")
  }

  func test_key_changed_movesTheElement_asOneChangeOfEachArray() {
    var log: [String] = []
    observations.observeArray(sections) { [unowned self] _, _, change in
      log.append("outer \(change.entries.count): \(text(of: sections))")
    }
    for section in sections {
      observations.observeArray(section.elements) { [unowned self] _, _, change in
        log.append("\(section.key) \(change.entries.count): \(text(of: sections))")
      }
    }
    observations.observe(tiles[0], \.rank) { [unowned self] _, _, _ in
      log.append("rank: \(text(of: sections))")
    }
    tiles[0].rank = 1
    XCTAssertEqual(log.sorted(), ["1 1: 0:b 1:ad 2:c", "2 1: 0:b 1:ad 2:c", "rank: 0:b 1:ad 2:c"])
    XCTAssertEqual(log.last, "rank: 0:b 1:ad 2:c")
    log = []
    tiles[1].rank = 5
    XCTAssertEqual(
      log.sorted(),
      ["0 1: 1:ad 2:c 5:b", "outer 2: 1:ad 2:c 5:b"])
  }

  func test_edit_inOneSection_isTheSmallestChangeOfIt() {
    var kinds: [ArrayChange<Tile>.Kind] = []
    observations.observeArray(sections[2].elements) { _, _, change in kinds.append(change.kind) }
    source.append(Tile("e", rank: 2))
    source.remove(at: 0)
    source.swapAt(1, 3)
    tiles[3].isShown = false
    XCTAssertEqual(kinds, [.insertion, .removal, .move])
  }

  func test_section_stays_theSameObject_untilItIsEmpty() {
    let first = sections[0]
    source.append(Tile("e", rank: 0))
    XCTAssertTrue(sections[0] === first)
    source.removeAll { $0.rank == 0 }
    XCTAssertEqual(first.elements.elements, [])
    source.append(Tile("f", rank: 0))
    XCTAssertFalse(sections[0] === first)
    XCTAssertEqual(text(of: sections), "0:f 1:d 2:ac")
  }

  func test_setting_keepsTheSectionsThatStay() {
    let last = sections[2]
    source.setElements([Tile("x", rank: 2), Tile("y", rank: 4), Tile("z", rank: 2)])
    XCTAssertTrue(sections[0] === last)
    XCTAssertEqual(text(of: sections), "2:xz 4:y")
  }

  func test_fixedKeys_stayInTheirOrder_emptyOrNot() {
    sections = source.sections(on: [\.rank], by: { $0.rank }, keys: [2, 7, 0, 1, 7])
    observe()
    XCTAssertEqual(text(of: sections), "2:ac 7: 0:b 1:d")
    assertNoIssues {
      tiles[3].rank = 7
      source.remove(at: 1)
    }
    XCTAssertEqual(text(of: sections), "2:ac 7:d 0: 1:")
    XCTAssertEqual(lines, ["moved rows 3.0→1.0", "removed rows 2.0"])
    source.removeAll()
    XCTAssertEqual(text(of: sections), "2: 7: 0: 1:")
  }

  func test_fixedKeys_otherKey_isLeftOut_andReportedOnce() {
    let line: UInt = #line + 2
    let issues = collectingIssues {
      sections = source.sections(on: [\.rank], by: { $0.rank }, keys: [0, 2])
      XCTAssertEqual(text(of: sections), "0:b 2:ac")
      tiles[0].rank = 9
      XCTAssertEqual(text(of: sections), "0:b 2:c")
      tiles[3].rank = 0
    }
    XCTAssertEqual(text(of: sections), "0:bd 2:c")
    guard case .otherKey("1", #fileID, line)? = issues.first, issues.count == 1 else {
      return XCTFail("\(issues)")
    }
  }

  func test_sortedBy_sortsEachSection() {
    sections = source.sections(
      on: [\.rank, \.isShown], by: { $0.rank % 2 },
      sortedBy: {
        ($0.rank, $0.letter) < ($1.rank, $1.letter)
      })
    XCTAssertEqual(text(of: sections), "0:bac 1:d")
    tiles[3].rank = -2
    XCTAssertEqual(text(of: sections), "0:dbac")
    tiles[0].rank = 7
    XCTAssertEqual(text(of: sections), "0:dbc 1:a")
  }

  func test_grouped_followsTheElements_andNotifiesOfGroups() {
    let groups = source.grouped(on: [\.rank]) { $0.rank }
    var log: [String] = []
    observations.observeDictionary(groups) { _, _, change in
      log.append("\(change.kind) \(change.entries.map(\.key).sorted())")
    }
    XCTAssertEqual(
      groups.elements.mapValues { $0.map(\.letter).joined() }, [0: "b", 1: "d", 2: "ac"])
    let two = groups[2]
    tiles[0].rank = 1
    XCTAssertEqual(log, [])
    XCTAssertEqual(
      groups.elements.mapValues { $0.map(\.letter).joined() }, [0: "b", 1: "ad", 2: "c"])
    XCTAssertTrue(groups[2] === two)
    tiles[2].rank = 3
    XCTAssertEqual(log, ["batch [2, 3]"])
    XCTAssertEqual(
      groups.elements.mapValues { $0.map(\.letter).joined() }, [0: "b", 1: "ad", 3: "c"])
    XCTAssertEqual(two?.elements, [])
  }

  func test_views_edited_reportOneIssueEach_andStayAsTheyAre() {
    let groups = source.grouped(on: [\.rank]) { $0.rank }
    for edit in [
      { [sections] in sections.removeAll() }, { [sections] in sections[0].elements.removeAll() },
      { groups.removeAll() },
    ] {
      let issues = collectingIssues(edit)
      guard case .readOnlyArray(#fileID, _)? = issues.first, issues.count == 1 else {
        return XCTFail("\(issues)")
      }
    }
    XCTAssertEqual(text(of: sections), "0:b 1:d 2:ac")
    XCTAssertEqual(groups.count, 3)
  }

  func test_section_isPrintedWithItsKey() {
    XCTAssertEqual("\(sections[2])", "2: [a2, c2]")
    XCTAssertEqual("\(SectionChange<Int, Int>.Index(section: 1, row: 2))", "1.2")
  }

  func test_sourceIndex_isThatOfTheElement() {
    XCTAssertEqual(sections[2].elements.sourceIndex(at: 1), 2)
    source.remove(at: 0)
    XCTAssertEqual(sections[2].elements.sourceIndex(at: 0), 1)
  }

  // MARK: - Changes

  func test_observeSections_initial_handsOutAllSections() {
    observe(options: .initial)
    XCTAssertEqual(changes.map(\.isInitial), [true])
    XCTAssertEqual(changes[0].sections.map(\.key), [0, 1, 2])
    XCTAssertEqual(
      changes[0].sections.map { $0.elements.map(\.letter) }, [["b"], ["d"], ["a", "c"]])
  }

  func test_observeSections_eachEdit_isOneChange() {
    observe()
    tiles[0].rank = 1
    XCTAssertEqual(lines, ["moved rows 2.0→1.0"])
    tiles[1].rank = 4
    XCTAssertEqual(lines, ["removed sections 0, inserted sections 2"])
    source.append(Tile("e", rank: 1))
    XCTAssertEqual(lines, ["inserted rows 0.2"])
    source.insert(Tile("f", rank: 9), at: 0)
    XCTAssertEqual(lines, ["inserted sections 3"])
    source.remove(at: 1)
    XCTAssertEqual(lines, ["removed rows 0.0"])
    XCTAssertEqual(text(of: sections), "1:de 2:c 4:b 9:f")
    source.swapAt(3, 4)
    XCTAssertEqual(lines, ["moved rows 0.0→0.1"])
    source.swapAt(0, 1)
    XCTAssertEqual(lines, [])
  }

  func test_observeSections_rowIntoANewSection_isRemoved_andComesWithIt() {
    observe()
    tiles[0].rank = 1
    tiles[0].rank = 8
    XCTAssertEqual(lines, ["moved rows 2.0→1.0", "removed rows 1.0, inserted sections 3"])
    tiles[0].rank = 2
    XCTAssertEqual(lines, ["removed sections 3, inserted rows 2.0"])
  }

  func test_observeSections_elements_listsChangedRows() {
    observe([\.isShown])
    tiles[2].isShown = false
    XCTAssertEqual(lines, ["changed rows 2.1"])
    tiles[0].rank = 0
    XCTAssertEqual(lines, ["moved rows 2.0→0.0, changed rows 0.0"])
    tiles[0].isShown = false
    XCTAssertEqual(lines, ["changed rows 0.0"])
  }

  func test_observeSections_keyThatIsFollowed_isOneChange() {
    observe([\.rank])
    tiles[0].rank = 1
    XCTAssertEqual(lines, ["moved rows 2.0→1.0, changed rows 1.0"])
  }

  func test_observeSections_transaction_isOneChange() {
    observe([\.isShown])
    withObservationTransaction {
      tiles[0].rank = 1
      tiles[3].isShown = false
      source.append(Tile("e", rank: 6))
      source.remove(at: 1)
      tiles[2].isShown = false
    }
    XCTAssertEqual(
      lines,
      [
        "removed sections 0, inserted sections 2, moved rows 2.0→0.0, changed rows 0.0 0.1 1.0"
      ])
  }

  func test_observeSections_batch_isOneChange() {
    observe()
    source.performBatchUpdates {
      source.append(Tile("e", rank: 1))
      source.removeAll { $0.rank == 2 }
    }
    XCTAssertEqual(lines, ["removed sections 2, inserted rows 1.1"])
  }

  func test_observeSections_nothingDiffers_deliversNothing() {
    observe()
    withObservationTransaction {
      tiles[0].rank = 1
      tiles[0].rank = 2
    }
    withObservationTransaction {
      source.append(Tile("e", rank: 1))
      source.removeLast()
    }
    XCTAssertEqual(lines, [])
  }

  func test_observeSections_again_returnsTheFirstToken() {
    var tokens: [ObservationToken] = []
    for _ in 0..<2 {
      tokens.append(
        observations.observeSections(sections) { [unowned self] _, _, change in
          changes.append(change)
        })
    }
    XCTAssertTrue(tokens[0] === tokens[1])
    XCTAssertTrue(tokens[0].isActive)
    source.removeLast()
    source.append(Tile("e", rank: 2))
    XCTAssertEqual(lines, ["removed sections 1", "inserted rows 1.2"])
    observations.observeArray(sections) { _, _, _ in }
    observations.unobserve(sections)
    XCTAssertFalse(tokens[0].isActive)
    source.removeAll()
    XCTAssertEqual(lines, [])
  }

  func test_observeSections_viewOfTheSections_isFollowed() {
    let even = sections.filtered(on: []) { $0.key.isMultiple(of: 2) }
    observations.observeSections(even) { [unowned self] _, _, change in changes.append(change) }
    tiles[0].rank = 1
    tiles[2].rank = 1
    tiles[0].rank = 0
    XCTAssertEqual(lines, ["removed rows 1.0", "removed sections 1", "inserted rows 0.0"])
  }

  func test_observeSections_values_areFollowedByTheirPlaces() {
    let numbers: ObservableArray = [4, 3, 4, 8]
    let sections = numbers.sections(on: []) { $0 % 2 }
    var lines: [String] = []
    observations.observeSections(sections) { _, _, change in lines.append("\(change)") }
    numbers[0] = 6
    numbers.swapAt(0, 2)
    numbers[3] = 5
    XCTAssertEqual(
      lines,
      [
        "removed rows 0.0, inserted rows 0.0", "moved rows 0.0→0.1",
        "removed rows 0.2, inserted rows 1.1",
      ])
  }

  func test_change_madeByHand_isApplied() {
    let change = SectionChange<String, Int>(
      removedSections: [0], insertedSections: [1], removedRows: [.init(section: 1, row: 0)],
      insertedRows: [.init(section: 0, row: 1)],
      sections: [("b", [2, 3]), ("c", [4])])
    let result = change.applying(to: [("a", [1]), ("b", [1, 2])])
    XCTAssertEqual(result.map(\.key), ["b", "c"])
    XCTAssertEqual(result.map(\.elements), [[2, 3], [4]])
  }

  // MARK: - Lifetime

  func test_views_liveAsLongAsTheirUsers_andTheSourceAsLong() {
    var source: ObservableArray? = ObservableArray(tiles)
    let weakSource = Weak(source)
    var sections = source?.sections(on: [\.rank]) { $0.rank }
    let weakSections = Weak(sections)
    var inner = sections?[2].elements
    source = nil
    XCTAssertNotNil(weakSource.object)
    sections = nil
    XCTAssertNil(weakSections.object)
    weakSource.object?.append(Tile("e", rank: 2))
    XCTAssertEqual(inner?.map(\.letter), ["a", "c", "e"])
    inner = nil
    XCTAssertNil(weakSource.object)
  }

  func test_observeSections_retainingController_keepsThemUntilItEnds() {
    var list: ObservableArray? = source.sections(on: [\.rank]) { $0.rank }
    let weakList = Weak(list)
    let token = observations.observeSections(list!) { [unowned self] _, _, change in
      changes.append(change)
    }
    list = nil
    source.removeLast()
    XCTAssertEqual(lines, ["removed sections 1"])
    token.invalidate()
    XCTAssertNil(weakList.object)
  }

  func test_observeSections_unretained_endsWithTheSections() {
    let observations = ObservationController(observer: observer, retainsObserved: false)
    var source: ObservableArray? = ObservableArray(tiles)
    let weakSource = Weak(source)
    var list = source?.sections(on: [\.rank]) { $0.rank }
    let token = observations.observeSections(list!) { _, _, _ in XCTFail("nothing has changed") }
    source = nil
    list = nil
    XCTAssertNil(weakSource.object)
    XCTAssertFalse(token.isActive)
  }
}
