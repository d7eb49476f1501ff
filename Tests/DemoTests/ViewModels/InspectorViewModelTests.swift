import ObservationController
import TestSupport
import XCTest

@testable import Demo

final class InspectorViewModelTests: TestCase {
  private var monitor: Monitor!

  override func invokeTest() {
    monitor = Monitor(screen: Screen(size: TerminalSize(rows: 24, columns: 80)))
    monitor.setLabels()
    super.invokeTest()
    // It records, and would do so while other tests run.
    monitor = nil
  }

  func test_why_rowChanged_isExplainedFromTheSampleOn() {
    show(.stub(1, cpu: 5), .stub(2, cpu: 4))
    ask(.why)
    show(.stub(1, cpu: 6), .stub(2, cpu: 4))
    XCTAssertEqual(
      answer.map { $0.replacing(#/:\d+/#, with: ":N") },
      [
        " Why was the row of process 1 drawn?", " After sample 2:",
        "   a transaction began, which notifies nobody before its end;",
        "   processorPercent of process 1 was set;",
        "   so ProcessRowViewModel was notified for row (ProcessRowViewModel.swift:N);",
        "   so its line became different.",
      ])
  }

  func test_why_rowMoved_isExplainedByTheTable() {
    show(.stub(1, cpu: 5), .stub(2, cpu: 4))
    monitor.table.moveSelection(by: 0)
    monitor.table.moveSelection(by: 1)
    ask(.why)
    _ = monitor.lines(rows: 24, limit: nil)
    show(.stub(1, cpu: 5.01), .stub(2, cpu: 5.02))
    show(.stub(1, cpu: 5.03), .stub(2, cpu: 5.02))
    XCTAssertEqual(answer.first, " Why was the row of process 2 drawn?")
    XCTAssertTrue(
      answer.contains { $0.contains("ProcessTableViewModel was notified") }, "\(answer)")
    XCTAssertEqual(answer.last, "   so its line moved.")
  }

  func test_why_rowNotDrawn_saysSo() {
    show(.stub(1, cpu: 5))
    ask(.why)
    for _ in 0..<3 { show(.stub(1, cpu: 5)) }
    XCTAssertEqual(answer.last, " It was not, lately. The next time is explained here.")
  }

  func test_observers_selectedProcess_areNamedWithTheirKeyPaths() {
    show(.stub(1, cpu: 5), .stub(2, cpu: 4), .stub(3))
    ask(.who)
    let answer = answer.map { $0.replacing(#/:\d+/#, with: ":N") }
    XCTAssertEqual(answer.first, " Who observes process 1?")
    XCTAssertTrue(
      answer.contains(
        " ProcessRowViewModel reads command, processorPercent, residentBytes, state for row "
          + "(ProcessRowViewModel.swift:N)"), "\(answer)")
    XCTAssertTrue(
      answer.contains(" HeaderViewModel reads state for uptime (HeaderViewModel.swift:N)"),
      "\(answer)")
    XCTAssertEqual(answer.count { $0.hasPrefix(" ProcessRowViewModel") }, 1, "\(answer)")
    XCTAssertTrue(
      answer.contains { $0.hasPrefix(" A live view reads ") && $0.contains("processorPercent") },
      "\(answer)")
  }

  func test_observers_sample_drawsNothingAnew() {
    show(.stub(1, cpu: 5))
    ask(.who)
    for line in monitor.inspector.lines { line.unmark() }
    monitor.apply(SystemSample(processes: [.stub(1, cpu: 6)]))
    XCTAssertEqual(takeMarked(monitor.inspector.lines), [])
    XCTAssertEqual(answer.first, " Who observes process 1?")
  }

  func test_inspector_selectionMoves_showsTheNewProcess() {
    show(.stub(1, cpu: 5), .stub(2, cpu: 4))
    ask(.who)
    monitor.table.moveSelection(by: 1)
    XCTAssertEqual(answer.first, " Who observes process 2?")
    monitor.table.removeSelection()
    XCTAssertEqual(answer, [])
  }

  func test_inspector_toggledOrClosed_isDeallocated() {
    show(.stub(1, cpu: 5))
    ask(.who)
    ask(.who)
    XCTAssertEqual(answer, [])
    ask(.why)
    ask(.who)
    XCTAssertEqual(answer.first, " Who observes process 1?")
    monitor.inspector.close()
    XCTAssertEqual(answer, [])
  }

  func test_inspector_noProcess_saysSo() {
    show(.stub(1, cpu: 5))
    monitor.table.filter = "nothing"
    for question in [InspectorViewModel.Question.who, .why] {
      ask(question)
      XCTAssertEqual(answer, [" No process is shown, so there is none to ask about."])
    }
    monitor.table.filter = ""
    XCTAssertEqual(answer, [])
  }

  func test_keys_areListedWithWhatTheyHaveSet() {
    show(.stub(1, cpu: 5))
    monitor.inspector.toggle(.keys)
    XCTAssertEqual(
      answer.prefix(4),
      [
        " Keys", " /   filter by command or number: none",
        " s   sort by the next column, or p m n c by one: cpu",
        " k   threads of the kernel: hidden",
      ])
    monitor.table.filter = "init"
    monitor.table.order = .memory
    monitor.table.showsKernelThreads = true
    XCTAssertEqual(
      answer[1...3],
      [
        " /   filter by command or number: init",
        " s   sort by the next column, or p m n c by one: memory",
        " k   threads of the kernel: shown",
      ])
    monitor.inspector.close()
    monitor.table.order = .command
    XCTAssertEqual(answer, [])
  }

  private var answer: [String] { monitor.inspector.lines.map(\.text.text) }

  private func ask(_ question: InspectorViewModel.Question) {
    if monitor.table.selected == nil { monitor.table.moveSelection(by: 0) }
    monitor.inspector.toggle(question)
  }

  private func show(_ processes: ProcessSample...) {
    monitor.apply(SystemSample(processes: processes))
    for line in monitor.lines(rows: 24, limit: nil) { line.unmark() }
  }
}
