import TestSupport
import XCTest

@testable import Demo

/// From a sample to the screen.
///
/// The titles are on row 4, and the first process on row 5.
final class MonitorScreenTests: TestCase {
  private let screen = EmulatedScreen(rows: 9, columns: 60)
  private lazy var view = TerminalView(
    sink: screen, keyboard: FakeKeyboard(), currentSize: { [unowned self] in screen.size })
  private let status = SystemStatus()
  private lazy var header = HeaderViewModel(status: status, screen: Screen())
  private lazy var table = ProcessTableViewModel(processes: status.processes, screen: Screen())

  func test_screen_eachKindOfChange_printsItsOwnLineAlone() throws {
    try show([.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 1)])
    XCTAssertEqual(screen.takePrintedRows(), Array(0...7), "first shown")

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

    let kinds: [LineChange] = [.appeared, .moved, .unchanged]
    XCTAssertEqual(kinds.map { view.tally[$0] }, [11, 1, 0])
  }

  func test_screen_orderChanges_isRightAtOnce() throws {
    try show([.stub(1, cpu: 5, bytes: 1 << 20), .stub(2, cpu: 60), .stub(3, bytes: 2 << 20)])
    XCTAssertEqual(processesOnScreen, ["2", "1", "3"])
    table.order = .memory
    try draw()
    XCTAssertEqual(processesOnScreen, ["3", "1", "2"])
  }

  /// Processes start, end and change at random; so do the order and, sometimes, the window.
  func test_screen_randomSamples_showTheFirstProcesses_withLeastOutput() throws {
    for seed in seeds(quick: 2, full: 50) {
      var random = SeededGenerator(seed: seed)
      var simulated = SimulatedProcesses()
      var order = table.order
      for frame in 0..<25 {
        let name = "frame \(frame)"
        let before = picture
        if Int.random(in: 0..<12, using: &random) == 0 {
          screen.resize(
            to: TerminalSize(
              rows: .random(in: 5...15, using: &random),
              // All changes are visible.
              columns: .random(in: 36...50, using: &random)))
        }
        if frame > 0, Int.random(in: 0..<8, using: &random) == 0 {
          order = ProcessOrder.allCases.randomElement(using: &random)!
          table.order = order
        } else {
          simulated.run(&random)
          status.apply(SystemSample(processes: simulated.samples))
        }
        try draw()

        XCTAssertEqual(
          Array(screen.lines.dropFirst(5)), expectedRows(of: simulated.samples, by: order), name)
        let printedCount = screen.takePrintedRows().count { $0 > 4 }
        if before.size == screen.size {
          XCTAssertLessThanOrEqual(printedCount, picture.neededLineCount(after: before), name)
        }
      }
    }
  }

  func test_screen_selectionScrolls_printsOnlyNewLines() throws {
    try show((1...9).map { .stub($0) })
    XCTAssertEqual(processesOnScreen, ["1", "2", "3", "4"])
    table.moveSelection(by: 0)
    table.moveSelection(by: 3)
    try draw()
    XCTAssertEqual(screen.styles(inRow: 8).map { $0.prefix(5) }, ["30;46"])
    _ = screen.takePrintedRows()

    table.moveSelection(by: 1)
    try draw()
    XCTAssertEqual(processesOnScreen, ["2", "3", "4", "5"])
    XCTAssertEqual(takePrintedProcesses(), ["4", "5"], "the terminal moves the others")
    table.removeSelection()
    try draw()
    XCTAssertEqual(processesOnScreen, ["1", "2", "3", "4"])
  }

  func test_screen_colors_areThoseOfTheParts() throws {
    try show([.stub(1, cpu: 95, state: .running, command: "/bin/a b"), .stub(2)])
    XCTAssertEqual(screen.styles(inRow: 0).first, "36: Up       ")
    XCTAssertEqual(screen.styles(inRow: 4).map { $0.prefix(9) }, ["30;42:   "])
    XCTAssertEqual(
      screen.styles(inRow: 5), ["32: R", "31:     95.0", "90:        0K", "90: /bin/", "1: a"])
  }

  private func show(_ processes: [ProcessSample]) throws {
    status.apply(SystemSample(processes: processes))
    try draw()
    XCTAssertEqual(
      Array(screen.lines.dropFirst(5)), expectedRows(of: processes, by: .processor))
  }

  private func draw() throws {
    if !screen.showsOtherScreen { try view.open() }
    table.setRowCount(screen.size.rows - 5)
    try view.draw(header.lines + table.lines)
  }

  private func expectedRows(of processes: [ProcessSample], by order: ProcessOrder) -> [String] {
    let keyed = processes.map { process in
      let key =
        switch order {
        case .processor: -process.processorPercent
        case .memory: -Double(process.residentBytes)
        case .identifier: Double(process.processIdentifier)
        // Names of one letter and the number.
        case .command: Double("0.\(process.processIdentifier)")!
        }
      return (key: key, process: process)
    }
    let sorted = keyed.sorted {
      ($0.key, $0.process.processIdentifier) < ($1.key, $1.process.processIdentifier)
    }
    return sorted.prefix(screen.size.rows - 5).map { Format.row(ProcessRecord($0.process)).text }
  }
}

// MARK: - Expected screen

extension MonitorScreenTests {
  private var picture: TablePicture {
    TablePicture(
      size: screen.size,
      lines: Dictionary(
        uniqueKeysWithValues: zip(processesOnScreen, screen.lines.dropFirst(5))),
      processes: table.shown.map(\.processIdentifier))
  }

  private var processesOnScreen: [String] {
    screen.lines.dropFirst(5).map(process)
  }

  private func takePrintedProcesses() -> [String] {
    screen.takePrintedRows().filter { $0 > 4 }.map { process(of: screen.lines[$0]) }
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
  /// All processes, visible or not, in their order.
  let processes: [Int]

  /// Lines that are new or have other text, and one for each process that has to move among the
  /// others.
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
