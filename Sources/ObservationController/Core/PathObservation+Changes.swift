/// Changes of the properties that a path reads: the value before, the store, the value after.
extension PathObservation {
  /// Result of an evaluation.
  struct Evaluation {
    /// `nil` if the observation or its object has ended.
    var value: ValueBox?

    /// The object that it began with.
    var object: AnyObject?

    var versions: [Dependency.Version]?

    /// The value before, where it leads to a change that is delivered at once.
    var old: ValueBox?
  }

  /// - Parameters:
  ///   - opens: Whether to open the change first, where that was not needed before the store.
  ///   - takesTurn: Whether the caller can deliver the change; if not, it is queued.
  ///   - evaluation: Receives the change to deliver.
  /// - Returns: Whether it is the change's turn to be delivered.
  @inline(__always)
  func noteNew(
    _ info: ObservationInfo, id: UInt64, opens: Bool, takesTurn: Bool,
    _ evaluation: inout Evaluation
  ) -> Bool {
    let isPostponed = readsDerived && isPostponed(info)
    if opens { noteDerived() }
    let begins = state.withLock { state in
      if opens { state.openWithKept(info) }
      if isPostponed { return state.postpone(forgetsVersions: !flattensDerived) }
      return state.beginEvaluation()
    }
    guard begins else { return false }
    var rounds = 1
    while true {
      readAndRehook(info, &evaluation)
      // Usually without calling user code, so that all is done under one lock.
      if takesTurn, !readsDerived, !info.traits.contains(.distinct),
        state.withLock({ $0.takeTurn(id: id, &evaluation) })
      {
        return true
      }
      let isCycle = rounds == ObservationDispatcher.maximumRounds && isOutOfDateByItself
      if isCycle { ObservationDispatcher.reportCycle(of: info) }
      let (old, owesPrior, isSettled) = state.withLock { state in
        if state.isOutOfDateByItself { rounds += 1 }
        return (state.old, state.owesPrior, isCycle || state.isSettledForAll)
      }
      guard isSettled else {
        guard state.withLock({ $0.beginEvaluation() }) else { return false }
        continue
      }
      // A property behind a derived one that it reads has changed, and the derived one has not.
      let isUnchanged = readsDerived && !noteVersions(of: evaluation) && flattensDerived
      let new = evaluation.value
      if let new, !isUnchanged, !info.leavesOut(old, new) {
        let change = PendingChange(
          id: id, old: old, new: new, cause: DeliveryProbe.cause(for: info))
        change.needsPrior = owesPrior
        enqueue(change, for: info)
      }
      let isDone = state.withLock { state in
        // What the path still changes by itself is left out.
        if isCycle, state.openChanges == 1 { state.isOutOfDate = false }
        return state.close(leadingTo: new, of: info) || !state.beginEvaluation()
      }
      if isDone { return false }
    }
  }

  /// Whether a property that the path reads is being mutated in place, or is a derived one that
  /// depends on such a property, which its getter can't read.
  private func isPostponed(_ info: ObservationInfo) -> Bool {
    info.registration.store.state.withLock { _ in
      dependencies.contains { $0.link.with { $0.isPostponedHeld } }
    }
  }

  /// Whether the path has to be evaluated, since a derived property that it reads has changed.
  ///
  /// - Parameter versions: Those of the value now.
  func isOutOfDate(_ subject: Subject, _ versions: DerivedTurn.Versions) -> Bool {
    func version(_ number: UInt32) -> Dependency.Version {
      Dependency.Version(source: ObjectIdentifier(subject), number: number)
    }
    let (latest, equal) = (version(versions.latest), version(versions.equal))
    return state.withLock { state in
      if let place = state.versions?.firstIndex(of: equal) { state.versions?[place] = latest }
      return !(state.versions?.contains(latest) ?? false)
    }
  }

  /// Notes the versions of the dependencies that led to the latest value.
  ///
  /// - Returns: Whether they differ from those before.
  func noteVersions(of evaluation: Evaluation) -> Bool {
    guard evaluation.value != nil else { return true }
    let (versions, followers, values) = state.withLock { state in
      defer {
        state.versions = evaluation.versions
        state.followers?.values = []
      }
      return (state.versions, state.followers, state.followers?.values ?? [])
    }
    guard versions != evaluation.versions else { return false }
    // A `.prior` handler, or another thread, may have changed a derived property in between.
    guard let followers, let versions, let latest = evaluation.versions else { return true }
    return !followers.areBack(at: values, from: versions, to: latest)
  }

  /// Notes the values of derived properties before a change, where the path is attached to what
  /// lies behind them.
  func noteDerived() {
    guard flattensDerived, let followers = state.withLock(\.followers) else { return }
    var values = followers.latestValues
    state.withLock { _ in if followers.values.isEmpty { swap(&followers.values, &values) } }
  }

  /// Notes the versions of derived properties when the path has been attached to what it reads.
  func noteFirstVersions(_ info: ObservationInfo) {
    var evaluation = Evaluation()
    readAndRehook(info, &evaluation)
    _ = noteVersions(of: evaluation)
  }

  var isOutOfDateByItself: Bool { state.withLock { $0.isOutOfDateByItself } }

  /// Has derived values kept that are compared after the next change.
  private func follow(_ properties: [DerivedProperty], _ info: ObservationInfo) {
    guard state.withLock(\.followers)?.areOf(properties) != true else { return }
    var followers: DerivedProperty.Followers? = .init(of: properties)
    // Not once it has ended: nobody would take them out. The others are freed outside of the lock.
    state.withLock { if info.isActive { swap(&$0.followers, &followers) } }
  }

  /// - Parameter result: Receives the result. In place, since copies would count references.
  func readAndRehook(_ info: ObservationInfo, _ result: inout Evaluation) {
    if result.value != nil { result = Evaluation() }
    var rounds = 0
    // No other thread attaches the path to other properties meanwhile: only one thread at a time
    // evaluates it after a change. Subjects that are deallocated remove themselves, and are not
    // read any more.
    while info.isActive, rounds < ObservationDispatcher.maximumRounds,
      case (let object, var accesses)? = begin(info)
    {
      rounds += 1
      let flattened = flattensDerived
      // Not counted again, which is slow for an object with weak references: the result holds it.
      let root = Unmanaged.passUnretained(object)
      result.object = consume object
      AccessTracker.track(in: &accesses) {
        result.value = root._withUnsafeGuaranteedRef { read($0) }
      }
      if let versions = accesses.versions {
        noteDerived(flattens: false)
        result.versions = versions
        if flattensDerived { follow(accesses.flattened ?? [], info) }
      } else if rounds > 1 {
        result.versions = nil
      }
      guard !accesses.areSame, joinsThreads(info, of: root.takeUnretainedValue(), &accesses) else {
        // Again, to know the versions of what was read before the first derived property.
        guard flattensDerived, !flattened else { return }
        continue
      }
    }
  }

  /// Prepares another evaluation.
  ///
  /// - Returns: The object to evaluate the path from; `nil` if the observation or its object has
  ///   ended. A path that notes its value before a store has to be notified of the store.
  @inline(__always)
  private func begin(_ info: ObservationInfo) -> (object: AnyObject, PropertyAccesses)? {
    info.registration.store.state.withLock { _ in
      info.root.object.map { ($0, PropertyAccesses(of: self, flattens: !isReady)) }
    }
  }

  /// Attaches the path to the properties that it has read.
  ///
  /// - Returns: Whether it has to be evaluated again: it has come to properties that other threads
  ///   may change.
  private func joinsThreads(
    _ info: ObservationInfo, of object: AnyObject, _ accesses: inout PropertyAccesses
  ) -> Bool {
    let store = info.registration.store
    var joined = store.rehook(info, by: self, of: object, to: accesses)
    guard !joined.isEmpty else { return false }
    // Frees the properties of objects that the getter has made for itself, which are left out.
    accesses = PropertyAccesses()
    joined = store.state.withLock { _ in
      joined.filter(PathObservation.DependencySet(dependencies[...]).contains)
    }
    // A thread that was about to store a value when the path was hooked to the property has opened
    // no change here; and what was read is the value before, if it was read before that, or if a
    // derived property has kept it. Pinned by AtomicJoiningTests.
    // Waits until all changes that other threads have begun are stored: later ones find the path.
    for dependency in joined { dependency.lock?.withLock {} }
    return !joined.isEmpty
  }
}

extension PathObservation.State {
  /// Begins to evaluate the path after a change.
  ///
  /// - Returns: `false` if other changes are open: the last one to end does so, and this one has
  ///   ended.
  mutating func beginEvaluation() -> Bool {
    if leaveToOthers() { return false }
    noteEvaluation()
    return true
  }

  /// Leaves a change to the end of a mutation in place, which keeps the value before.
  ///
  /// - Parameter forgetsVersions: Whether the path is notified of derived properties alone then,
  ///   which may not have changed.
  fileprivate mutating func postpone(forgetsVersions: Bool) -> Bool {
    if !leaveToOthers() { openChanges = 0 }
    if forgetsVersions { versions = nil }
    return false
  }

  /// Notes the value before the first open change.
  mutating func note(_ old: ValueBox, of info: ObservationInfo) {
    (self.old, isOldNoted, owesPrior) = (old, true, info.traits.contains(.prior))
  }

  /// Opens a change where the value before is known, or not needed.
  fileprivate mutating func openWithKept(_ info: ObservationInfo) {
    openChanges += 1
    if !isOldNoted, let kept = kept.take() { note(kept, of: info) }
  }

  mutating func noteEvaluation() {
    (isOutOfDate, isOutOfDateByItself, evaluator) = (false, false, .current)
  }

  /// Whether nothing has changed since, and no other change is open.
  var isSettledForAll: Bool { openChanges == 1 && !isOutOfDate }

  /// Ends the only open change, which is delivered at once.
  ///
  /// - Returns: `false` if others are open, or waiting: the change has to be queued.
  fileprivate mutating func takeTurn(
    id: UInt64, _ evaluation: inout PathObservation.Evaluation
  ) -> Bool {
    guard isSettledForAll, !owesPrior, evaluation.value != nil, queue.beginAlone()
    else { return false }
    queue.reach(id)
    evaluation.old = old.take()
    close(keeping: evaluation.value)
    return true
  }

  /// Ends one of several open changes.
  ///
  /// - Returns: `false` if there is no other.
  private mutating func leaveToOthers() -> Bool {
    guard openChanges > 1 else { return false }
    openChanges -= 1
    isOutOfDate = true
    if evaluator == .current { isOutOfDateByItself = true }
    return true
  }

  /// Ends the open change that has led to `new`, unless that is out of date already.
  ///
  /// - Returns: `false` if it has to be evaluated again, by the last one to end.
  mutating func close(leadingTo new: ValueBox?, of info: ObservationInfo) -> Bool {
    guard openChanges > 1 || isOutOfDate else {
      close(keeping: new)
      return true
    }
    // The next change begins where this one ended.
    if isOldNoted { (old, owesPrior) = (new, info.traits.contains(.prior)) }
    return false
  }

  /// Ends the only open change. What it began with is the caller's to free.
  mutating func close(keeping new: ValueBox?) {
    (openChanges, old, isOldNoted, owesPrior, evaluator) = (0, nil, false, false, nil)
    kept = keepsValue ? new : nil
  }
}
