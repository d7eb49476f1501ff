extension PathObservation {
  /// Delivers the changes that have been reached, and ends the delivery, which the caller has
  /// begun.
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
    // Kept alive while it runs, should another thread end the info.
    guard let handler = state.withLock({ _ in info.handler }), info.isActive else { return }
    ObservationDelivery.withValues(old, new, kind: kind) {
      recipient.receive($0, of: object, info: info, handler: .passUnretained(handler))
    }
    withExtendedLifetime(handler) {}
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

// MARK: - Paths over one atomic property

extension PathObservation {
  /// Delivers a change of the only property that the path reads: from the value of the path before
  /// just that change to the value after it, whatever other threads have set since. The caller has
  /// the turn.
  ///
  /// A path that reads something else by now is followed as any other from here on; changes that
  /// are queued already are delivered with this one.
  func deliverPinned(
    _ info: ObservationInfo, _ delivery: ObservationDelivery,
    to recipient: inout ObservationRecipient
  ) {
    guard let new = evaluate(info, at: delivery.new) else { return }
    // Changes of one property are contiguous: the last one led to the value before this one.
    var old: ValueBox?
    state.withLock { state in
      if state.keepsValue { old = new.value }
      swap(&old, &state.kept)
    }
    if old == nil { old = delivery.old.flatMap { evaluate(info, at: $0)?.value } }
    guard new.isOnly else {
      // Opens a change before others can.
      state.withLock { state in
        state.openChanges += 1
        (state.old, state.isOldNoted) = (old, true)
      }
      info.registration.store.unpin(info)
      let id = Subject.nextChangeID()
      didChange(info, id: id)
      return deliver(info, through: id, to: &recipient)
    }
    guard !info.leavesOut(old, new.value) else { return }
    deliver(info, new.object, old: old, new: new.value, kind: .change, to: &recipient)
  }

  /// Evaluates the path while the property reads as another value.
  ///
  /// - Returns: `nil` if the observation or its object has ended. `isOnly`: the path has read
  ///   nothing else.
  private func evaluate(
    _ info: ObservationInfo, at value: UnsafeRawPointer
  ) -> (value: ValueBox, object: AnyObject, isOnly: Bool)? {
    let (object, property) = info.registration.store.state.withLock { _ in
      (info.root.object, dependencies.first?.link)
    }
    guard let object, let property else { return nil }
    var result: ValueBox?
    let isOnly = AccessTracker.readsOnly(property, as: value) { result = read(object) }
    return result.map { ($0, object, isOnly) }
  }

  /// Evaluates a path that has just been registered, at the value that the property had then.
  ///
  /// - Returns: `nil` if it reads something else too.
  func beginPinned(_ info: ObservationInfo, at value: ValueBox) -> ValueBox? {
    value.withAddress { evaluate(info, at: $0) }.flatMap { $0.isOnly ? $0.value : nil }
  }
}

// MARK: - Beginning while other threads change what it reads

extension PathObservation {
  /// Keeps the first value, if it keeps values. No other thread knows the path yet.
  ///
  /// - Parameter value: `nil` where other threads may change it: opens a change for `begin` to end.
  func prepareToBegin(at value: ValueBox? = nil) {
    state.withLock { state in
      guard value == nil else { return state.close(keeping: value) }
      state.openChanges = 1
      state.isOldNoted = true
    }
  }

  /// Evaluates a path whose properties other threads may change, when it has been attached to them.
  ///
  /// - Parameter body: Receives the value that the first change to be delivered begins with, before
  ///   that is queued; not called if the observation or its object has ended.
  /// - Returns: The number of the change that has been queued, if the value is out of date already.
  func begin(_ info: ObservationInfo, _ body: (ValueBox) -> Void) -> UInt64? {
    state.withLock { $0.noteEvaluation() }
    var evaluation = Evaluation()
    readAndRehook(info, &evaluation)
    let value = evaluation.value
    if readsDerived { _ = noteVersions(of: evaluation) }
    if let value { body(value) }
    let isDone = state.withLock { state in
      state.close(leadingTo: value, of: info) || !state.beginEvaluation()
    }
    guard !isDone else { return nil }
    let id = Subject.nextChangeID()
    didChange(info, id: id)
    return id
  }
}

// MARK: - End

extension PathObservation {
  /// - Returns: What an ended info held here, to be freed outside of every lock.
  func end(_ info: ObservationInfo) -> Any {
    state.withLock { state in
      (info.handler.take(), state.old.take(), state.followers.take(), state.queue.removeAll())
    }
  }
}
