/// What each thread is in the middle of.
extension Tracer {
  /// Something that this thread is in the middle of. Lives in the frame of `run`.
  private struct Frame {
    /// What it is recorded as; 0 for what was not.
    let event: UInt64

    /// How deep that is in which it happens.
    let depth: Int

    let isTransaction: Bool

    /// That which it happens in; valid as long as this one.
    let outer: UnsafeMutablePointer<Frame>?

    /// What was set in this transaction last, for each observation that it concerns.
    var sets: [UInt64: UInt64] = [:]

    /// The same for each property.
    var setsBySubject: [ObjectIdentifier: UInt64] = [:]
  }

  private static var frame: UnsafeMutablePointer<Frame>? {
    // Set by `run` alone, which sets a pointer to this type.
    ThreadContext.current.event.map { $0.assumingMemoryBound(to: Frame.self) }
  }

  /// Runs what happens because of `event`, and notes how long that takes; does nothing else if it is what
  /// this thread is in the middle of, or nobody records.
  static func within<Result>(
    _ event: UInt64, isTransaction: Bool = false, _ body: () throws -> Result
  ) rethrows -> Result {
    guard isOn, event != current || isTransaction else { return try body() }
    defer { finish(event) }
    return try run(event, depth: event == 0 ? depth : depth + 1, isTransaction, body)
  }

  /// Runs what happens because of `event`, which has been recorded long ago, or on another thread.
  ///
  /// - Parameter event: 0 if that is not known: it is not what this thread is in the middle of either.
  static func resume<Result>(_ event: UInt64, _ body: () throws -> Result) rethrows -> Result {
    guard isOn else { return try body() }
    return try run(event, depth: depth, false, body)
  }

  private static func run<Result>(
    _ event: UInt64, depth: Int, _ isTransaction: Bool, _ body: () throws -> Result
  ) rethrows -> Result {
    var frame = Frame(event: event, depth: depth, isTransaction: isTransaction, outer: frame)
    // The pointer is taken back before it is not valid any more.
    return try withUnsafeMutablePointer(to: &frame) { frame in
      try ThreadContext.with(\.event, UnsafeMutableRawPointer(frame), body)
    }
  }

  /// In how many recorded events this thread is.
  static var depth: Int { frame?.pointee.depth ?? 0 }

  /// What this thread is in the middle of; 0 if that is nothing.
  static var current: UInt64 { frame?.pointee.event ?? 0 }

  /// The reason to tell an observation, as far as this thread knows; 0 if it does not, or nobody records.
  static func cause(for info: ObservationInfo) -> UInt64 {
    guard isOn, let frame else { return 0 }
    return frame.pointee.sets[info.serial] ?? frame.pointee.event
  }

  /// The reason to tell of what the transaction that this thread ends has held back; 0 if there is no
  /// transaction, or none that is recorded.
  static func causeInTransaction(of subject: Subject) -> UInt64 {
    guard isOn, let frame, frame.pointee.isTransaction else { return 0 }
    return frame.pointee.setsBySubject[ObjectIdentifier(subject)] ?? 0
  }

  /// Notes what was set in a transaction, for those who are told at its end.
  static func noteInTransaction(_ event: UInt64, of subject: Subject) {
    guard let transaction = transactionFrame else { return }
    transaction.pointee.setsBySubject[ObjectIdentifier(subject)] = event
    subject.latestInfos.visit { transaction.pointee.sets[$0.serial] = event }
  }

  /// Notes what derives from a property that was set in a transaction.
  static func noteInTransaction(_ derived: [Subject], from subject: Subject) {
    guard isOn, let transaction = transactionFrame,
      let event = transaction.pointee.setsBySubject[ObjectIdentifier(subject)]
    else { return }
    for subject in derived {
      subject.latestInfos.visit { transaction.pointee.sets[$0.serial] = event }
    }
  }

  private static var transactionFrame: UnsafeMutablePointer<Frame>? {
    var next = frame
    // Handlers of events run in the middle of it.
    while let frame = next, !frame.pointee.isTransaction { next = frame.pointee.outer }
    return next
  }
}
