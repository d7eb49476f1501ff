import ObservationController
import TestSupport
import XCTest

/// Contracts for views by sections and groups, and for observing them.
final class SectionContractTests: TestCase {
  private typealias List = ObservableArray<ObservableSection<Int, Tile>>

  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)
  private let tiles = Tile.row(ranks: [2, 0, 2, 1])
  private lazy var source = ObservableArray(tiles)
  private lazy var sections = source.sections(on: [\.rank]) { $0.rank }
  private lazy var groups = source.grouped(on: [\.rank]) { $0.rank }

  private func text(of sections: [(key: Int, elements: [Tile])]) -> String {
    sections.map { "\($0.key):" + $0.elements.map(\.letter).joined() }.joined(separator: " ")
  }

  private var shown: String { text(of: sections.map { ($0.key, $0.elements.elements) }) }

  // MARK: C7, C11

  func test_C7_sections_changedByAHandler_areOneChainOfChanges() {
    let first = SectionReplay(of: sections)
    let last = SectionReplay(of: sections)
    observations.observeSections(sections, context: "first") { [unowned self] _, _, change in
      first.receive(change)
      recorder.append("\(change): \(text(of: change.sections))")
      if tiles[0].rank == 1 { tiles[0].rank = 7 }
      if source.count == 4 { source.append(Tile("e", rank: 0)) }
    }
    observations.observeSections(sections, context: "last") { _, _, change in last.receive(change) }
    tiles[0].rank = 1
    XCTAssertEqual(
      recorder.events,
      [
        "moved rows 2.0→1.0: 0:b 1:ad 2:c",
        // The turn of the rank is still being used.
        "inserted rows 0.1: 0:be 1:ad 2:c",
        "removed rows 1.0, inserted sections 3: 0:be 1:d 2:c 7:a",
      ])
    XCTAssertEqual(first.flaws + last.flaws, [])
    XCTAssertEqual(text(of: last.sections), shown)
  }

  func test_C7_groups_changedByAHandler_areOneChainOfChanges() {
    var elements = Set(groups.keys)
    observations.observeDictionary(groups) { [unowned self] recorder, _, change in
      for entry in change.entries {
        XCTAssertEqual(elements.contains(entry.key), entry.oldValue != nil)
        elements.remove(entry.key)
        if entry.newValue != nil { elements.insert(entry.key) }
      }
      recorder.append("\(change.kind)")
      if tiles[3].rank == 5 { tiles[3].rank = 0 }
    }
    tiles[3].rank = 5
    XCTAssertEqual(recorder.events, ["batch", "removal"])
    XCTAssertEqual(elements, Set(groups.keys))
  }

  func test_C11_transaction_isOneChangeOfEachArray_andOneOfTheSections() {
    observations.observeSections(sections, elements: [\.isShown]) { $0.append("sections \($2)") }
    observations.observeArray(sections) { $0.append("list \($2.kind)") }
    for section in sections {
      observations.observeArray(section.elements) { $0.append("\(section.key) \($2.kind)") }
    }
    observations.observeDictionary(groups) { $0.append("groups \($2.kind)") }
    withObservationTransaction {
      tiles[0].rank = 1
      tiles[1].isShown = false
      source.append(Tile("e", rank: 4))
      tiles[0].rank = 0
      tiles[2].rank = 1
      XCTAssertEqual(recorder.events, [])
      XCTAssertEqual(shown, "0:b 1:d 2:ac")
    }
    XCTAssertEqual(shown, "0:ab 1:cd 4:e")
    XCTAssertEqual(
      recorder.takeEvents().sorted(),
      [
        "0 batch", "1 batch", "2 batch", "groups batch", "list batch",
        "sections removed sections 2, inserted sections 2, inserted rows 0.0 1.0, changed rows 0.1",
      ])
    withObservationTransaction {
      tiles[0].rank = 1
      tiles[0].rank = 0
    }
    XCTAssertEqual(recorder.takeEvents(), [])
  }

  // MARK: C14, C15

  func test_C14_controllerOrSectionsDeallocated_endTheObservations() {
    let views = [
      { [source] () -> AnyObject in source.sections(on: [\.rank]) { $0.rank } },
      { [source] () -> AnyObject in source.grouped(on: [\.rank]) { $0.rank } },
    ]
    assertLeavesNoObservations {
      for view in views {
        let object = view()
        do {
          let own = ObservationController(observer: recorder)
          observe(object, by: own)
        }
        let own = ObservationController(observer: recorder, retainsObserved: false)
        observe(object, by: own)
        withExtendedLifetime(object) { tiles[0].rank += 1 }
        XCTAssertEqual(recorder.takeEvents().count, 1)
      }
    }
    tiles[0].rank = 0
    XCTAssertEqual(recorder.events, [])
  }

  private func observe(_ object: AnyObject, by own: ObservationController<LineRecorder>) {
    if let list = object as? List {
      own.observeSections(list, elements: [\.isShown]) { recorder, _, _ in recorder.append("list") }
    } else if let groups = object as? ObservableDictionary<Int, ObservableArray<Tile>> {
      own.observeDictionary(groups) { recorder, _, _ in recorder.append("groups") }
    }
  }

  func test_C15_elementsThatLeave_andHandlers_areReleased() {
    final class Item {
      @Observed var key: Int
      private let ticket: LifetimeCounter.Ticket

      init(_ key: Int, _ ticket: LifetimeCounter.Ticket) { (self.key, self.ticket) = (key, ticket) }
    }
    let (items, handlers) = (LifetimeCounter(), LifetimeCounter())
    assertLeavesNoObservations {
      let source = ObservableArray((0..<4).map { Item($0 % 2, items.makeTicket()) })
      let sections = source.sections(on: [\.key], by: { $0.key }, sortedBy: { $0.key < $1.key })
      let groups = source.grouped(on: [\.key]) { $0.key }
      let own = ObservationController(observer: recorder)
      let token = own.observeSections(sections, elements: [\.key]) {
        [ticket = handlers.makeTicket()] recorder, _, change in
        withExtendedLifetime(ticket) { recorder.append("\(change)") }
      }
      own.observeDictionary(groups) { recorder, _, _ in recorder.append("groups") }
      source.removeFirst()
      XCTAssertEqual(items.count, 3)
      source[0].key = 5
      source.remove(at: 0)
      XCTAssertEqual(items.count, 2)
      withObservationTransaction {
        source[0].key = 3
        source.removeAll()
      }
      XCTAssertEqual(items.count, 0)
      XCTAssertEqual(sections.count + groups.count, 0)
      source.append(Item(0, items.makeTicket()))
      token.invalidate()
      XCTAssertEqual(handlers.count, 0)
      source.removeAll()
      XCTAssertEqual(items.count, 0)
    }
  }

  func test_C15_observationOfSections_thatEnds_leavesNothingAtTheElements() {
    weak var list: List?
    do {
      let own = ObservationController(observer: recorder)
      let sections = source.sections(on: [\.rank]) { $0.rank }
      list = sections
      let token = own.observeSections(sections, elements: [\.rank, \.isShown]) { _, _, _ in }
      token.invalidate()
    }
    XCTAssertNil(list)
    XCTAssertEqual(ObservationDispatcher.shared.observedKeyPaths(of: tiles[0]), [])
  }

  func test_C17_sameLine_replacesTheHandler_anotherOneIsReported() {
    var tokens: [ObservationToken] = []
    for number in 0..<2 {
      tokens.append(
        observations.observeSections(sections, elements: [\.isShown]) {
          $0.append("\(number) \($2)")
        })
    }
    XCTAssertTrue(tokens[0] === tokens[1])
    tiles[0].rank = 1
    tiles[0].isShown = false
    XCTAssertEqual(
      recorder.takeEvents(), ["1 moved rows 2.0→1.0, changed rows 1.0", "1 changed rows 1.0"])
    let issues = collectingIssues {
      observations.observeSections(sections) { $0.append("other \($2)") }
    }
    guard case .alreadyObserved? = issues.first, issues.count == 1 else {
      return XCTFail("\(issues)")
    }
    tiles[1].isShown = false
    XCTAssertEqual(recorder.takeEvents(), ["1 changed rows 0.0"])
  }

  // MARK: C20, C22

  func test_C20_observersComeAndGo_onSeveralThreads_whileNothingIsEdited() {
    let (list, dictionary) = (UncheckedReference(sections), UncheckedReference(groups))
    let tally = CallCounter()
    onThreads(4) { _ in
      for _ in 0..<Effort.count(quick: 6, full: 60) {
        let own = ObservationController(observer: tally, retainsObserved: false)
        let token = own.observeSections(
          list.object, elements: [\.rank, \.isShown], options: .initial
        ) { tally, _, _ in tally.increment() }
        own.observeDictionary(dictionary.object) { tally, _, _ in tally.increment() }
        own.observeSections(list.object, context: "other") { tally, _, _ in tally.increment() }
        token.invalidate()
      }
    }
    XCTAssertEqual(tally.count, 4 * Effort.count(quick: 6, full: 60))
    tiles[0].rank = 9
    XCTAssertEqual(tally.count, 4 * Effort.count(quick: 6, full: 60))
  }

  func test_C20_viewsMadeAndDropped_onSeveralThreads() {
    let source = UncheckedReference(source)
    onThreads(4) { _ in
      for _ in 0..<Effort.count(quick: 10, full: 60) {
        let sections = source.object.sections(
          on: [\.rank], by: { $0.rank }, sortedBy: { $0.rank < $1.rank })
        let groups = source.object.grouped(on: [\.rank]) { $0.rank }
        XCTAssertEqual(sections.map(\.elements.count), [1, 1, 2])
        XCTAssertEqual(groups.count, 3)
      }
    }
  }

  func test_C22_closures_runWithNoLockHeld() {
    var uses: [String: Int] = [:]
    var isProbing = false
    let target = UncheckedReference(source)
    func probe(_ name: String) {
      uses[name, default: 0] += 1
      guard !isProbing, uses[name]! <= 3 else { return }
      isProbing = true
      defer { isProbing = false }
      onAnotherThread(name) {
        _ = ObservationDispatcher.shared.activeObservationCount
        let own = ObservationController(observer: target.object)
        own.observeArray(target.object, elements: [\.rank]) { _, _, _ in }
      }
    }
    struct Key: Hashable, Comparable {
      let number: Int
      let probe: (String) -> Void
      static func == (left: Key, right: Key) -> Bool {
        left.probe("==")
        return left.number == right.number
      }
      static func < (left: Key, right: Key) -> Bool {
        left.probe("<")
        return left.number < right.number
      }
      func hash(into hasher: inout Hasher) {
        probe("hash")
        hasher.combine(number)
      }
    }
    func key(_ tile: Tile) -> Key {
      probe("key")
      return Key(number: tile.rank, probe: probe)
    }
    let sections = source.sections(
      on: [\.rank], by: { key($0) },
      sortedBy: { first, second in
        probe("order")
        return first.letter < second.letter
      })
    let groups = source.grouped(on: [\.rank]) { key($0) }
    observations.observeSections(sections, elements: [\.rank]) { _, _, _ in probe("handler") }
    observations.observeDictionary(groups) { _, _, _ in probe("handler of groups") }
    tiles[0].rank = 5
    source.append(Tile("e", rank: 0))
    source.setElements(source.reversed())
    XCTAssertEqual(
      uses.keys.sorted(),
      ["<", "==", "handler", "handler of groups", "hash", "key", "order"])
  }

  // MARK: C27

  func test_C27_derivedValues_overSeveralArrays_findAllUpToDate() {
    let sections = sections
    let groups = groups
    let counts = ObservableValue { sections.map { $0.elements.count } }
    let letters = ObservableValue { groups.elements.values.flatMap { $0.map(\.letter) }.sorted() }
    let second = ObservableValue { sections.count > 1 ? sections[1].elements.map(\.rank) : [] }
    observations.observe(counts, \.value) { $0.append("counts \($2.newValue)") }
    observations.observe(letters, \.value) { $0.append("letters \($2.newValue.count)") }
    for section in sections {
      observations.observeArray(section.elements) { recorder, _, _ in
        recorder.append("inner: \(counts.value), \(letters.value.count)")
      }
    }
    tiles[0].rank = 1
    XCTAssertEqual(
      recorder.takeEvents().sorted(),
      ["counts [1, 2, 1]", "inner: [1, 2, 1], 4", "inner: [1, 2, 1], 4"])
    XCTAssertEqual(second.value, [1, 1])
    withObservationTransaction {
      tiles[1].rank = 2
      XCTAssertEqual(sections.map { $0.elements.count }, [1, 2, 1])
      XCTAssertEqual(counts.value, [1, 2, 1])
    }
    XCTAssertEqual(counts.value, [2, 2])
    XCTAssertEqual(second.value, [2, 2])
    _ = recorder.takeEvents()
    source.removeAll()
    XCTAssertEqual(counts.value, [])
    XCTAssertEqual(letters.value, [])
  }
}
