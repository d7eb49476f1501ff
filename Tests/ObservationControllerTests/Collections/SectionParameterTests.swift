import ObservationController
import TestSupport
import XCTest

/// Views by sections and groups that are sorted, or depend on a parameter.
final class SectionParameterTests: TestCase {
  private final class Table {
    @Observed var divisor = 2
    @Observed var isDescending = false
  }

  private let observer = SilentObserver()
  private lazy var observations = ObservationController(observer: observer)
  private let tiles = Tile.row(ranks: [2, 0, 5, 1])
  private lazy var source = ObservableArray(tiles)
  private let table = Table()
  private let recorder = LineRecorder()

  private func text(of list: ObservableArray<ObservableSection<Int, Tile>>) -> String {
    list.map { "\($0.key):" + $0.elements.map(\.letter).joined() }.joined(separator: " ")
  }

  private func record(
    _ list: ObservableArray<ObservableSection<Int, Tile>>, elements: [PartialKeyPath<Tile>] = []
  ) {
    observations.observeSections(list, elements: elements) { [recorder] _, _, change in
      recorder.append("\(change)")
    }
  }

  func test_parameter_changed_isOneChangeOfAllSections() {
    let sections = source.sections(on: [\.rank], with: table, \.divisor) { $0.rank % $1 }
    record(sections)
    XCTAssertEqual(text(of: sections), "0:ab 1:cd")
    table.divisor = 3
    XCTAssertEqual(text(of: sections), "0:b 1:d 2:ac")
    XCTAssertEqual(recorder.takeEvents(), ["removed rows 0.0 1.0, inserted sections 2"])
    table.divisor = 3
    XCTAssertEqual(recorder.takeEvents(), [])
    tiles[0].rank = 4
    XCTAssertEqual(recorder.takeEvents(), ["moved rows 2.0→1.0"])
  }

  func test_parameter_changedWithElements_inATransaction_isOneChange() {
    let sections = source.sections(on: [\.rank], with: table, \.divisor) { $0.rank % $1 }
    record(sections, elements: [\.rank])
    withObservationTransaction {
      tiles[1].rank = 3
      source.remove(at: 3)
      table.divisor = 4
    }
    XCTAssertEqual(text(of: sections), "1:c 2:a 3:b")
    XCTAssertEqual(recorder.takeEvents().count, 1)
  }

  func test_parameter_withFixedKeys_leavesOutOthers() {
    let sections = source.sections(
      on: [\.rank], with: table, \.divisor, by: { $0.rank % $1 }, keys: [1, 0])
    record(sections)
    XCTAssertEqual(text(of: sections), "1:cd 0:ab")
    let issues = collectingIssues { table.divisor = 3 }
    XCTAssertEqual(issues.count, 1)
    XCTAssertEqual(text(of: sections), "1:d 0:b")
    XCTAssertEqual(recorder.takeEvents(), ["removed rows 0.0 1.0"])
  }

  func test_parameter_whoseObjectIsDeallocated_staysTheLast() {
    var table: Table? = Table()
    let sections = source.sections(on: [\.rank], with: table!, \.divisor) { $0.rank % $1 }
    table = nil
    tiles[1].rank = 3
    XCTAssertEqual(text(of: sections), "0:a 1:bcd")
  }

  func test_order_withAParameter_changesAllSectionsAtOnce() {
    let sections = source.sections(
      on: [\.rank], with: table, \.isDescending, by: { tile, _ in tile.rank % 2 },
      sortedBy: { $2 ? $0.rank > $1.rank : $0.rank < $1.rank })
    record(sections)
    XCTAssertEqual(text(of: sections), "0:ba 1:dc")
    table.isDescending = true
    XCTAssertEqual(text(of: sections), "0:ab 1:cd")
    XCTAssertEqual(recorder.takeEvents().count, 1)
  }

  func test_sorted_propertyOfKeyAndOrder_isOneChange_alsoWhereItIsShown() {
    let sections = source.sections(
      on: [\.rank], by: { $0.rank % 2 }, sortedBy: { $0.rank < $1.rank })
    record(sections, elements: [\.rank])
    XCTAssertEqual(text(of: sections), "0:ba 1:dc")
    tiles[1].rank = 6
    XCTAssertEqual(recorder.takeEvents(), ["moved rows 0.1→0.0, changed rows 0.1"])
    tiles[1].rank = 7
    XCTAssertEqual(recorder.takeEvents(), ["moved rows 0.1→1.2, changed rows 1.2"])
    tiles[1].rank = 9
    XCTAssertEqual(recorder.takeEvents(), ["changed rows 1.2"])
    XCTAssertEqual(text(of: sections), "0:a 1:dcb")
  }

  func test_sorted_severalChangedInABatch_areInOrder() {
    let sections = source.sections(on: [\.rank], by: { _ in 0 }, sortedBy: { $0.rank < $1.rank })
    record(sections)
    source.performBatchUpdates {
      for (index, tile) in tiles.enumerated() { tile.rank = [5, 1, 0, 3][index] }
    }
    XCTAssertEqual(text(of: sections), "0:cbda")
    source.performBatchUpdates {
      tiles[3].rank = 9
      source.append(Tile("e", rank: 2))
      tiles[0].rank = 0
    }
    XCTAssertEqual(text(of: sections), "0:acbed")
  }

  func test_grouped_withAParameter_followsIt() {
    let groups = source.grouped(on: [\.rank], with: table, \.divisor) { $0.rank % $1 }
    observations.observeDictionary(groups) { [recorder] _, _, change in
      recorder.append("\(change.kind) \(change.entries.map(\.key).sorted())")
    }
    table.divisor = 3
    XCTAssertEqual(
      groups.elements.mapValues { $0.map(\.letter).joined() }, [0: "b", 1: "d", 2: "ac"])
    XCTAssertEqual(recorder.takeEvents(), ["insertion [2]"])
  }

  func test_closureThatReadsAnotherProperty_isReported() {
    let issues = collectingIssues {
      _ = source.sections(on: [], by: { _ in 0 }, sortedBy: { $0.rank < $1.rank })
      _ = source.grouped(on: [\.isShown]) { $0.rank }
    }
    #if DEBUG
      XCTAssertEqual(issues.count, 2)
      for case .notFollowed(let keyPath, _, _) in issues { XCTAssertEqual(keyPath, \Tile.rank) }
    #endif
  }
}
