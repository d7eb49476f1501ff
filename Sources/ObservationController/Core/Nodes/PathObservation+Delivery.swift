extension PathObservation {
  /// Delivers the changes that have been reached, and ends the delivery, which the caller has
  /// begun.
  func deliverReached(_ info: ObservationInfo, to recipient: inout ObservationRecipient) {
    Reached(path: self, info: info).drain(&recipient)
  }

  /// The changes of an observation that have been reached.
  private struct Reached: QueueOwner {
    let path: PathObservation
    let info: ObservationInfo

    func takeNext(in _: inout ObservationRecipient, cutOff: inout [PendingChange])
      -> PendingChange?
    {
      guard info.isActive else {
        // Freed outside of the lock.
        withExtendedLifetime(
          path.state.withLock { exchange(&$0.queue, with: DeliveryQueue()) }
        ) {}
        return nil
      }
      return path.state.withLock { $0.queue.next(cutOff: &cutOff) }
    }

    func deliver(_ change: PendingChange, in recipient: inout ObservationRecipient) {
      // Again: the change before may have held the observer, which a handler had dropped.
      recipient.releaseIfLast()
      DeliveryProbe.resume(change.cause) { path.deliver(info, change, to: &recipient) }
    }

    func report(_ cutOff: [PendingChange], in _: inout ObservationRecipient) {
      for change in cutOff where change.noteReport() {
        ObservationDispatcher.reportCycle(of: info)
      }
    }
  }

  private func deliver(
    _ info: ObservationInfo, _ change: PendingChange, to recipient: inout ObservationRecipient
  ) {
    guard let object = info.object, let new = change.new, !leavesOut(change.old, new, of: info)
    else { return }
    if change.needsPrior, let old = change.old {
      deliver(info, object, old: old, new: old, kind: .prior, to: &recipient)
    }
    deliver(info, object, old: change.old, new: new, kind: .change, to: &recipient)
  }

  /// Whether the value is equal, and the observation is not notified of that. Calls the user's
  /// `==`.
  func leavesOut(_ old: ValueBox?, _ new: ValueBox, of info: ObservationInfo) -> Bool {
    if isOfDerived, let old, old.isUnchanged(in: new, at: registration.keyPath) { return true }
    return info.leavesOut(old, new)
  }

  /// Delivers a change. The caller has the turn.
  func deliver(
    _ info: ObservationInfo, _ object: AnyObject, old: ValueBox?, new: ValueBox,
    kind: ObservationDelivery.Kind, to recipient: inout ObservationRecipient
  ) {
    // Kept alive while it runs, should another thread end the info.
    guard let handler = state.withLock({ _ in info.handler }), info.isActive else { return }
    ObservationDelivery.withValues(old, new, kind: kind) {
      let handler = Unmanaged.passUnretained(handler)
      // As in `didChangeAlone`: a function for both would take stack in each nested delivery.
      if info.isPart {
        ObservationDispatcher.deliver(
          $0, of: object, toPart: info, handler: handler, to: &recipient)
      } else {
        recipient.receive($0, of: object, info: info, handler: handler)
      }
    }
    withExtendedLifetime(handler) {}
  }
}
