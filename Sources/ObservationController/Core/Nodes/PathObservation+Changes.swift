/// A change of what a path reads: a prior delivery before the store, evaluation after it.
extension PathObservation {
  /// Delivers the value that is still there before the first store that may change it, for a change
  /// that holds the path.
  ///
  /// The prior delivery waits for its turn while earlier changes of the path do, and for the end of
  /// a transaction.
  func willChange(_ info: ObservationInfo, to recipient: inout ObservationRecipient) {
    guard let object = info.object else { return }
    let current = state.withLock { state -> ValueBox? in
      // Not where others hold it back too.
      guard state.holds == 1, !state.hasPrior, let kept = state.kept, state.queue.beginAlone()
      else { return nil }
      state.hasPrior = true
      return kept
    }
    guard let current else { return }
    deliver(info, object, old: current, new: current, kind: .prior, to: &recipient)
    deliverReached(info, to: &recipient)
  }

  /// A change that is delivered at once.
  struct Change {
    let object: AnyObject
    let old: ValueBox?
    let new: ValueBox

    /// Kept alive while it runs, should another thread end the info.
    let handler: AnyObject
  }

  /// - Parameters:
  ///   - isAlone: Whether the caller can deliver the change; if not, it is queued.
  ///   - change: Receives the change to deliver.
  /// - Returns: Whether it is the change's turn to be delivered.
  @inline(__always)
  func evaluate(
    _ info: ObservationInfo, id: UInt64, isAlone: Bool, _ change: inout PathObservation.Change?
  ) -> Bool {
    guard let root = info.object else {
      endIfRootIsGone(info)
      return false
    }
    var lock = node.vertex.lockOwnGraph()
    // Left to the end of a mutation in place, to the transaction that holds it, or to whoever
    // evaluates it, also a frame below: that looks again before it ends.
    var before: [DerivedRead]?
    guard !lock.hasMutations || !node.postponeForMutation(info, lock),
      state.withLock({ state in
        guard state.holds == 0 else { return false }
        state.holds = 1
        before = state.before.take()
        return true
      })
    else {
      lock.unlock()
      return false
    }
    result.before = before
    let cell = ThreadCell.own
    if node.state & Node.State.dirty != 0 {
      // Settling would do this first.
      cell.beginRun(node, lock)
      run(root)
      lock = cell.endRun(node, isChanged: false).lock
    }
    // Where it stays out of date, the next change that leads here collects it.
    if !node.vertex.isClean { _ = cell.settle(node, of: root, &lock) }
    let result = takeResult()
    let new = result.value
    let hasMoved = node.state & Node.State.rewired != 0
    if new != nil { node.state &= ~(Node.State.assigned | Node.State.rewired) }
    // Under the lock of the graph: changes are queued in the order in which they are computed.
    // Freed outside of the locks: what was kept, the value before, and the handler to call.
    var (kept, old, handler): (ValueBox?, ValueBox?, AnyObject?)
    let isNext = state.withLock { state in
      state.holds -= 1
      let owesPrior = info.traits.contains(.prior) && !state.hasPrior
      state.hasPrior = false
      guard let new else { return false }
      if keepsValue {
        kept = state.kept.take()
        old = kept.flatMap(value(of:))
        if info.isActive { state.kept = self.kept(of: new) }
      }
      if result.isBack { return false }
      if isAlone, !owesPrior, !isOfDerived, state.queue.beginAlone() {
        state.queue.reach(id)
        handler = info.handler
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
    withExtendedLifetime((kept, result.before)) {}
    if hasMoved { DeliveryProbe.record(.rehook(info)) }
    guard let new, !result.isBack else { return false }
    guard isNext else {
      if info.traits.contains(.prior) { leaveOut(old, new, of: info, id: id) }
      return false
    }
    guard let handler, !info.leavesOut(old, new) else { return true }
    change = PathObservation.Change(object: root, old: old, new: new, handler: handler)
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
  func takeResult() -> Evaluation { exchange(&result, with: Evaluation()) }
}

// MARK: - Derived values before a transaction

extension PathObservation {
  /// Derived property that a path has read, and its value.
  struct DerivedRead {
    let vertex: Vertex.Reference
    let keyPath: AnyKeyPath?
    let value: DerivedTurn.Value?
  }

  /// Notes the values of derived properties before a transaction settles them: they may be back at
  /// these at its end, though they have been computed in between.
  ///
  /// Not where another thread has computed one of them anew since the path read it, or evaluates
  /// the path: it is not known then which values the last change led to.
  func noteDerivedReads() {
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
        return now.value?.isSame(as: old, at: keyPath) ?? false
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
