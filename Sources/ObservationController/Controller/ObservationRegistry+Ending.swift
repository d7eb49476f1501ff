/// Ending observations: the one way out of the tables, whoever asks.
extension ObservationRegistry {
  /// What an ended info held, to be freed outside of every lock: it may run deinits of the user's.
  private struct Remains {
    var handler: AnyObject?
    var root = ObservationInfo.Root.released
    var path: PathObservation.Remains?
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
    // The map is taken out whole: emptying it entry by entry costs more than the rest together.
    let (map, site) = state.withLock { state in
      defer { (state.infos, state.lastSite) = ([:], nil) }
      return (state.infos, state.lastSite)
    }
    withExtendedLifetime(site) {}
    // In portions, so that what a million infos held is not collected before it is freed.
    var remains: [Remains] = []
    remains.reserveCapacity(min(map.count, 256))
    var rest = map.values[...]
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
    let remains = state.withLock { state -> Remains? in
      if let follower = info.follower {
        let going = follower.subjectWillGoLocked(subject, of: info)
        var remains = going.endsToken ? endLocked(follower.token, &state) : Remains()
        remains.parts += going.freed
        return remains
      }
      guard let path = info.path else { return endLocked(info, &state) }
      _ = subject.remove(info)
      // Not found if another thread has hooked the path to something else just now.
      guard let index = path.dependencies.firstIndex(where: { $0.subject === subject }) else {
        return nil
      }
      guard path.dependencies.remove(at: index).isOfRoot else { return nil }
      switch path.role {
      case .observation: return endLocked(info, &state)
      case .array(let follower): return endLocked(follower.token, &state)
      case .element(let follower):
        return Remains(parts: follower.elementWillGoLocked(subject.owner))
      }
    }
    withExtendedLifetime(remains) {}
  }

  /// Ends the infos of unretained objects that went without taking them along: their path reads
  /// only properties of other objects, or a copy of the property's storage kept its subject.
  ///
  /// - Complexity: O(n) in the infos of unretained objects.
  func sweep() {
    let lists = state.withLock { state in
      // A retaining controller does not retain its observer.
      retainsObserved
        ? state.infos[observerIdentity].map { [$0] } ?? [] : Array(state.infos.values)
    }
    // Looked at outside of the lock: this may hold the last reference to an object for a moment.
    for info in lists.lazy.flatMap(\.all) where object(of: info) == nil { end(info) }
    state.withLock { $0.countAtLastSweep = $0.count }
  }

  /// Sweeps once in as many registrations as there are infos, so that those of objects which went
  /// do not pile up where nobody looks at the tables. O(1) amortised.
  func sweepIfDue() {
    guard !retainsObserved,
      state.withLock({ $0.count > 2 * $0.countAtLastSweep })
    else { return }
    sweep()
  }

  /// Takes `info` out of the map and off its subjects.
  private func endLocked(_ info: ObservationInfo, _ state: inout State) -> Remains {
    guard info.deactivate() else { return Remains() }
    state.count -= 1
    if let key = info.rootIdentity { remove(info, at: key, from: &state) }
    return detachLocked(info)
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
    switch info.source {
    case .none, .part:
      break
    case .array(let follower):
      remains.parts = follower.endLocked()
      remains.handler = info.handler
      info.handler = nil
    case .subject(let subject):
      // The deliverer drops the handler, if one is at work.
      if subject.remove(info) {
        remains.handler = info.handler
        info.handler = nil
      }
      info.source = .none
    case .path(let path):
      for dependency in path.dependencies {
        _ = dependency.subject.remove(info)
      }
      path.dependencies = []
      remains.path = path.end(info)
    }
    swap(&remains.root, &info.root)
    return remains
  }

  private func remove(
    _ info: ObservationInfo, at key: ObjectIdentifier, from state: inout State
  ) {
    guard let index = state.infos.index(forKey: key) else { return }
    _ = state.infos.values[index].remove(info)
    if case .none = state.infos.values[index] { state.infos.remove(at: index) }
  }
}
