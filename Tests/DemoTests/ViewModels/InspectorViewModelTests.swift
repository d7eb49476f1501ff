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
      answer.map { $0.replacing(#/:\d+/#, with: ":N").replacing(#/\d\.\d s/#, with: "T s") },
      [
        " Why was the row of process 1 drawn?", " After sample 2, T s ago:",
        "   a transaction began: observers are notified at its end;",
        "   processorPercent of process 1 was set, 5.0 -> 6.0;",
        "   so ProcessRowViewModel, which observes row, was notified (ProcessRowViewModel.swift:N);",
        "   so its line became different.",
      ])
  }

  func test_why_askedLater_saysHowLongAgoAndNamesTheProcess() {
    var time = 100.0
    let activity = Activity(clock: { time })
    let status = SystemStatus()
    let table = ProcessTableViewModel(processes: status.processes, screen: Screen())
    let inspector = InspectorViewModel(table: table, activity: activity, screen: Screen())
    table.setRowCount(3)
    for (number, percent) in [(1, 5.0), (2, 7.25), (3, 7.25)] {
      activity.next(LineTally(), at: time)
      ObservationTrace.mark("sample \(number)")
      status.apply(SystemSample(processes: [.stub(1, cpu: percent)]))
      for line in table.lines { line.unmark() }
      time += 1.5
    }
    table.moveSelection(by: 0)
    time += 60
    inspector.toggle(.why)
    let answer = inspector.lines.map(\.text.text)
    // The selection draws the row as well, and that was last.
    XCTAssertEqual(answer.last, "   so its line became different.")
    let age = answer[1].firstMatch(of: #/ After sample 3, (\d+\.\d) s ago:/#)
    XCTAssertNotNil(age, answer[1])
    XCTAssertEqual(age.flatMap { Double($0.1) } ?? 0, 60 + 1.5, accuracy: 1)
  }

  func test_why_valuesChangeUnseen_saysThatTheLineIsTheSame() {
    show(.stub(1, cpu: 5))
    ask(.why)
    for _ in 0..<2 { show(.stub(1, cpu: 5)) }
    show(.stub(1, cpu: 5.01, bytes: 1))
    XCTAssertEqual(
      answer.dropFirst(),
      [
        " It was not, lately. After sample 4:", "   processorPercent was set, 5.0000 -> 5.0100;",
        "   residentBytes was set, 0 -> 1;", "   but its line is the same as before.",
      ])
  }

  func test_why_processLeavesTheTable_saysWhereItWent() {
    let samples = [
      ProcessSample.stub(1, cpu: 5), .stub(2, cpu: 4), .stub(3, cpu: 6, isKernelThread: true),
    ]
    show(samples)
    ask(.why)
    monitor.table.filter = "p2"
    XCTAssertEqual(
      answer.prefix(2),
      [
        " Why was the row of process 2 drawn?",
        " The row of process 1 is not shown: the filter 'p2' does not find it.",
      ])
    monitor.table.filter = ""
    XCTAssertFalse(answer.contains { $0.contains("is not shown") })

    monitor.table.showsKernelThreads = true
    monitor.table.moveSelection(by: -2)
    XCTAssertEqual(answer.first, " Why was the row of process 3 drawn?")
    monitor.table.showsKernelThreads = false
    XCTAssertEqual(
      answer[1],
      " The row of process 3 is not shown: it is a thread of the kernel, and k hides them.")

    monitor.table.moveSelection(by: 1)
    XCTAssertFalse(answer.contains { $0.contains("is not shown") }, "the user has gone on")
    show(samples.filter { "process \($0.processIdentifier)" != askedProcess })
    XCTAssertTrue(answer[1].hasSuffix(" is not shown: it has ended."), answer[1])
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
      answer.contains { $0.hasPrefix("   so ProcessTableViewModel, which observes ") }, "\(answer)")
    XCTAssertEqual(answer.last, "   so its line moved.")
  }

  func test_why_rowCameIntoSight_saysSo() {
    show(.stub(1, cpu: 5))
    monitor.apply(SystemSample(processes: [.stub(1, cpu: 5), .stub(2, cpu: 6)]))
    ask(.why)
    XCTAssertEqual(answer.first, " Why was the row of process 2 drawn?")
    XCTAssertEqual(answer.last, "   so its line came into sight.")
  }

  func test_why_rowNotDrawn_saysSo() {
    show(.stub(1, cpu: 5))
    ask(.why)
    for _ in 0..<3 { show(.stub(1, cpu: 5)) }
    XCTAssertEqual(
      answer.dropFirst(),
      [
        " It was not, lately: its values are the same since sample 1.",
        " The next time is explained here.",
      ])
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
    ask(.why)
    monitor.table.moveSelection(by: 0)
    monitor.inspector.toggle(.why)
    monitor.table.filter = "nothing"
    XCTAssertEqual(
      answer,
      [
        " No process is shown, so there is none to ask about.",
        " The row of process 1 is not shown: the filter 'nothing' does not find it.",
      ])
    monitor.inspector.close()
    monitor.table.filter = ""
    XCTAssertEqual(answer, [])
  }

  func test_keys_areListedWithWhatTheyHaveSet() {
    show(.stub(1, cpu: 5))
    monitor.inspector.toggle(.keys)
    XCTAssertEqual(
      answer.prefix(4),
      [
        " Keys", " /     filter by command or number: none",
        " s     sort by the next column, or p m n c by one: cpu",
        " k     threads of the kernel: hidden",
      ])
    monitor.table.filter = "init"
    monitor.table.order = .memory
    monitor.table.showsKernelThreads = true
    XCTAssertEqual(
      answer[1...3],
      [
        " /     filter by command or number: init",
        " s     sort by the next column, or p m n c by one: memory",
        " k     threads of the kernel: shown",
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

  private var askedProcess: String {
    answer.first?.firstMatch(of: #/process \d+/#).map { String($0.0) } ?? ""
  }

  private func show(_ processes: ProcessSample...) { show(processes) }

  private func show(_ processes: [ProcessSample]) {
    monitor.apply(SystemSample(processes: processes))
    for line in monitor.lines(rows: 24, limit: nil) { line.unmark() }
  }
}
