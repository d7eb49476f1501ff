import Dispatch

/// Records what happens for the traces that there are.
///
/// Asked for only where `isOn`, so that who delivers has one bit to test, and most have that tested
/// already. Its lock is taken last, and no code of a user's runs under it.
enum Tracer {
  private struct State {
    /// Those of the traces that record.
    var buffers: [TraceBuffer] = []

    var lastID: UInt64 = 0
    var lastTime: UInt64 = 0

    /// The numbers of threads.
    var threads: [ThreadIdentity: Int] = [:]

    /// Later than all before, so that the order of the times is that of the numbers.
    mutating func tick() -> UInt64 {
      lastTime = max(DispatchTime.now().uptimeNanoseconds, lastTime + 1)
      return lastTime
    }

    mutating func number(_ record: inout TraceRecord, _ thread: ThreadIdentity) {
      lastID += 1
      record.id = lastID
      record.thread = threads[thread] ?? threads.count + 1
      threads[thread] = record.thread
    }
  }

  private static let state = Locked(State())

  /// Whether somebody records.
  @inline(__always)
  static var isOn: Bool { ThreadActivity.isAnyTracing }
}

// MARK: - Traces that record

extension Tracer {
  /// Nothing happens if it records already.
  static func start(_ buffer: TraceBuffer) {
    state.withLock { state in
      guard !state.buffers.contains(where: { $0 === buffer }) else { return }
      // Once for all of them, or many would count to what is no bit any more.
      if state.buffers.isEmpty { ThreadActivity.begin(ThreadActivity.tracing) }
      state.buffers.append(buffer)
      if buffer.startTime == nil { buffer.startTime = state.tick() }
    }
  }

  /// - Returns: Whether it has recorded until now.
  @discardableResult
  static func stop(_ buffer: TraceBuffer) -> Bool {
    state.withLock { state in
      guard let index = state.buffers.firstIndex(where: { $0 === buffer }) else { return false }
      state.buffers.remove(at: index)
      if state.buffers.isEmpty { ThreadActivity.end(ThreadActivity.tracing) }
      return true
    }
  }

  static func isRecording(_ buffer: TraceBuffer) -> Bool {
    state.withLock { state in state.buffers.contains { $0 === buffer } }
  }

  static func contents(of buffer: TraceBuffer) -> TraceBuffer.Contents {
    state.withLock { _ in buffer.contents }
  }
}

// MARK: - Recording

extension Tracer {
  /// Records an event, which gets number, time, thread and depth here.
  ///
  /// - Parameters:
  ///   - cause: 0 for none.
  ///   - buffer: That of the trace it is for; `nil` for all.
  /// - Returns: Its number; 0 if nobody records.
  @discardableResult
  static func add(_ record: TraceRecord, cause: UInt64, to buffer: TraceBuffer? = nil) -> UInt64 {
    var record = record
    (record.cause, record.depth) = (cause, depth)
    let thread = ThreadIdentity.current
    return state.withLock { state in
      let buffers = state.buffers.filter { buffer == nil || $0 === buffer }
      guard !buffers.isEmpty else { return 0 }
      state.number(&record, thread)
      let now = state.tick()
      for buffer in buffers { buffer.append(record, at: now) }
      return record.id
    }
  }

  /// Notes how long something took, which is over now.
  static func finish(_ event: UInt64) {
    guard event != 0 else { return }
    state.withLock { state in
      let now = state.tick()
      for buffer in state.buffers {
        buffer.update(event) { $0.duration = now &- (buffer.startTime ?? now) &- $0.time }
      }
    }
  }

  /// Says of the delivery that this thread is making to the observation with that number that it only
  /// hands over; nothing happens if it makes another one.
  static func noteHandOver(_ event: UInt64, of serial: UInt64) {
    guard event != 0 else { return }
    state.withLock { state in
      for buffer in state.buffers {
        buffer.update(event) { record in
          if record.kind == .delivery, record.serial == serial { record.kind = .handOver }
        }
      }
    }
  }
}
