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
  /// When the first of the two began, by the clock.
  private var lastTraceStart = 0.0
  private var traceStart: Double
  private var counts = Counts()
  private var start: Double?
  private let clock: () -> Double

  /// - Parameter clock: In seconds, since any moment. The clock of the samples stands still between
  ///   them.
  init(clock: @escaping () -> Double = Activity.secondsSinceLaunch) {
    self.clock = clock
    traceStart = clock()
    trace.start()
  }

  deinit { trace.stop() }

  /// The events of this piece and of the one before, the oldest first.
  var events: [ObservationTrace.Event] { lastTrace.events + trace.events }

  /// The seconds that have passed since one of ``events``.
  func age(of event: ObservationTrace.Event) -> Double {
    let isOfLastTrace = trace.events.first.map { event.id < $0.id } ?? true
    let start = isOfLastTrace ? lastTraceStart : traceStart
    return max(clock() - start - Double(event.time) / 1e9, 0)
  }

  /// Finds out what the properties are called that are observed now.
  func learnNames() { trace.learnNames() }

  /// Begins a new piece, and counts what the last one recorded.
  ///
  /// - Parameters:
  ///   - tally: All that was drawn until now.
  ///   - time: In seconds; `nil` if no clock can be read.
  func next(_ tally: LineTally, at time: Double?) {
    (lastTrace, lastTraceStart) = (trace, traceStart)
    trace = ObservationTrace(readsObjects: false)
    traceStart = clock()
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

extension Activity {
  private static let launch = ContinuousClock.now

  /// The clock that is used unless a test has its own.
  static func secondsSinceLaunch() -> Double { (ContinuousClock.now - launch) / .seconds(1) }
}
