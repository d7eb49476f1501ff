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

  /// A trace records. Beyond what the threads in a transaction count to, so that whoever asks for those
  /// looks more closely too, and nobody has to ask for both.
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
