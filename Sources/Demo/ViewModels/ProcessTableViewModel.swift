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

  /// From the top down.
  var lines: [DisplayLine] { [titleLine] + rows.map(\.line) }

  private let processes: ProcessTable
  private let screen: Screen
  /// How many rows there are if there are as many processes.
  @Observed private var rowCount = 0
  /// The first process in sight by its place in `shown`.
  @Observed private var firstIndex = 0
  /// The selected process by its place in `shown`.
  private var selectedIndex = 0
  private lazy var observations = ObservationController(observer: self)

  // Live views, which follow their source and what the user asks for with the smallest change.

  /// All processes that the user asks for, in sight or not.
  private(set) lazy var shown = processes.records
    .filtered(on: [\.isKernelThread, \.command], with: self, \.search) { record, search in
      search.finds(record)
    }
    .sorted(on: ProcessOrder.properties, with: self, \.order) { first, second, order in
      order.areInOrder(first, second)
    }

  /// A row stays with its process as long as that is in sight.
  private(set) lazy var rows = shown.window(with: self, \.inSight)
    .mapped(on: []) { ProcessRowViewModel($0) }

  @Derived({ (table: ProcessTableViewModel) in
    table.firstIndex..<table.firstIndex + table.rowCount
  })
  private var inSight: Range<Int>

  @Derived({ (table: ProcessTableViewModel) in
    ProcessSearch(text: table.filter.lowercased(), findsKernelThreads: table.showsKernelThreads)
  })
  private var search: ProcessSearch

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

    // One change for all that a sample moved. What the rows say is theirs to observe, so that
    // nothing is observed of a process out of sight.
    observations.observeArray(shown) { table, _, _ in table.arrange(selecting: table.selected) }

    observations.observeArray(rows) { table, _, change in
      for entry in change.entries where entry.oldIndex != nil && entry.newIndex != nil {
        entry.element.line.mark(.moved)
      }
      table.highlight()
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

  /// Whether the system lists the process, shown or not.
  func isListed(_ record: ProcessRecord) -> Bool { processes.records.contains { $0 === record } }

  /// The number of the last sample.
  var sampleNumber: Int { processes.sampleNumber }

  var selectedRow: ProcessRowViewModel? { rows.first { $0.record === selected } }

  /// Selects a process, and scrolls as far as that needs.
  private func arrange(selecting record: ProcessRecord?) {
    let records = shown.elements
    var first = firstIndex
    if let record {
      // One that ended leaves its place to the next.
      selectedIndex = records.firstIndex { $0 === record } ?? min(selectedIndex, records.count - 1)
      first = min(max(first, selectedIndex - rowCount + 1), max(selectedIndex, 0))
    }
    first = min(first, max(records.count - rowCount, 0))
    if first != firstIndex { firstIndex = first }
    selected = record == nil || records.isEmpty ? nil : records[selectedIndex]
  }

  private func highlight() {
    for row in rows { row.line.background = row.record === selected ? .selection : .none }
  }
}
