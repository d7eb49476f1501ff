import Foundation
import Synchronization

/// A pointer that each thread has its own of, `nil` at first.
///
/// Behind a POSIX key where there is one, 17 instructions to read; a task-local value, which the
/// standard library has everywhere but which allocates to be set, where there is none. For globals,
/// which need no check for their initialisation: that would take 10 more. The key is never given back.
struct ThreadLocal: ~Copyable {
  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
    /// Where a thread has its pointer: setting the key's own each time would take 30 instructions more.
    private typealias Cell = UnsafeMutablePointer<UnsafeMutableRawPointer?>

    /// One more than the key; 0 until a thread sets its pointer.
    private let storedKey = Atomic<UInt>(0)

    init() {}

    var pointer: UnsafeMutableRawPointer? {
      let stored = storedKey.load(ordering: .relaxed)
      guard stored != 0, let cell = Self.cell(of: pthread_key_t(stored - 1)) else { return nil }
      return cell.pointee
    }

    /// Runs `body` while `pointer` is the thread's own.
    func withPointer<Result>(
      _ pointer: UnsafeMutableRawPointer?, _ body: () throws -> Result
    ) rethrows -> Result {
      let stored = storedKey.load(ordering: .relaxed)
      let key = stored == 0 ? makeKey() : pthread_key_t(stored - 1)
      let cell = Self.cell(of: key) ?? Self.makeCell(of: key)
      let outer = cell.pointee
      cell.pointee = pointer
      defer { cell.pointee = outer }
      return try body()
    }

    @inline(never)
    private func makeKey() -> pthread_key_t {
      var key = pthread_key_t()
      let error = pthread_key_create(&key) { Self.free($0) }
      precondition(error == 0, "No thread-local storage: pthread_key_create returned \(error)")
      let (isFirst, stored) = storedKey.compareExchange(
        expected: 0, desired: UInt(key) + 1, ordering: .relaxed)
      if isFirst { return key }
      pthread_key_delete(key)
      return pthread_key_t(stored - 1)
    }

    @inline(__always)
    private static func cell(of key: pthread_key_t) -> Cell? {
      // Set by `makeCell` alone, and freed when the thread ends.
      pthread_getspecific(key)?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    @inline(never)
    private static func makeCell(of key: pthread_key_t) -> Cell {
      let cell = Cell.allocate(capacity: 1)
      cell.initialize(to: nil)
      let error = pthread_setspecific(key, cell)
      precondition(error == 0, "No thread-local storage: pthread_setspecific returned \(error)")
      return cell
    }

    private static func free(_ cell: UnsafeMutableRawPointer?) {
      cell?.deallocate()
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
