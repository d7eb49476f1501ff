import ObservationController

/// Runs a monitor on a view until it is over: the samples are taken, or somebody leaves.
///
/// Owns the monitor, and lets go of it when the session ends.
@MainActor
final class Session {
  private let options: Options
  private let latest: AtomicObserved<SystemSample?>
  private let view: any MonitorView
  private let trace: TraceFile?
  private let stopProcess: () -> Void
  private let sampleLimit: Int?
  private var monitor: Monitor?
  private var failure: (any Error)?
  private lazy var observations = ObservationController(observer: self)

  /// - Parameters:
  ///   - latest: The sample to show. Set on any thread, by a ``BackgroundSampler`` say.
  ///   - trace: Records already; learns from this what things are called.
  ///   - stopProcess: Stops this process until it is told to continue.
  init(
    options: Options, latest: AtomicObserved<SystemSample?>, view: any MonitorView,
    trace: TraceFile? = nil, stopProcess: @escaping () -> Void
  ) {
    self.options = options
    self.latest = latest
    self.view = view
    self.trace = trace
    self.stopProcess = stopProcess
    sampleLimit = options.samples ?? (view.isWatched ? nil : Options.samplesWhenPrinted)
    monitor = Monitor(order: options.order, rowCount: 0)
  }

  /// Shows samples, and reacts to events meanwhile, until the session is over.
  ///
  /// On a view that is watched the last of a fixed number of samples stays until there is another
  /// one. The view is closed when this returns or throws.
  /// - Throws: What the view throws when it can't draw.
  func run(_ events: EventSource) async throws -> Summary {
    defer { view.close() }
    try view.open()
    if options.graph != nil || trace != nil { setLabels(events) }
    observations.observe(events.key, action: Session.keyWasPressed)
    observations.observe(events.interruption, action: Session.end)
    observations.observe(events.suspension, action: Session.suspend)
    observations.observe(events.resizing, action: Session.windowWasResized)

    // Set in the background, and taken here, on the main actor: the newest one, if several came
    // while there was no time. The loop ends with the observation.
    for await case let sample? in observations.values(
      of: latest, \.wrappedValue, bufferingPolicy: .bufferingNewest(1))
    {
      if hasAllSamples { break }
      ObservationTrace.mark("sample \((monitor?.sampleCount ?? 0) + 1)")
      monitor?.apply(sample)
      try draw()
      // While everything is observed: nothing is when the session is over.
      trace?.learnNames()
      try options.graph?.write()
      if hasAllSamples, !view.isWatched { break }
    }
    if let failure { throw failure }
    return finish()
  }

  private func setLabels(_ events: EventSource) {
    ObservationGraph.setLabel("latest sample", for: latest)
    monitor?.setLabels()
    events.setLabels()
  }

  private var hasAllSamples: Bool {
    guard let monitor, let sampleLimit else { return false }
    return monitor.sampleCount >= sampleLimit
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
    observations.unobserveAll()
    monitor = nil
    summary.liveObservations = ObservationDispatcher.shared.activeObservationCount
    return summary
  }
}

/// What is done at each event, at once, also while a sample is taken.
extension Session {
  private func keyWasPressed(_ key: Character) {
    switch key {
    case "q", "Q": end()
    case "p", "P": sort(by: .processor)
    case "m", "M": sort(by: .memory)
    default: break
    }
  }

  /// Ends the observation of samples, and with it the loop that waits for the next one.
  private func end() {
    observations.unobserve(latest)
  }

  private func sort(by order: ProcessOrder) {
    monitor?.status.processes.sort(by: order)
    endIfFails(draw)
  }

  private func suspend() {
    view.close()
    stopProcess()
    endIfFails {
      try view.open()
      try draw()
    }
  }

  private func windowWasResized() {
    view.invalidate()
    endIfFails(draw)
  }

  private func endIfFails(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      failure = error
      end()
    }
  }
}
