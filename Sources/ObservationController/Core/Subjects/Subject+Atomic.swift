import Synchronization

/// A property that several threads may change, whatever its type.
@usableFromInline
protocol AtomicProperty: AnyObject {
  var subject: Subject { get }
  var lock: ExclusiveLock { get }

  /// Copies the value. Under the lock.
  func boxedLocked() -> ValueBox

  /// Whether a getter can be given a value in place of the one that other threads have set since.
  var hasValue: Bool { get }
}

extension AtomicProperty {
  @usableFromInline var hasValue: Bool { true }
}

/// A change of an atomic property, up to its store, and where a transaction holds it back:
///
///     announce → lock → store → mark, queue → unlock → evaluate → deliver
///
/// From the store on it is the change of any property, see `Subject+Changes.swift`.
///
/// Not generic: functions of a generic class look up the metadata of the types they name in each
/// call.
extension Subject {
  /// Locks the property for a change, unless prior deliveries may be due before it.
  ///
  /// - Returns: Whether it is locked.
  @usableFromInline
  func lockAtOnce(_ lock: ExclusiveLock) -> Bool {
    guard !has(Phase.actsOnSet) else { return false }
    lock.take()
    if !has(Phase.actsOnSet) { return true }
    lock.giveBack()
    return false
  }

  /// Locks the property for an access by a closure, unless prior deliveries may be due before it.
  ///
  /// - Returns: Result of `ExclusiveLock.beginAccess`; `nil` if it is not locked.
  @usableFromInline
  func beginAccessAtOnce(_ lock: ExclusiveLock) -> UnsafeMutableRawPointer? {
    guard !has(Phase.actsOnSet) else { return nil }
    let cell = ThreadCell.own
    lock.take(by: cell.pointee.thread)
    if !has(Phase.actsOnSet) { return lock.beginAccess(in: cell) }
    lock.giveBack()
    return nil
  }

  /// Ends an access in place of a property that nothing is notified of.
  @usableFromInline
  func endAccess(_ lock: ExclusiveLock, in cell: UnsafeMutableRawPointer?) {
    guard let cell = cell?.assumingMemoryBound(to: ThreadCell.self) else {
      return endTaskAccess(lock)
    }
    stamp.wrappingAdd(1, ordering: .releasing)
    lock.endAccess(in: cell)
    lock.giveBack()
    TaskAccess.endTransaction(in: cell)
  }

  @inline(never)
  private func endTaskAccess(_ lock: ExclusiveLock) {
    stamp.wrappingAdd(1, ordering: .releasing)
    let access = lock.endTaskAccess()
    lock.giveBack()
    access?.finish(isOpen: false) {}
  }

  /// Makes prior deliveries, and locks the property. Out of line, since few changes need it.
  ///
  /// - Parameter comparison: `stamp` when the value to be stored was found to be equal; `nil` if it
  ///   was not.
  /// - Returns: `nil` if there was nothing to do.
  @usableFromInline @inline(never)
  func announce(_ property: any AtomicProperty, after comparison: UInt32?) -> SubjectChange? {
    var change: SubjectChange?
    let isHeld = ObservationTransaction.current != nil
    notifyObservation(isEqual: comparison == stamp.load(ordering: .relaxed))
    while true {
      if change == nil, !isHeld, needsWillChange || hasPriorPaths {
        change = open(property, isEqual: comparison == stamp.load(ordering: .relaxed))
      }
      property.lock.take()
      // Again for a prior handler that has been registered meanwhile.
      if change != nil || isHeld || !needsWillChange { break }
      property.lock.giveBack()
    }
    if comparison == stamp.load(ordering: .relaxed) {
      change = change ?? SubjectChange()
      change?.isEqual = true
    }
    return change
  }

  private func open(_ property: any AtomicProperty, isEqual: Bool) -> SubjectChange {
    // Both at once, so that the next change to be delivered begins with this value. Not where a
    // transaction of another thread holds back changes of the property: this one becomes part of
    // them, and its prior delivery is due at the end of that transaction.
    var hasTurn = false
    let current = property.lock.withLock {
      hasTurn = !isHeld && beginDelivery()
      return property.boxedLocked()
    }
    return current.withAddress {
      openChange(of: property, current: $0, next: nil, isEqual: isEqual, hasTurn: hasTurn)
    }
  }
}

extension Subject {
  /// Ends an access in place, and delivers the change: with what was changed elsewhere meanwhile,
  /// if something was.
  @usableFromInline
  func didAccess(
    of object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer,
    after change: SubjectChange?, with copier: ValueBox.Copier, holding lock: ExclusiveLock,
    in cell: UnsafeMutableRawPointer?
  ) {
    guard change == nil, let cell = cell?.assumingMemoryBound(to: ThreadCell.self),
      cell.pointee.isOutermost, ThreadActivity.isNoneButAtomics,
      beginDeliveryAtOnce(unless: Phase.busy | Phase.isRead)
    else {
      return finishAccess(
        of: object, old: old, new: new, after: change, with: copier, holding: lock, in: cell)
    }
    lock.endAccess(in: cell)
    stamp.wrappingAdd(1, ordering: .releasing)
    lock.giveBack()
    #if DEBUG
      TaskAccess.endTransaction(in: cell)
    #endif
    deliverAtOnce(of: object, old: old, new: new)
  }

  @inline(never)
  private func finishAccess(
    of object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer,
    after change: SubjectChange?, with copier: ValueBox.Copier, holding lock: ExclusiveLock,
    in cell: UnsafeMutableRawPointer?
  ) {
    func finish() {
      didChange(of: object, old: old, new: new, after: change, with: copier, holding: lock)
    }
    let isOpen = !(change?.isPlain ?? true)
    if let cell = cell?.assumingMemoryBound(to: ThreadCell.self) {
      lock.endAccess(in: cell)
      TaskAccess.finish(in: cell, isOpen: isOpen, finish)
    } else {
      lock.endTaskAccess()?.finish(isOpen: isOpen, finish)
    }
  }

  /// Delivers a change that has been stored, and unlocks the property before the first handler
  /// runs.
  @usableFromInline
  func didChange(
    of object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer,
    after change: SubjectChange?, with copier: ValueBox.Copier, holding lock: ExclusiveLock
  ) {
    guard change == nil, ThreadActivity.isNone || isThreadIdle,
      beginDeliveryAtOnce(unless: Phase.busy | Phase.isRead)
    else {
      let change = change ?? SubjectChange()
      change.lock = lock
      return finishChange(of: object, old: old, new: new, after: change, with: copier)
    }
    stamp.wrappingAdd(1, ordering: .releasing)
    lock.giveBack()
    deliverAtOnce(of: object, old: old, new: new)
  }

  /// Has the prior deliveries that this thread has made count for the first change that is stored
  /// after them: another thread's, which waits, or which a transaction holds back.
  func passPriorOn(from change: SubjectChange) {
    if change.hasTurn { _ = ifDeferred { ($0.queue.first ?? $0.held)?.needsPrior = false } }
    change.needsPrior = true
  }
}

// MARK: - Transactions

extension Subject {
  /// Whether a transaction, of whatever thread, holds back a change.
  private var isHeld: Bool { ifDeferred { $0.held != nil } ?? false }

  /// Has a transaction hold back a change that has been stored: that of this thread, or the one
  /// that holds back changes of the property already.
  ///
  /// - Returns: `false` if there is none.
  func hold(of object: AnyObject, old: () -> ValueBox?) -> Bool {
    let transaction = ObservationTransaction.current
    guard transaction != nil || isHeld else { return false }
    let infos = latestInfos
    let first = withLock { () -> HeldChange? in
      phase.bitwiseOr(Phase.hasDeferred, ordering: .relaxed)
      let waiting = makeDeferredLocked()
      if let held = waiting.held {
        _ = held.add(old, for: infos)
        return nil
      }
      waiting.held = HeldChange(
        of: self, holder: .retained(object), old: needsValueBefore ? old() : nil, for: infos)
      return waiting.held
    }
    if let first { transaction?.add(first) }
    return true
  }
}
