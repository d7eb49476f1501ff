/// Keeps two properties in step, whichever of them is set.
///
///     first info ──▶ handler ──▶ two-way binding ◀── handler ◀── second info     strong, until they end
///                                  │     └┄┄▶ objects of both ends               weak
///                                  └────────▶ values last brought into step
///
/// The end that was set last leads; the other one follows, and has been set to the converted value
/// of the leader. A delivery only says that its end may have changed; what counts is the value of
/// the end now: the change may be out of date, or be the echo of an assignment made here, perhaps
/// long after it (C7). Only a value that differs from the known one makes an end the leader. So a
/// converted value is not converted back, and a converter that loses information changes nothing
/// but the follower, while an assignment by anyone else, such as a handler that clamps the
/// follower, is carried over.
@usableFromInline
final class TwoWayBinding {
  /// One end, the source, whose value is carried over to the other one.
  @usableFromInline
  final class Direction {
    @usableFromInline let binding: Binding
    fileprivate let convert: (ValueBox) -> ValueBox
    fileprivate let areEqual: ValueEquality.Equality

    /// Whether values that are not equal to themselves are exceptions, as nan is.
    fileprivate let isEquatable: Bool

    /// Value of the source when the ends were last brought into step. Guarded by the lock of the
    /// two-way binding.
    fileprivate var known: ValueBox?

    /// - Parameter convert: `nil` where both ends have values of one type, which share their boxes.
    @usableFromInline
    init<Value, TargetValue>(
      from source: AnyObject, _ access: KeyPathAccess,
      to target: AnyObject, _ targetAccess: KeyPathAccess, by convert: ((Value) -> TargetValue)?
    ) {
      binding = Binding(from: source, access, to: target, targetAccess, isTwoWay: true)
      self.convert = { value in
        convert.map { convert in ValueBox(convert(value.value(as: Value.self))) } ?? value
      }
      areEqual = ValueEquality.forDistinct(of: Value.self)
      isEquatable = Value.self is any Equatable.Type
    }
  }

  private struct State {
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
  }

  @usableFromInline let forward: Direction
  @usableFromInline let backward: Direction

  /// Its values are the user's: released and compared outside of the lock.
  private let state = Locked(State())

  @usableFromInline
  init(_ forward: Direction, _ backward: Direction) {
    (self.forward, self.backward) = (forward, backward)
  }
}

extension TwoWayBinding.Direction {
  /// Whether the source has not been set in between.
  ///
  /// - Parameter isSame: Whether a value that is not equal to itself counts as the known one: where
  ///   that is being assigned.
  fileprivate func areEqual(_ known: ValueBox, _ value: ValueBox, isSame: Bool) -> Bool {
    if known.equals(value, by: areEqual) { return true }
    let mayBeSame = isSame || isEquatable && !known.equals(known, by: areEqual)
    return mayBeSame && !value.equals(value, by: areEqual)
  }

  /// Whether each delivery of the source means that it was set. A path may be delivered because
  /// something else that it reads was set.
  fileprivate var isProperty: Bool {
    // So does a path that reads one property: an inherited one, or an atomic one of a constant.
    guard let info = binding.info, let path = info.path else { return true }
    return info.withStoreLock { path.dependencies.count == 1 }
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
    guard !isInStep(direction, value, with: target) else { return }
    let turn = lead(direction, value)
    let converted = direction.convert(value)
    // The converter is the user's: it may have set either end, or ended the binding.
    guard binding.isActive, beginSetting(direction, converted, turn) else { return }
    binding.access.set(target, to: converted)
    state.withLock { if $0.turn == turn { $0.setter = nil } }
  }

  /// Whether a delivery of a source, which has this value now, requires nothing.
  private func isInStep(
    _ direction: Direction, _ value: ValueBox, with target: AnyObject
  ) -> Bool {
    let follower = direction === forward ? backward : forward
    let (known, followed, isDue) = state.withLock { state in
      let isLeader = state.leader === direction
      let isDue = !isLeader && state.setter != nil && !state.hasEchoed
      return (direction.known, isLeader ? follower.known : nil, isDue)
    }
    guard let known, direction.areEqual(known, value, isSame: isDue) else { return false }
    // In a transaction the follower may have been set too, and is delivered after the leader.
    if let followed, !follower.areEqual(followed, follower.binding.source.box(target), isSame: true)
    {
      return false
    }
    let isExpected = state.withLock { state in
      if state.leader === direction { return true }
      let isEcho = state.setter != nil || !state.hasEchoed
      if state.setter == .current { state.hasEchoed = true }
      return isEcho
    }
    // A follower that was set to the value that it had becomes the leader: what it was converted
    // from may be another value than the one that it converts to.
    return isExpected || !direction.isProperty
  }

  /// Makes a source the leader.
  ///
  /// - Returns: The turn, which is over as soon as there is a newer one.
  private func lead(_ direction: Direction, _ value: ValueBox) -> UInt64 {
    // Known at once, for the deliveries that come while the value is being converted.
    var replaced: ValueBox? = value
    return state.withLock { state in
      swap(&direction.known, &replaced)
      (state.leader, state.setter, state.hasEchoed) = (direction, nil, true)
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
      swap(&(direction === forward ? backward : forward).known, &replaced)
      (state.setter, state.hasEchoed) = (.current, false)
      return true
    }
  }
}
