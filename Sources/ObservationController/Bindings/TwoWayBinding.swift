/// Keeps two properties in step, whichever of them is set.
///
///     first info ──▶ handler ──▶ two-way binding ◀── handler ◀── second info     strong, until they end
///                                  │     └┄┄▶ objects of both ends               weak
///                                  └────────▶ values last brought into step
///
/// The end that was set last leads; the other one follows, and has been set to the converted value
/// of the leader. A delivery only says that its end may have changed; what counts is the value of
/// the end now: the change may be out of date, or be the echo of an assignment made here, perhaps
/// long after it (C7). Any other value than the known one makes an end the leader, equal ones
/// included (C32): `==` says nothing of the instance, or of the part of a value that it ignores. So
/// a converted value is not converted back, and a converter that loses information changes nothing
/// but the follower, while an assignment by anyone else, such as a handler that clamps the
/// follower, is carried over.
///
/// The echo is known by its turn: it is the first delivery of the follower while that is being set.
/// Only a value that is not even equal shows then that the follower did not take what it was set
/// to. See `TwoWayBinding+Echo.swift`.
@usableFromInline
final class TwoWayBinding {
  /// One end, the source, whose value is carried over to the other one.
  @usableFromInline
  final class Direction {
    @usableFromInline let binding: Binding
    /// Returns `nil` for a value that the other end has none for.
    fileprivate let convert: (ValueBox) -> ValueBox?

    /// Whether both ends are to have one value.
    let isConverting: Bool

    /// Whether two values cannot be told apart.
    let areSame: ValueEquality.Equality

    /// Whether two values are equal by `==`, or cannot be told apart.
    let areEqual: ValueEquality.Equality

    /// Whether that is known of all values of the type.
    let isComparable: Bool

    /// Value of the source when the ends were last brought into step. Guarded by the lock of the
    /// two-way binding.
    var known: ValueBox?

    /// - Parameter convert: `nil` where both ends have values of one type, which share their boxes.
    @usableFromInline
    init<Value, TargetValue>(
      from source: AnyObject, _ access: KeyPathAccess,
      to target: AnyObject, _ targetAccess: KeyPathAccess, by convert: ((Value) -> TargetValue?)?
    ) {
      binding = Binding(from: source, access, to: target, targetAccess, isTwoWay: true)
      self.convert = { value in
        guard let convert else { return value }
        return convert(value.value(as: Value.self)).map { ValueBox($0) }
      }
      isConverting = convert != nil
      areSame = ValueComparison.of(Value.self).areSame
      areEqual = ValueEquality.forDistinct(of: Value.self)
      isComparable = ValueEquality.isComparable(Value.self)
    }
  }

  struct State {
    /// The direction whose source was set last; the source of the other one follows.
    var leader: Direction?

    /// Counts the changes of leaders, to notice newer ones.
    var turn: UInt64 = 0

    /// The thread that is setting the follower; `nil` if none is. Deliveries on another one are of
    /// earlier changes, or of this one, which can't be told apart.
    var setter: ThreadIdentity?

    /// Whether the follower was delivered while it was being set. If not, it was being delivered
    /// already, and the delivery of that value may come at any time.
    var hasEchoed = true

    /// Whether the leader, which is a path, is carried over since it made another value of the one
    /// that it was set to. That ends here: what the follower makes of it is not carried back.
    var isCorrecting = false
  }

  @usableFromInline let forward: Direction
  @usableFromInline let backward: Direction

  /// Its values are the user's: released and compared outside of the lock.
  let state = Locked(State(), .binding)

  @usableFromInline
  init(_ forward: Direction, _ backward: Direction) {
    (self.forward, self.backward) = (forward, backward)
  }
}

// MARK: - Carrying a value over

extension TwoWayBinding {
  /// Brings the other end into step with the source, which is a property of `object` and has been
  /// delivered.
  @usableFromInline
  func carry(_ direction: Direction, of object: AnyObject) {
    let binding = direction.binding
    guard !binding.isOfItself, let target = binding.objectOrEnd else { return }
    let value = binding.source.box(object)
    let cause = cause(of: direction, value, with: target)
    guard cause != .none else { return }
    let turn = lead(direction, value, isCorrecting: cause == .correction)
    let converted = direction.convert(value)
    // The converter is the user's: it may have set either end, or ended the binding.
    guard let converted, binding.isActive, beginSetting(direction, converted, turn) else { return }
    binding.access.set(target, to: converted)
    state.withLock { if $0.turn == turn { $0.setter = nil } }
  }

  /// Makes a source the leader.
  ///
  /// - Returns: The turn, which is over as soon as there is a newer one.
  private func lead(_ direction: Direction, _ value: ValueBox, isCorrecting: Bool) -> UInt64 {
    // Known at once, for the deliveries that come while the value is being converted.
    var replaced: ValueBox? = value
    return state.withLock { state in
      swap(&direction.known, &replaced)
      (state.leader, state.setter, state.hasEchoed) = (direction, nil, true)
      state.isCorrecting = isCorrecting
      state.turn += 1
      return state.turn
    }
  }

  /// - Parameter value: The value that the other end is to be set to.
  /// - Returns: Whether the turn is not over.
  private func beginSetting(
    _ direction: Direction, _ value: ValueBox, _ turn: UInt64
  ) -> Bool {
    var replaced: ValueBox? = value
    return state.withLock { state in
      guard state.turn == turn else { return false }
      swap(&other(than: direction).known, &replaced)
      (state.setter, state.hasEchoed) = (.current, false)
      return true
    }
  }

  /// The direction of which the source is what this one sets.
  func other(than direction: Direction) -> Direction {
    direction === forward ? backward : forward
  }
}
