import Foundation

/// A pointer that each thread has its own of, `nil` at first.
///
/// A POSIX key where there is one, 15 instructions to read; a task-local value, which the standard
/// library has everywhere but which allocates to be set, where there is none.
struct ThreadLocal {
  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
    private let key: pthread_key_t

    init() {
      var key = pthread_key_t()
      let error = pthread_key_create(&key, nil)
      precondition(error == 0, "No thread-local storage: pthread_key_create returned \(error)")
      self.key = key
    }

    var pointer: UnsafeMutableRawPointer? {
      pthread_getspecific(key)
    }

    /// Runs `body` while `pointer` is the thread's own.
    func withPointer<Result>(
      _ pointer: UnsafeMutableRawPointer?, _ body: () throws -> Result
    ) rethrows -> Result {
      let outer = pthread_getspecific(key)
      pthread_setspecific(key, pointer)
      defer { pthread_setspecific(key, outer) }
      return try body()
    }
  #else
    private struct Slot: @unchecked Sendable {
      // Only read by the thread that set it: a task started meanwhile compares the thread.
      let pointer: UnsafeMutableRawPointer?
      let thread: ThreadIdentity
    }

    private let slot = TaskLocal<Slot?>(wrappedValue: nil)

    var pointer: UnsafeMutableRawPointer? {
      guard let slot = slot.get(), slot.thread == .current else { return nil }
      return slot.pointer
    }

    /// Runs `body` while `pointer` is the thread's own.
    func withPointer<Result>(
      _ pointer: UnsafeMutableRawPointer?, _ body: () throws -> Result
    ) rethrows -> Result {
      try slot.withValue(Slot(pointer: pointer, thread: .current), operation: body)
    }
  #endif
}
