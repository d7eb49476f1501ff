import Dispatch

extension ObservationTrace {
  /// Recorder of the traces that record. Its lock is taken last, and no user code runs under it.
  final class Tracer: DeliveryProbe.Recorder {
    typealias Event = ObservationTrace.Event

    static let shared = ObservationTrace.Tracer()

    private struct State {
      /// Buffers of the traces that record, by their identities.
      var buffers: [ObjectIdentifier: Buffer] = [:]

      var lastID: UInt64 = 0
      var lastTime: UInt64 = 0

      /// Numbers of threads.
      var threads: [ThreadIdentity: Int] = [:]

      /// The time, later than all before, so that times are in the order of the events' numbers.
      mutating func tick() -> UInt64 {
        lastTime = max(DispatchTime.now().uptimeNanoseconds, lastTime + 1)
        return lastTime
      }
    }

    private let state = Locked(State())
  }
}

// MARK: - Traces that record

extension ObservationTrace.Tracer {
  /// Does nothing if the buffer's trace records already.
  func start(_ buffer: Buffer) {
    state.withLock { state in
      if state.buffers.isEmpty { DeliveryProbe.install(self) }
      guard state.buffers.updateValue(buffer, forKey: ObjectIdentifier(buffer)) == nil else {
        return
      }
      buffer.firstID = state.lastID + 1
      if buffer.startTime == 0 { buffer.startTime = state.tick() }
    }
  }

  /// - Returns: Whether the buffer's trace has recorded until now.
  @discardableResult
  func stop(_ buffer: Buffer) -> Bool {
    state.withLock { state in
      let wasRecording = state.buffers.removeValue(forKey: ObjectIdentifier(buffer)) != nil
      if wasRecording, state.buffers.isEmpty { DeliveryProbe.uninstall() }
      return wasRecording
    }
  }

  func isRecording(_ buffer: Buffer) -> Bool {
    state.withLock { $0.buffers[ObjectIdentifier(buffer)] != nil }
  }

  /// Reads what a trace has recorded.
  func read<Result>(_ buffer: Buffer, _ body: (Buffer) -> Result) -> Result {
    state.withLock { _ in body(buffer) }
  }
}

// MARK: - Recording

extension ObservationTrace.Tracer {
  func record(_ event: DeliveryProbe.Event, in context: ThreadContext.Event) -> UInt64 {
    switch event {
    case .handOver(let info):
      update(context.number) { event, _ in
        if event.kind == .delivery, event.serial == info.serial { event.kind = .handOver }
      }
      return context.number
    case .read(let subject, let keyPath):
      PropertyNames.learn(keyPath, for: subject)
      return 0
    default:
      return add(Event(recording: event), in: context)
    }
  }

  /// Records the duration of an event, which ends now.
  func finish(_ event: UInt64) {
    update(event) { event, now in event.duration = now &- event.time }
  }

  /// Adds a label, which the event that this thread is inside of has led to.
  ///
  /// - Parameter buffer: The buffer to add it to; `nil` for all.
  func mark(_ label: String, in buffer: Buffer? = nil) {
    _ = add(Event(.mark, detail: label), in: ThreadContext.current.event, to: buffer)
  }

  /// - Returns: The event's number.
  private func add(
    _ event: Event, in context: ThreadContext.Event, to only: Buffer? = nil
  ) -> UInt64 {
    var event = event
    event.depth = context.depth
    let thread = ThreadIdentity.current
    return state.withLock { state in
      state.lastID += 1
      event.id = state.lastID
      event.thread = state.threads[thread] ?? state.threads.count + 1
      state.threads[thread] = event.thread
      let now = state.tick()
      for buffer in state.buffers.values where only == nil || buffer === only {
        event.time = now - buffer.startTime
        // An event that had begun before the trace was started is no cause.
        event.cause = context.number < buffer.firstID ? nil : context.number
        buffer.append(event)
      }
      return event.id
    }
  }

  /// - Parameter body: Receives the event as a trace has recorded it, and the time of that trace.
  private func update(_ id: Event.ID, _ body: (inout Event, _ now: UInt64) -> Void) {
    guard id != 0 else { return }
    state.withLock { state in
      let now = state.tick()
      for buffer in state.buffers.values {
        buffer.update(id) { body(&$0, now - buffer.startTime) }
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
    private var recorded: [Event] = []
    private var count = 0

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
    func append(_ event: Event) {
      let surplus = recorded.count - capacity
      if surplus > capacity / 4 { recorded.removeFirst(surplus) }
      recorded.append(event)
      count += 1
    }

    /// Changes an event, if it has not been removed.
    ///
    /// - Complexity: O(log n), since the numbers of a trace that was stopped in between have gaps.
    func update(_ id: UInt64, _ body: (inout Event) -> Void) {
      let index = recorded.partitioningIndex { $0.id >= id }
      if index < recorded.count, recorded[index].id == id { body(&recorded[index]) }
    }
  }
}

/// Guarded by the lock of `ObservationTrace.Tracer`, under which alone it is used.
extension ObservationTrace.Tracer.Buffer: @unchecked Sendable {}
