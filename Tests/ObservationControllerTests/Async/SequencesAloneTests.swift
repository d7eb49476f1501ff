import Observation
import ObservationController
import TestSupport
import XCTest

/// Sequences without a controller of one's own.
final class SequencesAloneTests: CountingTestCase {
  func test_values_beginWithTheCurrentOne_andMissNothing() async {
    let counter = Counter()
    let values = ObservationValues(of: counter, \.count)
    for count in 1...3 { counter.count = count }
    var seen: [Int] = []
    for await value in values {
      seen.append(value)
      if value == 3 { break }
    }
    XCTAssertEqual(seen, [0, 1, 2, 3])
  }

  func test_changes_haveOldAndNewValue_andTheOptionsGiven() async {
    let counter = Counter()
    let changes = ObservationChanges(of: counter, \.count, options: [.initial, .old])
    counter.count = 5
    var seen: [String] = []
    for await change in changes {
      seen.append("\(change)")
      if change.newValue == 5 { break }
    }
    XCTAssertEqual(seen, ["initially 0", "0 → 5"])
  }

  func test_sequence_leftByBreak_endsItsObservation_andReleasesTheObject() async {
    weak var released: Counter?
    do {
      let counter = Counter()
      released = counter
      for await _ in ObservationValues(of: counter, \.count) { break }
    }
    XCTAssertNil(released)
    XCTAssertEqual(newObservations, 0)
  }

  func test_sequence_retainsTheObject_unlessToldNotTo() async {
    for retains in [true, false] {
      weak var released: Counter?
      var values: ObservationValues<Int>?
      do {
        let counter = Counter()
        released = counter
        values = ObservationValues(of: counter, \.count, retainsObserved: retains)
      }
      XCTAssertEqual(released == nil, !retains)
      if !retains {
        var seen: [Int] = []
        for await value in values! { seen.append(value) }
        XCTAssertEqual(seen, [0], "ended with the object")
      }
      values = nil
      XCTAssertNil(released)
    }
  }

  func test_sequence_cancelledTask_ends() async {
    let counter = AtomicCounter()
    let task = Task {
      var seen = 0
      for await _ in ObservationValues(of: counter, \.count) { seen += 1 }
      return seen
    }
    counter.count = 1
    task.cancel()
    _ = await task.value
    XCTAssertEqual(newObservations, 0)
  }

  func test_C24_sequence_ofNothingObservable_isReported_andEndsAtOnce() async {
    let reporter = ObservationIssue.reporter
    defer { ObservationIssue.reporter = reporter }
    let issues = Recorder<ObservationIssue>()
    ObservationIssue.reporter = { issues.append($0) }
    for await _ in ObservationChanges(of: Plain(), \.number) { XCTFail("an element") }
    XCTAssertEqual(issues.events.count, 1)
  }

  @MainActor
  func test_values_ofAnObservableObject_followIt() async {
    let document = PlainDocument()
    var seen: [String] = []
    for await title in ObservationValues(of: document, \.title) {
      seen.append(title)
      if title == "b" { break }
      document.title = seen.count == 1 ? "a" : "b"
    }
    XCTAssertEqual(seen, ["Untitled", "a", "b"])
  }

  private final class Plain: Sendable { let number = 1 }

  private final class AtomicCounter: Sendable {
    private let storedCount = AtomicObserved(wrappedValue: 0)
    var count: Int {
      get { storedCount.wrappedValue }
      set { storedCount.wrappedValue = newValue }
    }
  }
}
