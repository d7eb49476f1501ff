import Foundation

/// A pointer that each thread has its own of, `nil` at first.
///
/// A POSIX key where there is one, 15 instructions to read; a task-local value, which the standard
/// library has everywhere but which allocates to be set, where there is none.
enum ThreadLocal {
  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
    private static let key: pthread_key_t = {
      var key = pthread_key_t()
      let error = pthread_key_create(&key, nil)
      precondition(error == 0, "No thread-local storage: pthread_key_create returned \(error)")
      return key
    }()

    static var pointer: UnsafeMutableRawPointer? {
      pthread_getspecific(key)
    }

    /// Runs `body` while `pointer` is the thread's own.
    static func withPointer<Result>(
      _ pointer: UnsafeMutableRawPointer?, _ body: () -> Result
    ) -> Result {
      let outer = pthread_getspecific(key)
      pthread_setspecific(key, pointer)
      defer { pthread_setspecific(key, outer) }
      return body()
    }
  #else
    private struct Slot: @unchecked Sendable {
      // Only read by the thread that set it: a task started meanwhile compares the thread.
      let pointer: UnsafeMutableRawPointer?
      let thread: ObjectIdentifier
    }

    @TaskLocal private static var slot: Slot?

    static var pointer: UnsafeMutableRawPointer? {
      guard let slot, slot.thread == ObjectIdentifier(Thread.current) else { return nil }
      return slot.pointer
    }

    /// Runs `body` while `pointer` is the thread's own.
    static func withPointer<Result>(
      _ pointer: UnsafeMutableRawPointer?, _ body: () -> Result
    ) -> Result {
      let slot = Slot(pointer: pointer, thread: ObjectIdentifier(Thread.current))
      return $slot.withValue(slot, operation: body)
    }
  #endif
}
