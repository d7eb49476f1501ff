/// A subject as the accessors of its property use it: typed, and without reference counting.
///
/// Safe while the owner is alive, as it is in its accessors: the owner holds the subject, and gives
/// it up only for one of its own, see `Subject.isOwned(by:)`.
@usableFromInline
struct SubjectReference {
  @usableFromInline let subject: Unmanaged<Subject>

  @inlinable @inline(__always)
  init(_ subject: Subject) {
    self.subject = .passUnretained(subject)
  }
}

extension SubjectReference {
  @inlinable
  var needsWillEdit: Bool {
    @inline(__always) get { subject._withUnsafeGuaranteedRef { $0.needsWillEdit } }
  }

  @inlinable
  var needsWillSet: Bool {
    @inline(__always) get { subject._withUnsafeGuaranteedRef { $0.needsWillSet } }
  }

  @inlinable
  var isRead: Bool {
    @inline(__always) get { subject._withUnsafeGuaranteedRef { $0.isRead } }
  }

  /// What comes before an assignment: those act who have to, and then the values are compared, if a derived
  /// value depends on it.
  @inlinable @inline(never)
  func willSet<Value>(
    of owner: AnyObject, from current: Value, to next: Value
  ) -> Subject.Transition {
    let before = stamp
    var transition = willChange(of: owner, from: current, to: next)
    // Not if those who have acted, or `==`, have set the property.
    transition.isEqual =
      isRead && needsComparison && stamp == before && areEqual(current, next) && stamp == before
    return transition
  }

  @usableFromInline
  var stamp: UInt32 { subject._withUnsafeGuaranteedRef { $0.stamp.load(ordering: .relaxed) } }

  @usableFromInline
  var needsComparison: Bool { subject._withUnsafeGuaranteedRef { $0.needsComparison } }

  /// Compares two values, with no lock held.
  @inlinable @inline(__always)
  func areEqual<Value>(_ old: Value, _ new: Value) -> Bool {
    ValueEquality.areEqual(old, new) {
      subject._withUnsafeGuaranteedRef { $0.equality(of: Value.self) }
    }
  }

  /// Lends the addresses of the values to `Subject.willChange`.
  ///
  /// - Parameter next: `nil` before a mutation in place.
  @inlinable @inline(never)
  func willChange<Value>(
    of owner: AnyObject, from current: Value, to next: Value?
  ) -> Subject.Transition {
    withUnsafePointer(to: current) { current in
      subject._withUnsafeGuaranteedRef { subject in
        guard let next else { return subject.willChange(of: owner, current: current, next: nil) }
        return withUnsafePointer(to: next) {
          subject.willChange(of: owner, current: current, next: $0)
        }
      }
    }
  }

  /// Lends the addresses of the values to the slow path, that of the old one only if it was needed.
  @inlinable @inline(never)
  func finishChange<Value>(
    of owner: AnyObject, from old: Value?, to new: Value, after transition: Subject.Transition?
  ) {
    withUnsafePointer(to: new) { new in
      subject._withUnsafeGuaranteedRef { subject in
        let copier = ValueCopier(Value.self)
        guard let old else {
          return subject.finishChange(
            of: owner, old: nil, new: new, after: transition, with: copier)
        }
        withUnsafePointer(to: old) {
          subject.finishChange(of: owner, old: $0, new: new, after: transition, with: copier)
        }
      }
    }
  }
}

// MARK: - Mutation in place

/// What has to be carried from before a mutation in place to after it, where there is anything.
///
/// An object, so that the usual mutation carries one empty reference across its yield.
@usableFromInline
final class MutationStart {
  @usableFromInline let transition: Subject.Transition

  @usableFromInline
  init(_ transition: Subject.Transition) {
    self.transition = transition
  }
}

extension SubjectReference {
  /// Whether anything has to be done before a mutation.
  @inlinable
  var needsWillMutate: Bool {
    @inline(__always) get { subject._withUnsafeGuaranteedRef { $0.needsWillMutate } }
  }

  @inlinable @inline(never)
  func willMutate<Value>(_ owner: AnyObject, from current: Value) -> MutationStart {
    MutationStart(willChange(of: owner, from: current, to: nil))
  }

  @usableFromInline
  func beginMutation() { subject._withUnsafeGuaranteedRef { $0.beginMutation() } }

  /// Whether the value before an in-place mutation is needed: where some info asked for it, and for
  /// the prior delivery of a change that has to wait for its turn.
  ///
  /// Holding the value makes a collection copy itself when it is mutated.
  @usableFromInline
  func needsOld(after start: MutationStart?) -> Bool {
    subject._withUnsafeGuaranteedRef { $0.needsOld(after: start?.transition) }
  }

  /// Delivers a mutation whose old value nobody needs and that nobody had to act on before.
  @inlinable @inline(__always)
  func didMutate<Value>(_ owner: AnyObject, to new: Value) {
    if isRead {
      return finishChange(of: owner, from: Value?.none, to: new, after: nil)
    }
    withUnsafePointer(to: new) { new in
      subject._withUnsafeGuaranteedRef {
        $0.didChange(of: owner, old: nil, new: new, with: ValueCopier(Value.self))
      }
    }
  }

  /// Delivers any other. A name of its own: an overload told apart by an optional alone might be taken
  /// for a property that is optional itself, and the values be read as another type.
  @inlinable @inline(never)
  func didMutate<Value>(
    _ owner: AnyObject, from old: Value?, to new: Value, after start: MutationStart?
  ) {
    if let start {
      finishChange(of: owner, from: old, to: new, after: start.transition)
    } else if let old {
      if isRead { return finishChange(of: owner, from: old, to: new, after: nil) }
      didChange(of: owner, from: old, to: new)
    } else {
      didMutate(owner, to: new)
    }
  }
}
