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
  /// - Parameter body: Receives the value that the first change to be delivered begins with, before that is
  ///   queued; not called if the observation or its object has ended.
  /// - Returns: The number of the change that has been queued, if the value is out of date already.
  func begin(_ info: ObservationInfo, _ body: (ValueBox) -> Void) -> UInt64? {
    state.withLock { $0.noteEvaluation() }
    let evaluation = readAndRehook(info)
    let value = evaluation?.value
    if readsDerived { _ = noteVersions(of: evaluation) }
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
