import Dispatch
import Foundation
import ObservationController
import TestSupport
import XCTest

/// The text of a trace, and the file that trace viewers open.
final class TraceFormatTests: TestCase {
  private let counter = Counter()
  private let view = TracedView()

  func test_description_isALineForEachEvent_indented() {
    view.observations.observe(counter, \.count) { _, _, _ in }
    let trace = ObservationTrace.record { counter.count = 1 }
    let lines = trace.description.split(separator: "\n")
    XCTAssertEqual(lines.count, 2)
    XCTAssertNotNil(
      lines[0].wholeMatch(
        of:
          /\d+\.\d{3} µs  thread \d+  \\Counter\.count of Counter@[0-9a-f]+ was set, \d+\.\d{3} µs/),
      "\(lines[0])")
    XCTAssertTrue(lines[1].contains("    the handler of TracedView@"), "\(lines[1])")
  }

  func test_description_markWithLineBreaks_isOneLine() {
    let trace = ObservationTrace.record { ObservationTrace.mark("a\nb\r\nc") }
    XCTAssertTrue(trace.description.hasSuffix("  mark: a b c"), trace.description)
  }

  func test_description_ofACauseElsewhere_namesItsTime() {
    let queue = DispatchQueue(label: "traced")
    view.observations.observe(counter, \.count, on: queue) { _, _, _ in }
    let trace = ObservationTrace()
    trace.start()
    counter.count = 1
    queue.sync {}
    trace.stop()
    let line = trace.description.split(separator: "\n").last ?? ""
    XCTAssertNotNil(
      line.firstMatch(of: /, because it was handed over at \d+\.\d{3} µs$/), "\(line)")
  }

  func test_chromeTrace_conformsToTheFormat() throws {
    let queue = DispatchQueue(label: "traced")
    view.observations.observe(counter, \.count) { $0.height = $2.newValue }
    view.observations.observe(view, \.height) { _, _, _ in }
    view.observations.observe(counter, \.count, context: "queue", on: queue) { _, _, _ in }
    let trace = ObservationTrace()
    trace.start()
    trace.mark("a \"mark\" \\ with\n control \u{1} and é")
    counter.count = 1
    withObservationTransaction { counter.count = 2 }
    queue.sync {}
    trace.stop()

    let file = try ChromeTrace(Data(trace.chromeTrace.utf8))
    XCTAssertEqual(file.problems, [])
    XCTAssertEqual(file.events.count, trace.events.count)
    // From each set to its deliveries, two of them twice: a change that is handed over is delivered
    // again.
    XCTAssertEqual(file.flowCount, 8)
    let mark = file.events.first { $0["cat"] as? String == "mark" }
    XCTAssertEqual(mark?["name"] as? String, "a \"mark\" \\ with\n control \u{1} and é")
  }

  func test_chromeTrace_unfinishedDelivery_lastsUntilTheEnd() throws {
    let trace = ObservationTrace()
    view.observations.observe(counter, \.count) { view, _, change in view.height = change.newValue }
    view.observations.observe(view, \.height) { _, _, _ in trace.stop() }
    trace.start()
    counter.count = 1
    let file = try ChromeTrace(Data(trace.chromeTrace.utf8))
    XCTAssertEqual(file.problems, [])
    XCTAssertEqual(trace.events.map(\.duration), [nil, nil, nil, nil])
    let ends = file.events.map { ($0["ts"] as? Double ?? 0) + ($0["dur"] as? Double ?? 0) }
    XCTAssertEqual(Set(ends.map { ($0 * 1000).rounded() }).count, 1)
  }

  func test_chromeTrace_droppedEvent_hasNoArrows() throws {
    let trace = ObservationTrace(capacity: 3)
    view.observations.observe(counter, \.count) { _, _, _ in }
    trace.start()
    for value in 1...5 { counter.count = value }
    trace.stop()
    let file = try ChromeTrace(Data(trace.chromeTrace.utf8))
    XCTAssertEqual(file.problems, [])
    XCTAssertEqual(file.flowCount, 1)
  }
}
