/// The way of an edit of an `ObservableArray`, which has a subject as a property has one.
extension Subject {
  /// Has paths note their old values. Needed only where `needsWillChange`.
  @usableFromInline
  func willEdit(_ array: AnyObject) -> Transition {
    // Nobody reads the value: paths evaluate themselves, and arrays have no prior deliveries.
    withUnsafePointer(to: array) { willChange(of: array, current: $0, next: nil) }
  }

  /// The same in a batch. Does not take the turn to deliver: a user's code runs until the batch ends.
  ///
  /// - Parameter isNew: As for `notePaths`; not asked in a transaction, whose paths they are then.
  func willEditInBatch(isNew: (ObservationInfo) -> Bool) {
    if let transaction = ObservationTransaction.current {
      // The caches are told after each edit.
      _ = transaction.willChange(self)
    } else {
      notePaths(hasTurn: false, isNew: isNew)
    }
  }

  /// Delivers an edit that has been stored.
  ///
  /// - Parameters:
  ///   - change: The details of an `ArrayChange`.
  ///   - isNoted: Whether the array was edited; if not, only paths are told.
  ///   - waiting: Changes of elements to deliver after it.
  @usableFromInline
  func didEdit(
    _ array: AnyObject, _ change: AnyObject, isNoted: Bool, transition: Transition?,
    with waiting: [WaitingChange]
  ) {
    guard Tracer.isOn else {
      return tellEdit(array, change, isNoted: isNoted, transition: transition, with: waiting)
    }
    // Before it is noted, so that those who note it know why.
    let event = Tracer.set(self, of: array)
    Tracer.within(event) {
      tellEdit(
        array, change, isNoted: isNoted, transition: transition, with: waiting, cause: event)
    }
  }

  /// - Parameter cause: What the edit is recorded as, if somebody records.
  private func tellEdit(
    _ array: AnyObject, _ change: AnyObject, isNoted: Bool, transition: Transition?,
    with waiting: [WaitingChange], cause: UInt64? = nil
  ) {
    // Before somebody looks at elements that have come.
    if needsWillChange { withExtendedLifetime(invalidateCaches()) {} }
    if isNoted { note(change, to: latestInfos, id: transition?.id ?? Self.nextChangeID()) }
    for change in waiting { change.note() }
    if let transaction = ObservationTransaction.current {
      // One that began inside of the batch, and holds back what the batch has noted before it too.
      if let transition { transaction.takeOver(transition.paths, id: transition.id) }
      return transaction.add(
        NotedEdit(
          subject: self, array: array, change: change, infos: latestInfos, waiting: waiting,
          cause: cause ?? 0))
    }
    let isDone = withUnsafePointer(to: change) { new in
      if cause != nil {
        return tellRecorded(of: array, old: nil, new: new, after: transition)
      }
      guard let transition else { return didChange(of: array, old: nil, new: new) }
      return didChange(of: array, old: nil, new: new, after: transition)
    }
    if !isDone {
      deferChange(
        of: array, old: nil, new: ValueBox(change), transition: transition, cause: cause ?? 0)
    }
    for change in waiting { change.deliver() }
  }

  /// Has those who follow the array note an edit.
  func note(_ change: AnyObject, to infos: InfoList, id: UInt64) {
    // All of them, before the first getter of a user's runs: that may edit the array again, and
    // everybody notes the edits in their order.
    infos.visit { $0.follower?.noteEdit(change, id: id) }
    infos.visit { $0.follower?.hookJoined() }
  }
}
