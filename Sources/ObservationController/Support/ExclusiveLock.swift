import Synchronization

/// A lock that is taken and given back by hand, for a value that a coroutine yields or a closure of
/// the user's changes; and that says so if the same thread takes it again.
///
/// A lock of the system, which ThreadSanitizer knows.
@usableFromInline
final class ExclusiveLock: Sendable {
  private let lock = SystemLock()

  /// The thread that has the lock, 0 if none. A thread that reads its own identity has it.
  private let holder = Atomic<UInt>(0)

  func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    take()
    defer { giveBack() }
    return try body()
  }

  @usableFromInline
  func take() {
    let thread = ThreadIdentity.current.bits
    precondition(
      holder.load(ordering: .relaxed) != thread,
      "An @AtomicObserved property was used inside of its own withLock(_:) or in-place mutation; "
        + "use the value that the closure receives")
    lock.lock()
    holder.store(thread, ordering: .relaxed)
  }

  @usableFromInline
  func giveBack() {
    holder.store(0, ordering: .relaxed)
    lock.unlock()
  }
}
