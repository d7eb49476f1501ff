extension PathObservation {
  /// A change whose turn it is, and who is told: the handler is kept alive while it runs, should
  /// another thread end the info.
  struct Turn {
    let change: Change
    let handler: AnyObject
  }

  /// - Returns: What to begin with; `nil` if there is nothing to deliver, or somebody else does.
  func beginDelivery(of info: ObservationInfo, through id: UInt64) -> Turn? {
    state.withLock { state in
      state.reached = max(state.reached, id)
      guard !state.isDelivering else { return nil }
      state.rounds = DeliveryRounds()
      guard let turn = state.nextTurn(of: info, through: id) else { return nil }
      state.isDelivering = true
      return turn
    }
  }

  /// Delivers what has been reached, and ends the delivery. The caller has begun it.
  func deliverReached(_ info: ObservationInfo, to recipient: inout ObservationRecipient) {
    while let turn = nextTurn(of: info) {
      // Again: the change before may have held the observer, which a handler had dropped.
      recipient.releaseIfLast()
      deliver(info, turn, to: &recipient)
    }
  }

  func deliver(
    _ info: ObservationInfo, _ turn: Turn, to recipient: inout ObservationRecipient
  ) {
    guard !Tracer.isOn else { return deliverTraced(info, turn, to: &recipient) }
    tell(info, turn, to: &recipient)
  }

  /// The same while somebody records. Out of line, or it would be in the way of all others.
  @inline(never)
  private func deliverTraced(
    _ info: ObservationInfo, _ turn: Turn, to recipient: inout ObservationRecipient
  ) {
    // Not always that which this thread is in the middle of: a change may have waited for its turn.
    Tracer.resume(turn.change.cause) { tell(info, turn, to: &recipient) }
  }

  private func tell(
    _ info: ObservationInfo, _ turn: Turn, to recipient: inout ObservationRecipient
  ) {
    guard let object = info.site.registry.object(of: info) else { return }
    let (change, handler) = (turn.change, turn.handler)
    if change.owesPrior, let old = change.old {
      deliver(info, object, old: old, new: old, kind: .prior, handler: handler, to: &recipient)
    }
    deliver(
      info, object, old: change.old, new: change.new, kind: .change, handler: handler,
      to: &recipient)
  }

  /// Delivers a change whose new value is at `new`, and stays there meanwhile. The caller has the turn.
  func deliver(
    _ info: ObservationInfo, old: ValueBox?, newAt new: UnsafeRawPointer,
    to recipient: inout ObservationRecipient
  ) {
    guard let object = info.site.registry.object(of: info),
      let handler = state.withLock({ _ in info.handler })
    else { return }
    withExtendedLifetime(old) {
      deliver(
        info, object, ObservationDelivery(old: old?.address, new: new, kind: .change),
        handler: handler, to: &recipient)
    }
  }

  /// Delivers what waits for no turn.
  func deliver(
    _ info: ObservationInfo, _ object: AnyObject, old: ValueBox?, new: ValueBox,
    kind: ObservationDelivery.Kind, to recipient: inout ObservationRecipient
  ) {
    guard let handler = state.withLock({ _ in info.handler }) else { return }
    deliver(info, object, old: old, new: new, kind: kind, handler: handler, to: &recipient)
  }

  private func deliver(
    _ info: ObservationInfo, _ object: AnyObject, old: ValueBox?, new: ValueBox,
    kind: ObservationDelivery.Kind, handler: AnyObject, to recipient: inout ObservationRecipient
  ) {
    let delivery = ObservationDelivery(old: old?.address, new: new.address, kind: kind)
    // One in the other: a tuple of them would count three references.
    withExtendedLifetime(old) {
      withExtendedLifetime(new) {
        deliver(info, object, delivery, handler: handler, to: &recipient)
      }
    }
  }

  @inline(__always)
  private func deliver(
    _ info: ObservationInfo, _ object: AnyObject, _ delivery: ObservationDelivery,
    handler: AnyObject, to recipient: inout ObservationRecipient
  ) {
    guard info.isActive else { return }
    withExtendedLifetime(handler) {
      recipient.receive(
        delivery.limited(to: info.traits), of: object, info: info,
        handler: .passUnretained(handler))
    }
  }

  /// The next change to deliver. If there is none, or this is a cycle, ends the delivery.
  private func nextTurn(of info: ObservationInfo) -> Turn? {
    guard info.isActive else {
      endDelivery(of: info, isCycle: false)
      return nil
    }
    var isCycle = false
    let turn = state.withLock { state -> Turn? in
      state.rounds.update(state.queue)
      isCycle = state.rounds.areCycle
      guard !isCycle else { return nil }
      let turn = state.nextTurn(of: info, through: state.reached)
      if turn == nil { state.isDelivering = false }
      return turn
    }
    if isCycle { endDelivery(of: info, isCycle: true) }
    return turn
  }

  /// Ends the delivery, whatever waits.
  @inline(never)
  private func endDelivery(of info: ObservationInfo, isCycle: Bool) {
    var dropped = SmallQueue<Change>()
    state.withLock { state in
      state.isDelivering = false
      swap(&dropped, &state.queue)
    }
    if isCycle, !dropped.isEmpty { ObservationDispatcher.reportCycle(of: info) }
  }
}

extension PathObservation.State {
  /// Takes the next change out of the queue, if it is not after the one numbered `id` and somebody is
  /// to be told.
  fileprivate mutating func nextTurn(
    of info: ObservationInfo, through id: UInt64
  ) -> PathObservation.Turn? {
    guard let next = queue.first, next.id <= id, let handler = info.handler else { return nil }
    _ = queue.removeFirst()
    rounds.begin(next, from: queue)
    return PathObservation.Turn(change: next, handler: handler)
  }

  /// Begins to deliver a change that need not wait.
  mutating func takeTurn(through id: UInt64) -> Bool {
    guard !isDelivering, !owesPrior, queue.isEmpty else { return false }
    isDelivering = true
    rounds = DeliveryRounds(afterTakingFrom: queue)
    reached = max(reached, id)
    return true
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
