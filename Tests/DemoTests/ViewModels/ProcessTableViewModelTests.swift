import ObservationController
import TestSupport
import XCTest

@testable import Demo

final class ProcessTableViewModelTests: ProcessTableTestCase {
  func test_table_firstSample_showsTheBusiest() {
    _ = table
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60, bytes: 3 << 20), .stub(3, cpu: 1), .stub(4, cpu: 2))
    XCTAssertEqual(
      takeChanges(),
      [
        "came into sight 0       2  S    60.0     3.0M  p2",
        "came into sight 1       1  S     5.0       0K  p1",
        "came into sight 2       4  S     2.0       0K  p4",
      ])
  }

  func test_table_equalSample_marksAndDeliversNothing() {
    showFirst()
    let trace = ObservationTrace.record {
      apply(.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 1))
    }
    XCTAssertEqual(takeChanges(), [])
    XCTAssertEqual(trace.events.filter { $0.kind == .delivery }.map(\.description), [])
  }

  func test_table_changeWithEqualText_marksNothing() {
    showFirst()
    apply(.stub(1, cpu: 5.02), .stub(2, cpu: 60.01, bytes: 100), .stub(3, cpu: 1))
    XCTAssertEqual(takeChanges(), [])
  }

  func test_table_oneProcessChanges_marksItsRowAlone() {
    showFirst()
    apply(.stub(1, cpu: 7), .stub(2, cpu: 60), .stub(3, cpu: 1))
    XCTAssertEqual(takeChanges(), ["changed 1       1  S     7.0       0K  p1"])
    apply(.stub(1, cpu: 7), .stub(2, cpu: 60), .stub(3, cpu: 1, bytes: 1 << 20, state: .running))
    XCTAssertEqual(takeChanges(), ["changed 2       3  R     1.0     1.0M  p3"])
    apply(
      .stub(1, cpu: 7), .stub(2, cpu: 60, command: "x\ny"),
      .stub(3, cpu: 1, bytes: 1 << 20, state: .running))
    XCTAssertEqual(takeChanges(), [#"changed 0       2  S    60.0       0K  x\u{A}y"#])
  }

  func test_table_processOutOfSight_isNotObservedByARow() {
    showFirst()
    let before = liveObservations
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 1), .stub(4, cpu: 0.5))
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 1), .stub(4, cpu: 0.6))
    XCTAssertEqual(takeChanges(), [])
    XCTAssertEqual(liveObservations, before)
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 1))
    XCTAssertEqual(takeChanges(), [])
  }

  func test_table_processStarts_marksItsRowAlone() {
    showFirst()
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 1), .stub(4, cpu: 70))
    XCTAssertEqual(table.rows.count, 3, "the last one makes way")
    XCTAssertEqual(takeChanges(), ["came into sight 0       4  S    70.0       0K  p4"])
  }

  func test_table_processEnds_marksOnlyTheNewLastRow() {
    showFirst()
    apply(.stub(1, cpu: 5), .stub(3, cpu: 1))
    XCTAssertEqual(takeChanges(), [], "there is none")
    apply(.stub(1, cpu: 5), .stub(3, cpu: 1), .stub(4), .stub(5))
    XCTAssertEqual(takeChanges(), ["came into sight 2       4  S     0.0       0K  p4"])
    apply(.stub(3, cpu: 1), .stub(4), .stub(5))
    XCTAssertEqual(takeChanges(), ["came into sight 2       5  S     0.0       0K  p5"])
  }

  func test_table_processMoves_marksItsRowAlone() {
    showFirst()
    let row = table.rows[2]
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 90))
    XCTAssertTrue(table.rows[0] === row, "a row stays with its process")
    XCTAssertEqual(takeChanges(), ["moved 0       3  S    90.0       0K  p3"])
  }

  func test_table_processMovesWithEqualText_isMoved() {
    showFirst()
    apply(.stub(1, cpu: 60.04), .stub(2, cpu: 60), .stub(3, cpu: 1))
    _ = takeChanges()
    apply(.stub(1, cpu: 60.01), .stub(2, cpu: 60.02), .stub(3, cpu: 1))
    XCTAssertEqual(takeChanges().map { $0.prefix(5) }, ["moved"])
  }

  func test_table_processEnds_recordAndRowAreReleased() {
    showFirst()
    weak var record: ProcessRecord?
    record = status.processes.records.first { $0.processIdentifier == 1 }
    weak var row: ProcessRowViewModel?
    row = table.rows[1]
    XCTAssertNotNil(record)
    XCTAssertNotNil(row)
    apply(.stub(2, cpu: 60), .stub(3, cpu: 1))
    XCTAssertNil(record)
    XCTAssertNil(row)
  }

  func test_table_ties_areByIdentifier() {
    _ = table
    apply(.stub(9), .stub(4), .stub(7))
    XCTAssertEqual(table.shown.map(\.processIdentifier), [4, 7, 9])
    apply(.stub(9), .stub(4), .stub(7), .stub(5))
    XCTAssertEqual(table.shown.map(\.processIdentifier), [4, 5, 7, 9])
  }

  func test_table_identifierListedTwice_isOneProcess() {
    for _ in 0..<2 {
      apply(.stub(1), .stub(1, cpu: 5), .stub(2))
      XCTAssertEqual(table.shown.map(\.processIdentifier), [1, 2])
      XCTAssertEqual(table.shown.map(\.processorPercent), [0, 0])
    }
  }

  func test_table_eachOrder_sortsAndFollows() {
    apply(
      .stub(1, cpu: 5, bytes: 1, command: "c"), .stub(2, cpu: 6, bytes: 3, command: "a"),
      .stub(3, cpu: 1, bytes: 2, command: "b"))
    let expected: [ProcessOrder: [Int]] = [
      .processor: [2, 1, 3], .memory: [2, 3, 1], .identifier: [1, 2, 3], .command: [2, 3, 1],
    ]
    for order in ProcessOrder.allCases {
      table.order = order
      XCTAssertEqual(table.rows.map(\.record.processIdentifier), expected[order], "\(order)")
    }
    apply(
      .stub(1, cpu: 5, bytes: 1, command: "0"), .stub(2, cpu: 6, bytes: 3, command: "a"),
      .stub(3, cpu: 1, bytes: 2, command: "b"))
    XCTAssertEqual(table.rows.map(\.record.processIdentifier), [1, 2, 3])
    XCTAssertEqual(ProcessOrder.allCases.map(\.next), [.memory, .identifier, .command, .processor])
  }

  func test_table_kernelThreads_areHiddenUntilTheyAreAskedFor() {
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60, isKernelThread: true))
    XCTAssertEqual(table.rows.map(\.record.processIdentifier), [1])
    XCTAssertTrue(table.titleLine.text.text.hasSuffix("1 of 2"))
    table.showsKernelThreads = true
    XCTAssertEqual(table.rows.map(\.record.processIdentifier), [2, 1])
    XCTAssertTrue(table.titleLine.text.text.hasSuffix(" 2"))
  }

  func test_table_filter_matchesCommandsAndNumbers() {
    apply(.stub(1, command: "/bin/Swift"), .stub(2, command: "vi 1"), .stub(3), .stub(11))
    for (filter, expected) in ["sWiFt": [1], "i": [1, 2], "1": [1, 2, 11], "zzz": []] {
      table.filter = filter
      XCTAssertEqual(table.shown.map(\.processIdentifier), expected, filter)
    }
    apply(.stub(1, command: "zzz"), .stub(2), .stub(4, command: "zzz"))
    table.filter = "zzz"
    XCTAssertEqual(table.rows.map(\.record.processIdentifier), [1, 4], "it is live")
  }

  func test_table_moreRows_areFilledAtOnce() {
    showFirst()
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 1), .stub(4, cpu: 0.5))
    table.setRowCount(5)
    XCTAssertEqual(takeChanges(), ["came into sight 3       4  S     0.5       0K  p4"])
    apply(.stub(2, cpu: 60), .stub(3, cpu: 1), .stub(4, cpu: 0.5), .stub(5), .stub(6), .stub(7))
    XCTAssertEqual(table.rows.count, 5)
  }

  func test_table_fewerRows_endTheirObservations() {
    showFirst()
    weak var row: ProcessRowViewModel?
    row = table.rows.last
    XCTAssertNotNil(row)
    let before = liveObservations
    table.setRowCount(1)
    XCTAssertNil(row)
    XCTAssertEqual(liveObservations, before - 2)
    table.setRowCount(-1)
    apply(.stub(1), .stub(2))
    XCTAssertEqual(table.lines.count, 1)
  }
}
