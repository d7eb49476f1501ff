/// The beginning of a path whose properties other threads may be changing.
extension PathObservation {
  /// Opens a change for `begin` to end. Nobody else knows the path yet.
  func prepareToBegin() {
    state.withLock { state in
      state.openChanges = 1
      state.isOldNoted = true
    }
  }

  /// Evaluates a path whose properties other threads may change, when it has been hooked to them.
  ///
  /// - Returns: The value that the first change to be told begins with; `nil` if the observation or
  ///   its object has ended.
  func begin(_ info: ObservationInfo) -> ValueBox? {
    var rounds = 1
    while true {
      state.withLock { $0.noteEvaluation() }
      let value = readAndRehook(info)
      let isCycle = rounds == ObservationDispatcher.maximumRounds && isOutOfDateByItself
      if isCycle { ObservationDispatcher.reportCycle(of: info) }
      let isSettled = state.withLock { state in
        if state.isOutOfDateByItself { rounds += 1 }
        guard state.isSettled || isCycle || value == nil else { return false }
        state.end(leadingTo: value, of: info)
        return true
      }
      if isSettled { return value }
    }
  }

  /// The same for somebody who has to see the value before the next one is queued.
  ///
  /// - Returns: The number of the change that has been queued, if the value is out of date already.
  func begin(_ info: ObservationInfo, _ body: (ValueBox) -> Void) -> UInt64? {
    state.withLock { $0.noteEvaluation() }
    let value = readAndRehook(info)
    if let value { body(value) }
    let isSettled = state.withLock { state in
      guard value == nil || state.isSettled else {
        state.old = value
        return false
      }
      state.end(leadingTo: value, of: info)
      return true
    }
    guard !isSettled else { return nil }
    let id = Subject.nextChangeID()
    didChange(info, id: id)
    return id
  }
}
