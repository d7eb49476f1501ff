import Dispatch
import ObservationController
import TestSupport
import XCTest

private let rounds = 200

/// Traces of several threads.
final class TraceThreadTests: TestCase {
  func test_trace_threads_areInOneOrder_eachWithItsOwnNesting() {
    let trace = ObservationTrace()
    trace.start()
    onThreads(4) { _ in
      let (counter, view) = (Counter(), TracedView())
      view.observations.observe(counter, \.count) { $0.height = $2.newValue }
      view.observations.observe(view, \.height) { _, _, _ in }
      for value in 1...rounds { counter.count = value }
    }
    trace.stop()
    let events = trace.events
    XCTAssertEqual(events.count, 4 * rounds * 4)
    XCTAssertEqual(events.map(\.id), events.map(\.id).sorted())
    XCTAssertEqual(events.map(\.time), events.map(\.time).sorted())
    for thread in Set(events.map(\.thread)) {
      let own = events.filter { $0.thread == thread }
      XCTAssertEqual(
        own.map(\.depth), (0..<own.count).map { $0 % 4 }, "each thread nests on its own")
      for (event, next) in zip(own, own.dropFirst()) where next.depth > 0 {
        XCTAssertEqual(next.cause, event.id)
      }
    }
  }

  func test_trace_atomicOfManyThreads_deliveredInTurn_hasTheRightCauses() {
    let gauge = Gauge()
    let view = TracedView()
    view.observations.observe(gauge, \.doubled) { _, _, _ in }
    let trace = ObservationTrace()
    trace.start()
    onThreads(4) { _ in
      for _ in 1...rounds { gauge.count.withLock { $0 += 1 } }
    }
    trace.stop()
    let events = trace.events
    let sets = events.filter { $0.kind == .set }.map(\.id)
    XCTAssertEqual(sets.count, 4 * rounds)
    // Delivered in the order in which they were stored, on any of the threads.
    XCTAssertEqual(events.filter { $0.kind == .delivery }.map(\.cause), sets)
  }

  func test_trace_startedAndStoppedMeanwhile_staysWhole() {
    let gauge = Gauge()
    let view = TracedView()
    view.observations.observe(gauge, \.doubled) { _, _, _ in }
    view.observations.observe(gauge, \.sum) { _, _, _ in }
    onThreads(4) { index in
      for _ in 1...rounds {
        guard index == 0 else {
          withObservationTransaction { gauge.count.withLock { $0 += 1 } }
          continue
        }
        let trace = ObservationTrace(capacity: 16, readsObjects: false)
        trace.start()
        trace.mark("begun")
        gauge.count.withLock { $0 += 1 }
        trace.stop()
        let events = trace.events
        XCTAssertEqual(events.map(\.id), events.map(\.id).sorted())
        XCTAssertFalse(trace.description.isEmpty)
      }
    }
    XCTAssertEqual(gauge.count.wrappedValue, 4 * rounds)
    XCTAssertEqual(ObservationTrace.record(readsObjects: false) {}.outline, [])
  }
}
