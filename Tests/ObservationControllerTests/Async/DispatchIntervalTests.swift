import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Intervals by the clock of Dispatch; no assertion depends on their length.
final class DispatchIntervalTests: TestCase {
  func test_interval_byTheClockOfDispatch_deliversTheLastValue() {
    let counter = Counter()
    let recorder = ChangeRecorder<Int>()
    let observations = ObservationController(observer: recorder)
    let last = expectation(description: "the last value")
    observations.observe(
      counter, \.count, on: DispatchQueue(label: "interval"),
      coalescing: .interval(.milliseconds(1))
    ) { recorder, _, change in
      recorder.record(change)
      if change.newValue == 100 { last.fulfill() }
    }
    for value in 1...100 { counter.count = value }
    wait(for: [last], timeout: 60)
    XCTAssertLessThanOrEqual(recorder.events.count, 100)
    withExtendedLifetime(observations) {}
  }
}
