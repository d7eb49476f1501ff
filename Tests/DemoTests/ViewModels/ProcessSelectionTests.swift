import TestSupport
import XCTest

@testable import Demo

/// Selection by keys, and the visible rows.
final class ProcessSelectionTests: ProcessTableTestCase {
  func test_selection_moves_scrollsAndStaysWithinTheTable() {
    apply(.stub(1), .stub(2), .stub(3), .stub(4), .stub(5))
    XCTAssertNil(table.selected)
    let steps: [(Int, selected: Int, first: Int)] = [
      (1, 1, 1), (1, 2, 1), (1, 3, 1), (1, 4, 2), (-1, 3, 2), (-1, 2, 2), (-1, 1, 1), (-1, 1, 1),
      (3, 4, 2), (1000, 5, 3), (-1000, 1, 1),
    ]
    for (distance, selected, first) in steps {
      table.moveSelection(by: distance)
      XCTAssertEqual(table.selected?.processIdentifier, selected)
      XCTAssertEqual(table.rows.first?.record.processIdentifier, first)
      XCTAssertEqual(
        table.rows.filter { $0.line.background == .selection }.map(\.record.processIdentifier),
        [selected])
    }
    table.removeSelection()
    XCTAssertNil(table.selected)
    XCTAssertEqual(table.rows.count { $0.line.background == .selection }, 0)
  }

  func test_selection_movesByOne_marksTwoRows() {
    showFirst()
    table.moveSelection(by: 0)
    _ = takeChanges()
    table.moveSelection(by: 1)
    XCTAssertEqual(takeChanges().map { $0.prefix(9) }, ["changed 0", "changed 1"])
  }

  func test_selection_processMoves_staysInSight() {
    apply(.stub(1, cpu: 9), .stub(2), .stub(3), .stub(4), .stub(5))
    table.moveSelection(by: 0)
    apply(.stub(1, cpu: 0), .stub(2, cpu: 1), .stub(3, cpu: 1), .stub(4, cpu: 1), .stub(5, cpu: 1))
    XCTAssertEqual(table.selectedRow?.record.processIdentifier, 1)
    XCTAssertEqual(table.rows.map(\.record.processIdentifier), [4, 5, 1])
  }

  func test_selection_processEnds_isTheNextOne() {
    apply(.stub(1), .stub(2), .stub(3))
    table.moveSelection(by: 0)
    table.moveSelection(by: 1)
    weak var record: ProcessRecord?
    record = table.selected
    apply(.stub(1), .stub(3))
    XCTAssertNil(record)
    XCTAssertEqual(table.selected?.processIdentifier, 3)
    apply(.stub(1))
    XCTAssertEqual(table.selected?.processIdentifier, 1)
    apply()
    XCTAssertNil(table.selected)
    XCTAssertEqual(table.rows.count, 0)
    table.moveSelection(by: 1)
    XCTAssertNil(table.selected)
  }

  func test_selection_filteredOut_isTheNextOne() {
    apply(.stub(1), .stub(2, command: "x"), .stub(3))
    table.moveSelection(by: 0)
    table.filter = "x"
    XCTAssertEqual(table.selected?.processIdentifier, 2)
  }
}
