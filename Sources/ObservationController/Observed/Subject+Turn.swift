/// The turn to deliver: one thread has it, and delivers what others add meanwhile.
extension Subject {
  /// Takes the right to deliver.
  ///
  /// - Returns: `false` if a delivery is under way.
  @inline(__always)
  func beginDelivery() -> Bool {
    beginDeliveryAtOnce() || beginDeliveryLocking()
  }

  /// The same where nothing is deferred.
  ///
  /// - Returns: `false` also if another thread edits the list just now.
  @inline(__always)
  func beginDeliveryAtOnce() -> Bool {
    // What is busy is not what is expected.
    let idle = phase.load(ordering: .relaxed) & ~Phase.busy
    return phase.compareExchange(
      expected: idle, desired: idle | Phase.delivering, ordering: .acquiring
    ).exchanged
  }

  /// The same where another thread edits the list just now, or a delivery is under way.
  @inline(never)
  private func beginDeliveryLocking() -> Bool {
    deferred.withLock { _ in
      phase.bitwiseOr(Phase.delivering, ordering: .acquiring).oldValue & Phase.delivering == 0
    }
  }

  /// Gives the right to deliver back, after everything that waited for it.
  @inline(__always)
  func endDelivery(of object: AnyObject) {
    let idle = phase.load(ordering: .relaxed) & ~Phase.busy
    let hasEnded = phase.compareExchange(
      expected: idle | Phase.delivering, desired: idle, ordering: .releasing
    ).exchanged
    if !hasEnded { endDeliveryLocking(of: object, isFirst: false) }
  }

  /// Replaces the list by the edited one, between the prior deliveries of a change and its store,
  /// when nobody is going through it.
  ///
  /// - Returns: The list before, to be freed outside of every lock.
  func takeOverEdits() -> InfoList {
    guard hasDeferred else { return .none }
    return deferred.withLock { deferred in
      guard let edited = deferred?.infos else { return .none }
      defer {
        infos = edited
        deferred?.infos = nil
      }
      return infos
    }
  }

  var hasDeferredChanges: Bool {
    hasDeferred && deferred.withLock { !($0?.changes.isEmpty ?? true) }
  }

  /// Whether anything has to wait. What this thread has done shows; for what others do just now, it
  /// is as if they did it later.
  private var hasDeferred: Bool {
    phase.load(ordering: .relaxed) & Phase.hasDeferred != 0
  }

  /// The list that the next change is delivered to.
  var latestInfos: InfoList {
    deferred.withLock { $0?.infos ?? infos }
  }

  /// The same, without a lock as a rule if the caller has the turn: nobody else edits `infos` then.
  func latestInfos(hasTurn: Bool) -> InfoList {
    hasTurn && !hasDeferred ? infos : latestInfos
  }

  /// Queues changes.
  ///
  /// - Parameter toLatestInfos: Whether they are delivered to all who are registered now, in place
  ///   of their own lists.
  /// - Returns: Whether this has begun a delivery, for which `deliverQueued` has to be called.
  func enqueue(_ changes: [DeferredChange], toLatestInfos: Bool = false) -> Bool {
    deferred.withLock { deferred in
      let waiting = deferred ?? Deferred()
      deferred = waiting
      for var change in changes {
        if toLatestInfos { change.infos = waiting.infos ?? infos }
        waiting.insert(change)
      }
      // The delivery that these waited for may have ended on another thread meanwhile.
      return phase.bitwiseOr(
        Phase.delivering | Phase.hasDeferred, ordering: .acquiringAndReleasing
      ).oldValue & Phase.delivering == 0
    }
  }

  /// Delivers the queued changes, and ends the delivery, which the caller has begun.
  func deliverQueued(of object: AnyObject) {
    AccessTracker.withoutTracking { endDeliveryLocking(of: object, isFirst: true) }
  }

  /// Delivers the deferred changes in their order, then takes over the edited list.
  ///
  /// - Parameter isFirst: Whether this turn has delivered nothing before.
  @inline(never)
  private func endDeliveryLocking(of object: AnyObject, isFirst: Bool) {
    var isFirst = isFirst
    while let change = nextDeferredChange(isFirst: isFirst) {
      isFirst = false
      Tracer.resume(change.cause) { deliver(change, of: object) }
    }
  }

  private func deliver(_ change: DeferredChange, of object: AnyObject) {
    let (old, new) = (change.old?.address, change.new.address)
    withExtendedLifetime(change) {
      if let old {
        // To all, or to those for whom the change first seemed to be none: then a handler that was told
        // has made one that came before this one.
        ObservationDispatcher.deliverPrior(
          ObservationDelivery(old: old, new: old, kind: .prior), next: new, of: object,
          to: change.needsPrior ? change.infos : change.paths)
      }
      ObservationDispatcher.deliver(
        ObservationDelivery(old: old, new: new, kind: .change), of: object, to: change.infos,
        changeID: change.id)
      ObservationDispatcher.deliverPaths(change.paths, through: change.id)
    }
  }

  /// The next change to deliver. If there is none, ends the delivery.
  private func nextDeferredChange(isFirst: Bool) -> DeferredChange? {
    var replaced: InfoList?
    var finished: Deferred?
    var dropped: [DeferredChange] = []
    let change: DeferredChange? = deferred.withLock { deferred in
      if let change = deferred?.next(isFirst: isFirst, dropped: &dropped) {
        return change
      }
      finished = deferred
      deferred = finished?.held.map { Deferred(held: $0) }
      if let edited = finished?.infos {
        replaced = infos
        infos = edited
      }
      let needs = infos.needs(upTo: Phase.needs)
      phase.store(deferred == nil ? needs : needs | Phase.hasDeferred, ordering: .releasing)
      return nil
    }
    // Freed here, outside the lock: the list that was delivered to, ended infos and their
    // handlers, dropped values; each may run a deinit of the user's.
    withExtendedLifetime(replaced) {}
    for info in finished?.ended ?? [] { info.handler = nil }
    reportCycles(of: dropped)
    return change
  }

  private func reportCycles(of dropped: [DeferredChange]) {
    for change in dropped {
      change.paths.visit { $0.path?.discard(through: change.id) }
      change.infos.visit { $0.follower?.discard() }
    }
    for change in dropped {
      guard let chain = change.chain, !chain.isReported else { continue }
      chain.isReported = true
      ObservationDispatcher.reportCycle(among: change.infos)
    }
  }
}
