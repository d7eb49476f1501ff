extension PathObservation {
  /// Delivers what has been reached, and ends the delivery. The caller has begun it.
  func deliverReached(_ info: ObservationInfo, to recipient: inout ObservationRecipient) {
    var rounds = 0
    while let change = nextChange(of: info, isCycle: rounds == ObservationDispatcher.maximumRounds)
    {
      rounds = change.maker == .current ? rounds + 1 : 0
      guard let object = info.site.registry.object(of: info) else { continue }
      if change.owesPrior, let old = change.old {
        deliver(info, object, old: old, new: old, kind: .prior, to: &recipient)
      }
      deliver(info, object, old: change.old, new: change.new, kind: .change, to: &recipient)
    }
  }

  func deliver(
    _ info: ObservationInfo, _ object: AnyObject, old: ValueBox?, new: ValueBox,
    kind: ObservationDelivery.Kind, to recipient: inout ObservationRecipient
  ) {
    // A copy, which keeps the handler alive while it runs, should another thread end the info.
    guard info.isActive, let handler = state.withLock({ _ in info.handler }) else { return }
    withExtendedLifetime((old, new, handler)) {
      let delivery = ObservationDelivery(
        old: old?.address, new: new.address, kind: kind)
      recipient.receive(
        delivery.limited(to: info.traits), of: object, info: info,
        handler: .passUnretained(handler))
    }
  }

  /// The next change to deliver. If there is none, or `isCycle`, ends the delivery.
  private func nextChange(of info: ObservationInfo, isCycle: Bool) -> Change? {
    var dropped = SmallQueue<Change>()
    let change = state.withLock { state -> Change? in
      if !isCycle, info.isActive, let first = state.queue.first, first.id <= state.reached {
        return state.queue.removeFirst()
      }
      state.isDelivering = false
      if isCycle || !info.isActive { swap(&dropped, &state.queue) }
      return nil
    }
    if isCycle, !dropped.isEmpty { ObservationDispatcher.reportCycle(of: info) }
    return change
  }
}

// MARK: - End

extension PathObservation {
  /// What an ended info held here, for the caller to free outside of every lock.
  struct Remains {
    let handler: AnyObject?
    let old: ValueBox?
    let queue: SmallQueue<Change>
  }

  func end(_ info: ObservationInfo) -> Remains {
    state.withLock { state in
      defer { (info.handler, state.old, state.queue) = (nil, nil, SmallQueue()) }
      return Remains(handler: info.handler, old: state.old, queue: state.queue)
    }
  }
}
