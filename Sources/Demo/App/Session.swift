import ObservationController

/// Runs a monitor on a view until it is over: the samples are taken, or somebody leaves.
///
/// Owns the monitor, and lets go of it when the session ends.
@MainActor
final class Session {
  private let options: Options
  private let view: any MonitorView
  private let stopProcess: () -> Void
  private let sampleLimit: Int?
  private var monitor: Monitor?

  /// - Parameter stopProcess: Stops this process until it is told to continue.
  init(
    options: Options, reader: any SystemReader, view: any MonitorView,
    stopProcess: @escaping () -> Void
  ) {
    self.options = options
    self.view = view
    self.stopProcess = stopProcess
    sampleLimit = options.samples ?? (view.isWatched ? nil : Options.samplesWhenPrinted)
    monitor = Monitor(reader: reader, order: options.order, rowCount: 0)
  }

  /// Takes the first sample at once, and then reacts to events until the session is over.
  ///
  /// On a view that is watched the last of a fixed number of samples stays until the next
  /// tick. The view is closed when this returns or throws.
  /// - Throws: What the view throws when it can't draw.
  func run(_ events: AsyncStream<Event>) async throws -> Summary {
    defer {
      view.close()
      monitor = nil
    }
    try view.open()
    try refresh()
    if !hasAllSamples || view.isWatched {
      for await event in events where try !continues(after: event) { break }
    }
    return finish()
  }

  /// Reacts to an event.
  ///
  /// - Returns: Whether the session goes on.
  private func continues(after event: Event) throws -> Bool {
    switch event {
    case .tick:
      if hasAllSamples { return false }
      try refresh()
      return !hasAllSamples || view.isWatched
    case .key("q"), .key("Q"), .interruption:
      return false
    case .key("P"), .key("p"):
      try sort(by: .processor)
    case .key("M"), .key("m"):
      try sort(by: .memory)
    case .key:
      break
    case .suspension:
      view.close()
      stopProcess()
      try view.open()
      try draw()
    case .resizing:
      view.invalidate()
      try draw()
    }
    return true
  }

  private var hasAllSamples: Bool {
    guard let monitor, let sampleLimit else { return false }
    return monitor.sampleCount >= sampleLimit
  }

  private func refresh() throws {
    monitor?.takeSample()
    try draw()
  }

  private func sort(by order: ProcessOrder) throws {
    monitor?.status.processes.sort(by: order)
    try draw()
  }

  /// Draws as many rows as were asked for and as can be seen.
  private func draw() throws {
    guard let monitor else { return }
    let capacity = view.lineCapacity.map { max($0 - monitor.fixedLineCount, 0) }
    let asked = options.rows ?? (capacity == nil ? Options.rowsWhenPrinted : Int.max)
    monitor.table.setRowCount(min(asked, capacity ?? Int.max))
    try view.draw(monitor.lines)
  }

  /// Lets go of models and view models, and counts what they leave behind.
  private func finish() -> Summary {
    var summary = Summary(
      samples: monitor?.sampleCount ?? 0,
      deliveries: monitor?.deliveries.count ?? 0,
      lines: view.tally,
      liveObservations: 0)
    monitor = nil
    summary.liveObservations = ObservationDispatcher.shared.activeObservationCount
    return summary
  }
}
