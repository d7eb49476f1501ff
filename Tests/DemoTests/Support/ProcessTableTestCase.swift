import TestSupport

@testable import Demo

/// Test case with a process table of three rows.
class ProcessTableTestCase: TestCase {
  let status = SystemStatus()
  lazy var table: ProcessTableViewModel = {
    let table = ProcessTableViewModel(processes: status.processes, screen: Screen())
    table.setRowCount(3)
    return table
  }()

  /// Shows a first sample of three processes.
  func showFirst() {
    _ = table
    apply(.stub(1, cpu: 5), .stub(2, cpu: 60), .stub(3, cpu: 1))
    _ = takeChanges()
  }

  func apply(_ processes: ProcessSample...) {
    status.apply(SystemSample(processes: processes))
  }

  /// The reasons for which rows are marked, by their number and with their texts; unmarks them.
  func takeChanges() -> [String] {
    DemoTests.takeChanges(table.rows.map(\.line))
  }
}
