import Synchronization

/// Counts of threads whose state makes accessors take their slow way.
///
/// Getters and setters pay one relaxed load for all of them.
@usableFromInline
enum ThreadActivity {
  /// A thread records which properties it reads.
  static var tracking: UInt64 { 1 }

  /// A thread runs a transaction.
  static var transaction: UInt64 { 1 << 32 }

  /// A trace records. Higher than the count of transactions, so that a test for transactions finds
  /// traces too.
  static var tracing: UInt64 { 1 << 56 }

  @inline(__always)
  static var isAnyTracing: Bool { threadActivity.load(ordering: .relaxed) >= tracing }

  @inlinable
  static var isNone: Bool {
    @inline(__always) get { threadActivity.load(ordering: .relaxed) == 0 }
  }

  @inlinable
  static var isAnyTracking: Bool {
    @inline(__always) get {
      UInt32(truncatingIfNeeded: threadActivity.load(ordering: .relaxed)) != 0
    }
  }

  @inlinable
  static var isAnyInTransaction: Bool {
    @inline(__always) get { threadActivity.load(ordering: .relaxed) >> 32 != 0 }
  }

  static func begin(_ activity: UInt64) {
    threadActivity.wrappingAdd(activity, ordering: .relaxed)
  }

  static func end(_ activity: UInt64) {
    threadActivity.wrappingSubtract(activity, ordering: .relaxed)
  }
}

/// Threads that track in the lower half, threads in a transaction in the upper half, below traces.
///
/// A global rather than a static property of a type: a global atomic needs no check for its
/// initialisation at each access.
@usableFromInline let threadActivity = Atomic<UInt64>(0)
