import ObservationController
import TestSupport
import XCTest

@testable import Demo

final class ProcessPageViewModelTests: TestCase {
  private let status = SystemStatus()
  private let screen = Screen()
  private lazy var page = ProcessPageViewModel(
    processes: status.processes, screen: screen, termination: TerminationViewModel(sender: nil))

  func test_page_open_saysWhatTheTableHasNoRoomFor() {
    show(
      .stub(1, command: "/sbin/init"), .stub(7, cpu: 5, bytes: 2048, command: "/bin/sh -c 'a b'"))
    page.open(record(7))
    XCTAssertEqual(
      texts,
      [
        " Process 7", "Command  /bin/sh -c 'a b'", "User     not available", "State    sleeping",
        "Threads  not available", "Parent   not available", "Memory   2K", "CPU      5.0%     .",
      ])
    show(
      details: ProcessDetails(
        processIdentifier: 7, user: "ada", parentIdentifier: 1, threadCount: 4),
      .stub(1, command: "/sbin/init"), .stub(7, cpu: 60, bytes: 4096, state: .running))
    XCTAssertEqual(
      texts,
      [
        " Process 7", "Command  p7", "User     ada", "State    running", "Threads  4",
        "Parent   1  /sbin/init", "Memory   4K", "CPU      60.0%    .:",
      ])
  }

  func test_page_sampleWithoutAChange_isInThePlotToo() {
    show(.stub(7, cpu: 100))
    page.open(record(7))
    for _ in 0..<3 { show(.stub(7, cpu: 100)) }
    XCTAssertEqual(texts.last, "CPU      100.0%   ####")
    for _ in 0..<ProcessPageViewModel.historyLimit { show(.stub(7)) }
    XCTAssertFalse(texts.last!.contains("#"), "the oldest samples are gone")
  }

  func test_page_longCommand_isWrapped() {
    let words = (1...40).map { "argument\($0)" }.joined(separator: " ")
    show(.stub(7, command: words))
    page.open(record(7))
    let lines = texts.dropFirst().prefix { !$0.hasPrefix("User") }
    XCTAssertTrue(lines.allSatisfy { $0.count <= 80 })
    XCTAssertTrue(words.hasPrefix(lines.map { $0.dropFirst(9) }.joined()))
    XCTAssertEqual(lines.count, 4)
    screen.size.columns = 400
    XCTAssertEqual(texts[1], "Command  " + words.prefix(391), "follows the window")
  }

  func test_page_turned_followsTheOtherProcessAlone() {
    show(.stub(7, cpu: 5), .stub(8, cpu: 100))
    page.open(record(7))
    page.open(record(8))
    XCTAssertEqual(texts[0...1], [" Process 8", "Command  p8"])
    XCTAssertEqual(texts.last, "CPU      100.0%   #", "with a plot of its own")
    show(.stub(7, bytes: 1 << 20), .stub(8, bytes: 1024))
    XCTAssertTrue(texts.contains("Memory   1K"))
  }

  func test_page_processEnds_saysSoAndKeepsWhatWasKnown() {
    show(.stub(7, cpu: 5), .stub(8))
    page.open(record(7))
    show(.stub(8))
    XCTAssertEqual(texts[0...1], [" Process 7, which has ended", "Command  p7"])
    XCTAssertEqual(texts.last, "CPU      5.0%     .", "no sample is added")
    page.terminate()
    XCTAssertFalse(page.termination.isAsking)
  }

  func test_page_processEndsBeforeTheAnswer_sendsNothing() {
    let sent = Recorder<Int>()
    let page = ProcessPageViewModel(
      processes: status.processes, screen: screen,
      termination: TerminationViewModel {
        sent.append($0)
        return nil
      })
    show(.stub(7), .stub(8))
    page.open(record(7))
    page.terminate()
    XCTAssertTrue(page.termination.isAsking)
    show(.stub(8))
    XCTAssertFalse(page.termination.isAsking)
    page.termination.answer("y")
    XCTAssertEqual(sent.events, [])
  }

  func test_page_littleRoom_keepsTheLineOfTheQuestion() {
    show(.stub(7))
    page.open(record(7))
    for limit in -1...12 {
      let lines = page.lines(limit: limit)
      XCTAssertEqual(lines.count, min(max(limit, 0), page.lines.count))
      if limit > 0 { XCTAssertTrue(lines.last === page.termination.line) }
    }
  }

  func test_page_closed_observesAndKeepsNothing() {
    show(.stub(7, cpu: 5), .stub(8))
    _ = page
    let before = liveObservations
    for _ in 0..<2 {
      page.open(record(7))
      page.open(record(8))
      XCTAssertEqual(liveObservations, before + 9)
      show(
        details: ProcessDetails(processIdentifier: 8, user: "ada"), .stub(7, cpu: 5), .stub(8))
      XCTAssertEqual(record(8).details?.user, "ada")
      page.close()
      XCTAssertEqual(liveObservations, before)
      XCTAssertNil(record(8).details)
      XCTAssertFalse(page.isOpen)
    }
    weak let ended = record(8)
    XCTAssertNotNil(ended)
    show(.stub(7))
    XCTAssertNil(ended, "the page does not keep it")
  }

  func test_page_graphAndTrace_nameNestedPaths() {
    show(.stub(7, cpu: 5))
    page.open(record(7))
    let trace = ObservationTrace(readsObjects: false)
    trace.start()
    trace.learnNames()
    let details = ProcessDetails(processIdentifier: 7, user: "ada", threadCount: 2)
    show(details: details, .stub(7, cpu: 6, bytes: 1 << 20, state: .running))
    trace.stop()
    let traced = trace.description
    XCTAssertTrue(traced.contains("record?.details?.threadCount"), traced)
    for text in ["‹", "0x"] { XCTAssertFalse(traced.contains(text), traced) }
    let graph = ObservationGraph().dot
    for path in ["record?.details?.user", "record?.state", "record?.residentBytes"] {
      XCTAssertTrue(graph.contains(path), path)
    }
    for text in ["‹", "0x"] { XCTAssertFalse(graph.contains(text), text) }
  }

  private var texts: [String] {
    page.lines.dropLast().map { $0.text.text.trimmingSuffix(while: \.isWhitespace) }
  }

  private func record(_ identifier: Int) -> ProcessRecord {
    status.processes.records.first { $0.processIdentifier == identifier }!
  }

  private func show(details: ProcessDetails? = nil, _ processes: ProcessSample...) {
    status.apply(SystemSample(processes: processes, details: details))
  }
}

extension String {
  fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> String {
    var text = self[...]
    while let last = text.last, isTrimmed(last) { text.removeLast() }
    return String(text)
  }
}
