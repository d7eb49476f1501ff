import Synchronization

/// How many threads do something for which accessors have to look more closely.
///
/// Getters and setters pay for it with one relaxed load, whatever is asked.
@usableFromInline
enum ThreadActivity {
  /// A thread notes which properties it reads.
  static var tracking: UInt64 { 1 }

  /// A thread holds back what changes.
  static var transaction: UInt64 { 1 << 32 }

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

/// Threads that track in the lower half, threads in a transaction in the upper half.
///
/// A global rather than a static property of a type: a global atomic needs no check for its
/// initialisation at each access.
@usableFromInline let threadActivity = Atomic<UInt64>(0)
