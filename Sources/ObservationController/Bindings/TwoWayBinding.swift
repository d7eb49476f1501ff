/// Keeps two properties in step, whichever of them is set.
///
///     first info ──▶ handler ──▶ binding ◀── handler ◀── second info     strong, until they end
///                                │    └┄┄▶ objects of both ends          weak
///                                └───────▶ values last brought into step
///
/// The end that was set last leads; the other follows, and has been set to what a converter makes
/// of the leader's value. A delivery is not taken for what it says, but for what its end is now:
/// the change may be out of date, or be the echo of what was set here, perhaps long after it was
/// set (C7). Only if the value is another than the one known is the end the new leader. So what has
/// been converted is not converted back, and a converter that loses information moves nobody but
/// the follower; while whatever else has set an end, be it to clamp what was just set here, is
/// carried over.
final class TwoWayBinding<First: AnyObject, FirstValue, Second: AnyObject, SecondValue> {
  /// One of the properties.
  struct End<Object: AnyObject, Value> {
    let side: Side
    let target: BindingTarget
    let keyPath: ReferenceWritableKeyPath<Object, Value>
    let known: WritableKeyPath<State, Known<Value>>
    let equality = ValueEquality.forDistinct(of: Value.self)
  }

  enum Side {
    case first, second
  }

  /// What is known of an end.
  struct Known<Value> {
    /// The value that it had when the ends were last brought into step.
    var value: Value?

    /// Whether each delivery means that it was set; a path may be delivered because something else
    /// that it reads was.
    var isProperty = false
  }

  struct State {
    var first = Known<FirstValue>()
    var second = Known<SecondValue>()

    /// The end that was set last.
    var leader: Side?

    /// Counts the changes of leaders, to notice newer ones.
    var turn: UInt64 = 0

    var echo = Echo.none
  }

  /// The delivery, at the follower, of what is set here.
  enum Echo {
    /// It has come, and what comes now is something else.
    case none

    /// The follower is being set, and it is still to come.
    case due

    /// The follower is being set, and it has come.
    case seen

    /// The follower has been set, and it may come at any time: the follower was being delivered.
    case late
  }

  let first: End<First, FirstValue>
  let second: End<Second, SecondValue>
  private let forward: (FirstValue) -> SecondValue
  private let backward: (SecondValue) -> FirstValue

  /// The token of the first info, with which the second one ends.
  private let token = OwnToken()

  /// Its values are the user's: freed outside of the lock, and compared there.
  private let state = Locked(State())

  init(
    _ first: First, _ firstKeyPath: ReferenceWritableKeyPath<First, FirstValue>,
    _ second: Second, _ secondKeyPath: ReferenceWritableKeyPath<Second, SecondValue>,
    forward: @escaping (FirstValue) -> SecondValue, backward: @escaping (SecondValue) -> FirstValue
  ) {
    self.first = End(
      side: .first, target: BindingTarget(first, firstKeyPath, isTwoWay: true),
      keyPath: firstKeyPath, known: \.first)
    self.second = End(
      side: .second, target: BindingTarget(second, secondKeyPath, isTwoWay: true),
      keyPath: secondKeyPath, known: \.second)
    self.forward = forward
    self.backward = backward
  }
}

extension TwoWayBinding {
  /// Whether both ends are the same property, which is always in step.
  var isOfItself: Bool {
    first.target.isProperty(of: second.target.object, at: second.keyPath)
  }

  func begin(_ first: ObservationToken) {
    token.set(first)
    state.withLock { $0.first.isProperty = !first.isPath }
  }

  func begin(second: ObservationToken) {
    state.withLock { $0.second.isProperty = !second.isPath }
  }

  /// Brings the second end into step.
  func firstDidChange(_ object: First) {
    carry(from: first, of: object, to: second, by: forward)
  }

  /// Brings the first end into step.
  func secondDidChange(_ object: Second) {
    carry(from: second, of: object, to: first, by: backward)
  }
}

// MARK: - Carrying a value over

extension TwoWayBinding {
  private func carry<Object, Value, Other, OtherValue>(
    from end: End<Object, Value>, of object: Object, to other: End<Other, OtherValue>,
    by convert: (Value) -> OtherValue
  ) {
    guard let otherObject = other.object else { return token.end() }
    let value = object[keyPath: end.keyPath]
    guard !isInStep(end, value) else { return }
    let turn = lead(end, value)
    let converted = convert(value)
    // The converter is the user's: it may have set either end, or ended the binding.
    guard token.isActive, beginSetting(other, converted, turn) else { return }
    otherObject[keyPath: other.keyPath] = converted
    endSetting(turn)
  }

  /// Whether a delivery at `end`, which has this value now, has nothing to tell.
  private func isInStep<Object, Value>(_ end: End<Object, Value>, _ value: Value) -> Bool {
    let (known, isEchoDue) = state.withLock { state in
      (state[keyPath: end.known].value, state.leader != end.side && state.echo == .due)
    }
    guard let known, end.isEqual(known, value) else {
      // What can't be compared, or not even with itself, is known by coming while it is being set.
      guard isEchoDue, !end.isEqual(value, value) else { return false }
      state.withLock { $0.echo = .seen }
      return true
    }
    return state.withLock { state in
      if state.leader == end.side { return true }
      if state.echo == .due { state.echo = .seen }
      // A follower that was set to the value that it had becomes the leader: what it was converted
      // from may be another value than the one that it converts to.
      return state.echo != .none || !state[keyPath: end.known].isProperty
    }
  }

  /// Makes `end` the leader.
  ///
  /// - Returns: The turn, which is over as soon as there is a newer one.
  private func lead<Object, Value>(_ end: End<Object, Value>, _ value: Value) -> UInt64 {
    // Known at once, for the deliveries that come while the value is being converted.
    var replaced: Value? = value
    return state.withLock { state in
      swap(&state[keyPath: end.known].value, &replaced)
      (state.leader, state.echo) = (end.side, .none)
      state.turn += 1
      return state.turn
    }
  }

  /// - Returns: Whether the turn is not over.
  private func beginSetting<Object, Value>(
    _ end: End<Object, Value>, _ value: Value, _ turn: UInt64
  ) -> Bool {
    var replaced: Value? = value
    return state.withLock { state in
      guard state.turn == turn else { return false }
      swap(&state[keyPath: end.known].value, &replaced)
      state.echo = .due
      return true
    }
  }

  private func endSetting(_ turn: UInt64) {
    state.withLock { state in
      guard state.turn == turn else { return }
      state.echo = state.echo == .due ? .late : .none
    }
  }
}

extension TwoWayBinding.End {
  /// `nil` once it has begun to go.
  fileprivate var object: Object? {
    // Safe: the binding took it as an `Object`.
    target.object.map { unsafeDowncast($0, to: Object.self) }
  }

  fileprivate func isEqual(_ left: Value, _ right: Value) -> Bool {
    withUnsafePointer(to: left) { left in
      withUnsafePointer(to: right) { equality(left, $0) }
    }
  }
}
