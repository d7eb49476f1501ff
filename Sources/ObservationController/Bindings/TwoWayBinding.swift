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
  /// Carries the value of one end, the source, over to the other one.
  @usableFromInline
  final class Direction {
    @usableFromInline let binding: Binding
    fileprivate let source: KeyPathAccess
    fileprivate let convert: (ValueBox) -> ValueBox
    fileprivate let areEqual: ValueEquality.Equality

    /// Whether values that are not equal to themselves are exceptions, as nan is.
    fileprivate let isEquatable: Bool

    /// - Parameter convert: `nil` where both ends have values of one type, which share their boxes.
    @inlinable
    convenience init<Value, TargetValue>(
      from source: AnyObject, _ access: KeyPathAccess,
      to target: AnyObject, _ targetAccess: KeyPathAccess, by convert: ((Value) -> TargetValue)?
    ) {
      self.init(
        Binding(to: target, targetAccess, of: source, access, isTwoWay: true), access, Value.self
      ) { value in
        convert.map { convert in ValueBox(convert(value.value(as: Value.self))) } ?? value
      }
    }

    @usableFromInline
    init(
      _ binding: Binding, _ source: KeyPathAccess, _ type: Any.Type,
      convert: @escaping (ValueBox) -> ValueBox
    ) {
      (self.binding, self.source, self.convert) = (binding, source, convert)
      areEqual = ValueEquality.forDistinct(of: type)
      isEquatable = type is any Equatable.Type
    }
  }

  /// One of the properties, and the direction of which it is the source.
  @usableFromInline
  enum End {
    case first, second

    fileprivate var other: End { self == .first ? .second : .first }
  }

  private struct Known {
    /// Value of an end when the ends were last brought into step.
    var value: ValueBox?

    /// Whether each delivery of the end means that the end was set. A path may be delivered because
    /// something else that it reads was set.
    var isProperty = false
  }

  private struct State {
    var first = Known()
    var second = Known()

    /// The end that was set last.
    var leader: End?

    /// Counts the changes of leaders, to notice newer ones.
    var turn: UInt64 = 0

    var echo = Echo.none

    subscript(end: End) -> Known {
      get { end == .first ? first : second }
      set { if end == .first { first = newValue } else { second = newValue } }
    }
  }

  /// The delivery of the follower that an assignment made here leads to.
  private enum Echo {
    /// Not expected.
    case none

    /// Expected while the follower is being set.
    case due

    /// Delivered while the follower is being set.
    case seen

    /// May be delivered at any time: the follower was being delivered when it was set.
    case late
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
  /// Whether the end has not been set in between. A path may be delivered without that: then two
  /// values that are not equal to themselves count as equal.
  fileprivate func areEqual(_ known: ValueBox, _ value: ValueBox, isProperty: Bool) -> Bool {
    known.withAddress { known in
      value.withAddress { value in
        areEqual(known, value)
          || !isProperty && isEquatable && !areEqual(known, known) && !areEqual(value, value)
      }
    }
  }
}

// MARK: - Beginning

extension TwoWayBinding {
  /// Receives the observation of an end, before its initial delivery.
  @usableFromInline
  func begin(_ end: End, _ info: ObservationInfo) {
    direction(from: end).binding.begin(info)
    // So does a path that reads one property: an inherited one, or an atomic one of a constant.
    let isProperty = info.registration.store.state.withLock { _ in
      info.path.map { $0.dependencies.count == 1 } ?? true
    }
    state.withLock { $0[end].isProperty = isProperty }
  }

  private func direction(from end: End) -> Direction { end == .first ? forward : backward }
}

// MARK: - Carrying a value over

extension TwoWayBinding {
  /// Brings the other end into step with `end`, which is the property of `object`.
  ///
  /// - Parameter delivered: The new value of the change.
  @inlinable
  func carry<Value>(from end: End, of object: AnyObject, delivered: Value) {
    withUnsafePointer(to: delivered) {
      carry(from: end, of: object, delivered: UnsafeRawPointer($0))
    }
  }

  @usableFromInline
  func carry(from end: End, of object: AnyObject, delivered: UnsafeRawPointer) {
    let direction = direction(from: end)
    guard let target = direction.binding.objectOrEnd else { return }
    guard !isEcho(end, delivered, direction.areEqual) else { return }
    guard let value = direction.source.box(object), !isInStep(end, value, direction) else {
      return
    }
    let turn = lead(end, value)
    let converted = direction.convert(value)
    // The converter is the user's: it may have set either end, or ended the binding.
    guard direction.binding.isActive, beginSetting(end.other, converted, turn) else { return }
    converted.withAddress { direction.binding.access.set(target, from: $0) }
    endSetting(turn)
  }

  /// Whether a delivery at `end` is the one of the value that is being assigned there.
  ///
  /// Spares reading the value of the end: if it has another one by now, that is delivered too.
  private func isEcho(
    _ end: End, _ delivered: UnsafeRawPointer, _ areEqual: ValueEquality.Equality
  ) -> Bool {
    let assigned = state.withLock { state in
      state.leader != end && state.echo == .due ? state[end].value : nil
    }
    // Values that are not equal to themselves are recognised by when they are delivered.
    guard let assigned,
      assigned.withAddress({ areEqual($0, delivered) }) || !areEqual(delivered, delivered)
    else { return false }
    return state.withLock { state in
      guard state.leader != end, state.echo == .due else { return false }
      state.echo = .seen
      return true
    }
  }

  /// Whether a delivery at `end`, which has this value now, requires nothing.
  private func isInStep(
    _ end: End, _ value: ValueBox, _ direction: Direction
  ) -> Bool {
    let (known, isProperty) = state.withLock { ($0[end].value, $0[end].isProperty) }
    guard let known, direction.areEqual(known, value, isProperty: isProperty) else { return false }
    return state.withLock { state in
      if state.leader == end { return true }
      if state.echo == .due { state.echo = .seen }
      // A follower that was set to the value that it had becomes the leader: what it was converted
      // from may be another value than the one that it converts to.
      return state.echo != .none || !state[end].isProperty
    }
  }

  /// Makes `end` the leader.
  ///
  /// - Returns: The turn, which is over as soon as there is a newer one.
  private func lead(_ end: End, _ value: ValueBox) -> UInt64 {
    // Known at once, for the deliveries that come while the value is being converted.
    var replaced: ValueBox? = value
    return state.withLock { state in
      swap(&state[end].value, &replaced)
      (state.leader, state.echo) = (end, .none)
      state.turn += 1
      return state.turn
    }
  }

  /// - Returns: Whether the turn is not over.
  private func beginSetting(_ end: End, _ value: ValueBox, _ turn: UInt64) -> Bool {
    var replaced: ValueBox? = value
    return state.withLock { state in
      guard state.turn == turn else { return false }
      swap(&state[end].value, &replaced)
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
