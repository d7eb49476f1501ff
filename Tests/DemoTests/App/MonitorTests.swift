import TestSupport
import XCTest

@testable import Demo

final class MonitorTests: TestCase {
  func test_teardown_monitorDeallocated_leavesNothing() {
    let before = liveObservations
    weak var status: SystemStatus?
    weak var header: HeaderViewModel?
    weak var table: ProcessTableViewModel?
    weak var row: DisplayLine?
    weak var record: ProcessRecord?
    do {
      let monitor = Monitor(order: .memory)
      for sample in Fixture.samples {
        monitor.apply(sample)
        _ = monitor.lines(rows: 16, limit: 5)
      }
      monitor.table.moveSelection(by: 1)
      for question in [InspectorViewModel.Question.why, .who] { monitor.inspector.toggle(question) }
      (status, header, table) = (monitor.status, monitor.header, monitor.table)
      (row, record) = (monitor.table.rows[0].line, monitor.table.rows[0].record)
      XCTAssertEqual(
        liveObservations, before + 5 + 4 + 4 + 5 + 1 + 8 + 5,
        "header, table, footer with one both ways, inspector, termination, live views and parameters, rows"
      )
      XCTAssertNotNil(row)
    }
    XCTAssertNil(status)
    XCTAssertNil(header)
    XCTAssertNil(table)
    XCTAssertNil(row)
    XCTAssertNil(record)
    XCTAssertEqual(liveObservations, before)
  }

  func test_lines_everySize_fillTheScreenAndEndWithTheKeys() {
    let monitor = Monitor()
    for sample in Fixture.samples { monitor.apply(sample) }
    for rows in [8, 10, 16, 24, 30, 50] {
      for question in [nil, InspectorViewModel.Question.why] {
        monitor.table.removeSelection()
        if let question {
          monitor.table.moveSelection(by: 0)
          monitor.inspector.toggle(question)
        }
        monitor.screen.size.rows = rows
        let lines = monitor.lines(rows: rows, limit: nil)
        if rows >= 16 || question == nil { XCTAssertEqual(lines.count, rows) }
        XCTAssertTrue(lines.last === monitor.footer.keyLine)
        monitor.inspector.close()
        monitor.table.moveSelection(by: 0)
        monitor.table.selected.map(monitor.page.open)
        let page = monitor.lines(rows: rows, limit: nil)
        XCTAssertEqual(page.count, rows)
        XCTAssertTrue(page.contains { $0 === monitor.page.termination.line })
        monitor.page.close()
      }
    }
  }

  func test_lines_printed_areHeaderAndTableAlone() {
    let monitor = Monitor()
    monitor.apply(Fixture.samples[0])
    XCTAssertEqual(monitor.lines(limit: 2).count, 5 + 1 + 2)
  }

  func test_summary_description_namesEveryNumber() {
    let summary = Summary(
      samples: 3, deliveries: 57,
      lines: LineTally(
        shown: 63, drawn: [.appeared: 26, .moved: 5, .changed: 9, .unchanged: 1]),
      liveObservations: 0)
    XCTAssertEqual(
      summary.description,
      """
      Samples: 3
      Handlers called: 57
      Lines redrawn: 41 of 63 shown (40 with new data)
      By kind: 26 came into sight, 5 moved, 9 changed, 1 unchanged
      Live observations after teardown: 0

      """)
  }
}
