/// Ending observations: the one way out of the tables, whoever asks.
extension ObservationStore {
  /// What an ended info held, to be freed outside of every lock: it may run deinits of the user's.
  private struct Remains {
    var handler: AnyObject?
    var root = ObservationInfo.Root.released

    /// What else there was, of a path, an array or a pair.
    var parts: [Any] = []
  }

  /// Ends one observation; nothing happens if it has ended.
  func end(_ info: ObservationInfo) {
    let remains = state.withLock { state in endLocked(info, &state) }
    withExtendedLifetime(remains) {}
  }

  func end(_ infos: some Sequence<ObservationInfo>) {
    for info in infos { end(info) }
  }

  /// Ends all observations.
  func endAll() {
    // The table is taken out whole: emptying it entry by entry costs more than the rest together.
    let (table, registration) = state.withLock { state in
      defer {
        (state.infos, state.index, state.passing) = (InfoTable(), InfoIndex(), .none)
        state.lastSite = nil
      }
      return (state.infos, state.lastSite)
    }
    withExtendedLifetime(registration) {}
    // In portions, so that what a million infos held is not collected before it is freed.
    var remains: [Remains] = []
    remains.reserveCapacity(min(table.count, 256))
    var rest = table.all[...]
    while !rest.isEmpty {
      let portion = rest.prefix(256)
      rest = rest[portion.endIndex...]
      state.withLock { state in
        for list in portion { list.visit { remains.append(endLocked($0, &state)) } }
      }
      remains.removeAll(keepingCapacity: true)
    }
  }

  /// Takes `info` off `subject`, whose object goes.
  ///
  /// An info of a property of its own object ends with it. A path that read the property of some
  /// link in between has lost one dependency, and may find others.
  func subjectWillGo(_ subject: Subject, of info: ObservationInfo) {
    let remains = state.withLock { state -> Remains in
      guard let sink = info.sink else { return endLocked(info, &state) }
      let loss = sink.subjectWillGoLocked(subject, of: info)
      var remains = loss.ended.map { endLocked($0, &state) } ?? Remains()
      remains.parts += loss.freed
      return remains
    }
    withExtendedLifetime(remains) {}
  }

  /// Ends the infos that nobody took along: of unretained objects that have gone but whose path reads
  /// only properties of other objects, or of which a copy of the property's storage kept the subject;
  /// of bindings whose target has gone; of bindings and sequences whose observer has gone.
  ///
  /// - Complexity: O(n) in the infos of unretained objects, the bindings and the sequences.
  func sweep() {
    let hasObserver = observer != nil
    let lists = state.withLock { state in
      retainsObserved && hasObserver ? [state.passing] : Array(state.infos.all)
    }
    // Looked at outside of the lock: this may hold the last reference to an object for a moment.
    for info in lists.lazy.flatMap(\.all)
    where object(of: info) == nil || isDone(info) {
      end(info)
    }
    state.withLock { $0.countAtLastSweep = $0.passingCount(of: self) }
  }

  /// Ends an info that a sweep would end because of its observer.
  func endIfOrphaned(_ info: ObservationInfo) {
    if isOrphaned(info) { end(info) }
  }

  /// Sweeps once in as many registrations as there are such infos, so that they do not pile up where
  /// nobody looks at the tables. O(1) amortised.
  func sweepIfDue() {
    if state.withLock({ $0.passingCount(of: self) > 2 * $0.countAtLastSweep }) { sweep() }
  }

  /// Takes `info` out of the map and off its subjects, and its partner with it.
  private func endLocked(_ info: ObservationInfo, _ state: inout State) -> Remains {
    guard info.deactivate() else { return Remains() }
    state.count -= 1
    if isPassing(info) { _ = state.passing.remove(info) }
    if let object = info.rootIdentity {
      state.infos.remove(info, of: object)
      state.index.remove(info, of: object) { state.infos[object] }
    }
    var remains = detachLocked(info)
    if let partner = info.registration.purpose.target?.takePartnerLocked() {
      remains.parts += [partner, endLocked(partner, &state)]
    }
    return remains
  }

  /// Ends paths that are parts of a token, which stand in no map.
  func endParts(_ parts: [ObservationInfo]) {
    guard !parts.isEmpty else { return }
    let remains = state.withLock { _ in parts.map(endPartLocked) }
    withExtendedLifetime(remains) {}
  }

  /// - Returns: What the part held.
  func endPartLocked(_ part: ObservationInfo) -> Any {
    _ = part.deactivate()
    return detachLocked(part)
  }

  /// Takes `info` off its subjects.
  private func detachLocked(_ info: ObservationInfo) -> Remains {
    var remains = Remains()
    if let sink = info.sink {
      remains.parts = [sink.detachLocked(info)]
    } else if let link = info.link {
      if let kept = link.takeRemains(of: info) { remains.parts = [kept] }
      // Otherwise a delivery is under way, and the deliverer drops the handler.
      if link.remove(info) { swap(&remains.handler, &info.handler) }
      info.sink = nil
    } else {
      swap(&remains.handler, &info.handler)
    }
    swap(&remains.root, &info.root)
    return remains
  }
}

extension ObservationStore.State {
  /// How many infos a sweep looks at.
  fileprivate func passingCount(of store: ObservationStore) -> Int {
    store.retainsObserved ? passing.count : count
  }
}
