/// A record of changes and deliveries: which properties were set, which handlers were called, and
/// why.
///
///     let trace = ObservationTrace.record {
///       clock.date = .now
///     }
///     print(trace)                  // every event, indented
///     print(trace.explain(token))   // why the handler of that token was called the last time
///
/// Properties with observers, arrays, events, hooks and notifications are recorded, on all threads,
/// in one order. Several traces may record at once. While none does, setting a property is no
/// slower.
///
/// Retains no observer, object or value: a trace has names, addresses and places. An address may be
/// used again by another object.
public final class ObservationTrace: Sendable {
  private let buffer: Tracer.Buffer
  private let readsObjects: Bool

  /// Makes a trace that does not record yet.
  ///
  /// - Parameters:
  ///   - capacity: The number of events to keep, at least one; the oldest are dropped, and counted
  ///     in ``droppedCount``.
  ///   - readsObjects: Whether ``start()`` and ``stop()`` call ``learnNames()``, and so read the
  ///     observed objects, on the thread where they are called.
  /// - Complexity: O(1); recording an event is O(1) amortised, and drops the oldest where there are
  ///   too many.
  public init(capacity: Int = 65_536, readsObjects: Bool = true) {
    buffer = Tracer.Buffer(capacity: max(capacity, 1))
    self.readsObjects = readsObjects
  }

  deinit { end() }

  /// - Returns: Whether the trace has recorded until now.
  @discardableResult
  private func end() -> Bool { Tracer.end(buffer) }
}

extension ObservationTrace {
  /// Records while `body` runs, also the events of other threads.
  ///
  /// Later deliveries, as on a queue, are not recorded; use ``start()`` and ``stop()`` for those.
  ///
  /// - Parameters:
  ///   - capacity: The number of events to keep, see ``init(capacity:readsObjects:)``.
  ///   - readsObjects: Whether to find out names by reading the observed objects, on this thread.
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

  /// Begins to record; does nothing if the trace records already.
  ///
  /// Events that have begun before, on any thread, are not recorded, and are no cause of recorded
  /// ones. A trace that was stopped keeps its events, and adds to them.
  ///
  /// - Complexity: O(1).
  public func start() {
    if readsObjects, !isRecording { learnNames() }
    Tracer.begin(buffer)
  }

  /// Ends recording; does nothing if the trace does not record.
  ///
  /// Events that have not ended by then have no duration.
  ///
  /// - Complexity: O(1).
  public func stop() {
    if end(), readsObjects { learnNames() }
  }

  /// Finds out the names of properties observed now, for all traces and graphs. Without them
  /// properties may be named by their types, where the system does not know their names, as on
  /// Linux.
  ///
  /// Call it while recording only for observations that begin after the start and end before the
  /// stop. Reads the stored properties of objects, on this thread, so call it where they may be
  /// read; calls no getter. Computed properties are named by their types until they have a label,
  /// see ``ObservationGraph/setLabel(_:for:)-(_,AnyKeyPath)``.
  ///
  /// - Complexity: O(n log n) in the number of observations, and O(m) in the values that the
  ///   objects hold; it stops after 20,000 objects.
  public func learnNames() { Self.learnAllNames() }

  static func learnAllNames() {
    for observed in ObservedInGraph.all {
      StoredNames.learn(observed)
      for object in observed.objects where object !== observed.object { StoredNames.learn(object) }
    }
  }

  /// Whether the trace records.
  ///
  /// - Complexity: O(1).
  public var isRecording: Bool {
    Tracer.shared.withLock { $0.isRecording(buffer) }
  }

  /// Adds a label, which names the events after it in text and pictures; does nothing while the
  /// trace does not record.
  ///
  /// Inside a handler the label's cause is the delivery, so that
  /// ``explain(_:)-(ObservationTrace.Event)`` leads back from it.
  ///
  /// - Complexity: O(1).
  public func mark(_ label: String) {
    Tracer.add(Event(.mark, detail: label), to: buffer)
  }

  /// Adds a label to each trace that records, from code that has no reference to one.
  ///
  ///     var text = "" {
  ///       didSet { ObservationTrace.mark("drawn: \(text)") }
  ///     }
  ///
  /// - Parameter label: Evaluated only if there is such a trace.
  /// - Complexity: O(1).
  public static func mark(_ label: @autoclosure () -> String) {
    if DeliveryProbe.isInstalled { Tracer.add(Event(.mark, detail: label())) }
  }

  /// The recorded events, the oldest first.
  ///
  /// - Complexity: O(n) in the events.
  public var events: [Event] { contents.events }

  /// The number of events that were dropped because there were more than the trace can keep.
  ///
  /// - Complexity: O(1).
  public var droppedCount: Int { Tracer.shared.withLock { _ in buffer.droppedCount } }

  /// Events and number of dropped ones, at one moment.
  var contents: (events: [Event], droppedCount: Int) {
    var (events, droppedCount) = Tracer.shared.withLock { _ in
      (buffer.events, buffer.droppedCount)
    }
    let printed = Set(events.compactMap(\.property)).map { ($0, KeyPathNames.naming($0)) }
    let names = Dictionary(uniqueKeysWithValues: printed)
    for index in events.indices {
      events[index].property = events[index].property.flatMap { names[$0] }
    }
    return (events, droppedCount)
  }
}
