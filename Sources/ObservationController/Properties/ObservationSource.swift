import Synchronization

/// Announces changes of state that is kept elsewhere: in user defaults, a file, a C structure, a
/// sensor.
///
///     final class Settings {
///       private let defaults = Defaults()
///       private let source = ObservationSource()
///
///       var volume: Int {
///         get {
///           source.access()
///           return defaults.integer(forKey: "volume")
///         }
///         set { source.withChange { defaults.set(newValue, forKey: "volume") } }
///       }
///     }
///
/// A getter calls ``access()``, and whatever makes a change does so inside of ``withChange(_:)``.
/// What is computed from the getter is then followed as a property is: key paths, derived values,
/// expressions, bindings, transactions and traces. Each change counts, also to an equal value,
/// unless an observation leaves that out with ``ObservationOptions/distinct``. Apple's Observation
/// is notified before the change, if its closures have read the getter.
///
/// One source may stand for several values, which are then all taken to change. Use one for each
/// where that costs too much.
///
/// Any thread may call both methods, at any time, and a delivery is made as that of an
/// ``AtomicObserved`` property: no two at once, and none is lost. The state itself needs its own
/// protection. Retained by its users alone.
public final class ObservationSource {
  /// Has neither an owner nor a value.
  @usableFromInline let subject = Subject(isAtomic: true)

  /// Held while a change is queued, and never while code of the user's runs.
  @usableFromInline let lock: ExclusiveLock

  /// What the source stands for, as Observation tracks it.
  private let contents = LazyReference<DerivedProperty>()

  /// Makes a source that nothing depends on yet.
  ///
  /// - Complexity: O(1).
  public init() { lock = ExclusiveLock(of: subject) }
}

extension ObservationSource {
  /// Has what is being evaluated depend on the source: a key path, a derived value, an expression,
  /// or a closure that Observation tracks. Nothing happens outside of these.
  ///
  /// Call it before the state is read, so that a change in between is noticed.
  ///
  /// - Complexity: O(1).
  public func access() {
    noteAccess()
    TrackedContents.note(of: self)
  }

  /// Runs `body`, which changes the state, and has everything follow that depends on the source.
  ///
  /// Deliveries with ``ObservationOptions/prior`` are made before `body`, all others after it,
  /// before this returns; in a transaction at its end. A change inside of `body` of the same source
  /// is a change of its own. The change is delivered also if `body` throws or changes nothing.
  ///
  /// - Parameter body: Runs at once, on this thread, with no lock held.
  /// - Returns: The result of `body`.
  /// - Complexity: That of `body`, and O(n) in what depends on the source.
  public func withChange<Result>(_ body: () throws -> Result) rethrows -> Result {
    let change = begin()
    defer { end(change) }
    return try body()
  }

  /// - Returns: `nil` if nothing had to act before the change.
  private func begin() -> SubjectChange? {
    guard subject.has(Subject.Phase.actsOnSet) else { return nil }
    let change = subject.announce(self, after: nil)
    lock.giveBack()
    return change
  }

  private func end(_ change: SubjectChange?) {
    guard change != nil || subject.isFollowedUp else {
      subject.stamp.wrappingAdd(1, ordering: .releasing)
      return
    }
    lock.take()
    withUnsafePointer(to: ()) {
      subject.didChange(
        of: self, old: nil, new: $0, after: change, with: ValueBox.Copier(Void.self),
        holding: lock)
    }
  }
}

extension ObservationSource: TrackedCollection {
  @usableFromInline
  func noteAccess() {
    guard ThreadActivity.isAnyTracking else { return }
    _ = AccessTracking.note(self, subject, of: self, keyPath: { nil })
  }

  @usableFromInline
  func trackedContents(orBy make: () -> DerivedProperty) -> DerivedProperty {
    contents.load() ?? contents.storeIfNil(make())
  }
}

extension ObservationSource: AtomicProperty {
  @usableFromInline func boxedLocked() -> ValueBox { ValueBox(()) }

  /// What the getter returns is known to that alone.
  @usableFromInline var hasValue: Bool { false }
}

/// Everything is immutable, atomic, or has a lock of its own.
extension ObservationSource: Sendable {}
