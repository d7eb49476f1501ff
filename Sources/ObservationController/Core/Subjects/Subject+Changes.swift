import Synchronization

/// The stages of a change that does not take the fast path:
///
///     record (`willChange`) → store → evaluate → deliver, or queue (`finishChange`)
///
/// Nothing here is generic: the setter passes the addresses of its values. For the fast path see
/// `Subject+FastPath.swift`, for what comes before the store of an atomic property
/// `Subject+Atomic.swift`.
extension Subject {
  /// Makes prior deliveries, at the end of a transaction those of a transaction.
  ///
  /// Needed only where `Subject.Phase.actsOnSet`.
  ///
  /// - Parameters:
  ///   - current: The value that is still there.
  ///   - next: The value to come; `nil` if that is not known before the mutation.
  ///   - isEqual: Whether the value to come was found to be equal.
  /// - Returns: `nil` if no info had to act.
  @usableFromInline
  func willChange(
    of object: AnyObject, current: UnsafeRawPointer, next: UnsafeRawPointer?,
    isEqual: Bool = false
  ) -> SubjectChange? {
    guard isOwned(by: object) else { return nil }
    notifyObservation(isEqual: isEqual)
    guard needsWillChange || hasPriorPaths,
      ObservationTransaction.current == nil
    else { return nil }
    return openChange(
      of: object, current: current, next: next, isEqual: isEqual, hasTurn: beginDelivery())
  }

  /// Opens a change outside of a transaction: makes prior deliveries.
  ///
  /// - Parameter hasTurn: Whether the caller has begun a delivery.
  func openChange(
    of object: AnyObject, current: UnsafeRawPointer, next: UnsafeRawPointer?, isEqual: Bool,
    hasTurn: Bool
  ) -> SubjectChange {
    let change = SubjectChange(hasTurn: hasTurn)
    AccessTracker.withoutTracking {
      if hasTurn {
        // A change made inside a delivery has its prior deliveries later, in its turn. They come
        // before those of paths, which then have the values that these handlers set.
        change.leftOut = ObservationDispatcher.deliverPrior(
          current, next: next, of: object, to: infos)
      }
      for _ in 0..<ThreadContext.maximumRounds {
        // Again while there are new ones, which prior handlers have registered.
        guard hasPriorPaths, deliverPriorOfPaths(before: change, isEqual: isEqual) else { break }
      }
      if hasTurn { withExtendedLifetime(takeOverEdits()) {} }
    }
    // Numbered last: changes by the handlers and getters above are stored before this one.
    change.id = Self.nextChangeID()
    return change
  }

  /// Has the paths that depend on the property make their prior deliveries, with the values that
  /// they have kept, and leave what changes from then on to `change`.
  ///
  /// - Returns: Whether there were any that had not done so yet.
  @discardableResult
  func deliverPriorOfPaths(before change: SubjectChange, isEqual: Bool = false) -> Bool {
    let paths = markAndCollectPrior(isEqual: isEqual).subtracting(change.heldPaths)
    var recipient = ObservationRecipient()
    paths.visit { change.hold($0) }
    paths.visit { $0.path?.willChange($0, to: &recipient) }
    return !paths.isEmpty
  }

  /// Whether the value before a change is needed: by an info, or for a prior delivery that waits
  /// for its turn.
  @usableFromInline
  func needsOld(after change: SubjectChange?) -> Bool {
    guard let transaction = ObservationTransaction.begun else {
      guard !needsOld, let change, !change.isPlain else { return needsOld }
      return !change.hasTurn || isAtomic && hasDeferredChanges
    }
    guard needsValueBefore else { return false }
    // Not if it holds back a change already, and no info has been added since.
    let held = isAtomic ? ifDeferred { $0.held } : transaction.change(of: self)
    return !(held?.latest.isIdentical(to: latestInfos) ?? false)
  }
}

// MARK: - Evaluate and deliver

extension Subject {
  /// Marks derived values after a store, then has the transaction hold the change back, or
  /// evaluates paths and delivers.
  ///
  /// - Parameters:
  ///   - noted: Result of `willChange`. That of an atomic property has its lock, which is given
  ///     back before user code runs.
  @usableFromInline @inline(never)
  func finishChange(
    of object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer,
    after noted: SubjectChange?, with copier: ValueBox.Copier
  ) {
    guard isOwned(by: object) else { return }
    if let noted, !noted.waitingSinks.isEmpty {
      return finishMutation(of: object, old: old, new: new, after: noted, with: copier)
    }
    stamp.wrappingAdd(1, ordering: .releasing)
    let dependents = isRead ? markAndCollect(isEqual: noted?.isEqual ?? false) : Dependents()
    let change = noted.flatMap { $0.isPlain ? nil : $0 }
    // Without the subject, which is there no more behind user code.
    let isMarked = isRead
    defer { if isMarked { ThreadCell.releasePending() } }
    if change == nil, !isObserved, dependents.paths.isEmpty {
      noted?.lock?.giveBack()
      return SubjectReference(self).retained.finish(dependents, afterChangeOf: object)
    }
    if let transaction = ObservationTransaction.current,
      isAtomic
        ? hold(of: object, old: { old.map(copier.box) })
        : hold(of: object, in: transaction, old: old, new: new, with: copier)
    {
      noted?.lock?.giveBack()
      _ = DeliveryProbe.set(self, of: object, isNotified: !dependents.isEmpty, waits: true)
      return transaction.hold(dependents, of: SubjectReference(self).retained, of: object)
    }
    if change == nil, deliverNow(of: object, old: old, new: new, with: dependents) { return }
    deliver(
      of: object, old: old, new: new, after: change, with: dependents, copier,
      holding: noted?.lock)
  }

  /// Queues a change that is not next, evaluates the paths that depend on it, and delivers.
  ///
  /// - Parameters:
  ///   - change: `nil` if no info has acted before the store.
  ///   - cause: Number under which a probe has recorded the change; `nil` if it is still to be
  ///     recorded.
  ///   - lock: That of an atomic property, under which changes are queued, and so in the order in
  ///     which they are stored.
  func deliver(
    of object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer,
    after change: SubjectChange?, with dependents: Dependents = Dependents(),
    _ copier: ValueBox.Copier, cause: UInt64? = nil, holding lock: ExclusiveLock? = nil
  ) {
    // One that another thread holds back for its transaction has its turn at the end of that.
    let isHeld = isAtomic && hold(of: object) { old.map(copier.box) }
    var hasTurn = change?.hasTurn ?? (!isHeld && beginDelivery())
    let change = change ?? SubjectChange(id: Self.nextChangeID())
    change.add(dependents)
    // Infos that have been added since this thread took the turn are notified of the change.
    let replaced = isAtomic && change.hasTurn ? takeOverEdits() : .none
    let isNext = hasTurn && !isHeld && !hasDeferredChanges
    change.cause =
      cause ?? DeliveryProbe.set(self, of: object, isNotified: !dependents.isEmpty, waits: !isNext)
    if !isNext {
      if isAtomic { passPriorOn(from: change) }
      // Before the paths are evaluated: a getter may set the property, and that change comes later.
      if !isHeld {
        (change.old, change.new) = (old.map(copier.box), copier.box(new))
        hasTurn = enqueue(change, toLatestInfos: true) || hasTurn
      }
    }
    lock?.giveBack()
    withExtendedLifetime(replaced) {}
    // A path may be being evaluated further up the stack; reads of handlers are not among its
    // reads.
    AccessTracker.withoutTracking {
      DeliveryProbe.within(change.cause) {
        change.endHolds()
        // What comes of it is queued as this change.
        change.dependents.paths.visit { $0.path?.didChange($0, id: change.id) }
        if isNext {
          change.dependents.deliver(
            ObservationDelivery(old: old, new: new, kind: .change), of: object, toEach: infos,
            through: change.id)
          return endDelivery(of: object)
        }
        if hasTurn { deliverQueued(of: object) }
        if isHeld { return change.dependents.deliver(of: object, through: change.id) }
        // Not while the change waits: whoever has the turn, which may be a frame below, delivers it
        // with its paths, but for those that were evaluated after that had begun. Pinned by
        // WaitingChangeTests.
        guard change.isDelivered.load(ordering: .relaxed) else { return }
        ObservationDispatcher.deliverPaths(change.dependents.paths, through: change.id)
      }
    }
  }

  /// Delivers a change that need not wait, and before which no info had to act, while no trace
  /// records and no thread is in a transaction; that of an atomic property still has its lock.
  ///
  /// - Returns: `false` if that is not the case.
  private func deliverNow(
    of object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer, with dependents: Dependents
  ) -> Bool {
    guard !isAtomic, !ThreadActivity.hasTransactions, beginDeliveryAtOnce() else { return false }
    let id = Self.nextChangeID()
    AccessTracker.withoutTracking {
      defer { endDelivery(of: object) }
      // What nothing else is notified of need not be queued.
      if !isObserved, dependents.derived.isEmpty, let info = dependents.paths.single {
        return info._withUnsafeGuaranteedRef { info in
          var recipient = ObservationRecipient()
          info.path?.didChangeAlone(info, id: id, to: &recipient)
        }
      }
      dependents.paths.visit { $0.path?.didChange($0, id: id) }
      let delivery = ObservationDelivery(old: old, new: new, kind: .change)
      dependents.deliver(delivery, of: object, toEach: infos, through: id)
    }
    return true
  }
}

extension Subject {
  static func nextChangeID() -> UInt64 {
    lastChangeID.wrappingAdd(1, ordering: .relaxed).newValue
  }
}

/// Last number of a change that paths or arrays take part in.
private let lastChangeID = Atomic<UInt64>(0)
