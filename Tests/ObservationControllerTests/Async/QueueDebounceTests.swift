import Dispatch
import ObservationController
import TestSupport
import XCTest

/// One delivery once nothing has changed for some time, by a clock that the tests step.
final class QueueDebounceTests: TestCase {
  private let clock = SteppedClock()
  private let queue = DispatchQueue(label: "debounce")
  private let counter = Counter()
  private let recorder = ChangeRecorder<Int>()
  private lazy var observations = ObservationController(observer: recorder)

  override func invokeTest() {
    clock.whileCurrent { super.invokeTest() }
  }

  @discardableResult
  private func observe(
    _ options: ObservationOptions = .old, for duration: Duration = .milliseconds(100)
  ) -> ObservationToken {
    observations.observe(
      counter, \.count, options: options, on: queue, coalescing: .debounce(duration)
    ) { recorder, _, change in recorder.record(change) }
  }

  /// Advances the clock, and waits for the deliveries that are due.
  private func advance(by milliseconds: Int) {
    clock.advance(by: .milliseconds(milliseconds))
    queue.drain()
  }

  private func set(_ value: Int) {
    counter.count = value
    queue.drain()
  }

  func test_debounce_changes_areOneDelivery_onceNothingHasChanged() {
    observe()
    for value in 1...10 {
      set(value)
      advance(by: 60)
    }
    XCTAssertEqual(recorder.events, [])
    XCTAssertEqual(clock.jobCount, 1, "one timer, however many changes")
    advance(by: 39)
    XCTAssertEqual(recorder.events, [])
    advance(by: 1)
    XCTAssertEqual(recorder.takeEvents(), [.changed(0, 10)])
    XCTAssertEqual(clock.jobCount, 0)
    set(11)
    XCTAssertEqual(recorder.events, [])
    advance(by: 100)
    XCTAssertEqual(recorder.events, [.changed(10, 11)])
  }

  func test_debounce_initialDelivery_doesNotWait() {
    counter.count = 5
    observe([.initial, .old])
    queue.drain()
    XCTAssertEqual(recorder.takeEvents(), [.initial(5)])
    set(6)
    XCTAssertEqual(recorder.events, [])
    advance(by: 100)
    XCTAssertEqual(recorder.events, [.changed(5, 6)])
  }

  func test_debounce_changeThatJoinsTheInitialDelivery_doesNotDelayIt() {
    queue.whileSuspended {
      observe([.initial, .old])
      counter.count = 1
    }
    queue.drain()
    XCTAssertEqual(recorder.events, [.initial(1)])
  }

  func test_debounce_distinct_backWhereItBegan_isNotDelivered() {
    observe([.old, .distinct])
    set(1)
    set(0)
    advance(by: 100)
    XCTAssertEqual(recorder.events, [])
    set(2)
    advance(by: 100)
    XCTAssertEqual(recorder.events, [.changed(0, 2)])
  }

  func test_C19_debounce_endWhileItWaits_isHonoured() {
    let token = observe()
    set(1)
    token.invalidate()
    advance(by: 100)
    XCTAssertEqual(recorder.events, [])
    XCTAssertEqual(clock.jobCount, 0)
  }

  func test_debounce_thatIsNotPositive_isAsLatest() {
    observe(for: .zero)
    set(1)
    XCTAssertEqual(recorder.events, [.changed(0, 1)])
  }
}
