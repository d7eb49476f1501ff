import Foundation
import Synchronization

/// Notes which properties are read while a key path is evaluated.
///
/// Lives in the frame of `track`; getters on the same thread find it through a thread-local
/// pointer, and note themselves by `AccessTracking`.
struct AccessTracker {
  /// What was read, each property once, in the order of first access.
  private(set) var accesses = PropertyAccesses()

  /// Runs `body`, and notes the properties that it reads.
  static func track(_ body: () -> Void) -> PropertyAccesses {
    activeTrackerCount.wrappingAdd(1, ordering: .relaxed)
    defer { activeTrackerCount.wrappingSubtract(1, ordering: .relaxed) }
    var tracker = AccessTracker()
    // The pointer is valid for as long as `body` runs, and is taken back before it is not.
    withUnsafeMutablePointer(to: &tracker) { ThreadLocal.withPointer($0, body) }
    return tracker.accesses
  }

  /// Runs `body`, which may track what it reads many times over: the thread is made ready for that
  /// once. A third of what tracking one property costs.
  static func trackEach(_ body: (_ track: (() -> Void) -> PropertyAccesses) -> Void) {
    activeTrackerCount.wrappingAdd(1, ordering: .relaxed)
    defer { activeTrackerCount.wrappingSubtract(1, ordering: .relaxed) }
    var tracker = AccessTracker()
    withUnsafeMutablePointer(to: &tracker) { tracker in
      // As in `track`; what is read in between is noted too, and thrown away with the next reading.
      ThreadLocal.withPointer(tracker) {
        body { read in
          tracker.pointee.accesses = PropertyAccesses()
          read()
          // Moved out: a copy would count four references.
          var accesses = PropertyAccesses()
          swap(&accesses, &tracker.pointee.accesses)
          return accesses
        }
      }
    }
  }

  /// Runs `body`, and notes nothing that it reads.
  static func withoutTracking<Result>(_ body: () -> Result) -> Result {
    guard AccessTracking.isActive, ThreadLocal.pointer != nil else { return body() }
    return ThreadLocal.withPointer(nil, body)
  }

  /// The tracker of this thread.
  fileprivate static var current: UnsafeMutablePointer<AccessTracker>? {
    // Set by `track` alone, which sets a pointer to this type.
    ThreadLocal.pointer?.assumingMemoryBound(to: AccessTracker.self)
  }

  fileprivate mutating func note(_ access: PropertyAccess) {
    accesses.insert(access)
  }
}

/// How many threads are tracking.
///
/// A global rather than a static property of a class: a global atomic needs no check for its
/// initialisation at each access.
@usableFromInline let activeTrackerCount = Atomic<Int>(0)

/// What getters ask.
@usableFromInline
enum AccessTracking {
  /// Whether any thread is tracking: one relaxed load, all that most getters ever do.
  @inlinable
  static var isActive: Bool {
    @inline(__always) get { activeTrackerCount.load(ordering: .relaxed) != 0 }
  }

  /// Takes the lock under which the subject of a property may be looked at and created, if this
  /// thread is tracking.
  ///
  /// - Returns: Whether it is; `endNote` has to follow then.
  @usableFromInline @inline(never)
  static func beginNote() -> Bool {
    guard AccessTracker.current != nil else { return false }
    subjectCreation.lock()
    return true
  }

  /// Notes that a property is being read.
  ///
  /// - Parameter handle: What the property's storage holds.
  /// - Returns: What the storage has to hold from now on, `nil` if that is the same.
  @usableFromInline @inline(never)
  static func note(
    _ owner: AnyObject, handle: SubjectHandle?, keyPath: AnyKeyPath?
  ) -> SubjectHandle? {
    let isOwn = handle?.subject.isOwned(by: owner) ?? false
    let current =
      if isOwn, let handle { handle } else { SubjectHandle(owner: owner) }
    AccessTracker.current?.pointee.note(
      PropertyAccess(
        subject: current.subject, owner: ObjectIdentifier(owner), keyPath: keyPath))
    return isOwn ? nil : current
  }

  /// Gives the lock back.
  ///
  /// - Parameter replaced: What the storage held before, kept alive until the lock is given back: if
  ///   it was copied from another object, and is the last copy, it ends observations when it is
  ///   freed, and runs deinits of the user's.
  @usableFromInline @inline(never)
  static func endNote(_ replaced: SubjectHandle?) {
    withExtendedLifetime(replaced) { subjectCreation.unlock() }
  }

  /// Guards the subjects of all properties while they are created, which may happen on several
  /// threads that only read.
  ///
  /// The one lock that is locked and unlocked by hand. A closure in between would carry the key
  /// path of the storage out of the getter's body; then it is no longer folded, and every access
  /// of the property checks exclusivity at run time: 60 instructions in place of 20.
  private static let subjectCreation = NSLock()
}
