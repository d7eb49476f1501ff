import Synchronization

/// Reference to a subject that does not retain it, for the accessors of its property and for the
/// observation infos that it lists, so that it is deallocated with the last storage that holds it.
///
/// Accessors: the owner is alive in them, and retains the subject until the storage of the property
/// is replaced (`_name = …`), which any code of the user's may do: handlers, getters, `==`,
/// deinits. A frame that runs such code either has the turn to deliver, and the deinit of the
/// subject traps, or holds the subject: `retained`. It uses the subject no more when it has given
/// the turn back. An accessor reads the reference again after `willSet` and `willChange`.
/// `AtomicObserved` and `ObservableArray` never replace theirs, and whoever uses them holds them.
/// Pinned by ReplacedStorageTests.
///
/// Infos: safe because the deinit of a subject first removes all infos, under the lock of each
/// store; and because the reference is only followed under that lock, or under that of the array
/// sink, while the subject lists the info. Until it does, the code that makes the reference retains
/// the subject. Following it does not retain either: another thread may be deallocating the
/// subject, which does not wait for the thread that removes its last info; and its deinit must not
/// run here, where it would take a lock that is held. Reading a variable, `unowned(unsafe)` ones
/// included, would retain. Pinned by SubjectThreadTests.
@usableFromInline
struct SubjectReference {
  @usableFromInline let subject: Unmanaged<Subject>

  @inlinable @inline(__always)
  init(_ subject: Subject) {
    self.subject = .passUnretained(subject)
  }
}

extension SubjectReference {
  /// The subject, held by the caller: for code that runs user code without having the turn.
  ///
  /// Not inlined: the optimiser takes the `self` of a method of the subject, from which such a
  /// reference is made, for one that somebody else holds, and would drop this one.
  @usableFromInline var retained: Subject {
    @inline(never) get { subject.takeUnretainedValue() }
  }

  /// Traps if what has run before the store has replaced the storage of the property, for which
  /// nothing of the change could be delivered.
  ///
  /// - Parameter subject: Held by the caller, and by the storage, unless that was replaced.
  @usableFromInline
  static func requireStorage(of subject: inout Subject) {
    precondition(!isKnownUniquelyReferenced(&subject), Subject.replacedStorage)
  }
}

/// For infos.
extension SubjectReference {
  var identity: ObjectIdentifier { subject._withUnsafeGuaranteedRef { ObjectIdentifier($0) } }

  func insert(_ info: ObservationInfo) {
    subject._withUnsafeGuaranteedRef { $0.insert(info) }
  }

  /// Removes `info` from the subject, which may be deallocated when this returns.
  ///
  /// - Returns: Result of `Subject.remove(_:)`.
  func remove(_ info: ObservationInfo) -> Bool {
    subject._withUnsafeGuaranteedRef { $0.remove(info) }
  }
}

/// For accessors: generic in the value.
extension SubjectReference {
  /// Whether one of these bits of `Subject.Phase` is set.
  @inlinable @inline(__always)
  func has(_ bits: Subject.Phase.RawValue) -> Bool {
    subject._withUnsafeGuaranteedRef { $0.has(bits) }
  }

  /// Compares the values of an assignment, if a derived value depends on that, and has infos act
  /// that have to before it: behind `==`, which may set the property, or register observations.
  @inlinable @inline(never)
  func willSet<Value>(
    of owner: AnyObject, from current: Value, to next: Value
  ) -> SubjectChange? {
    var subject = retained
    defer { Self.requireStorage(of: &subject) }
    let stamp = subject.stamp.load(ordering: .relaxed)
    let areSame =
      subject.isPrepared && subject.needsComparison
      && ValueEquality.areSame(current, next, orBy: { subject.equality(of: Value.self) })
    let change = withAddresses(of: current, next) { current, next in
      subject.willChange(of: owner, current: current, next: next, isEqual: areSame)
    }
    // Not if `==`, a prior handler or a getter has set the property.
    guard areSame, subject.stamp.load(ordering: .relaxed) == stamp else { return change }
    let equal = change ?? SubjectChange()
    equal.isEqual = true
    return equal
  }

  /// Lends the addresses of the values to `Subject.willChange`.
  ///
  /// - Parameter next: `nil` before a mutation in place.
  @inlinable @inline(never)
  func willChange<Value>(
    of owner: AnyObject, from current: Value, to next: Value?
  ) -> SubjectChange? {
    var subject = retained
    defer { Self.requireStorage(of: &subject) }
    return withAddresses(of: current, next) { [subject] current, next in
      subject.willChange(of: owner, current: current, next: next)
    }
  }

  /// Has derived values and live views wait for the end of a mutation in place.
  ///
  /// - Parameter change: Result of `willChange`; made where live views wait.
  /// - Returns: Whether the value before the mutation is needed. Holding it makes a collection copy
  ///   itself when it is mutated.
  @usableFromInline
  func beginMutation(of owner: AnyObject, after change: inout SubjectChange?) -> Bool {
    subject._withUnsafeGuaranteedRef {
      let needsOld = $0.needsOld(after: change)
      if $0.isRead { $0.beginMutation(of: owner) }
      if $0.isOwned(by: owner) { $0.holdSinks(in: &change) }
      return needsOld
    }
  }

  /// Lends the addresses of the values to a mutation in place that has ended.
  ///
  /// - Parameter noted: `nil` where nothing had to be done before the mutation.
  @inlinable @inline(never)
  func didChange<Value>(
    of owner: AnyObject, to new: Value, noted: (old: Value?, change: SubjectChange?)?
  ) {
    if let noted {
      didChange(of: owner, from: noted.old, to: new, after: noted.change)
    } else {
      withUnsafePointer(to: new) { new in
        subject._withUnsafeGuaranteedRef {
          $0.didChange(of: owner, old: nil, new: new, with: ValueBox.Copier(Value.self))
        }
      }
    }
  }

  /// Lends the addresses of the values to a change before which infos have acted, or derived values
  /// have waited, if there are any; that of the old one only if it was needed.
  @inlinable @inline(never)
  func didChange<Value>(
    of owner: AnyObject, from old: Value?, to new: Value, after change: SubjectChange?
  ) {
    withAddresses(of: new, old) { new, old in
      subject._withUnsafeGuaranteedRef {
        let copier = ValueBox.Copier(Value.self)
        if change == nil {
          $0.didChange(of: owner, old: old, new: new, with: copier)
        } else {
          $0.finishChange(of: owner, old: old, new: new, after: change, with: copier)
        }
      }
    }
  }
}

/// Lends the address of a value, and that of another one, if there is one.
@inlinable @inline(__always)
func withAddresses<Value, Result>(
  of value: Value, _ other: Value?, _ body: (UnsafeRawPointer, UnsafeRawPointer?) -> Result
) -> Result {
  withUnsafePointer(to: value) { value in
    guard let other else { return body(value, nil) }
    return withUnsafePointer(to: other) { body(value, $0) }
  }
}
