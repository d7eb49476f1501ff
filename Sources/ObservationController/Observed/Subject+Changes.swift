import Synchronization

/// The way of a change: `willChange`, the store in `Observed`, `didChange`, then the dispatcher.
///
/// `Observed` calls these with the addresses of its typed values; nothing here is generic.
extension Subject {
  /// What has to be carried from before a store to after it.
  @usableFromInline
  struct Transition {
    let id: UInt64

    /// Whether this change holds `Phase.delivering`; otherwise it is made inside a delivery.
    @usableFromInline let isDelivering: Bool

    /// The nested and computed paths that read this property, their old values noted.
    var paths = InfoList.none
  }

  /// Delivers what comes before a store, and has paths note their old values.
  ///
  /// Needed only where `needsWillChange`.
  ///
  /// - Parameters:
  ///   - current: The value that is still there.
  ///   - next: The value to come; `nil` if that is not known before the mutation.
  @usableFromInline
  func willChange(
    of object: AnyObject, current: UnsafeRawPointer, next: UnsafeRawPointer?
  ) -> Transition {
    guard isOwned(by: object) else { return Transition(id: 0, isDelivering: false) }
    let isDelivering = beginDelivery()
    var paths = InfoList.none
    AccessTracker.withoutTracking {
      if isDelivering {
        // A change made inside a delivery has its prior deliveries later, in its turn. Before those
        // of paths, so that a path notes what these handlers may have set.
        ObservationDispatcher.deliverPrior(
          ObservationDelivery(old: current, new: current, kind: .prior), next: next, of: object,
          to: infos)
      }
      notePaths(in: &paths)
      if isDelivering { takeOverEdits() }
    }
    // Numbered last: what the handlers and getters above have set was stored before this change.
    return Transition(
      id: Self.nextChangeID(), isDelivering: isDelivering, paths: paths)
  }

  /// Has paths note their old values, and deliver them where they ask for that.
  ///
  /// - Parameter paths: Those that have done so.
  func notePaths(in paths: inout InfoList) {
    AccessTracker.withoutTracking {
      // Again while there are new ones: prior handlers may observe, and what is observed before the
      // store is told of it.
      var rounds = 0
      while rounds < ObservationDispatcher.maximumRounds,
        ObservationDispatcher.pathsWillChange(latestInfos, noted: &paths)
      {
        rounds += 1
      }
    }
  }

  /// Delivers a change that has been stored and that nobody had to act on before.
  ///
  /// - Parameter old: `nil` if it was not needed.
  /// - Returns: Whether the change has been delivered. If not, it has to wait for its turn: the
  ///   caller, who knows the type, hands boxed values to `deferChange`.
  /// - Complexity: O(n) in the infos of the property, without allocation, lock or reference
  ///   counting of its own: one compare-and-swap before and one after.
  @usableFromInline
  func didChange(of object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer) -> Bool {
    guard isOwned(by: object) else { return true }
    guard beginDelivery() else { return false }
    let delivery = ObservationDelivery(old: old, new: new, kind: .change)
    if AccessTracking.isActive {
      // What a handler reads is not read by the path that may be being evaluated further up.
      AccessTracker.withoutTracking {
        ObservationDispatcher.deliver(delivery, of: object, to: infos, changeID: 0)
      }
    } else if let info = infos.single {
      // Not retained, 40 instructions less: the list holds it, and is not edited meanwhile.
      info._withUnsafeGuaranteedRef {
        ObservationDispatcher.deliver(delivery, of: object, toOnly: $0)
      }
    } else {
      ObservationDispatcher.deliver(delivery, of: object, to: infos, changeID: 0)
    }
    endDelivery(of: object)
    return true
  }

  /// The same for a change that began with `willChange`.
  @usableFromInline @inline(never)
  func didChange(
    of object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer,
    after transition: Transition
  ) -> Bool {
    guard isOwned(by: object) else { return true }
    return AccessTracker.withoutTracking {
      // Asked before the paths are evaluated: a getter may set the property, which comes later.
      let isNext = transition.isDelivering && !hasDeferredChanges
      transition.paths.visit { $0.path?.didChange($0, id: transition.id) }
      guard isNext else { return false }
      ObservationDispatcher.deliver(
        ObservationDelivery(old: old, new: new, kind: .change), of: object, to: infos,
        changeID: transition.id)
      // Once more for those that a prior handler has hooked to something else: the list lacks them.
      ObservationDispatcher.deliverPaths(transition.paths, through: transition.id)
      endDelivery(of: object)
      return true
    }
  }

  /// Queues a change behind the one being delivered, and delivers it if nobody else will.
  @usableFromInline
  func deferChange(of object: AnyObject, old: ValueBox?, new: ValueBox, transition: Transition?) {
    let isDelivering = deferred.withLock { deferred in
      let waiting = deferred ?? Deferred()
      waiting.insert(
        DeferredChange(
          id: transition?.id ?? 0, old: old, new: new,
          needsPrior: !(transition?.isDelivering ?? false), infos: waiting.infos ?? infos,
          paths: transition?.paths ?? .none))
      deferred = waiting
      // The delivery that this change waited for may have ended on another thread meanwhile.
      let before = phase.bitwiseOr(
        Phase.delivering | Phase.hasDeferred, ordering: .acquiringAndReleasing
      ).oldValue
      return before & Phase.delivering == 0 || transition?.isDelivering ?? false
    }
    if isDelivering { endDeliveryLocking(of: object, rounds: 0) }
  }
}

extension Subject {
  static func nextChangeID() -> UInt64 {
    lastChangeID.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Whether the observations here are of `object`.
  ///
  /// They are not where the storage of another object was copied (`_name = other._name`): it
  /// brings a subject along whose infos this object has nothing to do with.
  @usableFromInline
  func isOwned(by object: AnyObject) -> Bool {
    owner == ObjectIdentifier(object)
  }
}

/// Numbers the changes that paths and arrays take part in.
private let lastChangeID = Atomic<UInt64>(0)

// MARK: - The turn to deliver

extension Subject {
  /// Takes the right to deliver.
  ///
  /// - Returns: `false` if a delivery is under way.
  @inline(__always)
  private func beginDelivery() -> Bool {
    let current = phase.load(ordering: .relaxed)
    if current & Phase.busy == 0,
      phase.compareExchange(
        expected: current, desired: current | Phase.delivering, ordering: .acquiring
      ).exchanged
    {
      return true
    }
    return beginDeliveryLocking()
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
  private func endDelivery(of object: AnyObject) {
    let current = phase.load(ordering: .relaxed)
    if current & (Phase.locked | Phase.hasDeferred) == 0,
      phase.compareExchange(
        expected: current, desired: current & ~Phase.delivering, ordering: .releasing
      ).exchanged
    {
      return
    }
    endDeliveryLocking(of: object, rounds: 1)
  }

  /// Replaces the list by the edited one, between the prior deliveries of a change and its store,
  /// when nobody is going through it.
  private func takeOverEdits() {
    var replaced: InfoList?
    deferred.withLock { deferred in
      guard let edited = deferred?.infos else { return }
      replaced = infos
      infos = edited
      deferred?.infos = nil
    }
    withExtendedLifetime(replaced) {}  // freed outside of the lock
  }

  private var hasDeferredChanges: Bool {
    deferred.withLock { !($0?.changes.isEmpty ?? true) }
  }

  /// The list that the next change is delivered to.
  var latestInfos: InfoList {
    deferred.withLock { $0?.infos ?? infos }
  }

  /// Delivers the deferred changes in their order, then takes over the edited list.
  ///
  /// - Parameter rounds: How many changes this turn has delivered before.
  @inline(never)
  private func endDeliveryLocking(of object: AnyObject, rounds: Int) {
    var rounds = rounds
    while let change = nextDeferredChange(orEndIf: rounds == ObservationDispatcher.maximumRounds) {
      rounds += 1
      let (old, new) = (change.old?.address, change.new.address)
      withExtendedLifetime(change) {
        if change.needsPrior, let old {
          ObservationDispatcher.deliverPrior(
            ObservationDelivery(old: old, new: old, kind: .prior), next: new, of: object,
            to: change.infos)
        }
        ObservationDispatcher.deliver(
          ObservationDelivery(old: old, new: new, kind: .change), of: object, to: change.infos,
          changeID: change.id)
        ObservationDispatcher.deliverPaths(change.paths, through: change.id)
      }
    }
  }

  /// The next change to deliver. If there is none, or `isCycle`, ends the delivery.
  private func nextDeferredChange(orEndIf isCycle: Bool) -> DeferredChange? {
    var replaced: InfoList?
    var finished: Deferred?
    let change: DeferredChange? = deferred.withLock { deferred in
      if !isCycle, let change = deferred?.removeFirst() { return change }
      finished = deferred
      deferred = nil
      if let edited = finished?.infos {
        replaced = infos
        infos = edited
      }
      phase.store(infos.needs(upTo: Phase.needs), ordering: .releasing)
      return nil
    }
    // Freed here, outside the lock: the list that was delivered to, ended infos and their
    // handlers, dropped values; each may run a deinit of the user's.
    withExtendedLifetime(replaced) {}
    for info in finished?.ended ?? [] { info.handler = nil }
    for dropped in finished?.changes ?? [] {
      dropped.paths.visit { $0.path?.discard(through: dropped.id) }
      dropped.infos.visit { $0.follower?.discard() }
    }
    if let dropped = finished?.changes.first {
      ObservationDispatcher.reportCycle(among: dropped.infos)
    }
    return change
  }
}
