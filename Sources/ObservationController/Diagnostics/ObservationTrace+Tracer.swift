import Dispatch

extension ObservationTrace {
  /// State that all traces share. Its lock is taken last, and no user code runs under it.
  struct Tracer {
    /// Buffers of the traces that record, by their identities.
    var buffers: [ObjectIdentifier: Buffer] = [:]

    /// Those that hand events out as they come, by their identities.
    var followers: [ObjectIdentifier: Follower] = [:]

    var lastID: UInt64 = 0
    private var lastTime: UInt64 = 0

    /// Numbers of threads.
    var threads: [ThreadIdentity: Int] = [:]

    static let shared = Locked(Tracer())

    private var isRecording: Bool { !buffers.isEmpty || !followers.isEmpty }

    /// Adds or removes what records; the first one has all changes recorded, and the last one ends
    /// that.
    static func update<Result>(_ body: (inout Tracer) -> Result) -> Result {
      shared.withLock { tracer in
        let wasRecording = tracer.isRecording
        let result = body(&tracer)
        if tracer.isRecording, !wasRecording { ThreadActivity.begin(ThreadActivity.tracing) }
        if wasRecording, !tracer.isRecording { ThreadActivity.end(ThreadActivity.tracing) }
        return result
      }
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
      for buffer in tracer.buffers.values where only == nil || buffer === only {
        event.time = now - buffer.startTime
        // An event that had begun before the trace was started is no cause.
        event.cause = context.number < buffer.firstID ? nil : context.number
        event.mark = buffer.mark
        buffer.append(event)
      }
      var loops: [CheckedContinuation<Void, Never>] = []
      for follower in tracer.followers.values where only == nil {
        event.time = now - follower.startTime
        event.cause = context.number < follower.firstID ? nil : context.number
        event.mark = nil
        loops += follower.append(event)
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
      for buffer in tracer.buffers.values {
        guard let index = buffer.recorded.index(of: id) else { continue }
        body(&buffer.recorded[index], now - buffer.startTime)
      }
    }
  }
}

// MARK: - Events of a trace

extension ObservationTrace.Tracer {
  /// Newest events of one trace, used under the lock of `ObservationTrace.Tracer` alone.
  final class Buffer {
    private let capacity: Int

    /// The newest events, behind older ones: a fifth at most, which are removed all at once.
    fileprivate var recorded: [Event] = []
    private var count = 0

    /// See `Event.mark`.
    fileprivate var mark: String?

    /// The number of the first event after the last start.
    var firstID: UInt64 = 0

    /// Time of the first start; 0 before it.
    var startTime: UInt64 = 0

    init(capacity: Int) {
      self.capacity = capacity
    }

    /// The oldest first.
    var events: [Event] { recorded.suffix(capacity) }

    var droppedCount: Int { max(count - capacity, 0) }

    /// Adds an event.
    ///
    /// - Complexity: O(1), amortized.
    fileprivate func append(_ event: Event) {
      let surplus = recorded.count - capacity
      if surplus > capacity / 4 { recorded.removeFirst(surplus) }
      recorded.append(event)
      count += 1
      if event.kind == .mark, event.cause == nil { mark = event.detail }
    }
  }
}

/// Guarded by the lock of `ObservationTrace.Tracer`, under which alone it is used.
extension ObservationTrace.Tracer.Buffer: @unchecked Sendable {}
