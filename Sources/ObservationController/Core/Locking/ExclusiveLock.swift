import Synchronization

/// Lock of an atomic property, held while a coroutine yields its value or a closure of the user's
/// changes it. Traps if the thread that holds it locks it again, and where threads wait for each
/// other.
@usableFromInline
final class ExclusiveLock {
  private let lock = BriefLock()

  /// Thread that holds the lock; 0 for none. A thread that reads its own identity holds it.
  private let holder = Atomic<UInt>(0)

  /// The `TaskAccess` that holds the lock; 0 for none.
  private let holdingTask = Atomic<UInt>(0)

  /// Subject of the property, which holds both; used by those who use the property.
  private let subject: Unmanaged<Subject>

  /// Access of a task that holds the lock. Guarded by the lock.
  private var taskAccess: TaskAccess?

  #if DEBUG
    /// Key path of the property's storage, which Swift prints by its name.
    private let storage = Locked<AnyKeyPath?>(nil)

    /// Whether `LockOrder` knows the lock.
    let isOrdered = Atomic(false)
  #endif

  init(of subject: Subject) {
    self.subject = .passUnretained(subject)
    ThreadActivity.noteAtomics()
  }

  #if DEBUG
    deinit { LockOrder.remove(self) }
  #endif

  func withLock<Result>(_ body: () -> Result) -> Result {
    take()
    defer { giveBack() }
    return body()
  }

  @usableFromInline
  func take() { take(by: ThreadIdentity.current.bits) }

  /// - Parameter thread: Identity of this thread.
  @inline(__always)
  func take(by thread: UInt) {
    if holder.load(ordering: .relaxed) == thread { trapAsUsedInside() }
    #if DEBUG
      LockOrder.check(self)
    #endif
    if !lock.tryLock(as: .property) { wait(on: thread) }
    holder.store(thread, ordering: .relaxed)
  }

  @usableFromInline
  func giveBack() {
    holder.store(0, ordering: .relaxed)
    lock.unlock(as: .property)
  }
}

// MARK: - Accesses in place

extension ExclusiveLock {
  /// Has an access by a closure begin, when the property is locked.
  ///
  /// - Returns: The `ThreadCell` of this thread.
  @usableFromInline
  func beginAccess() -> UnsafeMutableRawPointer { beginAccess(in: ThreadCell.own) }

  /// Has a mutation in place begin, by a coroutine, when the property is locked.
  ///
  /// - Returns: The `ThreadCell` of this thread; `nil` if a task may be suspended inside, and end
  ///   it on another thread.
  @usableFromInline
  func beginMutation() -> UnsafeMutableRawPointer? {
    let cell = ThreadCell.own
    // Code inside of a closure, or of a mutation that can't be suspended, can't be either.
    guard cell.pointee.accesses == 0, let access = TaskAccess.begin(in: cell) else {
      return beginAccess(in: cell)
    }
    taskAccess = access
    holdingTask.store(access.number, ordering: .relaxed)
    #if DEBUG
      access.locked.append(self)
    #endif
    return nil
  }

  @inline(__always)
  func beginAccess(in cell: ThreadCell.Reference) -> UnsafeMutableRawPointer {
    cell.pointee.accesses &+= 1
    #if DEBUG
      cell.pointee.lockedProperties.append(.passUnretained(self))
    #endif
    return UnsafeMutableRawPointer(cell)
  }

  /// Has an access end, before the change is delivered: it waits for other accesses alone. The
  /// property is still locked.
  @inline(__always)
  func endAccess(in cell: ThreadCell.Reference) {
    cell.pointee.accesses &-= 1
    #if DEBUG
      let own = Unmanaged.passUnretained(self).toOpaque()
      cell.pointee.lockedProperties.removeAll { $0.toOpaque() == own }
    #endif
  }

  /// As `endAccess`, where a task may have been suspended.
  func endTaskAccess() -> TaskAccess? {
    holdingTask.store(0, ordering: .relaxed)
    let access = taskAccess.take()
    access?.depth -= 1
    #if DEBUG
      access?.locked.removeAll { $0 === self }
    #endif
    return access
  }
}

// MARK: - Waiting

extension ExclusiveLock {
  /// A thread that waits for a lock inside of an access in place.
  private struct Waiter {
    let lock: Unmanaged<ExclusiveLock>

    /// The access of its task; 0 if it is in none.
    let task: UInt
  }

  /// By their identities. A lock in it exists, since a thread waits for it.
  private static let waiters = Locked<[UInt: Waiter]>([:])

  /// Locks as soon as the lock is free. Traps if that waits, over however many threads, for what
  /// this thread holds.
  @inline(never)
  private func wait(on thread: UInt) {
    guard let cell = ThreadCell.existing else { return lock.lock(as: .property) }
    let task = TaskAccess.ofThread(in: cell)?.number ?? 0
    // Whoever holds nothing has nobody wait for it.
    guard cell.pointee.accesses > 0 || task != 0 else { return lock.lock(as: .property) }
    let waiter = Waiter(lock: .passUnretained(self), task: task)
    let own = Self.waiters.withLock { waiters in
      waiters[thread] = waiter
      return lockOfCircle(to: thread, among: waiters)
    }
    if let own { trapAsDeadlock(holding: own.takeUnretainedValue()) }
    lock.lock(as: .property)
    Self.waiters.withLock { $0[thread] = nil }
  }

  /// A lock that `thread` holds, and that whoever holds this one waits for. The last of them to
  /// wait finds it.
  private func lockOfCircle(
    to thread: UInt, among waiters: [UInt: Waiter]
  ) -> Unmanaged<ExclusiveLock>? {
    var lock = Unmanaged.passUnretained(self)
    for _ in 0..<waiters.count {
      let (holder, task) = lock._withUnsafeGuaranteedRef {
        ($0.holder.load(ordering: .relaxed), $0.holdingTask.load(ordering: .relaxed))
      }
      // A task that is suspended does not wait with the thread that it was on.
      guard let waiter = waiters[holder], task == 0 || task == waiter.task else { return nil }
      lock = waiter.lock
      let (next, nextTask) = lock._withUnsafeGuaranteedRef {
        ($0.holder.load(ordering: .relaxed), $0.holdingTask.load(ordering: .relaxed))
      }
      if next == thread, nextTask == 0 || nextTask == waiters[thread]?.task { return lock }
    }
    return nil
  }
}

// MARK: - Names

extension ExclusiveLock {
  #if DEBUG
    /// Learns the name of the property.
    @usableFromInline
    func learn(_ storage: AnyKeyPath) {
      self.storage.withLock { if $0 == nil { $0 = storage } }
    }
  #endif

  /// The property, as far as it is known: by its storage in a debug build, or by its observers.
  var name: String {
    #if DEBUG
      if let storage = storage.withLock({ $0 }) {
        return String(reflecting: storage).replacing("._", with: ".")
      }
    #endif
    let observed = subject._withUnsafeGuaranteedRef { subject in
      subject.latestInfos.all.lazy.map { KeyPathNames.literal(of: $0.registration.keyPath) }.first
    }
    return observed ?? "an AtomicObserved property that has no observer"
  }

  @inline(never)
  private func trapAsUsedInside() -> Never {
    fatalError(
      """
      \(name) was used inside of its own withLock(_:) or in-place mutation: use the value that the \
      closure receives; where the mutation awaits, mutate a copy and assign that
      """)
  }

  @inline(never)
  private func trapAsDeadlock(holding own: ExclusiveLock) -> Never {
    fatalError(
      """
      Deadlock: one thread has \(own.name) locked and waits for \(name), and another one the other \
      way round. Use all of them in one order inside of withLock(_:) and in-place mutations, or \
      make them one property
      """)
  }
}

/// `taskAccess` is guarded by the lock, `storage` by its own, the rest is atomic or immutable. The
/// subject is only used where the property is, which holds both.
extension ExclusiveLock: @unchecked Sendable {}
