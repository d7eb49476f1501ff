/// Changes of the properties that a path reads: the value before, the store, the value after.
extension PathObservation {
  /// Opens a change, and notes the value before it.
  ///
  /// - Returns: The value, if this has noted it.
  private func noteOld(_ info: ObservationInfo) -> ValueBox? {
    noteBefore()
    let (kept, notes) = state.withLock { state in
      state.openChanges += 1
      // Noted by another open change, or, if there is none, at the end of the last one, for a
      // mutation in place that is under way.
      if let old = state.old { return (state.openChanges == 1 ? old : nil, false) }
      if let kept = state.kept {
        state.old = kept
        return (kept, false)
      }
      return (nil, actsBeforeStore && state.noters.insert(.current).inserted)
    }
    guard notes else { return kept }
    let old = info.object.map { object in AccessTracker.withoutTracking { read(object) } }
    // The first one to arrive here counts, also if it was not the first to open a change: no thread
    // has stored a value yet, since each of them comes here before.
    let isFirst = state.withLock { state in
      state.noters.remove(.current)
      // Once it has ended, as by the getter, nobody takes the value out.
      guard state.old == nil, let old, info.isActive else { return false }
      state.old = old
      return true
    }
    return isFirst ? old : nil
  }

  /// Opens a change, notes the value before it, and delivers that where `.prior` asks for that.
  ///
  /// The prior delivery waits for its turn while earlier changes of the path do, and for the end of
  /// a transaction.
  func willChange(_ info: ObservationInfo, to recipient: inout ObservationRecipient) {
    guard let old = noteOld(info), info.traits.contains(.prior),
      ObservationTransaction.current == nil, let object = info.object
    else { return }
    let isNext = state.withLock { state in
      guard !state.hasPrior, state.queue.beginAlone() else { return false }
      state.hasPrior = true
      return true
    }
    guard isNext else { return }
    deliver(info, object, old: old, new: old, kind: .prior, to: &recipient)
    deliverReached(info, to: &recipient)
  }

  /// Has the path evaluated after the store that it has noted its value for: a prior handler may
  /// have led it away from the property meanwhile.
  ///
  /// Not if it reads derived properties, whose values decide.
  func expectChange() {
    guard state.withLock({ $0.before == nil }) else { return }
    let lock = node.vertex.lockOwnGraph()
    if node.vertex.isClean { node.state |= Node.State.dirty }
    lock.unlock()
  }

  /// Opens a change of a transaction, of which stores may be a part that come after this.
  func openChange(for info: ObservationInfo) {
    // Evaluated by another thread since the first store: no value is noted any more.
    guard !node.vertex.isClean else {
      _ = noteOld(info)
      return
    }
    noteBefore()
    openChange()
  }

  /// Opens a change before which the path did not have to act.
  func openChange() { state.withLock { $0.openChanges += 1 } }

  /// Evaluates and delivers a change of which nothing else is notified, as a rule without queuing
  /// it. Opens it first.
  func didChangeAlone(
    _ info: ObservationInfo, id: UInt64, to recipient: inout ObservationRecipient
  ) {
    do {
      // Freed before what comes next.
      var change: PathObservation.Change?
      guard endChange(info, id: id, isAlone: true, &change) else {
        return deliver(info, through: id, to: &recipient)
      }
      if let change {
        ObservationDelivery.withValues(change.old, change.new) {
          let handler = Unmanaged.passUnretained(change.handler)
          if info.isPart {
            ObservationDispatcher.deliver(
              $0, of: change.object, toPart: info, handler: handler, to: &recipient)
          } else {
            recipient.receive($0, of: change.object, info: info, handler: handler)
          }
        }
      }
    }
    if !state.withLock({ $0.queue.endIfEmpty() }) { deliverReached(info, to: &recipient) }
  }

  /// - Parameters:
  ///   - isAlone: Whether to open the change, and whether the caller can deliver it; if not, it is
  ///     queued.
  ///   - change: Receives the change to deliver.
  /// - Returns: Whether it is the change's turn to be delivered.
  @inline(__always)
  func endChange(
    _ info: ObservationInfo, id: UInt64, isAlone: Bool, _ change: inout PathObservation.Change?
  ) -> Bool {
    guard let root = info.object else {
      endIfRootIsGone(info)
      return false
    }
    var before: [DerivedRead]?
    let isLast = state.withLock { state in
      if isAlone { state.openChanges += 1 }
      guard state.openChanges < 2 else {
        // Left to the others.
        state.openChanges -= 1
        return false
      }
      before = state.before.take()
      return true
    }
    guard isLast else { return false }
    var lock = node.vertex.lockOwnGraph()
    guard !lock.hasMutations || !node.postponeForMutation(info, lock) else {
      // The values before the change stay noted; those of a later one are freed outside of the
      // locks.
      state.withLock { state in
        state.openChanges -= 1
        swap(&state.before, &before)
      }
      lock.unlock()
      return false
    }
    if before != nil { result.before = before }
    let cell = ThreadCell.own
    if node.state & Node.State.dirty != 0 {
      // Settling would do this first.
      cell.beginRun(node, lock)
      run(root)
      lock = cell.endRun(node, isChanged: false).lock
    }
    // Where it stays out of date, the next change that leads here collects it.
    if !node.vertex.isClean { _ = cell.settle(node, of: root, &lock) }
    let (new, isBack) = takeResult()
    let hasMoved = node.state & Node.State.moved != 0
    let isMutating = isMutating(lock)
    if new != nil { node.state &= ~(Node.State.assigned | Node.State.moved) }
    // By another thread that opened a change while this one evaluated the path.
    let noted =
      new != nil && node.state & Node.State.shared != 0
      ? state.withLock { $0.before.take() } : nil
    // Under the lock of the graph: changes are queued in the order in which they are computed.
    // Both are freed outside of the locks; the second one is the handler to call, or what was kept.
    var (old, held): (ValueBox?, AnyObject?)
    let isNext = state.withLock { state in
      state.openChanges -= 1
      let isLast = state.openChanges < 1
      guard let new, !isBack else {
        if isLast, !isMutating { (old, state.hasPrior) = (state.old.take(), false) }
        // An equal value may hold other objects.
        if isOfDerived, let new, info.isActive { (held, state.kept) = (state.kept?.storage, new) }
        return false
      }
      old = state.old.take() ?? state.kept.take()
      if isOfDerived { held = state.kept?.storage }
      if keepsValue, info.isActive { state.kept = new }
      let owesPrior = info.traits.contains(.prior) && !state.hasPrior
      state.hasPrior = false
      // The next change begins where this one ended.
      if !isLast || isMutating, info.isActive { state.old = new }
      if isAlone, !owesPrior, !isOfDerived, state.queue.beginAlone() {
        state.queue.reach(id)
        held = info.handler
        return true
      }
      let change = PendingChange(id: id, old: old, new: new, cause: DeliveryProbe.cause(for: info))
      change.needsPrior = owesPrior
      // Once it has ended, nobody takes the change out.
      if info.isActive { state.queue.append(change) }
      return false
    }
    if !info.isActive { node.truncateDependencies(to: 0) }
    lock.unlock()
    withExtendedLifetime(noted) {}
    if hasMoved { DeliveryProbe.record(.rehook(info)) }
    guard let new else { return false }
    guard isNext else {
      if !isBack, info.traits.contains(.prior) { leaveOut(old, new, of: info, id: id) }
      return false
    }
    guard let held, !info.leavesOut(old, new) else { return true }
    change = PathObservation.Change(object: root, old: old, new: new, handler: held)
    return true
  }

  /// Takes a change that will not be delivered out of the queue, where the prior delivery of the
  /// next one would wait for it.
  private func leaveOut(_ old: ValueBox?, _ new: ValueBox, of info: ObservationInfo, id: UInt64) {
    let isLeftOut = DeliveryProbe.resume(DeliveryProbe.cause(for: info)) {
      leavesOut(old, new, of: info)
    }
    guard isLeftOut else { return }
    // Freed outside of the lock.
    let change = state.withLock { $0.queue.removeLast(numbered: id) }
    withExtendedLifetime(change) {}
  }

  /// Whether the path has to note its value for the end of a mutation in place, since it depends on
  /// the property from now on: by way of a derived value, which is clean. Under the lock of the
  /// graph.
  func isMutating(_ lock: GraphLock.Reference) -> Bool {
    lock.hasMutations && actsBeforeStore && node.mutatedSource != nil
  }

  /// Runs the getter, with no lock held, for the thread that computes the node.
  func run(_ root: AnyObject) {
    let value = read(root)
    // Nothing of what follows is read by the path.
    endRecording()
    result.value = value
    if let before = result.before { result.isBack = areBack(before) }
  }

  /// Takes what the getter has returned last. Under the lock of the graph, while no thread computes
  /// the node.
  func takeResult() -> (value: ValueBox?, isBack: Bool) {
    defer { (result.before, result.isBack) = (nil, false) }
    return (result.value.take(), result.isBack)
  }
}

// MARK: - Derived values before a change
extension PathObservation {
  /// Derived property that a path has read, and its value.
  struct DerivedRead {
    let vertex: Vertex.Reference
    let keyPath: AnyKeyPath?
    let value: DerivedTurn.Value?
  }

  /// Notes the values of derived properties before they change: they may be back at these when the
  /// path is evaluated, though they have been computed in between, as in a transaction.
  ///
  /// Not where another thread has computed one of them anew since the path read it, or evaluates
  /// the path: it is not known then which values the last change led to.
  func noteBefore() {
    let lock = node.vertex.lockOwnGraph()
    let isKnown = node.state & (Node.State.dirty | Node.State.computing) == 0
    let reads = isKnown ? derivedReadsLocked() : []
    if !reads.isEmpty { state.withLock { if $0.before == nil { $0.before = reads } } }
    lock.unlock()
    withExtendedLifetime(reads) {}
  }

  /// Whether nothing that the path reads has changed since. Called by the thread that computes it.
  private func areBack(_ before: [DerivedRead]) -> Bool {
    let lock = node.vertex.lockOwnGraph()
    let now = derivedReadsLocked(upTo: node.cursor)
    lock.unlock()
    return node.state & Node.State.assigned == 0 && before.count == now.count
      && zip(before, now).allSatisfy { before, now in
        guard before.vertex == now.vertex, let keyPath = now.keyPath, let old = before.value
        else { return false }
        return !(now.value?.differs(from: old, at: keyPath) ?? true)
      }
  }

  private func derivedReadsLocked(upTo count: Int? = nil) -> [DerivedRead] {
    (0..<(count ?? node.dependencies.count)).compactMap { index in
      // A gap is `nil`; the lock keeps the others alive.
      guard let vertex = node.dependencies.vertex(at: index), vertex.isNode else { return nil }
      return vertex.node.object._withUnsafeGuaranteedRef {
        // Safe: no path is read.
        let derived = unsafeDowncast($0, to: DerivedProperty.self)
        return DerivedRead(
          vertex: vertex, keyPath: derived.keyPath, value: derived.latestValueLocked)
      }
    }
  }
}
