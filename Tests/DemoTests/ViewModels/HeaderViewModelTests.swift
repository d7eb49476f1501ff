import TestSupport
import XCTest

@testable import Demo

final class HeaderViewModelTests: TestCase {
  private let status = SystemStatus()
  private let deliveries = DeliveryTally()
  private lazy var header = HeaderViewModel(status: status, deliveries: deliveries)

  func test_header_beforeAnySample_showsThatNothingIsKnown() {
    XCTAssertEqual(
      takeMarked(header.lines),
      [
        "0 Up       not available", "1 Load     not available",
        "2 Tasks    0 total, 0 running, 0 sleeping, 0 stopped, 0 zombie",
        "3 Memory   not available", "4 Busiest  nobody",
      ])
    XCTAssertEqual(deliveries.count, 2, "the other lines are bound")
  }

  func test_header_firstSample_showsAll() {
    _ = takeMarked(header.lines)
    status.apply(sample())
    XCTAssertEqual(
      takeMarked(header.lines),
      [
        "0 Up       1 day, 00:01", "1 Load     0.50  1.00  2.00",
        "2 Tasks    2 total, 1 running, 1 sleeping, 0 stopped, 0 zombie",
        "3 Memory   300 of 1000 MiB used (30.0 %)", "4 Busiest  p2",
      ])
    XCTAssertEqual(deliveries.count, 4, "each told once of the whole sample")
  }

  func test_header_equalSample_marksNothing() {
    showFirst()
    status.apply(sample())
    XCTAssertEqual(takeMarked(header.lines), [])
    XCTAssertEqual(deliveries.count, 4)
  }

  func test_header_changesThatAreNotSeen_markNothing() {
    showFirst()
    var sample = sample()
    sample.uptime? += 1
    sample.memory?.availableBytes -= 4096
    sample.processes[0].residentBytes += 4096
    status.apply(sample)
    XCTAssertEqual(takeMarked(header.lines), [], "the same minute, the same MiB")
  }

  func test_header_eachPart_marksItsLineAlone() {
    showFirst()
    var sample = sample()

    sample.uptime? += 60
    status.apply(sample)
    XCTAssertEqual(takeMarked(header.lines), ["0 Up       1 day, 00:02"])

    sample.loadAverages?.oneMinute = 0.75
    status.apply(sample)
    XCTAssertEqual(takeMarked(header.lines), ["1 Load     0.75  1.00  2.00"])

    sample.processes[0].state = .zombie
    status.apply(sample)
    XCTAssertEqual(
      takeMarked(header.lines), ["2 Tasks    2 total, 1 running, 0 sleeping, 0 stopped, 1 zombie"])

    sample.memory?.availableBytes -= 100 << 20
    status.apply(sample)
    XCTAssertEqual(takeMarked(header.lines), ["3 Memory   400 of 1000 MiB used (40.0 %)"])

    sample.memory = nil
    status.apply(sample)
    XCTAssertEqual(takeMarked(header.lines), ["3 Memory   not available"])

    XCTAssertEqual(deliveries.count, 6)
  }

  func test_header_busiest_followsCommandOfWhicheverIsBusiest() {
    showFirst()
    var sample = sample()

    sample.processes[1].command = "renamed"
    status.apply(sample)
    XCTAssertEqual(takeMarked(header.lines), ["4 Busiest  renamed"])

    sample.processes[0].processorPercent = 90
    status.apply(sample)
    XCTAssertEqual(takeMarked(header.lines), ["4 Busiest  p1"], "the link is replaced")

    sample.processes[1].command = "renamed again"
    status.apply(sample)
    XCTAssertEqual(takeMarked(header.lines), [], "the old link is not followed any more")

    sample.processes = sample.processes.map {
      var idle = $0
      idle.processorPercent = 0
      return idle
    }
    status.apply(sample)
    XCTAssertEqual(takeMarked(header.lines), ["4 Busiest  nobody"])
  }

  func test_header_commandThatWouldDraw_isEscaped() {
    showFirst()
    var sample = sample()
    sample.processes[1].command = "\u{1B}[2Jx"
    status.apply(sample)
    XCTAssertEqual(takeMarked(header.lines), [#"4 Busiest  \u{1B}[2Jx"#])
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
      processes: [.stub(1, cpu: 1), .stub(2, cpu: 50, state: .running)])
  }
}
