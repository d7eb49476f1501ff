/// Tells a delivery that follows from an assignment made here, the echo, from one that shows that
/// an end was set.
extension TwoWayBinding {
  /// Reason to carry a value over.
  enum Cause {
    /// There is none: the ends are in step.
    case none

    /// The end was set.
    case assignment

    /// The end, a path, has made another value of the one that it was set to.
    case correction
  }

  /// Decides what a delivery of a source requires, which has this value now.
  func cause(
    of direction: Direction, _ value: ValueBox, with target: AnyObject
  ) -> Cause {
    let follower = other(than: direction)
    let (known, followed) = state.withLock { state in
      (direction.known, state.leader === direction ? follower.known : nil)
    }
    guard let known else { return .assignment }
    guard known.equals(value, by: direction.areSame) else {
      return echoes(direction, value, insteadOf: known)
    }
    // In a transaction the follower may have been set too, and is delivered after the leader.
    if let followed, !followed.equals(follower.binding.source.box(target), by: follower.areSame) {
      return .assignment
    }
    let isExpected = state.withLock { state in
      if state.leader === direction { return true }
      let isEcho = state.setter != nil || !state.hasEchoed
      if state.setter == .current { state.hasEchoed = true }
      return isEcho
    }
    // A follower that was set to the value that it had becomes the leader: what it was converted
    // from may be another value than the one that it converts to.
    return isExpected || !direction.isProperty ? .none : .assignment
  }

  /// Decides what a delivery of a source requires that has another value than the known one.
  ///
  /// Whoever sets a property while the echo is delivered causes a delivery of its own, which comes
  /// later (C7): what the first one finds may be left to that. A path may combine both in one.
  private func echoes(
    _ direction: Direction, _ value: ValueBox, insteadOf known: ValueBox
  ) -> Cause {
    let isPath = direction.binding.info?.isPath ?? false
    func isDue(_ state: State) -> Bool {
      guard state.leader !== direction, !state.hasEchoed else { return false }
      // Of a path also where it has been delayed: a getter may make a new value each time.
      return state.setter == .current || isPath && state.setter == nil
    }
    guard state.withLock({ isDue($0) }), direction.mayEqual(known, value) else {
      return .assignment
    }
    var replaced: ValueBox?
    return state.withLock { state in
      // The `==` is the user's, and may have set either end.
      guard isDue(state) else { return .assignment }
      state.hasEchoed = true
      // The delivery of a property that was set meanwhile is still to come, and finds the value
      // that is not known.
      guard isPath else { return .none }
      guard direction.isConverting || state.isCorrecting else { return .correction }
      replaced = value
      swap(&direction.known, &replaced)
      return .none
    }
  }
}

extension TwoWayBinding.Direction {
  /// Whether values are equal, or can't be compared. Calls the user's `==`.
  fileprivate func mayEqual(_ known: ValueBox, _ value: ValueBox) -> Bool {
    known.equals(value, by: areEqual) || !isComparable && !value.equals(value, by: areEqual)
  }

  /// Whether each delivery of the source means that it was set. A path may be delivered because
  /// something else that it reads was set.
  fileprivate var isProperty: Bool {
    // So does a path that reads one property: an inherited one, or an atomic one of a constant.
    guard let info = binding.info, let path = info.path else { return true }
    return info.withStoreLock { path.dependencies.count == 1 }
  }
}
