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
    var recipient: Void = ()
    Pending(subject: .passUnretained(self), object: object).drain(&recipient)
  }

  /// The pending changes of an object's property. Held by the turn alone, so that the subject may
  /// be gone once that is given back.
  private struct Pending: QueueOwner {
    let subject: Unmanaged<Subject>
    let object: AnyObject

    func takeNext(in _: inout Void, cutOff: inout [SubjectChange]) -> SubjectChange? {
      subject._withUnsafeGuaranteedRef { $0.takePendingChange(&cutOff) }
    }

    func deliver(_ change: SubjectChange, in _: inout Void) {
      subject._withUnsafeGuaranteedRef { $0.deliver(change, of: object) }
    }

    func deliverLast(of cutOff: [SubjectChange], in _: inout Void) {
      subject._withUnsafeGuaranteedRef { $0.deliverLast(of: cutOff, of: object) }
    }

    func report(_ cutOff: [SubjectChange], in _: inout Void) {
      for change in cutOff where change.noteReport() {
        var infos = change.infos
        change.dependents.paths.visit { infos.insert($0) }
        // The first is named, whichever handler sets the property.
        if let info = infos.first(where: \.isActive) {
          ObservationDispatcher.reportCycle(of: info)
        }
      }
    }
  }

  /// Delivers a change with its prior delivery. The caller has the turn.
  func deliver(_ change: SubjectChange, of object: AnyObject) {
    // Before the paths: either they have been evaluated, or the thread that does so finds this.
    change.isDelivered.store(true, ordering: .relaxed)
    DeliveryProbe.resume(change.cause) {
      guard let new = change.new else {
        // A derived property is delivered as it is at its turn.
        derived?.deliver(toEach: latestInfos, watch: CycleWatch(change, of: self))
        return
      }
      ObservationDelivery.withValues(change.old, new) { delivery in
        if let watch = CycleWatch(change, of: self) {
          return deliver(delivery, change, of: object, toEach: change.infos, watch: watch)
        }
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

  /// Takes the next change. If there is none, takes over the edited list, and gives the turn back.
  private func takePendingChange(_ cutOff: inout [SubjectChange]) -> SubjectChange? {
    var replaced = InfoList.none
    var ended: [ObservationInfo] = []
    let change = withLock { () -> SubjectChange? in
      let waiting = makeDeferredLocked()
      if let change = waiting.queue.next(cutOff: &cutOff) { return change }
      guard cutOff.isEmpty else { return nil }
      swap(&ended, &waiting.ended)
      replaced = takeOverEditsLocked(waiting) ?? .none
      let needs =
        infos.needs(upTo: Phase.needs) | phase.load(ordering: .relaxed)
        & (Phase.isRead | Phase.isPrepared)
      phase.store(
        waiting.held == nil ? needs : needs | Phase.hasDeferred, ordering: .releasing)
      return nil
    }
    // Released outside of the lock: the list that was delivered to, ended infos with their
    // handlers; each may run a deinit of the user's.
    withExtendedLifetime(replaced) {}
    for info in ended { info.handler = nil }
    return change
  }
}
