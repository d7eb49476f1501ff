import Dispatch

extension ObservationTrace {
  /// State that all traces share. Its lock is taken last, and no user code runs under it.
  struct Tracer {
    /// What records, by its identity: buffers of traces, and followers.
    private var recorders: [ObjectIdentifier: Recorder] = [:]

    var lastID: UInt64 = 0
    private var lastTime: UInt64 = 0

    /// Numbers of threads.
    var threads: [ThreadIdentity: Int] = [:]

    static let shared = Locked(Tracer())

    /// Has a recorder receive events from now on; nothing happens if it does already.
    static func begin(_ recorder: Recorder) {
      shared.withLock { tracer in
        let key = ObjectIdentifier(recorder)
        guard tracer.recorders.updateValue(recorder, forKey: key) == nil else { return }
        if tracer.recorders.count == 1 { ThreadActivity.begin(ThreadActivity.tracing) }
        recorder.firstID = tracer.lastID + 1
        if recorder.startTime == 0 { recorder.startTime = tracer.tick() }
      }
    }

    /// - Returns: Whether it has received events until now.
    @discardableResult
    static func end(_ recorder: Recorder) -> Bool {
      shared.withLock { tracer in
        let key = ObjectIdentifier(recorder)
        let wasRecording = tracer.recorders.removeValue(forKey: key) != nil
        if wasRecording, tracer.recorders.isEmpty { ThreadActivity.end(ThreadActivity.tracing) }
        return wasRecording
      }
    }

    func isRecording(_ recorder: Recorder) -> Bool {
      recorders[ObjectIdentifier(recorder)] != nil
    }

    /// The time, later than all before, so that times are in the order of the events' numbers.
    mutating func tick() -> UInt64 {
      lastTime = max(DispatchTime.now().uptimeNanoseconds, lastTime + 1)
      return lastTime
    }
  }
}

// MARK: - Recording

extension DeliveryProbe {
  static func add(_ event: DeliveryProbe.Event) -> UInt64 {
    ObservationTrace.Tracer.add(.init(recording: event))
  }

  /// Records the duration of an event, which ends now.
  static func finish(_ event: UInt64) {
    ObservationTrace.Tracer.update(event) { event, now in event.duration = now &- event.time }
  }

  static func handOver(_ delivery: UInt64, to info: ObservationInfo) {
    ObservationTrace.Tracer.update(delivery) { event, _ in
      if event.kind == .delivery, event.serial == info.serial { event.kind = .handOver }
    }
  }
}

extension ObservationTrace.Tracer {
  typealias Event = ObservationTrace.Event

  /// - Parameter only: The buffer to add it to; `nil` for all.
  /// - Returns: The event's number.
  @discardableResult
  static func add(_ event: Event, to only: Buffer? = nil) -> UInt64 {
    let (context, thread) = (ThreadContext.current.event, ThreadIdentity.current)
    var event = event
    event.depth = context.depth
    let (id, loops) = shared.withLock { tracer in
      tracer.lastID += 1
      event.id = tracer.lastID
      event.thread = tracer.threads[thread] ?? tracer.threads.count + 1
      tracer.threads[thread] = event.thread
      let now = tracer.tick()
      var loops: [CheckedContinuation<Void, Never>] = []
      for recorder in tracer.recorders.values where only == nil || recorder === only {
        event.time = now - recorder.startTime
        // An event that had begun before the trace was started is no cause.
        event.cause = context.number < recorder.firstID ? nil : context.number
        loops += recorder.append(event)
      }
      return (event.id, loops)
    }
    if !loops.isEmpty {
      // The lock of an atomic property may be held, and an executor may be the user's.
      DispatchQueue.global().async { for loop in loops { loop.resume() } }
    }
    return id
  }

  /// - Parameter body: Receives the event as a trace has recorded it, unless the trace has dropped
  ///   it, and the time of that trace.
  fileprivate static func update(_ id: Event.ID, _ body: (inout Event, _ now: UInt64) -> Void) {
    shared.withLock { tracer in
      let now = tracer.tick()
      for recorder in tracer.recorders.values {
        recorder.update(id) { body(&$0, now - recorder.startTime) }
      }
    }
  }
}

// MARK: - Events of a trace

extension ObservationTrace.Tracer {
  /// Receiver of all events. Used under the lock of `ObservationTrace.Tracer` alone.
  class Recorder {
    /// The number of the first event after the last start.
    fileprivate(set) final var firstID: UInt64 = 0

    /// Time of the first start; 0 before it.
    fileprivate(set) final var startTime: UInt64 = 0

    /// - Returns: Loops that have waited for the event, to be resumed outside of every lock.
    func append(_ event: Event) -> [CheckedContinuation<Void, Never>] { [] }

    /// Changes an event that has been added, if it is still there.
    func update(_ id: Event.ID, _ body: (inout Event) -> Void) {}
  }

  /// Newest events of one trace.
  final class Buffer: Recorder, @unchecked Sendable {
    private let capacity: Int

    /// The newest events, behind older ones: a fifth at most, which are removed all at once.
    private var recorded: [Event] = []
    private var count = 0

    /// See `Event.mark`.
    private var mark: String?

    init(capacity: Int) {
      self.capacity = capacity
    }

    /// The oldest first.
    var events: [Event] { recorded.suffix(capacity) }

    var droppedCount: Int { max(count - capacity, 0) }

    /// Adds an event.
    ///
    /// - Complexity: O(1), amortized.
    override func append(_ event: Event) -> [CheckedContinuation<Void, Never>] {
      var event = event
      event.mark = mark
      let surplus = recorded.count - capacity
      if surplus > capacity / 4 { recorded.removeFirst(surplus) }
      recorded.append(event)
      count += 1
      if event.kind == .mark, event.cause == nil { mark = event.detail }
      return []
    }

    override func update(_ id: Event.ID, _ body: (inout Event) -> Void) {
      if let index = recorded.index(of: id) { body(&recorded[index]) }
    }
  }
}

/// Guarded, as its subclasses are, by the lock of `ObservationTrace.Tracer`, under which alone they
/// are used.
extension ObservationTrace.Tracer.Recorder: @unchecked Sendable {}
