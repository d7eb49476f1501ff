import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// What a thread is in the middle of. One for each thread, behind one thread-local pointer.
///
/// Behind a POSIX key where there is one; a task-local value, which the standard library has everywhere
/// but which allocates to be set, where there is none.
struct ThreadContext {
  /// Records which properties are read; valid as long as it is set.
  var tracker: UnsafeMutableRawPointer?

  /// Holds back what changes; valid as long as it is set.
  var transaction: UnsafeMutableRawPointer?

  /// What a trace has recorded that other things happen because of; valid as long as it is set.
  var event: UnsafeMutableRawPointer?

  /// Whether a cycle is being reported.
  var isReportingCycle = false
}

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  extension ThreadContext {
    private typealias Pointer = UnsafeMutablePointer<ThreadContext>

    /// The context of this thread as it is; an empty one if the thread has never had another.
    static var current: ThreadContext {
      let stored = storedKey.load(ordering: .relaxed)
      guard stored != 0, let context = pointer(of: pthread_key_t(stored - 1)) else {
        return ThreadContext()
      }
      return context.pointee
    }

    /// Runs `body` while a part of the context of this thread is `value`.
    @inline(__always)
    static func with<Part, Result>(
      _ part: WritableKeyPath<ThreadContext, Part>, _ value: Part, _ body: () throws -> Result
    ) rethrows -> Result {
      let stored = storedKey.load(ordering: .relaxed)
      let key = stored == 0 ? makeKey() : pthread_key_t(stored - 1)
      let context = pointer(of: key) ?? makeContext(of: key)
      let outer = context.pointee[keyPath: part]
      context.pointee[keyPath: part] = value
      defer { context.pointee[keyPath: part] = outer }
      return try body()
    }

    @inline(never)
    private static func makeKey() -> pthread_key_t {
      var key = pthread_key_t()
      let error = pthread_key_create(&key) { $0?.deallocate() }
      precondition(error == 0, "No thread-local storage: pthread_key_create returned \(error)")
      let (isFirst, stored) = storedKey.compareExchange(
        expected: 0, desired: UInt(key) + 1, ordering: .relaxed)
      if isFirst { return key }
      pthread_key_delete(key)
      return pthread_key_t(stored - 1)
    }

    @inline(__always)
    private static func pointer(of key: pthread_key_t) -> Pointer? {
      // Set by `makeContext` alone, and freed when the thread ends.
      pthread_getspecific(key)?.assumingMemoryBound(to: ThreadContext.self)
    }

    @inline(never)
    private static func makeContext(of key: pthread_key_t) -> Pointer {
      let context = Pointer.allocate(capacity: 1)
      context.initialize(to: ThreadContext())
      let error = pthread_setspecific(key, context)
      precondition(error == 0, "No thread-local storage: pthread_setspecific returned \(error)")
      return context
    }
  }

  /// One more than the key, which is never given back; 0 until a thread needs a context. A global, which
  /// needs no check for its initialisation.
  private let storedKey = Atomic<UInt>(0)
#else
  extension ThreadContext {
    private struct Slot: @unchecked Sendable {
      // Only read by the thread that set it: a task started meanwhile compares the thread.
      let context: ThreadContext
      let thread: ThreadIdentity
    }

    private static let slot = TaskLocal<Slot?>(wrappedValue: nil)

    /// The context of this thread as it is.
    static var current: ThreadContext {
      guard let slot = slot.get(), slot.thread == .current else { return ThreadContext() }
      return slot.context
    }

    /// Runs `body` while a part of the context of this thread is `value`.
    static func with<Part, Result>(
      _ part: WritableKeyPath<ThreadContext, Part>, _ value: Part, _ body: () throws -> Result
    ) rethrows -> Result {
      var context = current
      context[keyPath: part] = value
      return try slot.withValue(Slot(context: context, thread: .current), operation: body)
    }
  }
#endif
