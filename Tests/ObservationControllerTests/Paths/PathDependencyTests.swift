import ObservationController
import TestSupport
import XCTest

/// C10: the dependencies of a path that reads properties in another order, more than once, or
/// others than before.
final class PathDependencyTests: TestCase {
  /// Reads its counters as `order` says, which is not observed.
  private final class Sheet {
    @Observed var trigger = 0
    let counters: [Counter]
    var order: [Int] = []
    private(set) var readings = 0

    init(_ count: Int) {
      counters = (0..<count).map { _ in Counter() }
    }

    var sum: Int {
      readings += 1
      return order.reduce(trigger) { $0 + counters[$1].count }
    }
  }

  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  private func observed(_ count: Int, reading order: [Int]) -> Sheet {
    let sheet = Sheet(count)
    sheet.order = order
    observations.observe(sheet, \.sum) { recorder, _, change in
      recorder.write("\(change.oldValue!) → \(change.newValue)")
    }
    return sheet
  }

  /// The dependencies of the path, found by changing each counter.
  private func dependencies(of sheet: Sheet) -> Set<Int> {
    Set(
      sheet.counters.indices.filter { index in
        let delivered = recorder.events.count
        sheet.counters[index].count += 1
        return recorder.events.count > delivered
      })
  }

  func test_path_afterEachEvaluation_dependsOnItsLastReads() {
    let orders: [[Int]] = [
      [0, 1, 2], [0, 1, 2, 0, 1], [2, 1, 0], [0, 0, 1, 1, 2], [0, 1], [], [3], [3, 0, 1, 2],
      [0, 3, 1, 2], [1], [2, 2, 2],
    ]
    for before in orders {
      for after in orders {
        let sheet = observed(4, reading: before)
        XCTAssertEqual(dependencies(of: sheet), Set(before), "\(before)")
        sheet.order = after
        sheet.trigger += 1
        XCTAssertEqual(dependencies(of: sheet), Set(after), "\(before), then \(after)")
        sheet.order = before
        sheet.trigger += 1
        XCTAssertEqual(dependencies(of: sheet), Set(before), "\(after), then \(before)")
        observations.unobserveAll()
      }
    }
  }

  func test_pathOverManyProperties_inRandomOrders_dependsOnItsLastReads() {
    for seed in seeds(quick: 2, full: 20) {
      var generator = SeededGenerator(seed: seed)
      func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
      let sheet = observed(40, reading: Array(0..<40))
      for round in 0..<10 {
        // Mostly as before, with some left out, some moved, and some read again.
        for _ in 0..<random(4) where !sheet.order.isEmpty {
          sheet.order.remove(at: random(sheet.order.count))
        }
        for _ in 0..<random(6) {
          sheet.order.insert(random(40), at: random(sheet.order.count + 1))
        }
        sheet.trigger += 1
        XCTAssertEqual(
          dependencies(of: sheet), Set(sheet.order), "round \(round)")
      }
      observations.unobserveAll()
    }
  }

  func test_path_thatBeginsAnObservation_doesNotDependOnItsInitialHandler() {
    for begin in Opener.observing(by: observations) {
      let opener = Opener(begin)
      observations.observe(opener, \.shown) { $0.write("path \($2)") }
      opener.b = 5
      XCTAssertEqual(recorder.takeEvents(), ["initial 2"])
    }
  }

  /// Sets another property in its getter.
  private final class Copier {
    @Observed var source = 0
    @Observed var target = 0
    @Observed var unread = 0
    var twice: Int { target * 2 }

    var copied: Int {
      target = source
      return source
    }
  }

  func test_path_whoseGetterSetsAProperty_doesNotDependOnReadsOfItsHandlers() {
    let copier = Copier()
    observations.observe(copier, \.twice) { _, copier, _ in
      // That change waits for its turn, at the end of the assignment in the getter.
      if copier.target < 10 { copier.target += 10 } else { _ = copier.unread }
    }
    observations.observe(copier, \.copied) { $0.write("\($2)") }
    copier.source = 1
    XCTAssertEqual(recorder.takeEvents(), ["0 → 1"])
    copier.unread = 1
    XCTAssertEqual(recorder.takeEvents(), [])
  }

  /// Edits an array of counters in its getter.
  private final class Shelf {
    @Observed var trigger = 0
    @Observed var unread = 0
    let counter = Counter()
    private(set) lazy var counters: ObservableArray = [counter]
    private let edit: (Shelf) -> Void

    init(_ edit: @escaping (Shelf) -> Void) { self.edit = edit }

    var edited: Int {
      edit(self)
      return trigger
    }
  }

  func test_path_whoseGetterEndsABatch_doesNotDependOnReadsOfItsHandlers() {
    let shelf = Shelf { shelf in
      shelf.counters.performBatchUpdates { shelf.counter.count = 1 }
    }
    observations.observeArray(shelf.counters, elements: [\.count]) { recorder, _, change in
      if change.kind == .element { recorder.write("\(shelf.unread)") }
    }
    assertFollowsTriggerAlone(shelf)
  }

  func test_path_whoseGetterObservesAnArray_doesNotDependOnReadsOfItsHandlers() {
    let shelf = Shelf { [observations] shelf in
      observations.observeArray(
        shelf.counters, options: .initial, context: ObservationContext()
      ) { recorder, counters, change in
        if change.kind == .initial { counters.append(Counter()) }
        if change.kind == .insertion { recorder.write("\(shelf.unread)") }
      }
    }
    assertFollowsTriggerAlone(shelf)
  }

  func test_path_whoseGetterHasAnIssueReported_ignoresReadsOfTheReporter() {
    let shelf = Shelf { [observations] in
      observations.observe($0, \.self, context: ObservationContext()) { _, _, _ in }
    }
    let issues = collectingIssues {
      let (recorder, shelf) = (UncheckedReference(recorder), UncheckedReference(shelf))
      let report = ObservationIssue.reporter
      ObservationIssue.reporter = {
        report($0)
        recorder.object.write("\(shelf.object.unread)")
      }
      assertFollowsTriggerAlone(shelf.object)
    }
    XCTAssertEqual(issues.count, 2)
  }

  private func assertFollowsTriggerAlone(_ shelf: Shelf, line: UInt = #line) {
    observations.observe(shelf, \.edited) { $0.write("edited \($2)") }
    XCTAssertTrue(recorder.takeEvents().contains("0"), line: line)
    shelf.trigger = 1
    XCTAssertTrue(recorder.takeEvents().contains("edited 0 → 1"), line: line)
    shelf.unread = 1
    XCTAssertEqual(recorder.takeEvents(), [], line: line)
  }

  func test_change_ofAPathWithFixedDependencies_evaluatesItOnce() {
    let sheet = observed(20, reading: Array(0..<20) + Array(0..<20))
    let before = sheet.readings
    sheet.counters[7].count = 1
    XCTAssertEqual(sheet.readings - before, 1)
    XCTAssertEqual(recorder.events, ["0 → 2"])
  }

  func test_change_ofAPathsLink_evaluatesItOnce() {
    let sheet = observed(20, reading: Array(0..<10))
    sheet.order = Array(5..<20)
    let before = sheet.readings
    sheet.trigger = 1
    XCTAssertEqual(sheet.readings - before, 1)
  }

  /// A value that is computed from the objects of a plain array.
  private final class Crowd {
    var members: [Member] = []
    @Observed var version = 0
    var sum: Int { members.reduce(version - version) { $0 + $1.number } }
  }

  private final class Member {
    @Observed var number: Int
    init(_ number: Int) { self.number = number }
  }

  func test_C14_pathOverManyObjects_someDeallocated_followsTheOthers() {
    for count in [10, 300] {
      let crowd = Crowd()
      crowd.members = (0..<count).map { Member($0) }
      assertLeavesNoObservations {
        let token = observations.observe(crowd, \.sum) { $0.write("\($2)") }
        crowd.members.removeAll { $0.number.isMultiple(of: 3) }
        crowd.members.removeLast(2)
        for member in crowd.members {
          let before = crowd.sum
          member.number += 1
          // Of the first one, with everything that has been removed.
          XCTAssertEqual(recorder.takeEvents().last?.hasSuffix("→ \(before + 1)"), true)
        }
        crowd.members.append(Member(7))
        crowd.version += 1
        recorder.clear()
        let before = crowd.sum
        crowd.members.last?.number = 8
        XCTAssertEqual(recorder.takeEvents(), ["\(before) → \(before + 1)"])
        crowd.members.removeFirst(crowd.members.count - 1)
        token.invalidate()
        crowd.members[0].number = 9
        XCTAssertEqual(recorder.takeEvents(), [])
      }
    }
  }
}
