import ObservationController

/// The table: its column titles, and a row for each process that is in sight.
///
/// Held by ``Monitor``. Keeps the process table alive; nothing else keeps the view model alive.
final class ProcessTableViewModel {
  @Observed var order: ProcessOrder
  /// Shows the processes alone whose command or number contains it.
  @Observed var filter = ""
  @Observed var showsKernelThreads = false
  /// The process chosen by the keys, which stays in sight; `nil` for none.
  @Observed private(set) var selected: ProcessRecord?

  let titleLine = DisplayLine(on: .heading)
  private(set) var rows: [ProcessRowViewModel] = []

  /// From the top down.
  var lines: [DisplayLine] { [titleLine] + rows.map(\.line) }

  private let processes: ProcessTable
  private let screen: Screen
  /// How many rows there are if there are as many processes.
  private var rowCount = 0
  /// The first process in sight, and the selected one, by their places in `shown`.
  private var (firstIndex, selectedIndex) = (0, 0)
  private lazy var observations = ObservationController(observer: self)

  // Live views, which follow their source with the smallest change. Which views these are derives
  // from what the user asks for: another order makes both anew, another filter the second one.

  @Derived({ (table: ProcessTableViewModel) in
    table.processes.records.sorted(on: table.order.properties, by: table.order.areInOrder)
  })
  private var sorted: ObservableArray<ProcessRecord>

  /// All processes of the table, in sight or not.
  @Derived({ (table: ProcessTableViewModel) in
    let (filter, showsKernelThreads) = (table.filter.lowercased(), table.showsKernelThreads)
    return table.sorted.filtered(on: [\.isKernelThread, \.command]) { record in
      (showsKernelThreads || !record.isKernelThread)
        && (filter.isEmpty || record.command.lowercased().contains(filter)
          || String(record.processIdentifier) == filter)
    }
  })
  var shown: ObservableArray<ProcessRecord>

  @Derived({ (table: ProcessTableViewModel) in
    Format.titles(
      sortedBy: table.order, shown: table.shown.count, of: table.processes.records.count,
      filter: table.filter, on: table.screen)
  })
  private var titles: StyledText

  /// Shows the processes as they are, and from then on as they change.
  init(processes: ProcessTable, screen: Screen, order: ProcessOrder = .processor) {
    self.processes = processes
    self.screen = screen
    self.order = order
    observations.bind(self, \.titles, to: titleLine, \.text)

    // The array, whichever it is at the time: one change for all that a sample moved. What the rows
    // say is theirs to observe, so that nothing is observed of a process out of sight.
    observations.observeArray(self, \.shown) { table, _, _ in
      table.arrange(selecting: table.selected)
    }

    // An action: what is done has a name.
    observations.observe(self, \.selected, action: ProcessTableViewModel.highlight)
  }

  /// Shows at most so many rows from now on.
  func setRowCount(_ count: Int) {
    guard count != rowCount else { return }
    rowCount = max(count, 0)
    arrange(selecting: selected)
  }

  /// Selects the process so many places further down, or the first one in sight.
  func moveSelection(by distance: Int) {
    guard !shown.isEmpty else { return }
    let index = selected == nil ? firstIndex : selectedIndex + distance
    arrange(selecting: shown[min(max(index, 0), shown.count - 1)])
  }

  /// Scrolls back to the top and removes the selection.
  func removeSelection() {
    firstIndex = 0
    arrange(selecting: nil)
  }

  var selectedRow: ProcessRowViewModel? { rows.first { $0.record === selected } }

  /// Makes the rows those of the processes in sight. Rows stay with their processes.
  private func arrange(selecting record: ProcessRecord?) {
    let records = shown.elements
    if let record {
      // One that ended leaves its place to the next.
      selectedIndex = records.firstIndex { $0 === record } ?? min(selectedIndex, records.count - 1)
      firstIndex = min(max(firstIndex, selectedIndex - rowCount + 1), max(selectedIndex, 0))
    }
    firstIndex = min(firstIndex, max(records.count - rowCount, 0))
    let inSight = records[firstIndex..<min(firstIndex + rowCount, records.count)]

    let difference = inSight.difference(from: rows.map(\.record), by: ===)
    var moving: [ObjectIdentifier: ProcessRowViewModel] = [:]
    for case .remove(let index, let record, _) in difference.removals.reversed() {
      moving[ObjectIdentifier(record)] = rows.remove(at: index)
    }
    for case .insert(let index, let record, _) in difference.insertions {
      let row = moving[ObjectIdentifier(record)]
      row?.line.mark(.moved)
      rows.insert(row ?? ProcessRowViewModel(record), at: index)
    }
    selected = record == nil || records.isEmpty ? nil : records[selectedIndex]
  }

  private func highlight() {
    for row in rows { row.line.background = row.record === selected ? .selection : .none }
  }
}
