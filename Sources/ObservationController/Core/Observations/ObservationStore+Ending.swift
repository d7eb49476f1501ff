/// Ending observations: the one way out of the tables, for every caller.
extension ObservationStore {
  /// The references of an ended info, to be released outside of every lock: they may run user
  /// deinits.
  struct PendingRelease {
    var handler: AnyObject?
    var root = ObservationInfo.Root.released

    /// Further references of a path, an array or a pair.
    var parts: [Any] = []
  }

  /// Ends one observation; nothing happens if it has ended.
  func end(_ info: ObservationInfo) {
    withExtendedLifetime(state.withLock { endLocked(info, &$0) }) {}
  }

  func end(_ infos: some Sequence<ObservationInfo>) {
    for info in infos { end(info) }
  }

  /// Ends all observations.
  func endAll() {
    // The table is taken out whole: emptying it entry by entry costs more than the rest together.
    let old = state.withLock { state in
      var old = State(count: state.count)
      swap(&old, &state)
      // What another call has yet to end comes after this.
      state.ending = old.objects.takeChunks()
      if !old.ending.isEmpty { state.ending += old.ending }
      return old
    }
    // Released object by object: the references of a million infos are not collected before.
    var object: ObservedObject?
    var pendingReleases: [PendingRelease] = []
    repeat {
      pendingReleases.removeAll(keepingCapacity: true)
      object = state.withLock { state in
        let next = state.takeEnding()
        next?.infos.visit { pendingReleases.append(endLocked($0, &state)) }
        if next == nil { swap(&pendingReleases, &state.pendingReleases) }
        return next
      }
    } while object != nil
    withExtendedLifetime((old, pendingReleases)) {}
  }

  /// Ends what `endAll` has yet to end, and leaves the references to that: a deinit that it runs,
  /// or another thread, is about to look for infos.
  func endRestLocked(_ state: inout State) {
    while let object = state.takeEnding() {
      object.infos.visit { info in
        var pendingRelease = endLocked(info, &state)
        pendingRelease.parts.append(info)
        state.pendingReleases.append(pendingRelease)
      }
    }
  }

  /// Removes `info` from `subject`, whose object is being deallocated.
  ///
  /// An info of a property of its own object ends. A path that read a property of some link in
  /// between has lost one dependency, and may find others, unless its object is gone too: that may
  /// have no property but constants, so that nothing else tells of its end.
  func subjectWillDeallocate(_ subject: Subject, of info: ObservationInfo) {
    defer { info.sink?.endIfRootIsGone(info) }
    let pendingRelease = state.withLock { state -> PendingRelease in
      guard let sink = info.sink else { return endLocked(info, &state) }
      let loss = sink.subjectWillDeallocateLocked(subject, of: info)
      var pendingRelease = loss.ended.map { endLocked($0, &state) } ?? PendingRelease()
      pendingRelease.parts += loss.freed
      return pendingRelease
    }
    withExtendedLifetime(pendingRelease) {}
  }

  /// Removes `info` from the tables and its subjects, and ends its partner.
  func endLocked(_ info: ObservationInfo, _ state: inout State) -> PendingRelease {
    guard info.deactivate() else { return PendingRelease() }
    state.count -= 1
    if isPassing(info), state.passing.remove(info) { state.roomBeforeSweep += 1 }
    if let object = info.rootIdentity {
      state.objects.remove(info, of: object)
      state.index.remove(info, of: object)
    }
    var pendingRelease = detachLocked(info)
    // A key path that is no property may capture objects, as `\.[cell]` does: they are released
    // now, not at the next call of `observe`.
    if state.lastRegistration === info.registration, !info.registration.isKnownProperty,
      let last = state.lastRegistration.take()
    {
      pendingRelease.parts.append(last)
    }
    if let partner = info.registration.binding?.partner {
      pendingRelease.parts += [partner, endLocked(partner, &state)] as [Any]
    }
    return pendingRelease
  }

  /// Removes `info` from its subjects.
  private func detachLocked(_ info: ObservationInfo) -> PendingRelease {
    var pendingRelease = PendingRelease()
    if let sink = info.sink {
      pendingRelease.parts = [sink.detachLocked(info), endTokenLocked(of: sink) as Any]
    } else if let link = info.link {
      // References that a derived property keeps for it.
      link.subject._withUnsafeGuaranteedRef { subject in
        if let derived = subject.derived { pendingRelease.parts = [derived.willRemove(info)] }
      }
      // Otherwise a delivery is under way, and releases the handler when it ends.
      if link.remove(info) { pendingRelease.handler = info.replaceHandler(by: nil) }
      info.sink = nil
    }
    swap(&pendingRelease.root, &info.root)
    return pendingRelease
  }

  /// Ends paths that are parts of a token, which no table lists.
  func endParts(_ parts: [ObservationInfo]) {
    guard !parts.isEmpty else { return }
    withExtendedLifetime(state.withLock { _ in parts.map(endPartLocked) }) {}
  }

  /// - Returns: The part and its references: the deinit of a path, which the part alone may hold,
  ///   takes the lock of a store.
  func endPartLocked(_ part: ObservationInfo) -> Any {
    _ = part.deactivate()
    return (part, detachLocked(part))
  }
}

// MARK: - Sweeping

extension ObservationStore {
  /// Ends the infos that no deinit has ended: of unretained objects that are gone but whose path
  /// reads only properties of other objects, or of which a copy of the property's storage kept the
  /// subject; of bindings whose target is gone; of bindings and sequences whose observer is gone.
  ///
  /// - Complexity: O(n) in the infos of unretained objects, and in bindings, handlers of events,
  ///   hooks and notifications, and sequences.
  func sweep() {
    let passing = state.withLock { state in
      endRestLocked(&state)
      return state.passing
    }
    // Outside of the lock: this may hold the last reference to an object for a moment.
    for info in passing.all where info.object == nil || isDone(info) { end(info) }
    state.withLock { $0.roomBeforeSweep = $0.passing.all.count }
  }

  /// Sweeps once in as many registrations as there are infos to look at, so that they do not pile
  /// up while nothing reads the tables. O(1) amortised.
  ///
  /// Before a registration reads anything: deinits that this runs may set that.
  @usableFromInline
  func sweep(before registration: ObservationRegistration) {
    if !hasBegun.load(ordering: .relaxed) { begin(with: registration) }
    guard !retainsObserved || registration.endsWithObserver,
      state.withLock({ $0.roomBeforeSweep < 1 })
    else { return }
    sweep()
  }

  /// Reports an observer that was deallocated before the first registration: nothing will be
  /// delivered. One that is deallocated later is no mistake.
  private func begin(with registration: ObservationRegistration) {
    guard !hasBegun.exchange(true, ordering: .relaxed), observer == nil else { return }
    registration.report(ObservationIssue.observerReleased)
  }

  /// Whether `info` has a place in `State.passing`.
  func isPassing(_ info: ObservationInfo) -> Bool {
    !info.traits.contains(.retaining) || info.registration.endsWithObserver
  }

  /// Whether nothing is left for `info` to do, so that the next sweep ends it.
  ///
  /// Not under a lock: this may hold the last reference to an object for a moment.
  func isDone(_ info: ObservationInfo) -> Bool {
    let registration = info.registration
    return registration.binding.map { $0.object == nil } ?? false
      || registration.endsWithObserver && observer == nil
  }
}

extension SortedList<ObservationStore.ObservedObject> {
  /// Removes an info from those of its object, if it is there.
  ///
  /// The caller holds `info`; no user object is released here.
  mutating func remove(_ info: ObservationInfo, of object: ObjectIdentifier) {
    let place = place(of: object)
    guard place.isTaken else { return }
    if self[place].infos.isOnly(info) {
      remove(at: place)
    } else {
      _ = self[place].infos.remove(info)
    }
  }
}

extension ObservationToken {
  /// Ends the binding `other` of the same controller, unless this info has ended.
  ///
  /// Two threads may bind two properties at once, each in its order, and then find the info that
  /// the other one has registered: it belongs to another `TwoWayBinding`. Whoever comes first here
  /// ends that, and goes on.
  ///
  /// - Returns: Whether this info is active.
  @usableFromInline
  func replace(_ other: ObservationInfo) -> Bool {
    let store = registration.store
    let pendingRelease = store.state.withLock { isActive ? store.endLocked(other, &$0) : nil }
    return pendingRelease != nil
  }
}
