/// A property of a class that can be observed by its key path.
///
///     final class Person {
///       @Observed var name = "Ada"
///       @Observed private(set) var visits = 0
///     }
///
/// The value lies inline in the object. An unobserved property costs one branch when it is set and
/// one when it is read, and allocates nothing; the first observation allocates one small object for
/// the property, which is deallocated with its owner.
///
/// A handler may set another property, whose handler sets the next one, and so on. Each level takes
/// stack, as a chain of `didSet` observers does.
///
/// Classes only, generic ones, subclasses and actor-isolated ones included. The property is as
/// thread-safe as a plain stored property: writing it needs isolation, and observing it reads it.
///
/// A `willSet` of the property runs before the value is stored, and its `didSet` after the
/// handlers: what has to hold when they run belongs into the setter of a computed property.
///
/// Three things that a plain property allows have limits:
/// - Replacing the storage (`_name = Observed(wrappedValue: "")`) ends the observations of the
///   property; inside one of its own deliveries, and in a getter of a path that is evaluated for
///   its change, it traps. Assign to the property.
/// - A nested or computed key path is evaluated when one of its properties changes. If it comes to
///   read another one in the midst of the in-place mutation of that, this is an overlapping access,
///   at which Swift traps: no getter can return before there is a value. It may read a ``Derived``
///   value that was computed before.
/// - A property that its object sets in its own deinit is delivered with an object that is being
///   deallocated; a handler must not retain it.
@propertyWrapper
public struct Observed<Value> {
  @usableFromInline var value: Value

  /// Made when the property is first read under an access tracker.
  ///
  /// Written under a lock, see `AccessTracking`, since several threads may observe at once.
  @usableFromInline var subject: Subject?

  /// Makes a property with a first value; `@Observed var name = "Ada"` calls it.
  ///
  /// - Complexity: O(1).
  @inlinable
  public init(wrappedValue: Value) {
    value = wrappedValue
  }

  @available(
    *, unavailable,
    message:
      "@Observed works on properties of classes only: make the enclosing type a class, or leave the attribute out; a static property belongs to no object, and of several wrappers @Observed has to be the first"
  )
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  // Everything that uses `storage` stands in this subscript and the next, which are inlined: only
  // then does the optimiser fold the key path into a plain access of the stored property. `Subject`
  // delivers the changes.
  // `wrapped` is an autoclosure, so that only a tracked getter makes the key path.
  // `Exposed` is another type than `Value` where `Value` is a further wrapper. The property is then
  // followed as a path, whose values have the type that the user sees.
  // Pinned by ComposedWrapperTests.
  @inlinable
  public static subscript<Owner: AnyObject, Exposed>(
    _enclosingInstance owner: Owner,
    wrapped wrapped: @autoclosure () -> ReferenceWritableKeyPath<Owner, Exposed>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    @inline(__always)
    get {
      // The subject may only be read until `note` or `endNote` unlocks.
      if ThreadActivity.isAnyTracking, let cell = AccessTracking.beginNote(of: owner) {
        let held = owner[keyPath: storage].subjectReference
        var new = AccessTracking.note(
          owner, in: cell, subject: held,
          keyPath: { Exposed.self == Value.self ? wrapped() : nil })
        if new != nil {
          // Swapped: an assignment costs every getter registers.
          swap(&owner[keyPath: storage].subject, &new)
          AccessTracking.endNote(of: owner)
        }
      }
      return owner[keyPath: storage].value
    }

    @inline(__always)
    set {
      guard let subject = owner[keyPath: storage].subjectReference else {
        // Swapped: an assignment would retain and release the value once more.
        var old = newValue
        swap(&owner[keyPath: storage].value, &old)
        return
      }
      // Two branches, so that the usual one carries no change.
      if subject.has(Subject.Phase.actsOnSet) {
        let current = owner[keyPath: storage].value
        let change = subject.willSet(of: owner, from: current, to: newValue)
        var old = newValue
        swap(&owner[keyPath: storage].value, &old)
        subject.didChange(of: owner, from: old, to: newValue, after: change)
      } else {
        var old = newValue
        swap(&owner[keyPath: storage].value, &old)
        subject.didChange(of: owner, from: old, to: newValue)
      }
    }

    @inline(__always)
    _modify { yield &Self[valueOf: owner, in: owner, at: storage] }
  }

  // Mutates in place. `root` is the owner once more, which is passed by address because its type is
  // not constrained to classes: following a key path from a class reference would retain the owner
  // until the mutation ends.
  @inlinable
  static subscript<Root>(
    valueOf owner: AnyObject, in root: Root, at storage: ReferenceWritableKeyPath<Root, Self>
  ) -> Value {
    @inline(__always)
    get { root[keyPath: storage].value }

    @inline(__always)
    _modify {
      let subject = root[keyPath: storage].subjectReference
      // One optional of both: releasing it is a branch where nothing has been noted.
      let noted: (old: Value?, change: SubjectChange?)?
      if let subject, subject.has(Subject.Phase.actsOnMutation) {
        let current = root[keyPath: storage].value
        var change = subject.willChange(of: owner, from: current, to: nil)
        // Read after `willChange`, whose handlers may have set the property.
        let needsOld = subject.beginMutation(of: owner, after: &change)
        noted = (needsOld ? root[keyPath: storage].value : nil, change)
      } else {
        noted = nil
      }
      // One yield, and the delivery in a defer: a second yield keeps this from being inlined, and
      // a mutation that throws is delivered too.
      defer {
        if let subject {
          // A local avoids an extra retain.
          let new = root[keyPath: storage].value
          subject.didChange(of: owner, to: new, noted: noted)
        }
      }
      yield &root[keyPath: storage].value
    }
  }
}

extension Observed {
  /// The subject for the accessors, which run while the owner is alive.
  @inlinable
  var subjectReference: SubjectReference? {
    @inline(__always) get { subject.map { SubjectReference($0) } }
  }
}

/// The subject is `Sendable`; a copy shares nothing else.
extension Observed: Sendable where Value: Sendable {}
