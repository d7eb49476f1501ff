import Synchronization

/// The way of a change of an atomic property.
///
/// That of a usual one, which nobody has to act on before, is specialised where the property is used, and
/// calls functions that know nothing of its type: those of a generic class look up the metadata of all types
/// they name each time, 1,600 instructions for a property that nobody observes.
extension AtomicObserved {
  /// Has those act who do so before the store, and takes the lock.
  ///
  /// - Parameter comparison: That of the value with the one to be stored.
  @usableFromInline
  func begin(after comparison: AtomicComparison? = nil) -> AtomicStart {
    if !subject.needsWillChange {
      lock.take()
      if !subject.needsWillChange {
        return AtomicStart(
          announcement: nil, needsOld: needsOld(for: nil), isEqual: isCurrent(comparison))
      }
      lock.giveBack()
    }
    return beginAnnouncing(after: comparison)
  }

  /// Compares the value with one that is about to be stored, with no lock held.
  ///
  /// - Returns: `nil` if no derived value has to know, or they differ.
  @usableFromInline @inline(never)
  func compare(with next: Value) -> AtomicComparison? {
    guard subject.needsComparison else { return nil }
    lock.take()
    let (current, stamp) = (value, subject.stamp.load(ordering: .relaxed))
    lock.giveBack()
    return AccessTracker.withoutTracking {
      ValueEquality.areEqual(current, next) { subject.equality(of: Value.self) }
        ? AtomicComparison(stamp: stamp) : nil
    }
  }

  /// Whether the value is still the one that was found to be equal. Under the lock.
  private func isCurrent(_ comparison: AtomicComparison?) -> Bool {
    comparison.map { $0.stamp == subject.stamp.load(ordering: .relaxed) } ?? false
  }

  /// Marks what derives from the property, after a change that is no equal assignment. Under the lock.
  private func mark(after start: AtomicStart) {
    if subject.isRead, !start.isEqual { subject.mark() }
  }

  @inline(never)
  private func beginAnnouncing(after comparison: AtomicComparison?) -> AtomicStart {
    var transition: Subject.Transition?
    while true {
      if subject.needsWillChange { announce(&transition) }
      lock.take()
      // Again for paths that have come meanwhile: from here on they read the value after the change.
      if subject.isAnnounced(transition) { break }
      lock.giveBack()
    }
    return AtomicStart(
      announcement: transition.map { MutationStart($0) }, needsOld: needsOld(for: transition),
      isEqual: isCurrent(comparison))
  }

  /// The value before a change, if somebody needs it. To be freed when the lock has been given back.
  @inlinable
  func old(from start: AtomicStart) -> Value? {
    start.needsOld ? value : nil
  }

  /// Gives the lock back, and tells of the change, or leaves that to the thread that is telling.
  @inlinable
  func end(_ start: AtomicStart, _ old: Value?) {
    switch endUsual(start) {
    case .done:
      return
    case .turn:
      let new = value
      lock.giveBack()
      withUnsafePointer(to: new) { new in
        guard let old else { return tellNow(oldAt: nil, newAt: new) }
        withUnsafePointer(to: old) { tellNow(oldAt: $0, newAt: new) }
      }
    case .other:
      endChange(start, old)
    }
  }

  /// Ends a change that nobody is to be told of, or begins to deliver one that need not wait. Under the
  /// lock.
  @usableFromInline
  func endUsual(_ start: AtomicStart) -> AtomicEnd {
    guard start.announcement == nil else { return .other }
    guard subject.isObserved else {
      subject.stamp.wrappingAdd(1, ordering: .releasing)
      guard subject.isRead else {
        lock.giveBack()
        return .done
      }
      mark(after: start)
      lock.giveBack()
      subject.finish(Subject.takeCollected())
      return .done
    }
    // What a transaction of another thread holds back is deferred. Traces record under the lock.
    guard !subject.needsWillChange, !subject.isRead, !DeliveryProbe.isInstalled,
      ObservationTransaction.current == nil,
      subject.beginDeliveryAtOnce()
    else { return .other }
    subject.stamp.wrappingAdd(1, ordering: .releasing)
    return .turn
  }

  /// Tells of a change whose turn it is. The caller has begun the delivery.
  @usableFromInline
  func tellNow(oldAt old: UnsafeRawPointer?, newAt new: UnsafeRawPointer) {
    AccessTracker.withoutTracking {
      beginTelling()
      subject.deliver(oldAt: old, newAt: new, of: self, id: 0)
      endTelling()
    }
  }
}

/// What has to be carried from before a change of an atomic property to after it.
@usableFromInline
struct AtomicStart {
  /// What has been done before the store, if anything had to be.
  let announcement: MutationStart?

  @usableFromInline let needsOld: Bool

  /// Whether the value to be stored is equal to the one that is there, so that no derived value changes.
  let isEqual: Bool
}

/// An atomic property and a value have been found to be equal.
@usableFromInline
struct AtomicComparison {
  /// `Subject.stamp` by then.
  let stamp: UInt32
}

/// What comes after a change of an atomic property has been stored.
@usableFromInline
enum AtomicEnd {
  /// Nothing. The lock has been given back.
  case done

  /// To tell of it: this thread has begun to, and nothing comes before.
  case turn

  /// What is to be found out.
  case other
}

extension AtomicObserved {
  private struct Change {
    let transition: Subject.Transition?

    /// The value before, if somebody needs it. Freed when the lock has been given back.
    let old: Value?

    /// What it is recorded as by traces; 0 if it is not.
    let cause: UInt64
  }

  /// Holding the value makes a collection copy itself when it is changed in place.
  private func needsOld(for transition: Subject.Transition?) -> Bool {
    if let transaction = ObservationTransaction.current, subject.isHeldUnchanged(in: transaction) {
      return false
    }
    return subject.needsOld || transition.map { !hasDeliveredPrior(of: $0) } ?? false
  }

  /// Whether the prior deliveries of a change have been made: not if another change has been stored
  /// between those and this one.
  private func hasDeliveredPrior(of transition: Subject.Transition) -> Bool {
    transition.isDelivering && !subject.hasDeferredChanges
  }

  private func announce(_ transition: inout Subject.Transition?) {
    guard transition == nil || ObservationTransaction.current != nil else {
      return subject.notePaths(hasTurn: transition!.isDelivering) {
        transition!.paths.insertIfNew($0)
      }
    }
    if let transaction = ObservationTransaction.current {
      transition = transaction.willChange(subject)
      return
    }
    // Both at once, so that this is the value that the next change to be told begins with. Not where a
    // transaction of another thread holds the property's changes back: this one becomes part of that,
    // and its prior delivery is due at the end of it.
    let (isDelivering, current) = lock.withLock {
      (!subject.isHeld && subject.beginDelivery(), value)
    }
    if isDelivering { beginTelling() }
    transition = withUnsafePointer(to: current) {
      subject.willChange(of: self, current: $0, next: nil, isDelivering: isDelivering)
    }
  }

  @usableFromInline
  func endChange(_ start: AtomicStart, _ old: Value?) {
    let transition = start.announcement?.transition
    if transition == nil, !subject.isObserved {
      subject.stamp.wrappingAdd(1, ordering: .releasing)
      mark(after: start)
      lock.giveBack()
      return subject.finish(Subject.takeCollected())
    }
    // Under the lock, so that changes are recorded in the order in which they are stored.
    let cause = DeliveryProbe.set(subject, of: self)
    let change = Change(transition: transition, old: old, cause: cause)
    mark(after: start)
    let (telling, freed) = commit(change)
    lock.giveBack()
    let derived = Subject.takeCollected()
    withExtendedLifetime(freed) {}
    DeliveryProbe.within(cause) {
      tell(change, telling)
      subject.finish(derived)
    }
  }

  private enum Telling {
    /// Nobody is to be told, or a transaction tells.
    case nothing

    /// The change is queued, and the thread that is telling tells it.
    case left

    /// This thread has begun to tell, and nothing comes before.
    case now(Value)

    /// This thread has begun to tell, what is queued first.
    case queue
  }

  /// Decides, under the lock, when the change is told: changes are told in the order in which they
  /// are stored.
  private func commit(_ change: Change) -> (Telling, freed: [Any]) {
    subject.stamp.wrappingAdd(1, ordering: .releasing)
    let isTelling = change.transition?.isDelivering ?? false
    var freed: [Any] = []
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
      if change.transition.map(hasDeliveredPrior) ?? !subject.hasDeferredChanges {
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
      guard subject.isHeld else { return nil }
      _ = subject.hold { change.old.map { ValueBox($0) } }
      return .nothing
    }
    if subject.hold({ change.old.map { ValueBox($0) } }) { transaction.add(self) }
    return .nothing
  }

  private func enqueue(_ change: Change) -> Bool {
    // The prior deliveries of this thread were those of the first change that is stored after them.
    let ownsPrior = change.transition?.isDelivering ?? false
    if ownsPrior { subject.omitNextPrior() }
    let pending = PendingChange(
      id: change.transition?.id ?? 0, old: change.old.map { ValueBox($0) }, new: ValueBox(value),
      cause: change.cause)
    pending.needsPrior = true
    pending.paths = change.transition?.paths ?? .none
    return subject.enqueue(pending, toLatestInfos: true)
  }

  private func tell(_ change: Change, _ telling: Telling) {
    let id = change.transition?.id ?? 0
    let paths = change.transition?.paths ?? .none
    switch telling {
    case .nothing, .left: if paths.isEmpty { return }
    case .now, .queue: break
    }
    AccessTracker.withoutTracking {
      // Caches have been told.
      paths.visit { $0.sink?.didChange($0, id: id) }
      switch telling {
      case .nothing:
        break
      case .left:
        // In its turn, when this thread goes on telling. Pinned by AtomicReentrancyTests.
        if isTelling { return }
      case .now(let new):
        beginTelling()
        subject.deliver(from: change.old, to: new, of: self, id: id)
        endTelling()
      case .queue:
        tellQueued()
      }
      // Those that the property's own observers could not reach, since another thread tells these.
      ObservationDispatcher.deliverPaths(paths, through: id)
    }
  }

  private func tellQueued() {
    beginTelling()
    subject.deliverQueued(of: self)
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
  func enqueue(_ entry: inout HeldEntry, id: UInt64) -> Bool {
    // Held until the lock is given back: another thread may have delivered, and freed, what is queued.
    let (hasTurn, held) = lock.withLock {
      let held = subject.takeHeld()
      return (
        held.map { subject.queue($0, id: id, new: ValueBox(value)) } ?? false, held
      )
    }
    withExtendedLifetime(held) {}
    return hasTurn
  }

  func deliver(_ entry: inout HeldEntry, id: UInt64) {
    tellQueued()
  }
}
