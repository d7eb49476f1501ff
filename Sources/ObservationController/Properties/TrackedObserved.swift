import Observation

/// A property that this library observes, and the standard library's Observation tracks.
///
///     @Observable
///     final class Document {
///       var title = "Untitled"
///       @ObservationIgnored @TrackedObserved var text = ""
///     }
///
/// A view or `withObservationTracking` follows it as a property of the macro's, a controller as an
/// ``Observed`` one: key paths through it, derived values, transactions and bindings included. A
/// class that conforms to `Observable` by hand has `@TrackedObserved` alone. All that ``Observed``
/// says holds here too.
///
/// Setting it calls the `onChange` closures of tracking first, while the old value is still there;
/// then prior deliveries, the store, and the deliveries. Changing it in place is one change for
/// both.
/// - A closure that sets the property itself makes a change of its own, before this one. As with
///   the macro, it is called for that one too: Observation ends the tracking when the closure has
///   returned.
/// - Tracking that begins in a closure, or in a prior delivery, is notified of the next change.
/// - Tracking is notified of an equal value too, whatever the macro does with its own properties.
/// - A transaction holds back deliveries. Tracking is notified of each store when it is made.
/// - Of an ``ObservableArray`` in the property, each edit counts as a change of the property, also
///   those of a live view. Edits of an array elsewhere are none.
/// - Tracking notices a ``Derived`` property of an `Observable` class as one property, whether its
///   value is computed or was before. It is notified before the first change of what the value
///   depends on: whether the value comes to differ is not known by then.
///
/// The object makes a registrar for each such property, which allocates. Replacing the storage ends
/// tracking as well.
@propertyWrapper
public struct TrackedObserved<Value> {
  @usableFromInline var base: Observed<Value>

  /// Registrar of Observation for this property.
  @usableFromInline let registrar = ObservationRegistrar()

  /// Makes a property with a first value; `@TrackedObserved var text = ""` calls it.
  ///
  /// - Complexity: O(1).
  @inlinable
  public init(wrappedValue: Value) {
    base = Observed(wrappedValue: wrappedValue)
  }

  @available(
    *, unavailable,
    message:
      "@TrackedObserved works on properties of Observable classes only: make the enclosing type one, or leave the attribute out; a static property belongs to no object, and of several wrappers @TrackedObserved has to be the first"
  )
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  // As those of `Observed`, see there; passing `storage` on to that one would keep both from
  // being folded. A class that is not `Observable` is refused by the constraint, at no place: the
  // compiler takes no second subscript that could give advice, neither here nor in an extension. It
  // shows the line of the constraint, and with it the comment there.
  //
  // Tracking is notified before anything else, and again after everything: what its closures set is
  // then a change of its own, and the changes are delivered in order (C7). Pinned by
  // TrackedReentrancyTests.
  @inlinable
  // @TrackedObserved is for Observable classes: make the class Observable, or use @Observed.
  public static subscript<Owner: AnyObject & Observable, Exposed>(
    _enclosingInstance owner: Owner,
    wrapped wrapped: @autoclosure () -> ReferenceWritableKeyPath<Owner, Exposed>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    @inline(__always)
    get {
      // The subject may only be read until `note` or `endNote` unlocks.
      if ThreadActivity.isAnyTracking, let cell = AccessTracking.beginNote(of: owner) {
        let held = owner[keyPath: storage].base.subjectReference
        var new = AccessTracking.note(
          owner, in: cell, subject: held,
          keyPath: { Exposed.self == Value.self ? wrapped() : nil })
        if new != nil {
          swap(&owner[keyPath: storage].base.subject, &new)
          AccessTracking.endNote(of: owner)
        }
      }
      owner[keyPath: storage].registrar.access(owner, keyPath: wrapped())
      TrackedContents.note(in: owner[keyPath: storage].base.value)
      return owner[keyPath: storage].base.value
    }

    @inline(__always)
    set {
      let (registrar, keyPath) = (owner[keyPath: storage].registrar, wrapped())
      registrar.willSet(owner, keyPath: keyPath)
      defer { registrar.didSet(owner, keyPath: keyPath) }
      // Read after `willSet`, whose closures may have begun to observe.
      let subject = owner[keyPath: storage].base.subjectReference
      let current = owner[keyPath: storage].base.value
      let change = subject?.willSet(of: owner, from: current, to: newValue)
      var old = newValue
      swap(&owner[keyPath: storage].base.value, &old)
      subject?.didChange(of: owner, from: old, to: newValue, after: change)
    }

    @inline(__always)
    _modify {
      let (registrar, keyPath) = (owner[keyPath: storage].registrar, wrapped())
      registrar.willSet(owner, keyPath: keyPath)
      defer { registrar.didSet(owner, keyPath: keyPath) }
      yield &Self[valueOf: owner, in: owner, at: storage]
    }
  }

  // Mutates in place, see `Observed`.
  @inlinable
  static subscript<Root>(
    valueOf owner: AnyObject, in root: Root, at storage: ReferenceWritableKeyPath<Root, Self>
  ) -> Value {
    @inline(__always)
    get { root[keyPath: storage].base.value }

    @inline(__always)
    _modify {
      let subject = root[keyPath: storage].base.subjectReference
      let noted: (old: Value?, change: SubjectChange?)?
      if let subject, subject.has(Subject.Phase.actsOnMutation) {
        let current = root[keyPath: storage].base.value
        var change = subject.willChange(of: owner, from: current, to: nil)
        // Read after `willChange`, whose handlers may have set the property.
        let needsOld = subject.beginMutation(of: owner, after: &change)
        noted = (needsOld ? root[keyPath: storage].base.value : nil, change)
      } else {
        noted = nil
      }
      // One yield, and the delivery in a defer, so that a mutation that throws is delivered too.
      defer {
        if let subject {
          let new = root[keyPath: storage].base.value
          subject.didChange(of: owner, to: new, noted: noted)
        }
      }
      yield &root[keyPath: storage].base.value
    }
  }
}

/// A registrar is `Sendable`; a copy that is sent shares it, and the subject.
extension TrackedObserved: Sendable where Value: Sendable {}
