import ObservationController

/// The table: its column titles, and a line for each of the first processes of the list.
///
/// Held by ``Monitor``. Keeps the process table alive; nothing else keeps the view model alive.
final class ProcessTableViewModel {
  let titleLine = DisplayLine(style: .heading)
  private(set) var rows: [DisplayLine] = []

  /// From the top down.
  var lines: [DisplayLine] { [titleLine] + rows }

  private let processes: ProcessTable
  private let deliveries: DeliveryTally
  /// How many rows there are if there are as many processes.
  private var rowCount: Int
  private lazy var observations = ObservationController(observer: self)

  /// Shows the processes as they are, and from then on as they change.
  init(processes: ProcessTable, rowCount: Int, deliveries: DeliveryTally) {
    self.processes = processes
    self.rowCount = rowCount
    self.deliveries = deliveries

    // An action: what the table does when the order changes is one task, and has a name.
    observations.observe(
      processes, \.order, options: [.initial, .distinct],
      action: ProcessTableViewModel.orderDidChange)

    // The array with all that is shown of its elements: whichever processes it holds at the time,
    // a change of one of them comes with its place. `.distinct`, for a sample assigns every value,
    // and most processes sleep.
    observations.observeArray(
      processes, \.records,
      elements: [\.state, \.processorPercent, \.residentBytes, \.command],
      options: [.initial, .distinct]
    ) { table, _, change in
      table.deliveries.addOne()
      table.follow(change)
    }
  }

  /// Shows at most so many rows from now on.
  func setRowCount(_ count: Int) {
    rowCount = max(count, 0)
    fitRows(to: processes.records.elements, as: .appeared)
  }

  private func orderDidChange(_ change: ObservedChange<ProcessOrder>) {
    deliveries.addOne()
    titleLine.text = Format.titles(sortedBy: change.newValue)
  }
}

/// What a change of the list is for the rows.
extension ProcessTableViewModel {
  private func follow(_ change: ArrayChange<ProcessRecord>) {
    if rows.isEmpty {
      fitRows(to: change.elements, as: .appeared)
    } else if change.kind == .element {
      for case let index? in change.entries.map(\.newIndex) where index < rows.count {
        rows[index].text = Format.row(change.elements[index])
      }
    } else {
      rearrange(by: change)
    }
  }

  /// Takes away the rows of processes that ended or moved, and puts in those of processes that
  /// started or moved. All others stay the lines they are.
  private func rearrange(by change: ArrayChange<ProcessRecord>) {
    let (elements, difference) = (change.elements, change.difference)
    var cause = LineChange.moved
    for case .remove(let index, _, let newIndex) in difference.removals.reversed()
    where index < rows.count {
      rows.remove(at: index)
      if newIndex == nil { cause = .ended }
    }
    for case .insert(let index, let record, let oldIndex) in difference.insertions
    where index < rowCount {
      // What stands before it and has no row yet was below the last one until now.
      fillRows(with: elements[..<index], as: cause)
      let line = DisplayLine(Format.row(record), as: oldIndex == nil ? .started : .moved)
      rows.insert(line, at: index)
    }
    fitRows(to: elements, as: cause)
  }

  /// Makes the rows as many as there may be.
  private func fitRows(to records: [ProcessRecord], as change: LineChange) {
    rows.removeLast(max(rows.count - rowCount, 0))
    fillRows(with: records.prefix(rowCount), as: change)
  }

  /// Adds rows for those of the first records that have none.
  private func fillRows(with records: ArraySlice<ProcessRecord>, as change: LineChange) {
    rows += records.dropFirst(rows.count).map { DisplayLine(Format.row($0), as: change) }
  }
}
