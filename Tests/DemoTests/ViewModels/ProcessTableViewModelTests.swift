import XCTest

@testable import Demo

final class ProcessTableViewModelTests: XCTestCase {
  private let status = SystemStatus()
  private let deliveries = DeliveryTally()
  private lazy var table = ProcessTableViewModel(
    processes: status.processes, rowCount: 3, deliveries: deliveries)

  func test_table_beforeAnySample_isTitlesAndEmptyRows() {
    XCTAssertEqual(
      takeMarked(table.lines), ["0     PID  S   %CPU*      RES  COMMAND", "1 ", "2 ", "3 "])
  }

  func test_table_firstSample_showsTheBusiest() {
    _ = takeMarked(table.lines)
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60, bytes: 3 << 20), .stub(3, cpu: 1), .stub(4, cpu: 2))
    XCTAssertEqual(
      takeMarked(table.lines),
      [
        "1       2  S    60.0     3.0M  p2",
        "2       1  S     5.0       0K  p1",
        "3       4  S     2.0       0K  p4",
      ])
  }

  func test_table_equalSample_marksNothing() {
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60))
    _ = takeMarked(table.lines)
    let before = deliveries.count
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60))
    XCTAssertEqual(takeMarked(table.lines), [])
    XCTAssertEqual(deliveries.count, before)
  }

  func test_table_changeThatReadsTheSame_marksNothing() {
    showFirst()
    apply(.stub(1, cpu: 5.02), .stub(2, cpu: 60.01, bytes: 100), .stub(3, cpu: 1))
    XCTAssertEqual(takeMarked(table.lines), [])
  }

  func test_table_oneProcessChanges_marksItsRowAlone() {
    showFirst()
    apply(.stub(1, cpu: 7), .stub(2, cpu: 60), .stub(3, cpu: 1))
    XCTAssertEqual(takeMarked(table.lines), ["2       1  S     7.0       0K  p1"])
    apply(.stub(1, cpu: 7), .stub(2, cpu: 60), .stub(3, cpu: 1, bytes: 1 << 20, state: .running))
    XCTAssertEqual(takeMarked(table.lines), ["3       3  R     1.0     1.0M  p3"])
    apply(
      .stub(1, cpu: 7), .stub(2, cpu: 60, command: "x\ny"),
      .stub(3, cpu: 1, bytes: 1 << 20, state: .running))
    XCTAssertEqual(takeMarked(table.lines), [#"1       2  S    60.0       0K  x\u{A}y"#])
  }

  func test_table_processThatIsNotShown_marksNothing() {
    showFirst()
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 1), .stub(4, cpu: 0.5))
    XCTAssertEqual(takeMarked(table.lines), [])
  }

  func test_table_orderOfRecordsChanges_marksTheRowsThatSwap() {
    showFirst()
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 9))
    XCTAssertEqual(
      takeMarked(table.lines),
      ["2       3  S     9.0       0K  p3", "3       1  S     5.0       0K  p1"])
  }

  func test_table_processEnds_marksItsRowAndThoseBelow() {
    showFirst()
    apply(.stub(1, cpu: 5), .stub(3, cpu: 1))
    XCTAssertEqual(
      takeMarked(table.lines),
      ["1       1  S     5.0       0K  p1", "2       3  S     1.0       0K  p3", "3 "])
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
    _ = takeMarked(table.lines)
    apply(.stub(9), .stub(4), .stub(7))
    XCTAssertEqual(status.processes.records.map(\.processIdentifier), [4, 7, 9])
  }

  func test_table_orderChanges_marksTitlesAndMovedRows() {
    apply(.stub(1, cpu: 5, bytes: 1 << 20), .stub(2, cpu: 60, bytes: 2 << 20), .stub(3, cpu: 1))
    _ = takeMarked(table.lines)
    status.processes.sort(by: .memory)
    XCTAssertEqual(
      takeMarked(table.lines), ["0     PID  S    %CPU     RES*  COMMAND"],
      "the order is the same by either")
    status.processes.sort(by: .memory)
    XCTAssertEqual(takeMarked(table.lines), [])
    apply(.stub(1, cpu: 5, bytes: 9 << 20), .stub(2, cpu: 60, bytes: 2 << 20), .stub(3, cpu: 1))
    XCTAssertEqual(
      takeMarked(table.lines),
      ["1       1  S     5.0     9.0M  p1", "2       2  S    60.0     2.0M  p2"])
  }

  func test_table_moreRows_areFilledAtOnce() {
    showFirst()
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 1), .stub(4, cpu: 0.5))
    _ = takeMarked(table.lines)
    table.setRowCount(5)
    XCTAssertEqual(takeMarked(table.lines), ["4       4  S     0.5       0K  p4", "5 "])
  }

  func test_table_fewerRows_goWithTheirObservations() {
    showFirst()
    weak var row: ProcessRowViewModel?
    row = table.rows.last
    XCTAssertNotNil(row)
    let before = liveObservations
    table.setRowCount(1)
    XCTAssertNil(row)
    XCTAssertEqual(liveObservations, before - 2)
    apply(.stub(1, cpu: 70), .stub(2, cpu: 60))
    XCTAssertEqual(takeMarked(table.lines), ["1       1  S    70.0       0K  p1"])
  }

  func test_table_noRows_isTitlesAlone() {
    table.setRowCount(-1)
    XCTAssertEqual(table.lines.count, 1)
  }

  private func showFirst() {
    _ = table
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 1))
    _ = takeMarked(table.lines)
  }

  private func apply(_ processes: ProcessSample...) {
    status.apply(SystemSample(processes: processes))
  }
}
