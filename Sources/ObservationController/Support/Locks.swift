import Dispatch
import Synchronization

/// A value that is only reached under its lock.
///
/// Handlers, getters, `==`, deinits and reporters never run inside `withLock(_:)`. Objects that a
/// critical section removes, and that may belong to the user, are returned and released afterwards.
struct Locked<State>: ~Copyable {
  private let mutex: Mutex<Unchecked<State>>

  /// Lets ThreadSanitizer know what the mutex orders.
  ///
  /// `Mutex` waits in the kernel, which ThreadSanitizer does not see on every platform; a release
  /// store before unlocking and an acquire load after locking say it in its language. Both are
  /// plain moves on x86 and arm64.
  private let fence = Atomic<Bool>(false)

  #if DEBUG
    private let rank: LockRank
  #endif

  /// - Parameter rank: Its place in the order of locks.
  init(_ initialState: State, _ rank: LockRank = .leaf) {
    mutex = Mutex(Unchecked(value: initialState))
    #if DEBUG
      self.rank = rank
    #endif
  }

  @inline(__always)
  borrowing func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    #if DEBUG
      rank.willLock()
      defer { rank.didUnlock() }
    #endif
    return mutex.withLock { state in
      _ = fence.load(ordering: .acquiring)
      defer { fence.store(true, ordering: .releasing) }
      #if DEBUG
        rank.didLock()
      #endif
      return Unchecked(value: body(&state.value))
    }.value
  }
}

/// Carries a value past the compiler's region check.
///
/// Unchecked because it is used by `Locked` alone: the state never leaves the lock, and a result
/// stays on the thread that asked for it. Not `private`: the compiler (6.3.1) then leaves its
/// descriptor out of the files that store a `Locked`.
struct Unchecked<Value>: @unchecked Sendable {
  var value: Value
}

/// `State` is only touched under the mutex, so that sharing the lock shares no unprotected memory.
extension Locked: @unchecked Sendable {}

/// One byte that locks and unlocks by hand, for state that lies beside it.
///
/// Without contention, one atomic operation locks and one unlocks. A thread that finds it locked
/// sleeps among those of all locks of this type. ThreadSanitizer knows what the byte orders.
struct BriefLock: ~Copyable {
  private let state = Atomic(State.free)

  private enum State {
    static var free: UInt8 { 0 }
    static var taken: UInt8 { 1 }

    /// Taken, and threads may be asleep.
    static var awaited: UInt8 { 2 }
  }

  /// Threads that sleep, each at a semaphore of its own.
  private static let sleepers = Locked<[DispatchSemaphore]>([])

  /// - Parameter rank: Its place in the order of locks. Here and not stored, so that a lock stays a
  ///   byte.
  @inline(__always)
  borrowing func lock(as rank: LockRank) {
    rank.willLock()
    if !take() { waitAndLock() }
    rank.didLock()
  }

  /// - Returns: `false` if it is locked, by whatever thread.
  @inline(__always)
  borrowing func tryLock(as rank: LockRank) -> Bool {
    guard take() else { return false }
    rank.didLock()
    return true
  }

  /// - Returns: Whether this has taken the lock.
  @inline(__always)
  private borrowing func take() -> Bool {
    state.compareExchange(
      expected: State.free, desired: State.taken, successOrdering: .acquiring,
      failureOrdering: .relaxed
    ).exchanged
  }

  @inline(__always)
  borrowing func unlock(as rank: LockRank) {
    rank.didUnlock()
    if state.exchange(State.free, ordering: .releasing) == State.awaited { Self.wakeSleepers() }
  }

  @inline(never)
  private borrowing func waitAndLock() {
    let wake = DispatchSemaphore(value: 0)
    // Marked while the list is locked: a thread that unlocks after that needs the list to wake this
    // one, and finds it there. Taken as awaited, since others may still sleep.
    while Self.sleepers.withLock({ sleepers in
      let isTaken = state.exchange(State.awaited, ordering: .acquiring) != State.free
      if isTaken { sleepers.append(wake) }
      return isTaken
    }) {
      wake.wait()
    }
  }

  /// Static: the memory of the lock may have been freed by the thread that took it next.
  @inline(never)
  private static func wakeSleepers() {
    for wake in sleepers.withLock({ exchange(&$0, with: []) }) { wake.signal() }
  }
}
