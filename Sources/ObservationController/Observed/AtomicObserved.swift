import Synchronization

/// A property that may be read and changed on any thread, and is observed as any other.
///
///     final class Downloads {
///       @AtomicObserved var finished = 0
///     }
///     downloads.$finished.withLock { $0 += 1 }
///
/// Every access is atomic, changes in place too: `downloads.finished += 1` loses no update. Reading
/// a value and setting another that depends on it are two accesses; use ``withLock(_:)`` for both.
/// A class that is `Sendable` holds it in a constant:
///
///     final class Counter: Sendable {
///       let count = AtomicObserved(wrappedValue: 0)
///     }
///     observations.observe(counter, \.count.wrappedValue) { log, _, change in
///       log.add(change.newValue)
///     }
///
/// Every observation is told of one change after the other, in the order in which they were stored,
/// each beginning with the value that the one before has led to; two changes are never told at once.
/// The thread that made a change tells it, before the assignment returns. If another thread is telling
/// an earlier one, that thread tells this one too, and the assignment returns at once. A key path that
/// reads other properties too, or a derived one, is told of several such changes as one.
///
/// A handler runs on the thread that tells, with no lock held, and may change the property again. The
/// thread that tells goes on for as long as others change the property.
@propertyWrapper
public final class AtomicObserved<Value: Sendable> {
  /// Tells who observes the property.
  ///
  /// First of the properties: it goes before the value, so that this finds nobody to tell.
  private let subject = Subject(isAtomic: true)

  /// Guarded by `lock`.
  private var value: Value

  /// Taken before the lock of the subject. Held while the value is changed, never while handlers,
  /// getters or deinits of the library's making run.
  private let lock = ExclusiveLock(of: AtomicObserved.self)

  /// The thread that has the turn to deliver, 0 if none. A thread that reads its own identity has it.
  private let teller = Atomic<UInt>(0)

  /// Makes a property with a first value; `@AtomicObserved var count = 0` calls it.
  public init(wrappedValue: Value) {
    value = wrappedValue
  }

  /// The value. Reading it, setting it and changing it in place are atomic, each for itself.
  public var wrappedValue: Value {
    get { read(as: \AtomicObserved.wrappedValue, of: self) }
    set {
      // Swapped out: the value before may run a deinit of the user's when it is freed, which must not
      // happen under the lock. Pinned by AtomicNoLockHeldTests.
      var value = newValue
      withLock { swap(&$0, &value) }
      withExtendedLifetime(value) {}
    }
    _modify {
      var change = beginChange()
      defer { endChange(&change) }
      yield &value
    }
  }

  /// The property itself, for ``withLock(_:)``.
  public var projectedValue: AtomicObserved<Value> { self }

  /// Changes the value while no other thread can.
  ///
  ///     account.$balance.withLock { if $0 >= price { $0 -= price } }
  ///
  /// Tells of one change, also if `body` throws or changes nothing.
  ///
  /// - Parameter body: Runs at once, on this thread, while other threads that use the property wait; so
  ///   do the deinits of what it replaces. The program stops if it uses the property other than by its
  ///   argument.
  /// - Returns: What `body` returns, after the change has been told.
  /// - Complexity: As a change of any observed property. Copies the value only if somebody observes it.
  public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    var change = beginChange()
    defer { endChange(&change) }
    return try body(&value)
  }

  public static subscript<Owner: AnyObject>(
    _enclosingInstance owner: Owner,
    wrapped wrapped: @autoclosure () -> ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, AtomicObserved>
  ) -> Value {
    get { owner[keyPath: storage].read(as: wrapped(), of: owner) }
    set { owner[keyPath: storage].wrappedValue = newValue }
    _modify { yield &owner[keyPath: storage].wrappedValue }
  }
}

extension AtomicObserved {
  private func read(as keyPath: @autoclosure () -> AnyKeyPath, of owner: AnyObject) -> Value {
    // Noted with what has changed before, so that a change that comes in between is noticed.
    let pinned = AccessTracking.note(
      subject, of: owner, lock: lock,
      PropertyAccess(
        subject: subject, owner: ObjectIdentifier(owner), keyPath: keyPath(), atomic: self,
        lock: lock, stamp: subject.stamp.load(ordering: .acquiring)))
    // Safe: a value that was stored here.
    if let pinned { return pinned.assumingMemoryBound(to: Value.self).pointee }
    return lock.withLock { value }
  }
}

// MARK: - Changes

extension AtomicObserved {
  private struct Change {
    let transition: Subject.Transition?

    /// The value before, if somebody needs it. Freed when the lock has been given back.
    let old: Value?
  }

  /// Has those act who do so before the store, and takes the lock.
  private func beginChange() -> Change {
    var transition: Subject.Transition?
    while true {
      if subject.needsWillChange { announce(&transition) }
      lock.take()
      // Again for paths that have come meanwhile: from here on they read the value after the change.
      if subject.isAnnounced(transition) { break }
      lock.giveBack()
    }
    return Change(transition: transition, old: needsOld(for: transition) ? value : nil)
  }

  /// Holding the value makes a collection copy itself when it is changed in place.
  private func needsOld(for transition: Subject.Transition?) -> Bool {
    if ObservationTransaction.current != nil, subject.isHeldUnchanged { return false }
    return subject.needsOld || transition.map { !hasDeliveredPrior(of: $0) } ?? false
  }

  /// Whether the prior deliveries of a change have been made: not if another change has been stored
  /// between those and this one.
  private func hasDeliveredPrior(of transition: Subject.Transition) -> Bool {
    transition.isDelivering && !subject.hasDeferredChanges
  }

  private func announce(_ transition: inout Subject.Transition?) {
    guard transition == nil || ObservationTransaction.current != nil else {
      return subject.notePaths(in: &transition!.paths, hasTurn: transition!.isDelivering)
    }
    if let transaction = ObservationTransaction.current {
      transition = transaction.willChange(subject)
      return
    }
    // Both at once, so that this is the value that the next change to be told begins with. Not where a
    // transaction of another thread holds the property's changes back: this one becomes part of that,
    // and its prior delivery is due at the end of it.
    let hasRoom = !DeepDeliveries.haveNoRoom
    let (isDelivering, current) = lock.withLock {
      (hasRoom && !subject.isHeld && subject.beginDelivery(), value)
    }
    if isDelivering { beginTelling() }
    transition = withUnsafePointer(to: current) {
      subject.willChange(of: self, current: $0, next: nil, isDelivering: isDelivering)
    }
  }

  /// Gives the lock back, and tells of the change, or leaves that to the thread that is telling.
  private func endChange(_ change: inout Change) {
    if change.transition == nil, !subject.isObserved {
      subject.stamp.wrappingAdd(1, ordering: .releasing)
      return lock.giveBack()
    }
    let (telling, freed) = commit(change)
    lock.giveBack()
    withExtendedLifetime(freed) {}
    tell(change, telling)
  }

  private enum Telling {
    /// Nobody is to be told, or a transaction of another thread tells.
    case nothing

    /// The change is queued, and the thread that is telling tells it.
    case left

    /// This thread has begun to tell, and nothing comes before.
    case now(Value)

    /// This thread has begun to tell, what is queued first.
    case queue

    /// The transaction of this thread tells.
    case later
  }

  /// Decides, under the lock, when the change is told: changes are told in the order in which they
  /// are stored.
  private func commit(_ change: Change) -> (Telling, freed: [Any]) {
    subject.stamp.wrappingAdd(1, ordering: .releasing)
    let isTelling = change.transition?.isDelivering ?? false
    // Before another thread can read the value and what was computed from the last one.
    var freed: [Any] = subject.needsWillChange ? subject.invalidateCaches() : []
    // Those who came since this thread began to deliver are told of what is stored after that.
    if isTelling { freed.append(subject.takeOverEdits()) }
    guard subject.isObserved || isTelling else { return (.nothing, freed) }
    if let telling = hold(change) {
      guard isTelling else { return (telling, freed) }
      // The transaction has begun between the prior deliveries and this store.
      subject.omitNextPrior()
      return (.queue, freed)
    }
    if isTelling || subject.beginDelivery() {
      // Not if another thread had the turn when the prior deliveries were due.
      if change.transition.map(hasDeliveredPrior) ?? !subject.hasDeferredChanges,
        isTelling || !DeepDeliveries.haveNoRoom
      {
        return (.now(value), freed)
      }
      _ = enqueue(change)
      return (.queue, freed)
    }
    return (enqueue(change) ? .queue : .left, freed)
  }

  /// - Returns: `nil` if no transaction holds the property's changes back.
  private func hold(_ change: Change) -> Telling? {
    guard let transaction = ObservationTransaction.current else {
      return subject.joinHeldChange(change.old.map { ValueBox($0) }) ? .nothing : nil
    }
    if subject.hold(change.old.map { ValueBox($0) }) { transaction.add(self) }
    return .later
  }

  private func enqueue(_ change: Change) -> Bool {
    // The prior deliveries of this thread were those of the first change that is stored after them.
    let ownsPrior = change.transition?.isDelivering ?? false
    if ownsPrior { subject.omitNextPrior() }
    let queued = Subject.DeferredChange(
      id: change.transition?.id ?? 0, old: change.old.map { ValueBox($0) }, new: ValueBox(value),
      needsPrior: true, infos: .none,
      paths: change.transition?.paths ?? .none, maker: .current)
    return subject.enqueue([queued], toLatestInfos: true)
  }

  private func tell(_ change: Change, _ telling: Telling) {
    let id = change.transition?.id ?? 0
    let paths = change.transition?.paths ?? .none
    switch telling {
    case .nothing, .left: if paths.isEmpty { return }
    case .now, .queue, .later: break
    }
    AccessTracker.withoutTracking {
      // Caches have been told.
      paths.visit { if let path = $0.path, !path.isCache { path.didChange($0, id: id) } }
      switch telling {
      case .nothing, .later:
        break
      case .left:
        // In its turn, when this thread goes on telling. Pinned by AtomicReentrancyTests.
        if isTelling { return }
      case .now(let new):
        beginTelling()
        let landing = DeepDeliveries.begin()
        subject.deliver(from: change.old, to: new, of: self, id: id)
        landing?.end()
        endTelling()
      case .queue:
        tellQueued()
      }
      // Those that the property's own observers could not reach, since another thread tells these.
      ObservationDispatcher.deliverPathsInTurn(paths, through: id)
    }
  }

  private func tellQueued() {
    beginTelling()
    // Goes on telling for as long as that has to wait: what handlers change meanwhile is told in turn.
    let isLeft = DeepDeliveries.landingToWaitFor?.add(subject, of: self) { [self] _ in
      tellQueuedNow()
    }
    if isLeft != true { tellQueuedNow() }
  }

  private func tellQueuedNow() {
    let landing = DeepDeliveries.begin()
    subject.deliverQueuedNow(of: self)
    landing?.end()
    endTelling()
  }

  /// Whether this is a change that a handler of the property makes.
  private var isTelling: Bool {
    teller.load(ordering: .relaxed) == ThreadIdentity.current.bits
  }

  private func beginTelling() {
    teller.store(ThreadIdentity.current.bits, ordering: .relaxed)
  }

  private func endTelling() {
    // Another thread may have the turn by now.
    _ = teller.compareExchange(
      expected: ThreadIdentity.current.bits, desired: 0, ordering: .relaxed)
  }
}

extension AtomicObserved: AtomicProperty {
  func boxed(_ body: () -> Void) -> ValueBox {
    lock.withLock {
      body()
      return ValueBox(value)
    }
  }
}

extension AtomicObserved: ChangedInTransaction {
  func note(id: UInt64) {}

  func updateViews(id: UInt64) {}

  func enqueue(id: UInt64) -> (() -> Void)? {
    // Held until the lock is given back: another thread may have delivered, and freed, what is queued.
    let (isTelling, held) = lock.withLock {
      let held = subject.takeHeldChange()
      return (held.map { subject.enqueue($0, id: id, new: ValueBox(value)) } ?? false, held)
    }
    withExtendedLifetime(held) {}
    return isTelling ? { self.tellQueued() } : nil
  }
}

/// `value` is guarded by `lock`, the rest is immutable.
extension AtomicObserved: @unchecked Sendable {}
