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
/// Don't pass it `inout` to an asynchronous function: while that awaits, other threads wait for the
/// property, and its thread traps if it uses the property; change a copy, and assign that.
///
/// A class that is `Sendable` holds it in a constant:
///
///     final class Counter: Sendable {
///       let count = AtomicObserved(wrappedValue: 0)
///     }
///     observations.observe(counter, \.count.wrappedValue) { log, _, change in
///       log.add(change.newValue)
///     }
///
/// Each observation is notified of one change after the other, in the order in which they were
/// stored. Each change begins with the value of the change before, and no two are delivered at
/// once. The thread that makes a change delivers it before the assignment returns. If another
/// thread is delivering an earlier change, that thread delivers this one too, and the assignment
/// returns at once. A key path that also reads other properties, or a derived property, is notified
/// of several such changes as one.
///
/// A handler runs on the delivering thread, with no lock held, and may change the property again. A
/// thread delivers for as long as others change the property.
///
/// Unlike with ``Observed``, a change that a handler of an ``ObservationOptions/initial`` delivery
/// makes is delivered after that delivery, as changes by other threads are. An
/// ``ObservationOptions/prior`` delivery comes before an equal value too, also with
/// ``ObservationOptions/distinct``: the value is not known before the property is locked, and no
/// handler is called from then on.
@propertyWrapper
public final class AtomicObserved<Value: Sendable> {
  /// First of the stored properties: it is released before the value, so that observations have
  /// ended then.
  @usableFromInline let subject = Subject(isAtomic: true)

  /// Locked before the subject. Held while the value is changed, never while handlers or getters
  /// run.
  @usableFromInline let lock: ExclusiveLock

  /// Guarded by `lock`, which also traps at overlapping accesses: a check of exclusivity would be a
  /// second one.
  @exclusivity(unchecked) @usableFromInline var value: Value

  /// Makes a property with a first value; `@AtomicObserved var count = 0` calls it.
  ///
  /// - Complexity: O(1).
  public init(wrappedValue: Value) {
    lock = ExclusiveLock(of: subject)
    value = wrappedValue
  }

  /// The value. Reading it, setting it and changing it in place are atomic, each for itself.
  ///
  /// - Complexity: O(1) to read; to set O(n) in the observations of the property.
  // Exported as source alone, where the compiler can: it then replaces reading a literal key path
  // that leads here by direct access, which takes a tenth of the time.
  #if compiler(>=6.3)
    @export(implementation)
  #else
    @inlinable
  #endif
  public var wrappedValue: Value {
    get { read(as: \AtomicObserved.wrappedValue, of: self) }
    set {
      // Swapped, since releasing the value before may run a deinit of the user's, which must not
      // happen under the lock. Pinned by AtomicNoLockHeldTests.
      var value = newValue
      let comparison = subject.isPrepared ? compare(with: newValue) : nil
      let start = begin(after: comparison)
      let old = old(after: start)
      swap(&self.value, &value)
      end(start, old)
      withExtendedLifetime(value) {}
    }
    _modify {
      let start = begin()
      let old = old(after: start)
      if subject.isRead { subject.beginMutation(of: self) }
      let cell = lock.beginMutation()
      defer { endAccess(start, old, cell) }
      yield &value
    }
  }

  /// The property itself, for ``withLock(_:)``.
  public var projectedValue: AtomicObserved<Value> { self }

  /// Changes the value while no other thread can.
  ///
  ///     account.$balance.withLock { if $0 >= price { $0 -= price } }
  ///
  /// Delivers one change, also if `body` throws or changes nothing.
  ///
  /// What `body` changes elsewhere is delivered with it, as if `body` were a transaction: see
  /// ``withObservationTransaction(_:)``. To lock several properties inside of each other, do so in
  /// the same order everywhere; threads that wait for each other trap.
  ///
  /// - Parameter body: Runs at once, on this thread, while other threads that use the property
  ///   wait; so do the deinits of what it replaces. Using the property other than by the argument
  ///   traps.
  /// - Returns: The result of `body`, after the change has been delivered.
  /// - Complexity: O(n) in the observations of the property. Copies the value only if it is
  ///   observed.
  @inlinable @inline(__always)
  public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    guard let cell = subject.beginAccessAtOnce(lock) else { return try announceAndChange(body) }
    let old = subject.needsOld ? self.old(after: nil) : nil
    if subject.isRead { subject.beginMutation(of: self) }
    defer { endAccess(nil, old, cell) }
    return try body(&value)
  }

  // Inlined, so that the key path of the storage is folded into an access of the stored property.
  // `Exposed` as in `Observed`. A debug build learns the name, for messages.
  @inlinable
  public static subscript<Owner: AnyObject, Exposed>(
    _enclosingInstance owner: Owner,
    wrapped wrapped: @autoclosure () -> ReferenceWritableKeyPath<Owner, Exposed>,
    storage storage: ReferenceWritableKeyPath<Owner, AtomicObserved>
  ) -> Value {
    @inline(__always)
    get {
      #if DEBUG
        owner[keyPath: storage].lock.learn(storage)
      #endif
      return owner[keyPath: storage].read(
        as: Exposed.self == Value.self ? wrapped() : nil, of: owner)
    }
    @inline(__always)
    set {
      #if DEBUG
        owner[keyPath: storage].lock.learn(storage)
      #endif
      owner[keyPath: storage].wrappedValue = newValue
    }
    @inline(__always)
    _modify {
      #if DEBUG
        owner[keyPath: storage].lock.learn(storage)
      #endif
      yield &owner[keyPath: storage].wrappedValue
    }
  }

  #if DEBUG
    /// The property itself, as ``projectedValue``.
    public static subscript<Owner: AnyObject>(
      _enclosingInstance owner: Owner,
      projected projected: KeyPath<Owner, AtomicObserved>,
      storage storage: ReferenceWritableKeyPath<Owner, AtomicObserved>
    ) -> AtomicObserved {
      let property = owner[keyPath: storage]
      property.lock.learn(storage)
      return property
    }
  #endif
}

// MARK: - Access

extension AtomicObserved {
  @inlinable
  func read(as keyPath: @autoclosure () -> AnyKeyPath?, of owner: AnyObject) -> Value {
    // Before the value is read, so that a change in between is noticed.
    if ThreadActivity.isAnyTracking,
      let pinned = AccessTracking.note(self, subject, of: owner, keyPath: keyPath)
    {
      // Safe: a value that was stored here.
      return pinned.load(as: Value.self)
    }
    lock.take()
    defer { lock.giveBack() }
    return value
  }
}

// The stages of a change are those of `Subject+Atomic.swift`. Those that use the value stand here,
// and are specialised where the property is used.
extension AtomicObserved {
  /// Compares the value with one that is about to be stored, with no lock held.
  ///
  /// - Returns: `Subject.stamp` of the value if both cannot be told apart; `nil` if they can, or no
  ///   derived value depends on the comparison.
  @usableFromInline @inline(never)
  func compare(with next: Value) -> UInt32? {
    guard subject.needsComparison else { return nil }
    let (current, stamp) = lock.withLock { (value, subject.stamp.load(ordering: .relaxed)) }
    return AccessTracker.withoutTracking {
      ValueEquality.areSame(current, next) { subject.equality(of: Value.self) } ? stamp : nil
    }
  }

  /// Locks the property, after handlers and paths that act before the store.
  @inlinable
  func begin(after comparison: UInt32? = nil) -> SubjectChange? {
    comparison == nil && subject.lockAtOnce(lock)
      ? nil : subject.announce(self, after: comparison)
  }

  /// Copies the value before a change, if it is needed. Under the lock; released when that is free
  /// again.
  @inlinable
  func old(after change: SubjectChange?) -> Value? {
    guard change != nil || subject.needsOld else { return nil }
    let isPlain = change == nil && !ThreadActivity.hasTransactions
    return isPlain || subject.needsOld(after: change) ? value : nil
  }

  /// Changes the value while no other thread can, after handlers and paths that act before that.
  @usableFromInline @inline(never)
  func announceAndChange<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    let start = subject.announce(self, after: nil)
    let old = old(after: start)
    if subject.isRead { subject.beginMutation(of: self) }
    let cell = lock.beginAccess()
    defer { endAccess(start, old, cell) }
    return try body(&value)
  }

  /// Ends an access in place, unlocks the property, and delivers the change.
  @inlinable @inline(__always)
  func endAccess(_ change: SubjectChange?, _ old: Value?, _ cell: UnsafeMutableRawPointer?) {
    if change == nil, !subject.isFollowedUp {
      subject.endAccess(lock, in: cell)
    } else {
      deliverAccess(change, old, cell)
    }
  }

  @inlinable
  func deliverAccess(_ change: SubjectChange?, _ old: Value?, _ cell: UnsafeMutableRawPointer?) {
    withAddresses(of: value, old) { new, old in
      subject.didAccess(
        of: self, old: old, new: new, after: change, with: ValueBox.Copier(Value.self),
        holding: lock, in: cell)
    }
  }

  /// Unlocks the property, and delivers the change, or leaves that to the thread that has the turn.
  @inlinable
  func end(_ change: SubjectChange?, _ old: Value?) {
    guard change != nil || subject.isFollowedUp else {
      subject.stamp.wrappingAdd(1, ordering: .releasing)
      return lock.giveBack()
    }
    withAddresses(of: value, old) { new, old in
      subject.didChange(
        of: self, old: old, new: new, after: change, with: ValueBox.Copier(Value.self),
        holding: lock)
    }
  }
}

extension AtomicObserved: AtomicProperty {
  @usableFromInline func boxedLocked() -> ValueBox { ValueBox(value) }
}

/// `value` is guarded by `lock`, the rest is immutable.
extension AtomicObserved: @unchecked Sendable {}
