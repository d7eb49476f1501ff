import TestSupport
import XCTest

@testable import Demo

final class MonitorTests: TestCase {
  func test_teardown_monitorGoes_everythingGoes() {
    let before = liveObservations
    weak var status: SystemStatus?
    weak var header: HeaderViewModel?
    weak var table: ProcessTableViewModel?
    weak var row: DisplayLine?
    weak var record: ProcessRecord?
    do {
      let monitor = Monitor(order: .memory, rowCount: 5)
      for sample in Fixture.samples { monitor.apply(sample) }
      (status, header, table) = (monitor.status, monitor.header, monitor.table)
      (row, record) = (monitor.table.rows[0], monitor.status.processes.records[0])
      XCTAssertEqual(liveObservations, before + 5 + 2, "header, table")
      XCTAssertNotNil(row)
    }
    XCTAssertNil(status)
    XCTAssertNil(header)
    XCTAssertNil(table)
    XCTAssertNil(row)
    XCTAssertNil(record)
    XCTAssertEqual(liveObservations, before)
  }

  func test_summary_description_namesEveryNumber() {
    let summary = Summary(
      samples: 3, deliveries: 57,
      lines: LineTally(
        shown: 63,
        drawn: [.appeared: 21, .started: 3, .ended: 2, .moved: 5, .changed: 9, .unchanged: 1]),
      liveObservations: 0)
    XCTAssertEqual(
      summary.description,
      """
      Samples: 3
      Deliveries: 57
      Lines redrawn: 41 of 63 shown (40 with new data)
      By kind: 21 first shown, 3 started, 2 ended, 5 moved, 9 changed, 1 unchanged
      Live observations after teardown: 0

      """)
  }
}
