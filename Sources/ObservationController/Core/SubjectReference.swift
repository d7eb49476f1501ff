import Synchronization

/// Reference to a subject that the accessors of its property use: generic in the value, and not
/// retaining.
///
/// Safe while the owner is alive, as it is in its accessors: the owner retains the subject, and
/// replaces it only by one of its own, see `Subject.isOwned(by:)`.
@usableFromInline
struct SubjectReference {
  @usableFromInline let subject: Unmanaged<Subject>

  @inlinable @inline(__always)
  init(_ subject: Subject) {
    self.subject = .passUnretained(subject)
  }
}

extension SubjectReference {
  /// Whether one of these bits of `Subject.Phase` is set.
  @inlinable @inline(__always)
  func has(_ bits: Subject.Phase.RawValue) -> Bool {
    subject._withUnsafeGuaranteedRef { $0.has(bits) }
  }

  /// Has infos act that have to before an assignment, and then compares the values, if a derived
  /// value depends on that.
  @inlinable @inline(never)
  func willSet<Value>(
    of owner: AnyObject, from current: Value, to next: Value
  ) -> PendingChange? {
    let before = stamp
    let change = willChange(of: owner, from: current, to: next)
    // Not if a prior handler, a getter or `==` has set the property.
    guard has(Subject.Phase.isRead), needsComparison, stamp == before, areEqual(current, next),
      stamp == before
    else { return change }
    let equal = change ?? PendingChange()
    equal.isEqual = true
    return equal
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
  ) -> PendingChange? {
    withAddresses(of: current, next) { current, next in
      subject._withUnsafeGuaranteedRef { $0.willChange(of: owner, current: current, next: next) }
    }
  }

  /// Lends the addresses of the values to the slow path, that of the old one only if it was needed.
  @inlinable @inline(never)
  func finishChange<Value>(
    of owner: AnyObject, from old: Value?, to new: Value, after change: PendingChange?
  ) {
    withAddresses(of: new, old) { new, old in
      subject._withUnsafeGuaranteedRef {
        $0.finishChange(
          of: owner, old: old, new: new, after: change, with: ValueBox.Copier(Value.self))
      }
    }
  }
}

// MARK: - Mutation in place

extension SubjectReference {
  /// - Returns: Whether the value before the mutation is needed. Holding it makes a collection copy
  ///   itself when it is mutated.
  @usableFromInline
  func beginMutation(of owner: AnyObject, after change: PendingChange?) -> Bool {
    subject._withUnsafeGuaranteedRef {
      if $0.isRead { $0.beginMutation(of: owner) }
      return $0.needsOld(after: change)
    }
  }

  /// Delivers a mutation.
  @inlinable @inline(never)
  func didMutate<Value>(
    _ owner: AnyObject, from old: Value?, to new: Value,
    after change: PendingChange?
  ) {
    guard change == nil, !has(Subject.Phase.isRead) else {
      let change = subject._withUnsafeGuaranteedRef {
        $0.noteLatePaths(of: owner, after: change)
      }
      return finishChange(of: owner, from: old, to: new, after: change)
    }
    withAddresses(of: new, old) { new, old in
      subject._withUnsafeGuaranteedRef {
        $0.didChange(of: owner, old: old, new: new, with: ValueBox.Copier(Value.self))
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
