/// What is observed while it is recorded: what was set, who was told of it, and why.
///
///     let trace = ObservationTrace.record {
///       clock.date = .now
///     }
///     print(trace)                  // what happened, indented
///     print(trace.explain(token))   // why the handler of that token was called the last time
///
/// Properties that somebody observes, arrays, events, hooks and notifications are recorded, on all
/// threads, in one order. Several traces may record at once. Where none does, setting a property is no
/// slower.
///
/// Keeps no observer, object or value alive: what is recorded are names, addresses and places. An
/// address may be used again by another object.
public final class ObservationTrace: Sendable {
  private let buffer: TraceBuffer
  private let readsObjects: Bool

  /// Makes a trace that does not record yet.
  ///
  /// - Parameters:
  ///   - capacity: How many events are kept, at least one; the oldest are dropped, and counted in
  ///     ``droppedCount``.
  ///   - readsObjects: Whether ``start()`` and ``stop()`` call ``learnNames()``, and so read what is
  ///     observed then, on the thread where they are called.
  /// - Complexity: O(1); recording an event is O(1), and drops the oldest where there are too many.
  public init(capacity: Int = 65_536, readsObjects: Bool = true) {
    buffer = TraceBuffer(capacity: max(capacity, 1))
    self.readsObjects = readsObjects
  }

  deinit {
    Tracer.shared.stop(buffer)
  }
}

extension ObservationTrace {
  /// Records what `body` does, and what other threads do meanwhile.
  ///
  /// What is delivered later, as on a queue, is not recorded; use ``start()`` and ``stop()`` for that.
  ///
  /// - Parameters:
  ///   - capacity: As that of ``init(capacity:readsObjects:)``.
  ///   - readsObjects: Likewise.
  ///   - body: Runs on this thread, at once, with no lock held.
  public static func record(
    capacity: Int = 65_536, readsObjects: Bool = true, _ body: () throws -> Void
  ) rethrows -> ObservationTrace {
    let trace = ObservationTrace(capacity: capacity, readsObjects: readsObjects)
    trace.start()
    defer { trace.stop() }
    try body()
    return trace
  }

  /// Begins to record; nothing happens if it does already.
  ///
  /// What this thread or others are in the middle of is not recorded, but may be the reason of what
  /// is: that then has no cause. A trace that was stopped goes on with what it has.
  ///
  /// - Complexity: O(1).
  public func start() {
    if readsObjects, !isRecording { learnNames() }
    Tracer.shared.start(buffer)
  }

  /// Ends recording; nothing happens if it does not.
  ///
  /// What is under way then stays without a duration.
  ///
  /// - Complexity: O(1).
  public func stop() {
    if Tracer.shared.stop(buffer), readsObjects { learnNames() }
  }

  /// Finds out what the properties are called that are observed now, for all traces and graphs; without that
  /// they may go by their types where the system does not know their names, as on Linux.
  ///
  /// Needed in between only for what begins to be observed after the start, and ends before the stop. Reads
  /// what the objects store, on this thread, so call it where they may be read; calls no getter. What is
  /// computed goes by its type until it has a label, see
  /// ``ObservationGraph/setLabel(_:for:)-(_,AnyKeyPath)``.
  ///
  /// - Complexity: O(n log n) in the number of observations, and O(m) in what the objects hold; it stops after
  ///   20,000 objects.
  public func learnNames() {
    KeyPathNames.learnAll()
  }

  /// Whether it records.
  ///
  /// - Complexity: O(1).
  public var isRecording: Bool { Tracer.shared.isRecording(buffer) }

  /// Adds a label, which says in text and pictures what comes next; nothing happens while it does not
  /// record.
  ///
  /// Inside a handler it has the delivery as its cause, which ``explain(_:)-(ObservationTrace.Event)`` goes back from.
  ///
  /// - Complexity: O(1).
  public func mark(_ label: String) {
    Tracer.shared.mark(label, in: buffer)
  }

  /// Adds a label to each trace that records, as from code that knows of none.
  ///
  ///     var text = "" {
  ///       didSet { ObservationTrace.mark("drawn: \(text)") }
  ///     }
  ///
  /// - Parameter label: Asked only if there is such a trace.
  /// - Complexity: O(1).
  public static func mark(_ label: @autoclosure () -> String) {
    if DeliveryProbe.isInstalled { Tracer.shared.mark(label()) }
  }

  /// What was recorded, the oldest first.
  ///
  /// - Complexity: O(n) in the events.
  public var events: [Event] { contents.events }

  /// How many events have been dropped because there were more than the trace can hold.
  ///
  /// - Complexity: O(1).
  public var droppedCount: Int { Tracer.shared.contents(of: buffer).droppedCount }

  /// Both at one moment.
  var contents: (events: [Event], droppedCount: Int) {
    let contents = Tracer.shared.contents(of: buffer)
    let texts = PropertyNames.texts.map { KeyPathNames.naming($0) }
    return (contents.records.map { Event($0, texts) }, contents.droppedCount)
  }
}
