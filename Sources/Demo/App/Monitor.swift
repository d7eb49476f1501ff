import ObservationController

/// Models and view models, wired up.
///
///     Session ──▶ Monitor ──▶ SystemStatus ──▶ MemoryStatus, ProcessorStatus, ProcessTable ──▶ ProcessRecord
///        ┆           ├──────▶ HeaderViewModel ╌╌▶ SystemStatus, Screen
///        ┆           ├──────▶ ProcessTableViewModel ╌╌▶ ProcessTable
///        ┆           │           └──▶ ProcessRowViewModel ╌╌▶ ProcessRecord
///        ┆           ├──────▶ FooterViewModel, InspectorViewModel ╌╌▶ ProcessTableViewModel
///        ┆           └──────▶ ProcessPageViewModel ╌╌▶ ProcessTable
///        └╌╌╌╌╌╌╌▶ latest sample ◀── BackgroundSampler, on a queue of its own
///
/// All arrows are strong; the broken ones end when a controller is deallocated. No model knows a
/// view model, so that letting go of the monitor lets go of everything.
final class Monitor {
  let screen: Screen
  let status = SystemStatus()
  let header: HeaderViewModel
  let table: ProcessTableViewModel
  let footer: FooterViewModel
  let inspector: InspectorViewModel
  let page: ProcessPageViewModel
  let activity = Activity()
  private(set) var sampleCount = 0
  /// Between a table that is short and the end of the screen.
  private var blanks: [DisplayLine] = []

  /// Nothing is known yet.
  ///
  /// - Parameter sender: Sends processes the signal to end; `nil` for none.
  init(
    order: ProcessOrder = .processor, screen: Screen = Screen(),
    sender: TerminationViewModel.Sender? = nil
  ) {
    self.screen = screen
    header = HeaderViewModel(status: status, screen: screen)
    table = ProcessTableViewModel(processes: status.processes, screen: screen, order: order)
    footer = FooterViewModel(table: table, activity: activity, screen: screen)
    inspector = InspectorViewModel(table: table, activity: activity, screen: screen)
    page = ProcessPageViewModel(
      processes: status.processes, screen: screen,
      termination: TerminationViewModel(sender: sender))
  }

  /// Applies a sample. The view models know when this returns.
  ///
  /// - Parameter tally: What was drawn until now.
  func apply(_ sample: SystemSample, tally: LineTally = LineTally()) {
    sampleCount += 1
    activity.next(tally, at: sample.uptime)
    ObservationTrace.mark("sample \(sampleCount)")
    status.apply(sample)
    // Observers of a process rarely change, and a graph reads all processes.
    if inspector.question == .why { inspector.answer() }
  }

  /// All lines that fit, from the top down: the page of a process, if that is open; otherwise as
  /// many rows as there is room for, but at most `limit`.
  func lines(rows: Int, limit: Int?) -> [DisplayLine] {
    let head = Array(header.lines.prefix(max(rows / 3, 2)))
    // On a screen that is not high a question has precedence over an answer.
    let answer = page.termination.isAsking ? [] : inspector.lines
    let foot = answer + [footer.activityLine, footer.keyLine]
    if page.isOpen {
      let lines = page.lines(limit: rows - head.count - foot.count)
      blanks.show(
        Array(repeating: "", count: max(rows - head.count - lines.count - foot.count, 0)))
      return head + lines + blanks + foot
    }
    let room = max(rows - head.count - 1 - foot.count, 0)
    table.setRowCount(min(limit ?? room, room))
    blanks.show(Array(repeating: "", count: room - table.rows.count))
    return head + table.lines + blanks + foot
  }

  /// The lines to print where there is no keyboard.
  func lines(limit: Int) -> [DisplayLine] {
    table.setRowCount(limit)
    return header.lines + table.lines
  }

  /// Names what stands in a graph or trace more than once, and what is computed.
  func setLabels() {
    let lines = [
      ("uptime", header.uptimeLine), ("memory", header.memoryLine), ("busiest", header.busiestLine),
      ("titles", table.titleLine), ("activity", footer.activityLine), ("keys", footer.keyLine),
    ]
    for (label, line) in lines { ObservationGraph.setLabel(label, for: line) }
    ObservationGraph.setLabel("text", for: \DisplayLine.text)
    ObservationGraph.setLabel("minutesUp", for: \SystemStatus.minutesUp)
    ObservationGraph.setLabel("usage", for: \MemoryStatus.usage)
    ObservationGraph.setLabel("row", for: \ProcessRecord.row)
    ObservationGraph.setLabel(
      "record?.processIdentifier", for: \ProcessPageViewModel.record?.processIdentifier)
  }
}
