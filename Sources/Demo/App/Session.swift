import ObservationController

/// Runs a monitor on a view until it is over: the samples are taken, or the user quits.
///
/// Owns the monitor, and lets go of it when the session ends.
@MainActor
final class Session {
  private let options: Options
  private let latest: AtomicObserved<SystemSample?>
  private let inspected: AtomicObserved<Int?>
  private let view: any MonitorView
  private let trace: ObservationTrace?
  private let stopProcess: () -> Void
  private let sampleLimit: Int?
  private var monitor: Monitor?
  private var failure: (any Error)?
  private lazy var observations = ObservationController(observer: self)

  /// - Parameters:
  ///   - latest: The sample to show. Set on any thread, by a ``BackgroundSampler`` say.
  ///   - inspected: Set to the process whose page is open.
  ///   - trace: Records already; learns from this what things are called.
  ///   - sender: Sends processes the signal to end; `nil` for none.
  ///   - stopProcess: Stops this process until a signal continues it.
  init(
    options: Options, latest: AtomicObserved<SystemSample?>,
    inspected: AtomicObserved<Int?> = AtomicObserved(wrappedValue: nil), view: any MonitorView,
    gauge: Gauge = .ascii, trace: ObservationTrace? = nil,
    sender: TerminationViewModel.Sender? = nil,
    stopProcess: @escaping () -> Void
  ) {
    (self.options, self.latest, self.view) = (options, latest, view)
    (self.trace, self.stopProcess, self.inspected) = (trace, stopProcess, inspected)
    sampleLimit = options.samples ?? (view.isWatched ? nil : Options.samplesWhenPrinted)
    monitor = Monitor(
      order: options.order, screen: Screen(size: view.size, gauge: gauge), sender: sender)
  }

  /// Shows samples, and reacts to events meanwhile, until the session is over.
  ///
  /// On a view that is watched the last of a fixed number of samples stays until there is another
  /// one. The view is closed when this returns or throws.
  /// - Throws: What the view throws when it can't draw.
  func run(_ events: EventSource) async throws -> Summary {
    defer { view.close() }
    try view.open()
    setLabels(events)
    if let page = monitor?.page {
      // What is read of one process alone follows the page, on the thread that samples.
      observations.bind(page, \.record?.processIdentifier, to: inspected, \.wrappedValue)
    }
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
      monitor?.apply(sample, tally: view.tally)
      try draw()
      // While everything is observed: nothing is when the session is over.
      trace?.learnNames()
      try options.graph.map(writeGraph)
      if hasAllSamples, !view.isWatched { break }
    }
    if let failure { throw failure }
    return finish()
  }

  private func setLabels(_ events: EventSource) {
    ObservationGraph.setLabel("latest sample", for: latest)
    ObservationGraph.setLabel("inspected process", for: inspected)
    ObservationGraph.setLabel("wrappedValue", for: \AtomicObserved<Int?>.wrappedValue)
    monitor?.setLabels()
    for (label, event) in [
      ("interruption", events.interruption), ("suspension", events.suspension),
      ("resizing", events.resizing),
    ] {
      ObservationGraph.setLabel(label, for: event)
    }
    ObservationGraph.setLabel("key", for: events.key)
  }

  /// Everything that is observed just now.
  private func writeGraph(to file: OutputFile) throws {
    let graph = ObservationGraph()
    try file.write(file.path.hasSuffix("dot") ? graph.dot : graph.mermaid)
  }

  private var hasAllSamples: Bool {
    guard let monitor, let sampleLimit else { return false }
    return monitor.sampleCount >= sampleLimit
  }

  /// Draws as many rows as were asked for and as can be seen.
  private func draw() throws {
    guard let monitor else { return }
    if monitor.screen.size != view.size { monitor.screen.size = view.size }
    try view.draw(
      view.isWatched
        ? monitor.lines(rows: view.size.rows, limit: options.rows)
        : monitor.lines(limit: options.rows ?? Options.rowsWhenPrinted))
  }

  /// Lets go of models and view models, and counts what they leave behind.
  private func finish() -> Summary {
    var summary = Summary(
      samples: monitor?.sampleCount ?? 0,
      deliveries: monitor?.activity.deliveryCount ?? 0,
      lines: view.tally,
      liveObservations: 0)
    observations.unobserveAll()
    monitor = nil
    summary.liveObservations = ObservationDispatcher.shared.activeObservationCount
    return summary
  }
}

/// Handles each event at once, also while a sample is taken.
extension Session {
  private func keyWasPressed(_ key: Key) {
    guard let monitor else { return }
    let table = monitor.table
    switch key {
    case _ where monitor.footer.isEditing: monitor.footer.type(key)
    case _ where monitor.page.termination.isAsking: monitor.page.termination.answer(key)
    case .character("q"), .character("Q"): return end()
    case .enter: togglePage(of: monitor)
    case .character("x") where monitor.page.isOpen: monitor.page.terminate()
    // The others change what is behind the page.
    case .character(let other) where monitor.page.isOpen && !"wWoO?".contains(other): break
    case .character("/"): monitor.footer.beginEditing()
    case .character("k"), .character("K"): table.showsKernelThreads.toggle()
    case .character("p"), .character("P"): table.order = .processor
    case .character("m"), .character("M"): table.order = .memory
    case .character("n"), .character("N"): table.order = .identifier
    case .character("c"), .character("C"): table.order = .command
    case .character("s"), .character("S"): table.order = table.order.next
    case .character("w"), .character("W"): ask(.why)
    case .character("o"), .character("O"): ask(.who)
    case .character("?"): monitor.inspector.toggle(.keys)
    case .up: select(by: -1, in: monitor)
    case .down: select(by: 1, in: monitor)
    case .pageUp: select(by: -max(table.rows.count, 1), in: monitor)
    case .pageDown: select(by: max(table.rows.count, 1), in: monitor)
    case .home: select(by: -table.shown.count, in: monitor)
    case .end: select(by: table.shown.count, in: monitor)
    case .escape where monitor.inspector.question != nil: monitor.inspector.close()
    case .escape where monitor.page.isOpen: monitor.page.close()
    case .escape where !table.filter.isEmpty: table.filter = ""
    case .escape: table.removeSelection()
    default: return
    }
    endIfFails(draw)
  }

  /// Selects another process, and turns to its page if one is open.
  private func select(by distance: Int, in monitor: Monitor) {
    monitor.table.moveSelection(by: distance)
    if monitor.page.isOpen { monitor.table.selected.map(monitor.page.open) }
  }

  private func togglePage(of monitor: Monitor) {
    guard !monitor.page.isOpen else { return monitor.page.close() }
    if monitor.table.selected == nil { monitor.table.moveSelection(by: 0) }
    monitor.table.selected.map(monitor.page.open)
  }

  private func ask(_ question: InspectorViewModel.Question) {
    if monitor?.table.selected == nil { monitor?.table.moveSelection(by: 0) }
    monitor?.inspector.toggle(question)
  }

  /// Ends the observation of samples, and with it the loop that waits for the next one.
  private func end() {
    observations.unobserve(latest)
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
