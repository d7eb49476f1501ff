import Synchronization

/// A value that is only reached under its lock: the one lock type of this module.
///
/// Handlers, getters, `==`, deinits and reporters never run inside `withLock(_:)`; what a
/// critical section frees that may belong to a user is handed out and freed afterwards.
struct Locked<State>: ~Copyable {
  private let mutex: Mutex<Unchecked<State>>

  /// Tells ThreadSanitizer what the mutex orders.
  ///
  /// `Mutex` waits in the kernel, which ThreadSanitizer does not see on every platform; a release
  /// store before unlocking and an acquire load after locking say the same in its language. Both
  /// are plain moves on x86 and arm64.
  private let fence = Atomic<Bool>(false)

  init(_ initialState: State) {
    mutex = Mutex(Unchecked(value: initialState))
  }

  @inline(__always)
  borrowing func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    try mutex.withLock { state in
      _ = fence.load(ordering: .acquiring)
      defer { fence.store(true, ordering: .releasing) }
      return Unchecked(value: try body(&state.value))
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
