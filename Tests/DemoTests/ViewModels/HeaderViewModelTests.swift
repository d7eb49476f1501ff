import TestSupport
import XCTest

@testable import Demo

final class HeaderViewModelTests: TestCase {
  private let status = SystemStatus()
  private let screen = Screen(size: TerminalSize(rows: 24, columns: 80))
  private lazy var header = HeaderViewModel(status: status, screen: screen)

  func test_header_beforeAnySample_showsThatNothingIsKnown() {
    XCTAssertEqual(
      takeMarked(header.lines),
      [
        "0 Up       not available   Tasks  0: 0 running, 0 sleeping",
        "1 Memory   not available", "2 Load     not available", "3 Busiest  of all: none",
      ])
  }

  func test_header_firstSample_showsAll() {
    _ = takeMarked(header.lines)
    status.apply(sample())
    XCTAssertEqual(
      takeMarked(header.lines),
      [
        "0 Up       1 day, 00:01   Tasks  2: 1 running, 1 sleeping",
        "1 CPU       0 ||||||||||||.............  50%   1 ||.......................  10%  ",
        "2 Memory   |||||||||||||................................  300 of 1000 MiB  30.0%",
        "3 Load     0.50  1.00  2.00                                                    .",
        "4 Busiest  of all: p2",
      ])
  }

  func test_header_firstSample_hasTheStylesOfItsParts() {
    _ = header
    status.apply(sample())
    XCTAssertEqual(
      header.memoryLine.text.runs,
      [
        StyledText.Run(text: "Memory   ", style: .name),
        StyledText.Run(text: "|||||||||||||.", style: .good),
        StyledText.Run(text: "...............................", style: .dim),
        StyledText.Run(text: "  300 of 1000 MiB  30.0%", style: .plain),
      ])
  }

  func test_header_changesThatAreNotSeen_markNothing() {
    showFirst()
    var sample = sample()
    sample.uptime? += 1
    sample.memory?.availableBytes -= 4096
    sample.processes[0].residentBytes += 4096
    sample.processorPercents[0] += 0.1
    status.apply(sample)
    let marked = takeMarked(header.lines)
    XCTAssertEqual(marked.count, 1, "equal minute, MiB and percent; one more sample in the plot")
    XCTAssertTrue(marked[0].hasPrefix("3 Load"), marked[0])
  }

  func test_header_eachPart_marksItsLineAlone() {
    var sample = sample()
    sample.processorPercents = []
    _ = header
    status.apply(sample)
    _ = takeMarked(header.lines)

    sample.uptime? += 60
    status.apply(sample)
    XCTAssertEqual(
      takeMarked(header.lines), ["0 Up       1 day, 00:02   Tasks  2: 1 running, 1 sleeping"])

    sample.loadAverages?.oneMinute = 0.75
    status.apply(sample)
    XCTAssertEqual(takeMarked(header.lines), ["2 Load     0.75  1.00  2.00"])

    sample.processes[0].state = .zombie
    status.apply(sample)
    XCTAssertEqual(
      takeMarked(header.lines),
      ["0 Up       1 day, 00:02   Tasks  2: 1 running, 0 sleeping, 1 zombie"])

    sample.memory = nil
    status.apply(sample)
    XCTAssertEqual(takeMarked(header.lines), ["1 Memory   not available"])

    status.apply(sample)
    XCTAssertEqual(takeMarked(header.lines), [])
  }

  func test_header_busiest_followsCommandOfWhicheverIsBusiest() {
    showFirst()
    var sample = sample()
    sample.processorPercents = []

    sample.processes[1].command = "renamed"
    XCTAssertEqual(busiest(after: sample), "Busiest  of all: renamed")

    sample.processes[0].processorPercent = 90
    XCTAssertEqual(busiest(after: sample), "Busiest  of all: p1", "the link is replaced")

    sample.processes[1].command = "renamed again"
    XCTAssertNil(busiest(after: sample), "the old link is not followed any more")

    sample.processes = sample.processes.map {
      var idle = $0
      idle.processorPercent = 0
      return idle
    }
    XCTAssertEqual(busiest(after: sample), "Busiest  of all: none")
  }

  func test_header_commandThatWouldDraw_isEscaped() {
    showFirst()
    var sample = sample()
    sample.processes[1].command = "\u{1B}[2Jx"
    XCTAssertEqual(busiest(after: sample), #"Busiest  of all: \u{1B}[2Jx"#)
  }

  func test_header_widerScreen_hasWiderBars() {
    showFirst()
    screen.size.columns = 84
    XCTAssertEqual(
      takeMarked(header.lines).map { $0.prefix(9) }, ["1 CPU    ", "2 Memory ", "3 Load   "])
    XCTAssertEqual(header.memoryLine.text.text.count, 82)
  }

  func test_header_higherScreen_hasAHigherPlot() {
    showFirst()
    screen.size.rows = 50
    XCTAssertEqual(header.loadLines.count, 4)
    XCTAssertTrue(header.loadLines[3].text.text.hasPrefix("Load "))
    XCTAssertTrue(header.loadLines[0].text.text.allSatisfy { $0 == " " })
    screen.size.rows = 24
    XCTAssertEqual(header.loadLines.count, 1)
  }

  func test_header_manyProcessors_takeFourLinesAtMost() {
    _ = header
    var sample = sample()
    for (count, lines) in [1: 1, 2: 1, 3: 2, 4: 2, 8: 4, 9: 3, 64: 4, 200: 4, 1000: 4] {
      sample.processorPercents = Array(repeating: 50, count: count)
      status.apply(sample)
      XCTAssertEqual(header.processorLines.count, lines, "\(count)")
      guard count <= 64 else { continue }
      for line in header.processorLines { XCTAssertLessThanOrEqual(line.text.text.count, 80) }
    }
  }

  /// The text of the last line, if it was marked.
  private func busiest(after sample: SystemSample) -> String? {
    status.apply(sample)
    defer { _ = takeMarked(header.lines) }
    return header.busiestLine.isMarked ? header.busiestLine.text.text : nil
  }

  private func showFirst() {
    _ = header
    status.apply(sample())
    _ = takeMarked(header.lines)
  }

  private func sample() -> SystemSample {
    SystemSample(
      uptime: 86_461,
      loadAverages: LoadAverages(oneMinute: 0.5, fiveMinutes: 1, fifteenMinutes: 2),
      memory: MemoryReading(totalBytes: 1000 << 20, availableBytes: 700 << 20),
      processorPercents: [50, 10],
      processes: [.stub(1, cpu: 1), .stub(2, cpu: 50, state: .running)])
  }
}
