import ObservationController
import TestSupport
import XCTest

/// Recording: the events recorded, their time, and their storage.
final class TraceRecordingTests: TestCase {
  private let counter = Counter()
  private let view = TracedView()

  func test_trace_stopped_recordsNothing() {
    view.observations.observe(counter, \.count) { _, _, _ in }
    let trace = ObservationTrace()
    counter.count = 1
    trace.mark("before")
    XCTAssertFalse(trace.isRecording)
    trace.start()
    trace.start()
    XCTAssertTrue(trace.isRecording)
    counter.count = 2
    trace.stop()
    trace.stop()
    counter.count = 3
    XCTAssertEqual(trace.outline, ["set Counter.count", "  delivery Counter.count ← 0"])
    trace.start()
    counter.count = 4
    trace.stop()
    XCTAssertEqual(trace.events.count, 4)
    XCTAssertEqual(trace.events.map(\.time), trace.events.map(\.time).sorted())
  }

  func test_trace_unobservedProperty_isNotRecorded() {
    let token = view.observations.observe(counter, \.count) { _, _, _ in }
    token.invalidate()
    let trace = ObservationTrace.record {
      counter.count = 1
      Person().name = "Bob"
    }
    XCTAssertEqual(trace.outline, [])
  }

  func test_trace_skips_haveTheirReasons() {
    var tokens: [ObservationToken] = []
    view.observations.observe(counter, \.count, options: .distinct) { _, _, _ in }
    view.observations.observe(counter, \.count, context: "ender") { _, _, _ in
      tokens[0].invalidate()
    }
    tokens = [view.observations.observe(counter, \.count, context: "ended") { _, _, _ in }]
    var dropped: SilentObserver? = SilentObserver()
    let controller = ObservationController(observer: dropped!)
    controller.observe(counter, \.count) { _, _, _ in }
    dropped = nil
    let trace = ObservationTrace.record { counter.count = 0 }
    XCTAssertEqual(
      trace.events.map(\.kind),
      [.set, .skip(.equal), .delivery, .skip(.ended), .skip(.observerGone)])
    XCTAssertEqual(Set(trace.events.dropFirst().map(\.cause)), [trace.events[0].id])
  }

  func test_trace_initialAndPrior_areDeliveries() {
    let trace = ObservationTrace.record {
      view.observations.observe(counter, \.count, options: [.initial, .prior]) { _, _, _ in }
      counter.count = 1
    }
    XCTAssertEqual(trace.events.map(\.detail), ["initial", "prior", nil, nil])
    XCTAssertEqual(trace.events.map(\.kind), [.delivery, .delivery, .set, .delivery])
  }

  func test_trace_full_dropsTheOldest_andCountsThem() {
    view.observations.observe(counter, \.count) { _, _, _ in }
    let trace = ObservationTrace(capacity: 3)
    trace.start()
    for value in 1...5 { counter.count = value }
    trace.stop()
    XCTAssertEqual(trace.droppedCount, 7)
    XCTAssertEqual(
      trace.outline,
      ["  delivery Counter.count ← ?", "set Counter.count", "  delivery Counter.count ← 1"])
    XCTAssertTrue(trace.events.allSatisfy { $0.duration != nil })
    XCTAssertTrue(trace.description.hasPrefix("(7 earlier events were dropped)\n"))
    XCTAssertTrue(trace.explain(trace.events[0]).hasSuffix("has dropped, or that came before it"))
  }

  func test_trace_startedInsideADelivery_recordsLaterEvents() {
    let trace = ObservationTrace()
    view.observations.observe(counter, \.count) { view, _, change in
      trace.start()
      view.height = change.newValue
    }
    view.observations.observe(view, \.height) { _, _, _ in }
    counter.count = 1
    trace.stop()
    XCTAssertEqual(trace.outline, ["set TracedView.height", "  delivery TracedView.height ← 0"])
  }

  func test_trace_stoppedInsideADelivery_leavesItWithoutDuration() {
    let trace = ObservationTrace()
    view.observations.observe(counter, \.count) { _, _, _ in trace.stop() }
    view.observations.observe(counter, \.count, context: "after") { _, _, _ in }
    trace.start()
    counter.count = 1
    XCTAssertEqual(trace.outline, ["set Counter.count", "  delivery Counter.count ← 0"])
    XCTAssertEqual(trace.events.map(\.duration), [nil, nil])
    // It leaves nothing in the way of the next one.
    let next = ObservationTrace.record { counter.count = 2 }
    XCTAssertEqual(
      next.outline,
      ["set Counter.count", "  delivery Counter.count ← 0", "  delivery Counter.count ← 0"])
  }

  func test_trace_startedAndStoppedInATransaction_recordsLaterEvents() {
    view.observations.observe(counter, \.count) { _, _, _ in }
    let trace = ObservationTrace()
    withObservationTransaction {
      counter.count = 1
      trace.start()
      counter.count = 2
    }
    trace.stop()
    XCTAssertEqual(trace.outline, ["set Counter.count", "delivery Counter.count"])
    let stopped = ObservationTrace()
    stopped.start()
    withObservationTransaction {
      counter.count = 3
      stopped.stop()
    }
    XCTAssertEqual(stopped.outline, ["transaction", "  set Counter.count ← 0"])
  }

  func test_trace_startedWhileAChangeWaits_doesNotKnowWhy_andDoesNotGuess() {
    let trace = ObservationTrace()
    view.observations.observe(counter, \.count) { _, counter, _ in
      guard counter.count == 1 else { return }
      counter.count = 2
      trace.start()
    }
    view.observations.observe(counter, \.count, context: "other") { view, _, change in
      view.height = change.newValue
    }
    view.observations.observe(view, \.height) { _, _, _ in }
    counter.count = 1
    trace.stop()
    // The first change continues unrecorded, as it began; the second one had been set before the
    // start.
    let delivered = trace.events.filter { $0.property == "\\Counter.count" }
    XCTAssertEqual(delivered.map(\.kind), [.delivery, .delivery])
    XCTAssertEqual(delivered.map(\.cause), [nil, nil])
  }

  func test_trace_stoppedWhileAChangeIsMade_takesNoUnfinishedEventAsCause() {
    let trace = ObservationTrace()
    view.observations.observe(counter, \.count) { _, counter, _ in
      guard counter.count == 1 else { return }
      trace.stop()
      counter.count = 2
      trace.start()
    }
    trace.start()
    counter.count = 1
    trace.stop()
    XCTAssertEqual(
      trace.outline,
      ["set Counter.count", "  delivery Counter.count ← 0", "  delivery Counter.count"])
  }

  func test_trace_startedInADeliveryOfAnother_thatStops_takesNoCauseOfIt() {
    let (first, second) = (ObservationTrace(), ObservationTrace())
    view.observations.observe(counter, \.count) { view, _, change in
      first.stop()
      second.start()
      view.height = change.newValue
    }
    view.observations.observe(view, \.height) { _, _, _ in }
    first.start()
    counter.count = 1
    second.stop()
    XCTAssertEqual(first.outline, ["set Counter.count", "  delivery Counter.count ← 0"])
    XCTAssertEqual(second.events.map(\.property), ["\\TracedView.height", "\\TracedView.height"])
    XCTAssertEqual(second.events.map(\.cause), [nil, second.events.first?.id])
    XCTAssertEqual(second.events.map(\.depth), [2, 3], "inside of events that the first recorded")
  }

  func test_trace_mark_isEvaluatedOnlyWhileRecording_andKnowsItsHandler() {
    var asked = 0
    func label() -> String {
      asked += 1
      return "drawn"
    }
    view.observations.observe(counter, \.count) { _, _, _ in ObservationTrace.mark(label()) }
    counter.count = 1
    XCTAssertEqual(asked, 0)
    let trace = ObservationTrace.record { counter.count = 2 }
    XCTAssertEqual(asked, 1)
    XCTAssertEqual(
      trace.outline,
      ["set Counter.count", "  delivery Counter.count ← 0", "    mark drawn ← 1"])
    XCTAssertTrue(trace.explain(trace.events[2]).hasPrefix("mark: drawn\n  by the handler of "))
  }

  func test_trace_several_recordEachTheirOwn() {
    view.observations.observe(counter, \.count) { _, _, _ in }
    var inner: ObservationTrace?
    let outer = ObservationTrace.record {
      counter.count = 1
      inner = ObservationTrace.record { counter.count = 2 }
      inner?.mark("too late")
      counter.count = 3
    }
    XCTAssertEqual(outer.events.count, 6)
    XCTAssertEqual(inner?.events.map(\.id), outer.events[2...3].map(\.id))
  }

  func test_trace_manyAtOnce_record_andStopOneByOne() {
    view.observations.observe(counter, \.count) { _, _, _ in }
    let traces = (0..<300).map { _ in ObservationTrace(capacity: 4, readsObjects: false) }
    for trace in traces { trace.start() }
    counter.count = 1
    for trace in traces.dropLast() { trace.stop() }
    counter.count = 2
    traces[299].stop()
    counter.count = 3
    XCTAssertEqual(traces.map(\.events.count), Array(repeating: 2, count: 299) + [4])
  }

  func test_trace_initialDelivery_explainsItself() {
    let trace = ObservationTrace()
    trace.start()
    let token = view.observations.observe(counter, \.count, options: [.initial, .prior]) {
      _, _, _ in
    }
    let first = trace.explain(token)
    counter.count = 1
    trace.stop()
    XCTAssertTrue(first.hasSuffix(", with its first value\n  from outside of any delivery"), first)
    let prior = trace.explain(trace.events[1])
    XCTAssertTrue(prior.hasSuffix(", before it was set\n  from outside of any delivery"), prior)
  }

  func test_trace_kept_keepsNothingAlive() {
    let (objects, closures) = (LifetimeCounter(), LifetimeCounter())
    let trace = ObservationTrace()
    trace.start()
    scoped {
      let model = TicketModel(objects.makeTicket())
      let observer = TicketModel(objects.makeTicket())
      let observations = ObservationController(observer: observer)
      observations.observe(model, \.ticket) { [ticket = closures.makeTicket()] _, _, _ in
        _ = ticket
      }
      observations.observe(model, \.next?.ticket) { _, _, _ in }
      model.next = TicketModel(objects.makeTicket())
      model.ticket = objects.makeTicket()
      withObservationTransaction { model.ticket = objects.makeTicket() }
    }
    XCTAssertEqual(objects.count, 0)
    XCTAssertEqual(closures.count, 0)
    trace.stop()
    XCTAssertFalse(trace.events.isEmpty)
  }

  func test_trace_dropped_stops() {
    view.observations.observe(counter, \.count) { _, _, _ in }
    let other = ObservationTrace()
    scoped { ObservationTrace().start() }
    counter.count = 1
    other.start()
    counter.count = 2
    other.stop()
    XCTAssertEqual(other.events.count, 2)
  }

  func test_trace_issue_isRecorded_andItsReporterMayTraceAndSet() {
    let other = Counter()
    view.observations.observe(other, \.count) { _, _, _ in }
    let reporter = ObservationIssue.reporter
    defer { ObservationIssue.reporter = reporter }
    let shared = UncheckedReference(other)
    let trace = ObservationTrace()
    ObservationIssue.reporter = { [weak trace] _ in
      shared.object.count += 1
      trace?.mark("reported")
      XCTAssertEqual(trace?.events.isEmpty, false)
    }
    trace.start()
    let line: UInt = #line + 1
    view.observations.observe(Person(), \.note) { _, _, _ in }
    trace.stop()
    XCTAssertEqual(
      trace.outline,
      [
        "issue Person.‹String›", "set Counter.count", "  delivery Counter.count ← 1",
        "mark reported",
      ])
    XCTAssertEqual(trace.events[0].place, "\(#fileID):\(line)")
  }

  func test_trace_userCodeWhileRecording_mayTraceAndSet() {
    let model = EagerModel(counter)
    view.observations.observe(counter, \.count) { _, _, _ in }
    let observations = ObservationController(observer: view)
    observations.observe(model, \.value, options: .distinct) { _, _, _ in }
    let trace = ObservationTrace.record { model.value = EagerValue(counter) }
    XCTAssertEqual(
      trace.outline,
      [
        "set EagerModel.value", "  set Counter.count ← 0", "    delivery Counter.count ← 1",
        "  skip(ObservationController.ObservationTrace.Event.SkipReason.equal) EagerModel.value ← 0",
      ])
  }
}

private final class TicketModel {
  @Observed var ticket: LifetimeCounter.Ticket
  @Observed var next: TicketModel?

  init(_ ticket: LifetimeCounter.Ticket) {
    self.ticket = ticket
  }
}

/// Sets a counter, and reads traces, when it is compared.
private struct EagerValue: Equatable {
  let counter: Counter

  init(_ counter: Counter) {
    self.counter = counter
  }

  static func == (left: EagerValue, right: EagerValue) -> Bool {
    left.counter.count += 1
    return ObservationTrace.record {}.events.isEmpty
  }
}

private final class EagerModel {
  @Observed var value: EagerValue

  init(_ counter: Counter) {
    value = EagerValue(counter)
  }
}
