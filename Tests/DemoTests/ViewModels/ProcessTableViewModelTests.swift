import TestSupport
import XCTest

@testable import Demo

final class ProcessTableViewModelTests: TestCase {
  private let status = SystemStatus()
  private let deliveries = DeliveryTally()
  private lazy var table = ProcessTableViewModel(
    processes: status.processes, rowCount: 3, deliveries: deliveries)

  func test_table_beforeAnySample_isTitlesAlone() {
    XCTAssertEqual(
      takeChanges(table.lines), ["first shown 0     PID  S   %CPU*      RES  COMMAND"])
  }

  func test_table_firstSample_showsTheBusiest() {
    _ = takeChanges(table.lines)
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60, bytes: 3 << 20), .stub(3, cpu: 1), .stub(4, cpu: 2))
    XCTAssertEqual(
      takeChanges(table.lines),
      [
        "first shown 1       2  S    60.0     3.0M  p2",
        "first shown 2       1  S     5.0       0K  p1",
        "first shown 3       4  S     2.0       0K  p4",
      ])
  }

  func test_table_equalSample_isNotEvenDelivered() {
    showFirst()
    let before = deliveries.count
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 1))
    XCTAssertEqual(takeChanges(table.lines), [])
    XCTAssertEqual(deliveries.count, before)
  }

  func test_table_changeThatReadsTheSame_marksNothing() {
    showFirst()
    apply(.stub(1, cpu: 5.02), .stub(2, cpu: 60.01, bytes: 100), .stub(3, cpu: 1))
    XCTAssertEqual(takeChanges(table.lines), [])
  }

  func test_table_oneProcessChanges_marksItsRowAlone() {
    showFirst()
    apply(.stub(1, cpu: 7), .stub(2, cpu: 60), .stub(3, cpu: 1))
    XCTAssertEqual(takeChanges(table.lines), ["changed 2       1  S     7.0       0K  p1"])
    apply(.stub(1, cpu: 7), .stub(2, cpu: 60), .stub(3, cpu: 1, bytes: 1 << 20, state: .running))
    XCTAssertEqual(takeChanges(table.lines), ["changed 3       3  R     1.0     1.0M  p3"])
    apply(
      .stub(1, cpu: 7), .stub(2, cpu: 60, command: "x\ny"),
      .stub(3, cpu: 1, bytes: 1 << 20, state: .running))
    XCTAssertEqual(takeChanges(table.lines), [#"changed 1       2  S    60.0       0K  x\u{A}y"#])
  }

  func test_table_processThatIsNotShown_marksNothing() {
    showFirst()
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 1), .stub(4, cpu: 0.5))
    XCTAssertEqual(takeChanges(table.lines), [])
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 1), .stub(4, cpu: 0.6))
    XCTAssertEqual(takeChanges(table.lines), [])
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 1))
    XCTAssertEqual(takeChanges(table.lines), [])
  }

  func test_table_processStarts_marksItsRowAlone() {
    showFirst()
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 1), .stub(4, cpu: 70))
    XCTAssertEqual(table.rows.count, 3, "the last one makes way")
    XCTAssertEqual(takeChanges(table.lines), ["started 1       4  S    70.0       0K  p4"])
  }

  func test_table_processEnds_marksTheOneThatFillsTheEndAlone() {
    showFirst()
    apply(.stub(1, cpu: 5), .stub(3, cpu: 1))
    XCTAssertEqual(takeChanges(table.lines), [], "there is none")
    apply(.stub(1, cpu: 5), .stub(3, cpu: 1), .stub(4), .stub(5))
    XCTAssertEqual(takeChanges(table.lines), ["started 3       4  S     0.0       0K  p4"])
    apply(.stub(3, cpu: 1), .stub(4), .stub(5))
    XCTAssertEqual(takeChanges(table.lines), ["ended 3       5  S     0.0       0K  p5"])
  }

  func test_table_processMoves_marksItsRowAlone() {
    showFirst()
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 90))
    XCTAssertEqual(takeChanges(table.lines), ["moved 1       3  S    90.0       0K  p3"])
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 90), .stub(4))
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 0), .stub(4, cpu: 2))
    XCTAssertEqual(
      takeChanges(table.lines), ["moved 3       4  S     2.0       0K  p4"],
      "the one that left uncovers the next one, which has moved as well")
  }

  func test_table_processMovesOutOfSight_marksTheOneThatFillsTheEndAlone() {
    showFirst()
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 1), .stub(4, cpu: 0.5))
    apply(.stub(1, cpu: 0.1), .stub(2, cpu: 60), .stub(3, cpu: 1), .stub(4, cpu: 0.5))
    XCTAssertEqual(takeChanges(table.lines), ["moved 3       4  S     0.5       0K  p4"])
  }

  func test_table_muchAtOnce_marksEachForWhatItDid() {
    showFirst()
    apply(.stub(2, cpu: 61), .stub(3, cpu: 70), .stub(4, cpu: 65))
    XCTAssertEqual(
      takeChanges(table.lines),
      [
        "moved 1       3  S    70.0       0K  p3",
        "started 2       4  S    65.0       0K  p4",
        "changed 3       2  S    61.0       0K  p2",
      ])
  }

  func test_table_processEnds_recordGoes() {
    showFirst()
    weak var record: ProcessRecord?
    record = status.processes.records.first { $0.processIdentifier == 1 }
    XCTAssertNotNil(record)
    apply(.stub(2, cpu: 60), .stub(3, cpu: 1))
    XCTAssertNil(record)
  }

  func test_table_ties_areByIdentifier() {
    apply(.stub(9), .stub(4), .stub(7))
    XCTAssertEqual(status.processes.records.map(\.processIdentifier), [4, 7, 9])
    apply(.stub(9), .stub(4), .stub(7), .stub(5))
    XCTAssertEqual(status.processes.records.map(\.processIdentifier), [4, 5, 7, 9])
  }

  func test_table_identifierListedTwice_isOneProcess() {
    for _ in 0..<2 {
      apply(.stub(1), .stub(1, cpu: 5), .stub(2))
      XCTAssertEqual(status.processes.records.map(\.processIdentifier), [1, 2])
      XCTAssertEqual(status.processes.records.map(\.processorPercent), [0, 0])
    }
  }

  func test_table_orderChanges_marksTitlesAndMovedRows() {
    apply(.stub(1, cpu: 5, bytes: 1 << 20), .stub(2, cpu: 60, bytes: 2 << 20), .stub(3, cpu: 1))
    _ = takeChanges(table.lines)
    status.processes.sort(by: .memory)
    XCTAssertEqual(
      takeChanges(table.lines), ["changed 0     PID  S    %CPU     RES*  COMMAND"],
      "the order is the same by either")
    status.processes.sort(by: .memory)
    XCTAssertEqual(takeChanges(table.lines), [])
    apply(.stub(1, cpu: 5, bytes: 9 << 20), .stub(2, cpu: 60, bytes: 2 << 20), .stub(3, cpu: 1))
    let marked = takeChanges(table.lines)
    XCTAssertEqual(marked.count, 1, "one past the other")
    XCTAssertTrue(marked[0].hasPrefix("moved"), marked[0])
    XCTAssertEqual(
      table.rows.map(\.text),
      [
        "      1  S     5.0     9.0M  p1", "      2  S    60.0     2.0M  p2",
        "      3  S     1.0       0K  p3",
      ])
  }

  func test_table_moreRows_areFilledAtOnce() {
    showFirst()
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 1), .stub(4, cpu: 0.5))
    table.setRowCount(5)
    XCTAssertEqual(takeChanges(table.lines), ["first shown 4       4  S     0.5       0K  p4"])
    apply(.stub(2, cpu: 60), .stub(3, cpu: 1), .stub(4, cpu: 0.5), .stub(5), .stub(6), .stub(7))
    XCTAssertEqual(table.rows.count, 5)
  }

  func test_table_fewerRows_goFromTheEnd() {
    showFirst()
    weak var row: DisplayLine?
    row = table.rows.last
    XCTAssertNotNil(row)
    let before = liveObservations
    table.setRowCount(1)
    XCTAssertNil(row)
    XCTAssertEqual(liveObservations, before)
    apply(.stub(1, cpu: 7), .stub(2, cpu: 60), .stub(3, cpu: 8))
    XCTAssertEqual(takeChanges(table.lines), [])
    apply(.stub(1, cpu: 7), .stub(2, cpu: 65), .stub(3, cpu: 8))
    XCTAssertEqual(takeChanges(table.lines), ["changed 1       2  S    65.0       0K  p2"])
  }

  func test_table_noRows_isTitlesAlone() {
    table.setRowCount(-1)
    apply(.stub(1))
    apply(.stub(1, cpu: 1), .stub(2))
    XCTAssertEqual(table.lines.count, 1)
  }

  private func showFirst() {
    _ = table
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 1))
    _ = takeChanges(table.lines)
  }

  private func apply(_ processes: ProcessSample...) {
    status.apply(SystemSample(processes: processes))
  }
}
