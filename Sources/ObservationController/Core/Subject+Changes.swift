import Synchronization

/// The stages of a change that does not take the fast path:
///
///     record (`willChange`) → store → evaluate → deliver, or queue (`finishChange`)
///
/// Nothing here is generic: the setter passes the addresses of its values. For the fast path see
/// `Subject+FastPath.swift`, for atomic properties `Subject+Atomic.swift`.
extension Subject {
  /// State of a change from before its store to after it.
  @usableFromInline
  struct Transition {
    let id: UInt64

    /// Whether the change has the turn to deliver; otherwise it is made inside another delivery.
    let isDelivering: Bool

    /// Whether a transaction holds this change back.
    var isHeld = false

    /// Whether a change that is held back has its prior delivery at the end of the transaction.
    var owesPrior = false

    /// Whether no info had to act before: only a derived value has read the property.
    var isPlain = false

    /// Whether the value to come is known to be equal, so that no derived value changes.
    @usableFromInline var isEqual = false

    /// Nested and computed paths that read this property and have noted their old values; also
    /// infos without a prior delivery, for which the value seemed equal.
    var paths = InfoList.none
  }

  /// Makes prior deliveries, and has paths note their old values.
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
    return openChange(of: object, current: current, next: next)
  }

  /// Opens a change: makes prior deliveries, and has paths note their old values.
  ///
  /// - Parameters:
  ///   - current: The value that is still there; `nil` after the store, where no info had to act
  ///     before.
  ///   - isDelivering: Whether the caller has begun a delivery, before it read the value; `nil` if
  ///     it has not tried.
  func openChange(
    of object: AnyObject, current: UnsafeRawPointer? = nil, next: UnsafeRawPointer? = nil,
    isDelivering: Bool? = nil
  ) -> Transition {
    if isDelivering == nil, let transaction = ObservationTransaction.current {
      return transaction.willChange(self)
    }
    let isDelivering = isDelivering ?? beginDelivery()
    var paths = InfoList.none
    AccessTracker.withoutTracking {
      if isDelivering, let current {
        // A change made inside a delivery has its prior deliveries later, in its turn. They come
        // before those of paths, so that a path notes the values that these handlers set.
        paths = ObservationDispatcher.deliverPrior(
          ObservationDelivery(old: current, new: current, kind: .prior), next: next, of: object,
          to: infos)
      }
      notePaths { paths.insertIfNew($0) }
      if isDelivering, current != nil { withExtendedLifetime(takeOverEdits()) {} }
    }
    // Numbered last: changes by the handlers and getters above are stored before this one.
    return Transition(id: Self.nextChangeID(), isDelivering: isDelivering, paths: paths)
  }

  /// Has paths note their old values, and deliver them where they ask for that.
  ///
  /// - Parameter isNew: Whether a path has not noted its value yet; called once for each path,
  ///   which then does.
  @inline(__always)
  func notePaths(isNew: (ObservationInfo) -> Bool) {
    AccessTracker.withoutTracking {
      var infos = latestInfos
      for _ in 0..<ObservationDispatcher.maximumRounds {
        var recipient = ObservationRecipient()
        infos.visit { info in
          guard let path = info.path, path.actsBeforeStore, isNew(info) else { return }
          path.willChange(info, to: &recipient)
        }
        // Again while there are new ones: prior handlers may register observations, and those
        // registered before the store are notified of it.
        let latest = latestInfos
        if latest.isIdentical(to: infos) { break }
        infos = latest
      }
    }
  }

  /// Has paths note their old values that have come to depend on the property while it was being
  /// mutated in place. They know it by derived values, which are marked after this: unlike in
  /// `notePaths`, `.prior` waits for its turn, since handlers would be served the values before.
  ///
  /// - Parameter transition: That of the mutation, if it has one.
  /// - Returns: The transition with these paths.
  @usableFromInline
  func noteLatePaths(of object: AnyObject, after transition: Transition?) -> Transition? {
    guard isRead, isOwned(by: object) else { return transition }
    if let transaction = ObservationTransaction.current {
      _ = transaction.willChange(self)
      return transition
    }
    var transition = transition
    latestInfos.visit { info in
      guard let path = info.path, path.actsBeforeStore,
        !(transition?.paths.contains(info) ?? false)
      else { return }
      _ = path.noteOld(info)
      if transition == nil {
        transition = Transition(id: Self.nextChangeID(), isDelivering: beginDelivery())
      }
      transition?.paths.insert(info)
    }
    return transition
  }

  /// Whether the value before a change is needed: by an info, or for a prior delivery that waits
  /// for its turn.
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
  /// Marks derived values after a store, then has the transaction hold the change back, or
  /// evaluates paths and delivers.
  ///
  /// - Parameter transition: Result of `willChange`; `nil` if no info had to act before the store.
  @usableFromInline @inline(never)
  func finishChange(
    of object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer,
    after transition: Transition?, with copier: ValueBox.Copier
  ) {
    guard isOwned(by: object) else { return }
    stamp.wrappingAdd(1, ordering: .relaxed)
    if transition == nil, isFollowed, !isRead, deliverToOnlyPath(of: object) { return }
    var derived = DerivedDelivery.none
    if isRead, !(transition?.isEqual ?? false) { derived = markAndCollect() }
    defer { if isRead { ThreadCell.existing?.freeDropped() } }
    var transition = transition.flatMap { $0.isPlain ? nil : $0 }
    if transition == nil, isFollowed { transition = openChange(of: object) }
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

  /// Evaluates the paths that have noted a change, and delivers it, or queues it for its turn.
  ///
  /// - Parameter cause: Number under which a probe has recorded the change; `nil` if it is still to
  ///   be recorded.
  func deliver(
    of object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer,
    after transition: Transition?, with derived: DerivedDelivery = .none,
    _ copier: ValueBox.Copier, cause: UInt64? = nil
  ) {
    // A path may be being evaluated further up the stack; reads of handlers are not among its
    // reads.
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
      // Before the paths are evaluated: a getter may set the property, and that change comes later.
      let isNext = hasTurn && !hasDeferredChanges
      let cause =
        cause
        ?? DeliveryProbe.set(
          self, of: object, isNotified: !derived.derived.isEmpty, waits: !isNext)
      DeliveryProbe.within(cause) {
        if let transition {
          transition.paths.visit { $0.path?.didChange($0, id: transition.id) }
        }
        derived.evaluatePaths()
        guard isNext else { return }
        derived.deliver(
          with: ObservationDelivery(old: old, new: new, kind: .change), of: object, toEach: infos,
          through: transition?.id ?? 0)
        if let transition {
          // Also to paths that a prior handler has attached to other properties: the list lacks
          // them.
          ObservationDispatcher.deliverPaths(
            transition.paths, through: transition.id, after: infos)
        }
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

  /// Evaluates and delivers to a path that is the only info, while the thread neither tracks nor is
  /// in a transaction.
  ///
  /// - Returns: `false` if that is not the case.
  private func deliverToOnlyPath(of object: AnyObject) -> Bool {
    guard ThreadActivity.isNone || isThreadIdle, beginDeliveryAtOnce() else { return false }
    defer { endDelivery(of: object) }
    // Not retained: the list is not edited meanwhile.
    return infos.single?._withUnsafeGuaranteedRef { info in
      var recipient = ObservationRecipient()
      guard let path = info.path else { return false }
      path.didChangeAlone(info, id: Self.nextChangeID(), to: &recipient)
      return true
    } ?? false
  }
}

extension Subject {
  static func nextChangeID() -> UInt64 {
    lastChangeID.wrappingAdd(1, ordering: .relaxed).newValue
  }
}

/// Last number of a change that paths or arrays take part in.
private let lastChangeID = Atomic<UInt64>(0)
