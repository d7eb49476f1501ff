/// Paths that read nothing but one atomic property.
///
/// Several threads may change it at once. A path that is evaluated after each change gets the value
/// as it is by then, and tells of several changes as one. One that reads a single property
/// need not: it is evaluated when a change is told, while the property reads as that change has left
/// it.
extension PathObservation {
  /// Delivers a change of the property. The caller has the turn to deliver it.
  func deliverPinned(
    _ info: ObservationInfo, _ delivery: ObservationDelivery, of subject: ObjectIdentifier,
    to recipient: inout ObservationRecipient
  ) {
    guard let object = info.registration.store.object(of: info) else { return }
    let old = delivery.old.map { evaluate(object, subject, at: $0).value }
    let (new, accesses) = evaluate(object, subject, at: delivery.new)
    guard Self.isPinned(accesses, to: subject) else {
      return deliverUnpinned(info, from: old, to: &recipient)
    }
    guard !info.leavesOut(old?.address, new.address) else { return }
    deliver(info, object, old: old, new: new, kind: .change, to: &recipient)
  }

  /// The value of the path where that of the property is `value`.
  ///
  /// - Returns: `nil` if it reads something else too.
  func evaluatePinned(_ object: AnyObject, at value: ValueBox) -> ValueBox? {
    withExtendedLifetime(value) {
      guard let pinnedSubject else { return nil }
      let (result, accesses) = evaluate(object, pinnedSubject, at: value.address)
      return Self.isPinned(accesses, to: pinnedSubject) ? result : nil
    }
  }

  private static func isPinned(
    _ accesses: PropertyAccesses, to subject: ObjectIdentifier
  ) -> Bool {
    accesses.pinnable.map { ObjectIdentifier($0.subject) } == subject
  }

  private func evaluate(
    _ object: AnyObject, _ subject: ObjectIdentifier, at value: UnsafeRawPointer
  ) -> (value: ValueBox, accesses: PropertyAccesses) {
    var result: ValueBox!
    let accesses = AccessTracker.track(
      pinning: AccessTracker.Pin(subject: subject, value: value)
    ) { result = read(object) }
    return (result, accesses)
  }

  /// Follows the path as any other from now on, since it reads something else too. Changes that are
  /// queued already are told with this one.
  private func deliverUnpinned(
    _ info: ObservationInfo, from old: ValueBox?, to recipient: inout ObservationRecipient
  ) {
    // Opens a change before others can.
    state.withLock { state in
      state.openChanges += 1
      (state.old, state.isOldNoted) = (old, true)
    }
    info.registration.store.unpin(info)
    let id = Subject.nextChangeID()
    didChange(info, id: id)
    deliver(info, through: id, to: &recipient)
  }
}
