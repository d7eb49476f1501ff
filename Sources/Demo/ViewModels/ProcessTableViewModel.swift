import ObservationController

/// The table: its column titles, and a row for each of the first processes of the list.
///
/// Held by ``Monitor``. Keeps its rows alive, and the process table through its controller.
final class ProcessTableViewModel {
  let titleLine = DisplayLine(style: .heading)
  private(set) var rows: [ProcessRowViewModel] = []

  /// From the top down.
  var lines: [DisplayLine] { [titleLine] + rows.map(\.line) }

  private let processes: ProcessTable
  private let deliveries: DeliveryTally
  private lazy var observations = ObservationController(observer: self)

  /// Shows the processes as they are, and from then on as they change.
  init(processes: ProcessTable, rowCount: Int, deliveries: DeliveryTally) {
    self.processes = processes
    self.deliveries = deliveries
    makeRows(rowCount)
    // The delegate method, as either change lays out the table anew: there is one place
    // to look for what does. `.distinct`, for every sample assigns the list, and
    // most leave its order alone.
    observations.observe(processes, \.order, options: [.initial, .distinct])
    observations.observe(processes, \.records, options: [.initial, .distinct])
  }

  /// Shows so many rows from now on.
  ///
  /// Rows that are not needed any more go, and their observations with them.
  func setRowCount(_ count: Int) {
    guard count != rows.count else { return }
    makeRows(count)
    fillRows(with: processes.records)
  }

  private func makeRows(_ count: Int) {
    let count = max(count, 0)
    rows.removeLast(max(rows.count - count, 0))
    while rows.count < count { rows.append(ProcessRowViewModel(deliveries: deliveries)) }
  }

  /// Assigns every row its process; a row whose text that leaves as it was is not drawn.
  private func fillRows(with records: [ProcessRecord]) {
    for (index, row) in rows.enumerated() {
      row.record = index < records.count ? records[index] : nil
    }
  }
}

extension ProcessTableViewModel: ObservationDelegate {
  func observeValue(
    at keyPath: AnyKeyPath, of object: AnyObject, change: ObservedChange<Any>,
    context: ObservationContext?
  ) {
    deliveries.addOne()
    switch keyPath {
    case \ProcessTable.order:
      guard let order = change.newValue as? ProcessOrder else { return }
      titleLine.show(Format.titles(sortedBy: order))
    case \ProcessTable.records:
      guard let records = change.newValue as? [ProcessRecord] else { return }
      fillRows(with: records)
    default:
      assertionFailure("nobody asked for \(keyPath)")
    }
  }
}
