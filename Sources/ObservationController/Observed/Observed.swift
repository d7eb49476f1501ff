/// A property of a class that can be observed by its key path.
///
///     final class Person {
///       @Observed var name = "Ada"
///       @Observed private(set) var visits = 0
///     }
///
/// The value lies inline in the object. A property that nobody observes costs one test when it is
/// set and one when it is read, and allocates nothing; the first observation allocates one small
/// object for the property, which goes with its owner.
///
/// Classes only, generic ones, subclasses and actor-isolated ones included. The property is as
/// thread-safe as a plain stored property: writing it needs isolation.
@propertyWrapper
public struct Observed<Value> {
  @usableFromInline var value: Value

  /// Created when the property is first read under an access tracker.
  ///
  /// Written under a lock, see `AccessTracking`, since several threads may observe at once.
  @usableFromInline var subject: Subject?

  @inlinable
  public init(wrappedValue: Value) {
    value = wrappedValue
  }

  @available(
    *, unavailable,
    message:
      "@Observed works on properties of classes only: make the enclosing type a class, or leave the attribute out"
  )
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  // Everything that uses `storage` stands in this one subscript: only then does the optimiser fold
  // the key path into a plain access of the stored property. The changes themselves are the
  // business of `Subject`. `wrapped` is an autoclosure, so that only a getter which is being tracked
  // makes the key path; as a value it would be made by every getter, at 120 instructions.
  @inlinable
  public static subscript<Owner: AnyObject>(
    _enclosingInstance owner: Owner,
    wrapped wrapped: @autoclosure () -> ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    @inline(__always)
    get {
      // The subject may only be looked at between begin and end, which hold a lock.
      if AccessTracking.isActive, AccessTracking.beginNote() {
        owner[keyPath: storage].subject = AccessTracking.note(
          owner, subject: owner[keyPath: storage].subject, keyPath: wrapped())
        AccessTracking.endNote()
      }
      return owner[keyPath: storage].value
    }
    @inline(__always)
    set {
      guard let subject = owner[keyPath: storage].unretainedSubject else {
        owner[keyPath: storage].value = newValue
        return
      }
      subject._withUnsafeGuaranteedRef { subject in
        var transition: Subject.Transition?
        if subject.needsWillChange {
          transition = subject.willChange(
            of: owner, from: owner[keyPath: storage].value, to: newValue)
        }
        var old = newValue
        swap(&owner[keyPath: storage].value, &old)
        subject.didChange(of: owner, from: old, to: newValue, transition: transition)
      }
    }
    @inline(__always)
    _modify {
      let subject = owner[keyPath: storage].unretainedSubject
      var old: Value?
      var transition: Subject.Transition?
      if let subject {
        // Holding the old value makes a collection copy itself when it is mutated, so it is only
        // held where some info asked for it.
        transition = subject._withUnsafeGuaranteedRef {
          $0.needsWillChange
            ? $0.willChange(of: owner, from: owner[keyPath: storage].value, to: nil) : nil
        }
        if subject._withUnsafeGuaranteedRef({ $0.needsOld }) { old = owner[keyPath: storage].value }
      }
      // One yield, and the delivery in a defer: a second yield keeps this from being inlined, and
      // a mutation that throws is delivered too.
      defer {
        subject?._withUnsafeGuaranteedRef {
          $0.didChange(
            of: owner, from: old, to: owner[keyPath: storage].value, transition: transition)
        }
      }
      yield &owner[keyPath: storage].value
    }
  }
}

extension Observed {
  /// The subject without a reference count of its own.
  ///
  /// Safe while the owner is alive, as it is in its accessors: the owner holds the subject and
  /// gives it up only for one of its own, see `Subject.isOwned(by:)`.
  @inlinable
  var unretainedSubject: Unmanaged<Subject>? {
    @inline(__always) get { subject.map { Unmanaged.passUnretained($0) } }
  }
}

extension Subject {
  /// The typed side of `willChange`.
  @inlinable
  func willChange<Value>(
    of owner: AnyObject, from current: Value, to next: Value?
  ) -> Transition {
    withUnsafePointer(to: current) { current in
      guard let next else { return willChange(of: owner, current: current, next: nil) }
      return withUnsafePointer(to: next) {
        willChange(of: owner, current: current, next: $0)
      }
    }
  }

  /// The typed side of `didChange`: lends the addresses of the values to a delivery now, or boxes
  /// the values for a later one.
  @inlinable @inline(__always)
  func didChange<Value>(
    of owner: AnyObject, from old: Value?, to new: Value, transition: Transition?
  ) {
    let isDone = withUnsafePointer(to: new) { new in
      guard let old else { return didChange(of: owner, old: nil, new: new, after: transition) }
      return withUnsafePointer(to: old) {
        didChange(of: owner, old: $0, new: new, after: transition)
      }
    }
    if !isDone { deferChange(of: owner, from: old, to: new, transition: transition) }
  }

  @inlinable @inline(__always)
  func didChange(
    of object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer,
    after transition: Transition?
  ) -> Bool {
    guard let transition else { return didChange(of: object, old: old, new: new) }
    return didChange(of: object, old: old, new: new, after: transition)
  }

  @inlinable @inline(never)
  func deferChange<Value>(
    of owner: AnyObject, from old: Value?, to new: Value, transition: Transition?
  ) {
    deferChange(of: owner, old: old.map(ValueBox.init), new: ValueBox(new), transition: transition)
  }
}

/// The subject is `Sendable`; a copy that is sent shares nothing else.
extension Observed: Sendable where Value: Sendable {}
