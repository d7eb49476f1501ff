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

// MARK: - Assignment

extension SubjectReference {
  @inlinable
  var needsWillChange: Bool {
    @inline(__always) get { subject._withUnsafeGuaranteedRef { $0.needsWillChange } }
  }

  /// Lends the addresses of the values to `Subject.willChange`.
  @inlinable @inline(never)
  func willChange<Value>(
    of owner: AnyObject, from current: Value, to next: Value?
  ) -> Subject.Transition {
    withUnsafePointer(to: current) { current in
      guard let next else { return willChange(of: owner, current: current, next: nil) }
      return withUnsafePointer(to: next) { willChange(of: owner, current: current, next: $0) }
    }
  }

  /// Lends the addresses of the values to a delivery now, or boxes the values for a later one.
  @inlinable @inline(__always)
  func didChange<Value>(of owner: AnyObject, from old: Value, to new: Value) {
    let isDone = withUnsafePointer(to: new) { new in
      withUnsafePointer(to: old) { old in
        subject._withUnsafeGuaranteedRef { $0.didChange(of: owner, old: old, new: new) }
      }
    }
    if !isDone { deferChange(of: owner, from: old, to: new, transition: nil) }
  }

  /// The same for a change that began with `willChange`.
  @inlinable @inline(never)
  func didChange<Value>(
    of owner: AnyObject, from old: Value, to new: Value, after transition: Subject.Transition
  ) {
    let isDone = withUnsafePointer(to: new) { new in
      withUnsafePointer(to: old) { old in
        subject._withUnsafeGuaranteedRef {
          $0.didChange(of: owner, old: old, new: new, after: transition)
        }
      }
    }
    if !isDone { deferChange(of: owner, from: old, to: new, transition: transition) }
  }
}

// MARK: - Mutation in place

extension SubjectReference {
  /// Whether the value before an in-place mutation is needed: where some info asked for it, and for
  /// the prior delivery of a change that has to wait for its turn.
  ///
  /// Holding the value makes a collection copy itself when it is mutated.
  @inlinable
  func needsOld(for transition: Subject.Transition?) -> Bool {
    guard
      subject._withUnsafeGuaranteedRef({ $0.needsOld })
        || transition.map({ $0.isHeld ? $0.owesPrior : !$0.isDelivering }) ?? false
    else { return false }
    return !ThreadActivity.isAnyInTransaction || needsOldInTransaction
  }

  @usableFromInline
  var needsOldInTransaction: Bool {
    subject._withUnsafeGuaranteedRef {
      ObservationTransaction.current == nil || !$0.isHeldUnchanged
    }
  }

  /// The same as `didChange` with the old value that there is, if any. A name of its own: an overload
  /// told apart by an optional alone might be taken for a property that is optional itself, and the
  /// values be read as another type.
  @inlinable @inline(never)
  func didMutate<Value>(
    _ owner: AnyObject, from old: Value?, to new: Value, transition: Subject.Transition?
  ) {
    if let old {
      guard let transition else { return didChange(of: owner, from: old, to: new) }
      return didChange(of: owner, from: old, to: new, after: transition)
    }
    let isDone = withUnsafePointer(to: new) {
      didChange(of: owner, old: nil, new: $0, after: transition)
    }
    if !isDone { deferChange(of: owner, from: Value?.none, to: new, transition: transition) }
  }
}

// MARK: - The subject

extension SubjectReference {
  @usableFromInline
  func willChange(
    of owner: AnyObject, current: UnsafeRawPointer, next: UnsafeRawPointer?
  ) -> Subject.Transition {
    subject._withUnsafeGuaranteedRef { $0.willChange(of: owner, current: current, next: next) }
  }

  @inlinable @inline(__always)
  func didChange(
    of owner: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer,
    after transition: Subject.Transition?
  ) -> Bool {
    subject._withUnsafeGuaranteedRef { subject in
      guard let transition else { return subject.didChange(of: owner, old: old, new: new) }
      return subject.didChange(of: owner, old: old, new: new, after: transition)
    }
  }

  @inlinable @inline(never)
  func deferChange<Value>(
    of owner: AnyObject, from old: Value?, to new: Value, transition: Subject.Transition?
  ) {
    subject._withUnsafeGuaranteedRef {
      $0.deferChange(
        of: owner, old: old.map { ValueBox($0) }, new: ValueBox(new), transition: transition)
    }
  }
}
