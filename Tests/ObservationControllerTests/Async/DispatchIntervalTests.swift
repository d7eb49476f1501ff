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
    let (first, last) = (expectation(description: "1"), expectation(description: "2"))
    observations.observe(
      counter, \.count, on: DispatchQueue(label: "interval"),
      coalescing: .interval(.milliseconds(200))
    ) { recorder, _, change in
      recorder.record(change)
      (change.newValue == 1 ? first : last).fulfill()
    }
    counter.count = 1
    wait(for: [first], timeout: 60)
    // Within the interval, unless this thread is held up: then it is delivered at once.
    counter.count = 2
    wait(for: [last], timeout: 60)
    XCTAssertEqual(recorder.events, [.changed(0, 1), .changed(1, 2)])
    withExtendedLifetime(observations) {}
  }
}
