/// Path of an `autorun` whose body reads what several threads change.
///
/// Evaluating it runs the body, which is the observer. So it is not evaluated right after a store,
/// but when a delivery reaches it: in the order of registration.
final class AutorunPath: PathObservation {
  override func didChange(_ info: ObservationInfo, id: UInt64) {}

  override func didChangeAlone(
    _ info: ObservationInfo, id: UInt64, to recipient: inout ObservationRecipient
  ) {
    deliver(info, through: id, to: &recipient)
  }

  override func deliver(
    _ info: ObservationInfo, through id: UInt64, to recipient: inout ObservationRecipient
  ) {
    super.didChange(info, id: id)
    super.deliver(info, through: id, to: &recipient)
  }

  /// Nothing is queued before the path is evaluated; the next change runs the body again.
  override func discard(through id: UInt64) { omitChange() }
}

/// As `PathObservation`.
extension AutorunPath: @unchecked Sendable {}
