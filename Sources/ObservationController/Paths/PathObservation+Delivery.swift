extension PathObservation {
  /// Delivers what has been reached, and ends the delivery. The caller has begun it.
  func deliverReached(_ info: ObservationInfo, to recipient: inout ObservationRecipient) {
    while let change = nextChange(of: info) {
      // Again: the change before may have held the observer, which a handler had dropped.
      recipient.releaseIfLast()
      DeliveryProbe.resume(change.cause) { deliver(info, change, to: &recipient) }
    }
  }

  private func deliver(
    _ info: ObservationInfo, _ change: PendingChange, to recipient: inout ObservationRecipient
  ) {
    guard let object = info.registration.store.object(of: info), let new = change.new else {
      return
    }
    if change.needsPrior, let old = change.old {
      deliver(info, object, old: old, new: old, kind: .prior, to: &recipient)
    }
    deliver(info, object, old: change.old, new: new, kind: .change, to: &recipient)
  }

  /// Delivers a change. The caller has the turn.
  func deliver(
    _ info: ObservationInfo, _ object: AnyObject, old: ValueBox?, new: ValueBox,
    kind: ObservationDelivery.Kind, to recipient: inout ObservationRecipient
  ) {
    guard let handler = state.withLock({ _ in info.handler }) else { return }
    deliver(info, object, handler, old: old, new: new, kind: kind, to: &recipient)
  }

  /// - Parameter handler: That of `info`, kept alive while it runs, should another thread end the info.
  func deliver(
    _ info: ObservationInfo, _ object: AnyObject, _ handler: AnyObject, old: ValueBox?,
    new: ValueBox, kind: ObservationDelivery.Kind, to recipient: inout ObservationRecipient
  ) {
    let delivery = ObservationDelivery(old: old?.address, new: new.address, kind: kind)
    guard info.isActive else { return }
    // One in the other: a tuple of them would count three references.
    withExtendedLifetime(old) {
      withExtendedLifetime(new) {
        withExtendedLifetime(handler) {
          recipient.receive(
            delivery.limited(to: info.traits), of: object, info: info,
            handler: .passUnretained(handler))
        }
      }
    }
  }

  /// The next change to deliver. If there is none, ends the delivery.
  private func nextChange(of info: ObservationInfo) -> PendingChange? {
    guard info.isActive else {
      // Freed outside of the lock.
      var dropped = DeliveryQueue()
      state.withLock { swap(&dropped, &$0.queue) }
      return nil
    }
    var dropped: [PendingChange] = []
    let change = state.withLock { $0.queue.next(dropped: &dropped) }
    for change in dropped where change.noteReport() { ObservationDispatcher.reportCycle(of: info) }
    return change
  }
}

// MARK: - End

extension PathObservation {
  /// - Returns: What an ended info held here, to be freed outside of every lock.
  func end(_ info: ObservationInfo) -> Any {
    state.withLock { state in
      (info.handler.take(), state.old.take(), state.queue.removeAll())
    }
  }
}
