import ObservationController

/// Changes and deliveries: recorded, to say why a line was drawn, and counted once a second.
///
/// A trace of its own for each piece, from one sample to the next one.
final class Activity {
  /// `nil` before the first second is over.
  @Observed private(set) var perSecond: Counts?
  /// All handlers that were called, and bindings that set something.
  private(set) var deliveryCount = 0

  struct Counts: Equatable {
    /// Properties that were set, and arrays that were edited.
    var changes = 0
    var deliveries = 0
    var linesDrawn = 0
    var linesShown = 0
  }

  private var trace = ObservationTrace(readsObjects: false)
  private var lastTrace = ObservationTrace(readsObjects: false)
  private var counts = Counts()
  private var start: Double?

  init() { trace.start() }

  deinit { trace.stop() }

  /// The events of this piece and of the one before, the oldest first.
  var events: [ObservationTrace.Event] { lastTrace.events + trace.events }

  /// Finds out what the properties are called that are observed now.
  func learnNames() { trace.learnNames() }

  /// Begins a new piece, and counts what the last one recorded.
  ///
  /// - Parameters:
  ///   - tally: All that was drawn until now.
  ///   - time: In seconds; `nil` if no clock can be read.
  func next(_ tally: LineTally, at time: Double?) {
    lastTrace = trace
    trace = ObservationTrace(readsObjects: false)
    trace.start()
    lastTrace.stop()
    let events = lastTrace.events
    let deliveries = events.count { $0.kind == .delivery }
    deliveryCount += deliveries
    counts.deliveries += deliveries
    counts.changes += events.count { $0.kind == .set }

    let seconds = time.flatMap { time in start.map { time - $0 } } ?? 1
    // Samples come a little early or late.
    guard seconds > 0.95 || seconds < 0 else { return }
    func rate(_ count: Int) -> Int { Int((Double(count) / max(seconds, 1)).rounded()) }
    perSecond = Counts(
      changes: rate(counts.changes), deliveries: rate(counts.deliveries),
      linesDrawn: rate(tally.redrawn - counts.linesDrawn),
      linesShown: rate(tally.shown - counts.linesShown))
    counts = Counts(linesDrawn: tally.redrawn, linesShown: tally.shown)
    start = time
  }
}
