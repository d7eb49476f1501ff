import ObservationController
import TestSupport
import XCTest

/// Traces that are followed while they record.
final class TraceFollowingTests: TestCase {
  private let counter = Counter()
  private let view = TracedView()

  func test_events_areHandedOut_withTheirCauses() async {
    let token = view.observations.observe(counter, \.count) { view, _, change in
      view.height = change.newValue
    }
    view.observations.observe(view, \.height) { _, _, _ in ObservationTrace.mark("drawn") }
    let events = ObservationTrace.events()
    counter.count = 1
    var iterator = events.makeAsyncIterator()
    var received: [ObservationTrace.Event] = []
    for _ in 0..<5 { if let event = await iterator.next() { received.append(event) } }
    XCTAssertEqual(received.map(\.kind), [.set, .delivery, .set, .delivery, .mark])
    XCTAssertEqual(
      received.map(\.property),
      ["\\Counter.count", "\\Counter.count", "\\TracedView.height", "\\TracedView.height", nil])
    XCTAssertEqual(received.map(\.cause), [nil] + received.dropLast().map(\.id))
    XCTAssertEqual(received.map(\.time), received.map(\.time).sorted())
    XCTAssertEqual(received.map(\.duration), [nil, nil, nil, nil, nil], "handed out at once")
    XCTAssertEqual(events.droppedCount, 0)
    token.invalidate()
  }

  func test_events_loopThatFallsBehind_losesTheOldest_andKnowsHowMany() async {
    view.observations.observe(counter, \.count) { _, _, _ in }
    for capacity in [0, 1, 7] {
      let events = ObservationTrace.events(capacity: capacity)
      for number in 1...20 { ObservationTrace.mark("\(number)") }
      let kept = max(capacity, 1)
      XCTAssertEqual(events.droppedCount, 20 - kept)
      var iterator = events.makeAsyncIterator()
      for number in (21 - kept)...20 {
        let event = await iterator.next()
        XCTAssertEqual(event?.detail, "\(number)")
      }
      ObservationTrace.mark("last")
      let last = await iterator.next()
      XCTAssertEqual(last?.detail, "last")
      XCTAssertEqual(events.droppedCount, 20 - kept)
    }
  }

  func test_events_waitingLoop_isResumedByEachThread() async {
    let events = ObservationTrace.events()
    let loop = Task {
      var labels: Set<String> = []
      for await event in events {
        labels.insert(event.detail ?? "")
        if labels.count == 400 { break }
      }
      return labels
    }
    onThreads(4) { thread in
      for number in 0..<100 { ObservationTrace.mark("\(thread).\(number)") }
    }
    let labels = await loop.value
    XCTAssertEqual(labels, Set((0..<4).flatMap { t in (0..<100).map { "\(t).\($0)" } }))
    XCTAssertEqual(events.droppedCount, 0)
  }

  func test_events_cancelledLoop_ends() async {
    let events = ObservationTrace.events()
    let loops = (0..<2).map { _ in
      Task {
        var count = 0
        for await _ in events { count += 1 }
        return count
      }
    }
    await Task.yield()
    for loop in loops { loop.cancel() }
    for loop in loops {
      let count = await loop.value
      XCTAssertEqual(count, 0)
    }
  }

  func test_events_released_recordsNoMore() {
    var evaluations = 0
    func next() -> Int {
      evaluations += 1
      return evaluations
    }
    func mark() { ObservationTrace.mark("\(next())") }
    mark()
    XCTAssertEqual(evaluations, 0, "nothing records")
    do {
      let events = ObservationTrace.events()
      mark()
      withExtendedLifetime(events) {}
    }
    XCTAssertEqual(evaluations, 1)
    mark()
    XCTAssertEqual(evaluations, 1, "nothing records any more")
  }

  func test_events_andTraces_recordSideBySide() async {
    let events = ObservationTrace.events()
    let trace = ObservationTrace.record { ObservationTrace.mark("both") }
    trace.start()
    trace.mark("trace alone")
    trace.stop()
    ObservationTrace.mark("followed alone")
    var iterator = events.makeAsyncIterator()
    let labels = [await iterator.next()?.detail, await iterator.next()?.detail]
    XCTAssertEqual(labels, ["both", "followed alone"])
    XCTAssertEqual(trace.events.map(\.detail), ["both", "trace alone"])
  }
}
