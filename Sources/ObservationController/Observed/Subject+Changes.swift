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

    /// Whether a transaction holds this change back.
    @usableFromInline var isHeld = false

    /// Whether a change that is held back has its prior delivery at the end of the transaction.
    @usableFromInline var owesPrior = false

    /// The nested and computed paths that read this property, their old values noted. Among them the
    /// observations that were not told before, since nothing seemed to change for them: a list of its
    /// own costs a path 45 instructions for each change.
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
    let property = PathObservation.ChangingProperty(self, value: current)
    AccessTracker.withoutTracking {
      if isDelivering {
        // A change made inside a delivery has its prior deliveries later, in its turn. Before those
        // of paths, so that a path notes what these handlers may have set.
        paths = ObservationDispatcher.deliverPrior(
          ObservationDelivery(old: current, new: current, kind: .prior), next: next, of: object,
          to: infos)
      }
      notePaths(hasTurn: isDelivering, of: property) { paths.insertIfNew($0) }
      if isDelivering { withExtendedLifetime(takeOverEdits()) {} }
    }
    // Numbered last: what the handlers and getters above have set was stored before this change.
    return Transition(
      id: Self.nextChangeID(), isDelivering: isDelivering, paths: paths)
  }

  /// Has paths note their old values, and deliver them where they ask for that.
  ///
  /// - Parameters:
  ///   - hasTurn: Whether the caller has begun a delivery.
  ///   - property: This one, with the value before; `nil` if that is not at hand.
  ///   - isNew: Whether a path has not done so; asked once for each, which does then.
  @inline(__always)
  func notePaths(
    hasTurn: Bool, of property: PathObservation.ChangingProperty? = nil,
    isNew: (ObservationInfo) -> Bool
  ) {
    AccessTracker.withoutTracking {
      var infos = latestInfos(hasTurn: hasTurn)
      for _ in 0..<ObservationDispatcher.maximumRounds {
        ObservationDispatcher.pathsWillChange(infos, of: property, isNew: isNew)
        // Again while there are new ones: prior handlers may observe, and what is observed before the
        // store is told of it.
        let latest = latestInfos(hasTurn: hasTurn)
        if latest.isIdentical(to: infos) { break }
        infos = latest
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
    // The owner compared once: who has none goes the other way, six instructions less for all others.
    guard knownOwner == ObjectIdentifier(object), ThreadActivity.isNone else {
      return didChangeOutOfLine(of: object, old: old, new: new)
    }
    guard beginDelivery() else { return false }
    let delivery = ObservationDelivery(old: old, new: new, kind: .change)
    // As a function, since a closure of this size is not inlined: 15 instructions.
    @inline(__always)
    func deliver(to info: ObservationInfo) {
      ObservationDispatcher.deliver(delivery, of: object, toOnly: info)
    }
    if let info = infos.single {
      // Not retained, 40 instructions less: the list holds it, and is not edited meanwhile.
      info._withUnsafeGuaranteedRef(deliver(to:))
    } else {
      ObservationDispatcher.deliver(delivery, of: object, to: infos, changeID: 0)
    }
    endDelivery(of: object)
    return true
  }

  /// Delivers a change of a subject without an owner, or while some thread, perhaps this one, is tracking
  /// or in a transaction.
  @inline(never)
  private func didChangeOutOfLine(
    of object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer
  ) -> Bool {
    guard isOwned(by: object) else { return true }
    stamp.wrappingAdd(1, ordering: .relaxed)
    if ObservationTransaction.current != nil {
      return Tracer.isOn ? isHeldUnchangedTraced(of: object) : isHeldUnchanged
    }
    guard beginDelivery() else { return false }
    guard Tracer.isOn else {
      deliverOutOfLine(of: object, old: old, new: new)
      return true
    }
    Tracer.within(Tracer.set(self, of: object)) {
      deliverOutOfLine(of: object, old: old, new: new)
    }
    return true
  }

  /// Whether the transaction of this thread need not be told of a change, which is recorded then.
  @inline(never)
  private func isHeldUnchangedTraced(of object: AnyObject) -> Bool {
    guard isHeldUnchanged else { return false }
    _ = Tracer.set(self, of: object, waits: true)
    return true
  }

  @inline(never)
  private func deliverOutOfLine(
    of object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer
  ) {
    // What a handler reads is not read by the path that may be being evaluated further up.
    AccessTracker.withoutTracking {
      ObservationDispatcher.deliver(
        ObservationDelivery(old: old, new: new, kind: .change), of: object, to: infos, changeID: 0)
      endDelivery(of: object)
    }
  }

  /// The same for a change that began with `willChange`.
  @usableFromInline @inline(never)
  func didChange(
    of object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer,
    after transition: Transition
  ) -> Bool {
    guard isOwned(by: object) else { return true }
    stamp.wrappingAdd(1, ordering: .relaxed)
    guard !Tracer.isOn else {
      return didChangeTraced(of: object, old: old, new: new, after: transition)
    }
    return tell(of: object, old: old, new: new, after: transition)
  }

  /// The same while somebody records.
  @inline(never)
  private func didChangeTraced(
    of object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer,
    after transition: Transition
  ) -> Bool {
    // What a transaction holds back is recorded by whoever finds that out.
    guard !transition.isHeld else {
      return tell(of: object, old: old, new: new, after: transition)
    }
    let event = Tracer.set(self, of: object)
    let isDone = Tracer.within(event) { tell(of: object, old: old, new: new, after: transition) }
    if !isDone { Tracer.handOn(event, toChange: transition.id) }
    return isDone
  }

  /// The same for a change that is recorded already, if somebody records.
  func tellRecorded(
    of object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer,
    after transition: Transition?
  ) -> Bool {
    stamp.wrappingAdd(1, ordering: .relaxed)
    if let transition { return tell(of: object, old: old, new: new, after: transition) }
    guard beginDelivery() else { return false }
    deliverOutOfLine(of: object, old: old, new: new)
    return true
  }

  private func tell(
    of object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer,
    after transition: Transition
  ) -> Bool {
    AccessTracker.withoutTracking {
      withExtendedLifetime(transition.paths.invalidateCaches()) {}
      // A transaction's transition has caches alone.
      if transition.isHeld {
        return Tracer.isOn ? isHeldUnchangedTraced(of: object) : isHeldUnchanged
      }
      // Asked before the paths are evaluated: a getter may set the property, which comes later.
      let isNext = transition.isDelivering && !hasDeferredChanges
      let property = PathObservation.ChangingProperty(self, value: new)
      if isNext, tellOnlyPath(of: transition, property) {
        endDelivery(of: object)
        return true
      }
      transition.paths.visit { info in
        guard let path = info.path, !path.isCache else { return }
        if path.chain == nil {
          path.didChange(info, id: transition.id)
        } else {
          _ = path.noteNew(info, of: property, id: transition.id)
        }
      }
      guard isNext else { return false }
      ObservationDispatcher.deliver(
        ObservationDelivery(old: old, new: new, kind: .change), of: object, to: infos,
        changeID: transition.id)
      // Also to those that a prior handler has hooked to something else: the list lacks them.
      ObservationDispatcher.deliverPaths(transition.paths, through: transition.id, after: infos)
      endDelivery(of: object)
      return true
    }
  }

  /// Tells a path of a change that nobody else is told of. The caller has the turn to deliver.
  ///
  /// - Returns: `false` if there are others.
  private func tellOnlyPath(
    of transition: Transition, _ property: PathObservation.ChangingProperty
  ) -> Bool {
    guard let info = infos.single, info.toOpaque() == transition.paths.single?.toOpaque() else {
      return false
    }
    // As above: the list is not edited meanwhile.
    return info._withUnsafeGuaranteedRef { info in
      guard let path = info.path, path.keepsQueue else { return false }
      var recipient = ObservationRecipient()
      path.didChange(info, of: property, id: transition.id, to: &recipient)
      return true
    }
  }

  /// Queues a change behind the one being delivered, and delivers it if nobody else will; or has the
  /// transaction of this thread hold it back.
  @usableFromInline
  func deferChange(of object: AnyObject, old: ValueBox?, new: ValueBox, transition: Transition?) {
    let cause = Tracer.isOn ? recordDeferred(of: object, transition) : 0
    deferChange(of: object, old: old, new: new, transition: transition, cause: cause)
  }

  /// What a change is recorded as that has to wait, or is held back.
  @inline(never)
  private func recordDeferred(of object: AnyObject, _ transition: Transition?) -> UInt64 {
    let known = transition.map { $0.isHeld ? 0 : Tracer.takeHandedOn($0.id) } ?? 0
    return known == 0 ? Tracer.set(self, of: object, waits: true) : known
  }

  /// - Parameter cause: What the change is recorded as; 0 if it is not.
  func deferChange(
    of object: AnyObject, old: ValueBox?, new: ValueBox, transition: Transition?, cause: UInt64
  ) {
    if let transaction = ObservationTransaction.current, hold(old, of: object, in: transaction) {
      return
    }
    let change = DeferredChange(
      id: transition?.id ?? 0, old: old, new: new,
      needsPrior: !(transition?.isDelivering ?? false), infos: .none,
      paths: transition?.paths ?? .none, cause: cause)
    let hasTurn = transition?.isDelivering ?? false
    if enqueue([change], toLatestInfos: true) || hasTurn { deliverQueued(of: object) }
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
    knownOwner == ObjectIdentifier(object) || knownOwner == Self.nobody
  }
}

/// Numbers the changes that paths and arrays take part in.
private let lastChangeID = Atomic<UInt64>(0)
