import Dispatch

/// Recorder of the traces that record. Its lock is taken last, and no user code runs under it.
final class Tracer: DeliveryRecorder {
  static let shared = Tracer()

  private struct State {
    /// Buffers of the traces that record.
    var buffers: [TraceBuffer] = []

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

// MARK: - Traces that record

extension Tracer {
  /// Does nothing if the buffer's trace records already.
  func start(_ buffer: TraceBuffer) {
    state.withLock { state in
      guard !state.buffers.contains(where: { $0 === buffer }) else { return }
      if state.buffers.isEmpty { DeliveryProbe.install(self) }
      state.buffers.append(buffer)
      if buffer.startTime == nil { buffer.startTime = state.tick() }
    }
  }

  /// - Returns: Whether the buffer's trace has recorded until now.
  @discardableResult
  func stop(_ buffer: TraceBuffer) -> Bool {
    state.withLock { state in
      guard let index = state.buffers.firstIndex(where: { $0 === buffer }) else { return false }
      state.buffers.remove(at: index)
      if state.buffers.isEmpty { DeliveryProbe.uninstall() }
      return true
    }
  }

  func isRecording(_ buffer: TraceBuffer) -> Bool {
    state.withLock { state in state.buffers.contains { $0 === buffer } }
  }

  func contents(of buffer: TraceBuffer) -> TraceBuffer.Contents {
    state.withLock { _ in buffer.contents }
  }
}

// MARK: - Recording

extension Tracer {
  func record(_ event: DeliveryEvent, cause: UInt64, depth: Int) -> UInt64 {
    switch event {
    case .handOver(let info):
      update(cause) { record, _ in
        if record.kind == .delivery, record.serial == info.serial { record.kind = .handOver }
      }
      return cause
    case .read(let subject, let keyPath):
      PropertyNames.learn(keyPath, for: subject)
      return 0
    default:
      return add(TraceRecord(recording: event), cause: cause, depth: depth)
    }
  }

  /// Records the duration of an event, which ends now.
  func finish(_ event: UInt64) {
    update(event) { record, now in record.duration = now &- record.time }
  }

  /// Adds a label, which the event that this thread is inside of has led to.
  ///
  /// - Parameter buffer: The buffer to add it to; `nil` for all.
  func mark(_ label: String, in buffer: TraceBuffer? = nil) {
    var record = TraceRecord(.mark)
    record.detail = label
    _ = add(record, cause: DeliveryProbe.current, depth: DeliveryProbe.depth, to: buffer)
  }

  /// - Returns: The event's number; 0 if no trace records.
  private func add(
    _ record: TraceRecord, cause: UInt64, depth: Int, to buffer: TraceBuffer? = nil
  ) -> UInt64 {
    var record = record
    (record.cause, record.depth) = (cause, depth)
    let thread = ThreadIdentity.current
    return state.withLock { state in
      let buffers = state.buffers.filter { buffer == nil || $0 === buffer }
      guard !buffers.isEmpty else { return 0 }
      state.lastID += 1
      record.id = state.lastID
      record.thread = state.threads[thread] ?? state.threads.count + 1
      state.threads[thread] = record.thread
      let now = state.tick()
      for buffer in buffers { buffer.append(record, at: now) }
      return record.id
    }
  }

  /// - Parameter body: Receives the event as a trace has recorded it, and the time of that trace.
  private func update(_ event: UInt64, _ body: (inout TraceRecord, _ now: UInt64) -> Void) {
    guard event != 0 else { return }
    state.withLock { state in
      let now = state.tick()
      for buffer in state.buffers {
        buffer.update(event) { body(&$0, now &- (buffer.startTime ?? now)) }
      }
    }
  }
}
