/// The turn to deliver. One thread has it, and delivers changes that others queue meanwhile.
extension Subject {
  /// Takes the turn to deliver.
  ///
  /// - Returns: `false` if a delivery is under way.
  @inline(never)
  func beginDelivery() -> Bool {
    // Under the lock: another thread may be editing the list.
    withLock {
      phase.bitwiseOr(Phase.delivering, ordering: .acquiring).oldValue
        & Phase.delivering == 0
    }
  }

  /// Replaces the list by the edited one, between the prior deliveries of a change and its store.
  /// The caller has the turn.
  ///
  /// - Returns: The replaced list, to be released outside of every lock.
  func takeOverEdits() -> InfoList { ifDeferred(takeOverEditsLocked) ?? .none }

  private func takeOverEditsLocked(_ waiting: Deferred) -> InfoList? {
    waiting.infos.take().map { exchange(&infos, with: $0) }
  }

  var hasDeferredChanges: Bool {
    ifDeferred { !$0.queue.isEmpty } ?? false
  }

  /// List that the next change is delivered to.
  var latestInfos: InfoList {
    withLock { deferred?.infos ?? infos }
  }

  /// Queues a change behind all others.
  ///
  /// - Parameter toLatestInfos: Whether it is delivered to all infos that are registered now,
  ///   instead of to its own list.
  /// - Returns: Whether this has begun a delivery, for which `deliverQueued` has to be called.
  func enqueue(_ change: SubjectChange, toLatestInfos: Bool = false) -> Bool {
    withLock {
      let waiting = makeDeferredLocked()
      if toLatestInfos { change.infos = waiting.infos ?? infos }
      waiting.queue.append(change)
      // The delivery that this waited for may have ended on another thread meanwhile.
      return phase.bitwiseOr(
        Phase.delivering | Phase.hasDeferred, ordering: .acquiringAndReleasing
      ).oldValue & Phase.delivering == 0
    }
  }

  /// Delivers the queued changes, and ends the delivery, which the caller has begun; no reads are
  /// recorded.
  func deliverQueued(of object: AnyObject) {
    ifDeferred { $0.queue.begin() }
    deliverPending(of: object)
  }

  /// Delivers the pending changes in their order, then takes over the edited list, and ends the
  /// delivery.
  func deliverPending(of object: AnyObject) {
    while let change = nextPendingChange() { deliver(change, of: object) }
  }

  /// Delivers a change with its prior delivery. The caller has the turn.
  func deliver(_ change: SubjectChange, of object: AnyObject) {
    // Before the paths: either they have been evaluated, or the thread that does so finds this.
    change.isDelivered.store(true, ordering: .relaxed)
    DeliveryProbe.resume(change.cause) {
      guard let new = change.new else {
        // A derived property is delivered as it is at its turn.
        derived?.deliver(toEach: latestInfos)
        return
      }
      ObservationDelivery.withValues(change.old, new) { delivery in
        if needsWillChange, let old = delivery.old {
          // To all infos, or to those for which the value first seemed equal: then a prior handler
          // has stored another value before this one.
          ObservationDispatcher.deliverPrior(
            old, next: delivery.new, of: object,
            to: change.needsPrior ? change.infos : change.leftOut)
        }
        change.dependents.deliver(
          delivery, of: object, toEach: change.infos, through: change.id)
      }
      // Before the next change is delivered: a transaction holds this one until its end.
      (change.old, change.new) = (nil, nil)
    }
  }

  /// The next change to deliver. If there is none, ends the delivery.
  private func nextPendingChange() -> SubjectChange? {
    var replaced = InfoList.none
    var ended: [ObservationInfo] = []
    var dropped: [SubjectChange] = []
    let change = withLock { () -> SubjectChange? in
      let waiting = makeDeferredLocked()
      if let change = waiting.queue.next(dropped: &dropped) { return change }
      swap(&ended, &waiting.ended)
      replaced = takeOverEditsLocked(waiting) ?? .none
      let needs =
        infos.needs(upTo: Phase.needs) | phase.load(ordering: .relaxed)
        & (Phase.isRead | Phase.isPrepared)
      phase.store(
        waiting.held == nil ? needs : needs | Phase.hasDeferred, ordering: .releasing)
      return nil
    }
    // Before anything of the user's runs: the turn may have been given back, and nothing else holds
    // the subject.
    let turn = dropped.isEmpty ? nil : derived
    // Released outside of the lock: the list that was delivered to, ended infos with their
    // handlers, and dropped values; each may run a deinit of the user's.
    withExtendedLifetime(replaced) {}
    for info in ended { info.handler = nil }
    Self.reportCycles(of: dropped, turn)
    return change
  }

  /// - Parameter turn: That of the property, if it is a derived one and changes were dropped.
  private static func reportCycles(of dropped: [SubjectChange], _ turn: DerivedTurn?) {
    turn?.passOver()
    for change in dropped {
      // Otherwise they would stay marked, and be collected no more.
      for subject in change.dependents.derived { subject.derived?.passOver() }
      change.dependents.paths.visit { $0.path?.discard(through: change.id) }
      change.infos.visit { $0.sink?.discard(through: change.id) }
    }
    for change in dropped where change.noteReport() {
      var infos = change.infos
      change.dependents.paths.visit { infos.insert($0) }
      // The handler that sets the property cannot be distinguished from the others; the first is
      // named.
      if let info = infos.first(where: \.isActive) { ObservationDispatcher.reportCycle(of: info) }
    }
  }
}
