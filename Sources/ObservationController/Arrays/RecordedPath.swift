/// A path whose changes an array sink records at once, in their order, and delivers: the one that
/// leads to an array, and the parameter of a live view.
class RecordedPath: PathObservation {
  /// `nil` while there is none.
  var recorder: ArraySink? { nil }

  /// Has the sink record what is queued. The caller has the turn.
  ///
  /// - Parameter id: The number of the change that led to this.
  func recordQueued(id: UInt64) {}

  /// Takes what was held back with a change, which is released when that has been recorded.
  func takeHeld() -> AnyObject? { nil }

  /// Called after what is queued has been recorded, or left to another thread or frame.
  func finishRecording(id: UInt64) {}

  override final func didChangeAlone(
    _ info: ObservationInfo, id: UInt64, to recipient: inout ObservationRecipient
  ) {
    didChange(info, id: id)
    deliver(info, through: id, to: &recipient)
  }

  override final func didChange(_ info: ObservationInfo, id: UInt64) {
    super.didChange(info, id: id)
    let held = takeHeld()
    if state.withLock({ $0.queue.begin(through: .max) }) { recordQueued(id: id) }
    finishRecording(id: id)
    withExtendedLifetime(held) {}
  }

  override final func deliver(
    _ info: ObservationInfo, through id: UInt64, to recipient: inout ObservationRecipient
  ) {
    recorder?.deliver(through: id, recipient: &recipient)
  }

  override final func discard(through id: UInt64) { recorder?.discard(through: id) }

  /// Takes what is queued, oldest first, and gives the turn back, which the caller has.
  final func drainQueued(_ record: (PendingChange) -> Void) {
    withoutActuallyEscaping(record) { record in
      var nothing: Void = ()
      Queued(path: self, record: record).drain(&nothing)
    }
  }

  /// The queued changes. The queue of the sink counts the rounds of cycles.
  private struct Queued: QueueOwner {
    let path: RecordedPath
    let record: (PendingChange) -> Void

    func takeNext(in _: inout Void, cutOff: inout [PendingChange]) -> PendingChange? {
      path.state.withLock { $0.queue.take() }
    }

    func deliver(_ change: PendingChange, in _: inout Void) { record(change) }

    func report(_ cutOff: [PendingChange], in _: inout Void) {}
  }
}

/// As `PathObservation`.
extension RecordedPath: @unchecked Sendable {}
