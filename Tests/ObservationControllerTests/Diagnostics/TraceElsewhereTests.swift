import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Traces of deliveries on a queue, on the main actor, and to a task.
///
/// Asynchronous, as these deliveries are.
@MainActor
final class TraceElsewhereTests: TestCase {
  private let view = TracedView()
  private let counter = UncheckedReference(Counter())
  private let queue = DispatchQueue(label: "traced")

  func test_trace_queue_initialThenChanges_areCausedByTheHandover() async {
    let trace = ObservationTrace()
    trace.start()
    view.observations.observe(
      counter.object, \.count, options: .initial, on: queue
    ) { _, _, _ in }
    counter.object.count = 1
    queue.sync {}
    trace.stop()
    let events = trace.events
    let over = events.filter { $0.kind == .handOver }
    XCTAssertEqual(over.map(\.detail), ["initial", nil])
    XCTAssertEqual(events.filter { $0.kind == .delivery }.map(\.cause), over.map(\.id))
  }

  func test_trace_queue_coalescing_isCalledBecauseOfTheLastSet() async {
    view.observations.observe(counter.object, \.count, on: queue, coalescing: true) { _, _, _ in }
    let trace = ObservationTrace()
    trace.start()
    queue.suspend()
    counter.object.count = 1
    counter.object.count = 2
    queue.resume()
    queue.sync {}
    trace.stop()
    XCTAssertEqual(
      trace.outline,
      [
        "set Counter.count", "  handOver Counter.count ← 0", "set Counter.count",
        "  handOver Counter.count ← 2", "delivery Counter.count ← 3",
      ])
  }

  func test_trace_queue_endedMeanwhile_isSkipped_andExplained() async {
    let token = view.observations.observe(counter.object, \.count, on: queue) { _, _, _ in }
    let trace = ObservationTrace()
    trace.start()
    queue.suspend()
    counter.object.count = 1
    token.invalidate()
    queue.resume()
    queue.sync {}
    trace.stop()
    // The handler has been released, and with it the changes that waited.
    XCTAssertEqual(
      trace.outline.prefix(2), ["set Counter.count", "  handOver Counter.count ← 0"])
    XCTAssertTrue(
      trace.explain(token).hasPrefix("no call of the handler is recorded"), trace.explain(token))
  }

  func test_trace_handlerThatHandsOver_insideAnother_isNotTheOther() async {
    view.observations.observe(counter.object, \.count) { view, counter, _ in
      guard counter.count == 1 else { return }
      view.observations.observe(counter, \.count, context: "inner", on: self.queue) { _, _, _ in }
      counter.count = 2
    }
    let trace = ObservationTrace()
    trace.start()
    counter.object.count = 1
    queue.sync {}
    trace.stop()
    XCTAssertEqual(
      trace.outline,
      [
        "set Counter.count", "  delivery Counter.count ← 0", "    set Counter.count ← 1",
        "  delivery Counter.count ← 2", "  handOver Counter.count ← 2",
        "delivery Counter.count ← 4",
      ])
  }

  func test_trace_mainActor_explains_acrossTheHop() async {
    let token = view.observations.observeOnMainActor(counter.object, \.count) { view, _, change in
      view.height = change.newValue
    }
    let last = view.observations.observe(view, \.height) { _, _, _ in }
    let trace = ObservationTrace()
    trace.start()
    counter.object.count = 1
    await drainMainQueue()
    trace.stop()
    XCTAssertEqual(
      trace.outline,
      [
        "set Counter.count", "  handOver Counter.count ← 0", "delivery Counter.count ← 1",
        "  set TracedView.height ← 2", "    delivery TracedView.height ← 3",
      ])
    XCTAssertEqual(
      trace.explain(token).split(separator: "\n").dropFirst().map(String.init),
      [
        "  handed over on thread \(trace.events[1].thread)",
        "  because \\Counter.count of \(name(counter.object)) was set",
        "  from outside of any delivery",
      ])
    XCTAssertEqual(trace.explain(last).split(separator: "\n").count, 6)
  }

  func test_trace_sequence_isNotifiedOnTheThreadOfTheSet() async {
    let trace = ObservationTrace()
    trace.start()
    let values = view.observations.values(of: counter.object, \.count)
    counter.object.count = 1
    var seen: [Int] = []
    for await value in values {
      seen.append(value)
      if seen.count == 2 { break }
    }
    trace.stop()
    XCTAssertEqual(seen, [0, 1])
    XCTAssertEqual(
      trace.outline.filter { !$0.contains("initial") },
      ["set Counter.count", "  delivery Counter.count ← \(trace.events.count - 2)"])
  }

  private func name(_ object: AnyObject) -> String {
    "\(type(of: object))@\(String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16))"
  }
}
