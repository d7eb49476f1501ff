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
  ///
  /// Out of line, so that a setter needs no frame where nobody observes: 25 instructions.
  @inlinable @inline(never)
  func didChange<Value>(of owner: AnyObject, from old: Value, to new: Value) {
    withUnsafePointer(to: new) { new in
      withUnsafePointer(to: old) { old in
        let isDone = subject._withUnsafeGuaranteedRef {
          $0.didChange(of: owner, old: old, new: new)
        }
        if !isDone { deferChange(of: owner, from: old, to: new) }
      }
    }
  }

  /// Takes the addresses of the values, so that the caller need not keep these in registers: six
  /// instructions of each change that does not wait.
  @inlinable @inline(never)
  func deferChange<Value>(
    of owner: AnyObject, from old: UnsafePointer<Value>, to new: UnsafePointer<Value>
  ) {
    deferChange(of: owner, from: old.pointee, to: new.pointee, transition: nil)
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

  /// Whether the value before an in-place mutation is needed: where some info asked for it, and for
  /// the prior delivery of a change that has to wait for its turn.
  ///
  /// Holding the value makes a collection copy itself when it is mutated.
  @usableFromInline
  func needsOld(after start: MutationStart?) -> Bool {
    let transition = start?.transition
    guard
      subject._withUnsafeGuaranteedRef({ $0.needsOld })
        || transition.map({ $0.isHeld ? $0.owesPrior : !$0.isDelivering }) ?? false
    else { return false }
    return !ThreadActivity.isAnyInTransaction || needsOldInTransaction
  }

  private var needsOldInTransaction: Bool {
    subject._withUnsafeGuaranteedRef {
      ObservationTransaction.current == nil || !$0.isHeldUnchanged
    }
  }

  /// Delivers a mutation whose old value nobody needs and that nobody had to act on before.
  @inlinable @inline(__always)
  func didMutate<Value>(_ owner: AnyObject, to new: Value) {
    let isDone = withUnsafePointer(to: new) { new in
      subject._withUnsafeGuaranteedRef { $0.didChange(of: owner, old: nil, new: new) }
    }
    if !isDone { deferChange(of: owner, from: Value?.none, to: new, transition: nil) }
  }

  /// The same as `didChange` with the old value that there is, if any. A name of its own: an overload
  /// told apart by an optional alone might be taken for a property that is optional itself, and the
  /// values be read as another type.
  @inlinable @inline(never)
  func didMutate<Value>(
    _ owner: AnyObject, from old: Value?, to new: Value, after start: MutationStart?
  ) {
    guard let start else {
      guard let old else { return didMutate(owner, to: new) }
      return didChange(of: owner, from: old, to: new)
    }
    if let old { return didChange(of: owner, from: old, to: new, after: start.transition) }
    let isDone = withUnsafePointer(to: new) { new in
      subject._withUnsafeGuaranteedRef {
        $0.didChange(of: owner, old: nil, new: new, after: start.transition)
      }
    }
    if !isDone {
      deferChange(of: owner, from: Value?.none, to: new, transition: start.transition)
    }
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
