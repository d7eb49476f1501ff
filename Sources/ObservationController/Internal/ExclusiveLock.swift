import Foundation
import Synchronization

/// A lock that is taken and given back by hand, for a value that a coroutine yields or a closure of
/// the user's changes; and that says so if the same thread takes it again.
///
/// A lock of Foundation, which ThreadSanitizer knows.
@usableFromInline
final class ExclusiveLock: Sendable {
  private let lock = NSLock()

  /// The thread that has the lock, 0 if none. A thread that reads its own identity has it.
  private let holder = Atomic<UInt>(0)

  #if DEBUG
    private let name: LockTrace.Name

    /// - Parameter type: What a trace calls the lock.
    init(of type: Any.Type) {
      name = LockTrace.Name(guarding: type)
    }

    @usableFromInline
    func take(file: StaticString = #fileID, line: UInt = #line) {
      let trace = LockTrace.current
      trace?.wait(for: name, file, line)
      takeUntraced()
      trace?.hold(name)
    }

    @usableFromInline
    func giveBack() {
      giveBackUntraced()
      LockTrace.current?.leave(name)
    }

    func withLock<Result>(
      file: StaticString = #fileID, line: UInt = #line, _ body: () throws -> Result
    ) rethrows -> Result {
      take(file: file, line: line)
      defer { giveBack() }
      return try body()
    }
  #else
    init(of type: Any.Type) {}

    @usableFromInline
    func take() { takeUntraced() }

    @usableFromInline
    func giveBack() { giveBackUntraced() }

    func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
      take()
      defer { giveBack() }
      return try body()
    }
  #endif

  @inline(__always)
  private func takeUntraced() {
    let thread = ThreadIdentity.current.bits
    precondition(
      holder.load(ordering: .relaxed) != thread,
      "An @AtomicObserved property was used inside of its own withLock(_:) or in-place mutation; "
        + "use the value that the closure receives")
    lock.lock()
    holder.store(thread, ordering: .relaxed)
  }

  @inline(__always)
  private func giveBackUntraced() {
    holder.store(0, ordering: .relaxed)
    lock.unlock()
  }
}
