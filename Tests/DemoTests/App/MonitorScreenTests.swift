import TestSupport
import XCTest

@testable import Demo

/// The whole way from a sample to the screen.
///
/// The titles are on row 5, and the first process on row 6.
final class MonitorScreenTests: TestCase {
  private let screen = EmulatedScreen(rows: 10, columns: 60)
  private lazy var view = TerminalView(
    sink: screen, keyboard: FakeKeyboard(), currentSize: { [unowned self] in screen.size })
  private let status = SystemStatus()
  private lazy var header = HeaderViewModel(status: status, deliveries: DeliveryTally())
  private lazy var table = ProcessTableViewModel(
    processes: status.processes, rowCount: 0, deliveries: DeliveryTally())

  func test_screen_eachKindOfChange_printsItsOwnLineAlone() throws {
    try show([.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 1)])
    XCTAssertEqual(screen.takePrintedRows(), Array(0...8), "first shown")

    try show([.stub(1, cpu: 5), .stub(2, cpu: 50), .stub(3, cpu: 1)])
    XCTAssertEqual(takePrintedProcesses(), ["2"], "changed")

    try show([.stub(1, cpu: 5), .stub(2, cpu: 50), .stub(3, cpu: 1), .stub(4, cpu: 9)])
    XCTAssertEqual(takePrintedProcesses(), ["4"], "started")

    try show([.stub(1, cpu: 5), .stub(2, cpu: 50), .stub(3, cpu: 55), .stub(4, cpu: 9)])
    XCTAssertEqual(takePrintedProcesses(), ["3"], "moved")

    try show([.stub(1, cpu: 5), .stub(3, cpu: 55), .stub(4, cpu: 9)])
    XCTAssertEqual(takePrintedProcesses(), [], "ended")

    try show([.stub(1, cpu: 5), .stub(3, cpu: 55), .stub(4, cpu: 9), .stub(5), .stub(6)])
    XCTAssertEqual(takePrintedProcesses(), ["5"], "started, one of them out of sight")

    try show([.stub(1, cpu: 5), .stub(4, cpu: 9), .stub(5), .stub(6)])
    XCTAssertEqual(takePrintedProcesses(), ["6"], "ended, and another fills the end")

    let kinds: [LineChange] = [.appeared, .started, .ended, .moved, .unchanged]
    XCTAssertEqual(kinds.map { view.tally[$0] }, [9, 2, 1, 1, 0])
  }

  func test_screen_orderChanges_isRightAtOnce() throws {
    try show([.stub(1, cpu: 5, bytes: 1 << 20), .stub(2, cpu: 60), .stub(3, bytes: 2 << 20)])
    XCTAssertEqual(processesOnScreen, ["2", "1", "3"])
    status.processes.sort(by: .memory)
    try draw()
    XCTAssertEqual(processesOnScreen, ["3", "1", "2"])
  }

  /// Processes start, end and change at random; so do the order and the window, now and then.
  func test_screen_randomSamples_showTheFirstProcessesAndPrintNoMoreThanNeeded() throws {
    for seed in seeds(quick: 2, full: 50) {
      var random = SeededGenerator(seed: seed)
      var simulated = SimulatedProcesses()
      var order = status.processes.order
      for frame in 0..<25 {
        let name = "frame \(frame)"
        let before = picture
        if Int.random(in: 0..<12, using: &random) == 0 {
          screen.resize(
            to: TerminalSize(
              rows: .random(in: 6...16, using: &random),
              // All that changes is to be seen.
              columns: .random(in: 36...50, using: &random)))
        }
        if frame > 0, Int.random(in: 0..<8, using: &random) == 0 {
          order = ProcessOrder.allCases.randomElement(using: &random)!
          status.processes.sort(by: order)
        } else {
          simulated.run(&random)
          status.apply(SystemSample(processes: simulated.samples))
        }
        try draw()

        XCTAssertEqual(
          Array(screen.lines.dropFirst(5)), expectedTable(of: simulated.samples, by: order), name)
        let printedCount = screen.takePrintedRows().count { $0 > 5 }
        if before.size == screen.size {
          XCTAssertLessThanOrEqual(printedCount, picture.neededLineCount(after: before), name)
        }
      }
    }
  }

  private func show(_ processes: [ProcessSample]) throws {
    status.apply(SystemSample(processes: processes))
    try draw()
    XCTAssertEqual(
      Array(screen.lines.dropFirst(5)), expectedTable(of: processes, by: .processor))
  }

  private func draw() throws {
    if !screen.showsOtherScreen { try view.open() }
    table.setRowCount(screen.size.rows - 6)
    try view.draw(header.lines + table.lines)
  }

  private func expectedTable(of processes: [ProcessSample], by order: ProcessOrder) -> [String] {
    let keyed = processes.map { process in
      let key =
        order == .processor ? process.processorPercent : Double(process.residentBytes)
      return (key: -key, process: process)
    }
    let sorted = keyed.sorted {
      ($0.key, $0.process.processIdentifier) < ($1.key, $1.process.processIdentifier)
    }
    let rows = sorted.prefix(screen.size.rows - 6).map { Format.row(ProcessRecord($0.process)) }
    return [Format.titles(sortedBy: order)] + rows
  }
}

// MARK: - What is to be seen

extension MonitorScreenTests {
  private var picture: TablePicture {
    TablePicture(
      size: screen.size,
      lines: Dictionary(
        uniqueKeysWithValues: zip(processesOnScreen, screen.lines.dropFirst(6))),
      processes: status.processes.records.map(\.processIdentifier))
  }

  private var processesOnScreen: [String] {
    screen.lines.dropFirst(6).map(process)
  }

  private func takePrintedProcesses() -> [String] {
    screen.takePrintedRows().filter { $0 > 5 }.map { process(of: screen.lines[$0]) }
  }

  private func process(of line: String) -> String {
    line.prefix(7).trimmingCharacters(in: .whitespaces)
  }
}

/// The table at one moment.
private struct TablePicture {
  let size: TerminalSize
  /// By process.
  let lines: [String: String]
  /// All processes, seen or not, in their order.
  let processes: [Int]

  /// Lines that are new or say something else, and one for each process that has to move among
  /// the others.
  func neededLineCount(after before: Self) -> Int {
    let staying = before.processes.filter(Set(processes).contains)
    let places = Dictionary(uniqueKeysWithValues: zip(processes, processes.indices))
    let moves = staying.count - Self.lengthOfLongestIncrease(of: staying.map { places[$0]! })
    return lines.count { before.lines[$0.key] != $0.value } + moves
  }

  private static func lengthOfLongestIncrease(of values: [Int]) -> Int {
    var lengths: [Int] = []
    for (index, value) in values.enumerated() {
      let best = (0..<index).filter { values[$0] < value }.map { lengths[$0] }.max() ?? 0
      lengths.append(best + 1)
    }
    return lengths.max() ?? 0
  }
}
