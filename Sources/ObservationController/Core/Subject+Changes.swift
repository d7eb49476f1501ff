import Synchronization

/// The slow path of a change, which asks what its thread is in the middle of:
///
///     record → store → evaluate → deliver, or queue
///
/// Nothing here is generic: the setter passes the addresses of its values. For the fast path see
/// `Subject+FastPath.swift`.
extension Subject {
  /// What the slow path carries from before a store to after it.
  @usableFromInline
  struct Transition {
    let id: UInt64

    /// Whether this change holds `Phase.delivering`; otherwise it is made inside a delivery.
    @usableFromInline let isDelivering: Bool

    /// Whether a transaction holds this change back.
    @usableFromInline var isHeld = false

    /// Whether a change that is held back has its prior delivery at the end of the transaction.
    @usableFromInline var owesPrior = false

    /// Whether nobody had to act before: a derived value has read the property, and that is all.
    var isPlain = false

    /// Whether the value to come is known to be equal, so that no derived value changes.
    @usableFromInline var isEqual = false

    /// The nested and computed paths that read this property, their old values noted. Among them the
    /// observations that were not notified before, since nothing seemed to change for them: a list of
    /// its own costs a path 45 instructions for each change.
    var paths = InfoList.none
  }

  /// Delivers what comes before a store, and has paths note their old values.
  ///
  /// Needed only where `needsWillChange`, or `needsWillEdit` before a mutation in place.
  ///
  /// - Parameters:
  ///   - current: The value that is still there.
  ///   - next: The value to come; `nil` if that is not known before the mutation.
  @usableFromInline
  func willChange(
    of object: AnyObject, current: UnsafeRawPointer, next: UnsafeRawPointer?
  ) -> Transition {
    guard isOwned(by: object) else { return Transition(id: 0, isDelivering: false) }
    guard next == nil ? needsWillEdit : needsWillChange else {
      return Transition(id: 0, isDelivering: false, isPlain: true)
    }
    if let transaction = ObservationTransaction.current { return transaction.willChange(self) }
    return willChange(of: object, current: current, next: next, isDelivering: beginDelivery())
  }

  /// The same outside of transactions.
  ///
  /// - Parameter isDelivering: Whether the caller has begun a delivery, before it read the value.
  func willChange(
    of object: AnyObject, current: UnsafeRawPointer, next: UnsafeRawPointer?, isDelivering: Bool
  ) -> Transition {
    var paths = InfoList.none
    AccessTracker.withoutTracking {
      if isDelivering {
        // A change made inside a delivery has its prior deliveries later, in its turn. Before those
        // of paths, so that a path notes what these handlers may have set.
        paths = ObservationDispatcher.deliverPrior(
          ObservationDelivery(old: current, new: current, kind: .prior), next: next, of: object,
          to: infos)
      }
      notePaths(hasTurn: isDelivering) { paths.insertIfNew($0) }
      if isDelivering { withExtendedLifetime(takeOverEdits()) {} }
    }
    // Numbered last: what the handlers and getters above have set was stored before this change.
    return Transition(id: Self.nextChangeID(), isDelivering: isDelivering, paths: paths)
  }

  /// Has paths note their old values, and deliver them where they ask for that.
  ///
  /// - Parameters:
  ///   - hasTurn: Whether the caller has begun a delivery.
  ///   - isNew: Whether a path has not done so; asked once for each, which does then.
  @inline(__always)
  func notePaths(hasTurn: Bool, isNew: (ObservationInfo) -> Bool) {
    AccessTracker.withoutTracking {
      var infos = latestInfos(hasTurn: hasTurn)
      for _ in 0..<ObservationDispatcher.maximumRounds {
        var recipient = ObservationRecipient()
        infos.visit { info in
          guard let path = info.pathSink, path.actsBeforeStore, isNew(info) else { return }
          path.willChange(info, to: &recipient)
        }
        // Again while there are new ones: prior handlers may observe, and what is observed before the
        // store is notified of it.
        let latest = latestInfos(hasTurn: hasTurn)
        if latest.isIdentical(to: infos) { break }
        infos = latest
      }
    }
  }
}

extension Subject {
  /// Whether the value before a change is needed: by an info, or for a prior delivery that waits for its turn.
  func needsOld(after transition: Transition?) -> Bool {
    var needsOld = needsOld
    if let transition, !transition.isPlain {
      let owesPrior =
        transition.isHeld && !isAtomic
        ? transition.owesPrior : !transition.isDelivering || isAtomic && hasDeferredChanges
      needsOld = needsOld || owesPrior
    }
    return needsOld && ObservationTransaction.current.map { !isHeldUnchanged(in: $0) } ?? true
  }
}

// MARK: - Evaluate and deliver

extension Subject {
  /// What follows a store on the slow path.
  ///
  /// - Parameter transition: That of `willChange`; `nil` if nobody had to act before.
  @usableFromInline @inline(never)
  func finishChange(
    of object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer,
    after transition: Transition?, with copier: ValueCopier
  ) {
    guard isOwned(by: object) else { return }
    stamp.wrappingAdd(1, ordering: .relaxed)
    var derived = DerivedDelivery.none
    if isRead, !(transition?.isEqual ?? false) { derived = markAndCollect() }
    var transition = transition.flatMap { $0.isPlain ? nil : $0 }
    if transition == nil, isFollowed {
      if derived.derived.isEmpty, deliverToOnlyPath(of: object) { return }
      transition = openChange()
    }
    let isNotified = !derived.derived.isEmpty
    if transition == nil, !isObserved, !isNotified { return }
    if let transaction = ObservationTransaction.current,
      hold(of: object, in: transaction, old: old, new: new, with: copier)
    {
      _ = DeliveryProbe.set(self, of: object, isNotified: isNotified, waits: true)
      return transaction.hold(derived, of: self)
    }
    deliver(of: object, old: old, new: new, after: transition, with: derived, copier)
  }

  /// Opens a change of the paths that follow the property, where nobody had to act before the store.
  private func openChange() -> Transition {
    if let transaction = ObservationTransaction.current { return transaction.willChange(self) }
    let isDelivering = beginDelivery()
    var paths = InfoList.none
    notePaths(hasTurn: isDelivering) { paths.insertIfNew($0) }
    return Transition(id: Self.nextChangeID(), isDelivering: isDelivering, paths: paths)
  }

  /// Evaluates the paths that have noted a change, and delivers it, or queues it for its turn.
  ///
  /// - Parameter cause: Number under which a probe has recorded the change; `nil` if it is still to be
  ///   recorded.
  func deliver(
    of object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer,
    after transition: Transition?, with derived: DerivedDelivery = .none,
    _ copier: ValueCopier, cause: UInt64? = nil
  ) {
    // What a handler reads is not read by the path that may be being evaluated further up.
    AccessTracker.withoutTracking {
      var derived = derived
      if !derived.derived.isEmpty { derived.id = transition?.id ?? Self.nextChangeID() }
      if transition == nil, !isObserved, !derived.derived.isEmpty {
        let cause = cause ?? DeliveryProbe.set(self, of: object, isNotified: true)
        return DeliveryProbe.within(cause) {
          derived.evaluatePaths()
          derived.deliver()
        }
      }
      let hasTurn = transition?.isDelivering ?? beginDelivery()
      // Asked before the paths are evaluated: a getter may set the property, which comes later.
      let isNext = hasTurn && !hasDeferredChanges
      let cause =
        cause
        ?? DeliveryProbe.set(
          self, of: object, isNotified: !derived.derived.isEmpty, waits: !isNext)
      DeliveryProbe.within(cause) {
        if let transition {
          transition.paths.visit { $0.pathSink?.didChange($0, id: transition.id) }
        }
        derived.evaluatePaths()
        guard isNext else { return }
        deliver(
          ObservationDelivery(old: old, new: new, kind: .change), of: object, after: transition,
          with: derived)
        endDelivery(of: object)
      }
      guard !isNext else { return }
      let change = PendingChange(
        id: transition?.id ?? 0, old: old.map(copier.box), new: copier.box(new), cause: cause)
      change.needsPrior = !(transition?.isDelivering ?? false)
      change.paths = transition?.paths ?? .none
      change.derived = derived
      if enqueue(change, toLatestInfos: true) || hasTurn { deliverQueued(of: object) }
    }
  }

  /// Delivers a change to all infos. The caller has the turn.
  private func deliver(
    _ delivery: ObservationDelivery, of object: AnyObject, after transition: Transition?,
    with derived: DerivedDelivery
  ) {
    let id = transition?.id ?? 0
    derived.deliver(with: delivery, of: object, toEach: infos, through: id)
    guard let transition else { return }
    // Also to those that a prior handler has hooked to something else: the list lacks them.
    ObservationDispatcher.deliverPaths(transition.paths, through: id, after: infos)
  }

  /// Delivers a change to a path that is alone with it, where nothing else is going on.
  ///
  /// - Returns: `false` if there are others, or something is.
  private func deliverToOnlyPath(of object: AnyObject) -> Bool {
    guard ThreadActivity.isNone || isThreadIdle, beginDeliveryAtOnce() else { return false }
    defer { endDelivery(of: object) }
    // Not retained: the list is not edited meanwhile.
    return infos.single?._withUnsafeGuaranteedRef { info in
      var recipient = ObservationRecipient()
      return info.pathSink?.didChangeAlone(info, id: Self.nextChangeID(), to: &recipient) ?? false
    } ?? false
  }
}

extension Subject {
  static func nextChangeID() -> UInt64 {
    lastChangeID.wrappingAdd(1, ordering: .relaxed).newValue
  }
}

/// Numbers the changes that paths and arrays take part in.
private let lastChangeID = Atomic<UInt64>(0)
