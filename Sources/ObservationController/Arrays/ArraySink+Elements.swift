/// Which elements are followed, and where they are. Called under the lock, unless it says otherwise.
///
/// What is returned are paths of elements that left, for `ObservationStore.endParts`.
extension ArraySink {
  /// Follows what a change did to the elements.
  func follow(_ change: AnyObject, _ state: inout State) -> [ObservationInfo] {
    let outline = witness.outline(change)
    if let entries = outline.entries { noteValues(among: entries.map(\.element), &state) }
    let stale = state.hasDoubtful ? forgetGone(among: outline, &state) : []
    guard let entries = outline.entries,
      let movement = state.positions.apply(entries, count: outline.count)
    else { return stale + follow(outline.allObjects, &state) }
    return stale + take(movement, &state)
  }

  /// Follows elements, wherever they were before.
  func follow(_ elements: [AnyObject?], _ state: inout State) -> [ObservationInfo] {
    noteValues(among: elements, &state)
    return take(state.positions.rebuild(with: elements), &state)
  }

  /// Follows the next elements of an array, of which those before `start` are followed.
  func append(_ elements: [AnyObject?], at start: Int, _ state: inout State) {
    noteValues(among: elements, &state)
    // Only for an array that nobody has changed since, so that nothing has left.
    _ = take(state.positions.append(elements, at: start), &state)
  }

  private func noteValues(among elements: [AnyObject?], _ state: inout State) {
    if elements.contains(where: { $0 == nil }) { state.hasValues = true }
  }

  /// Forgets elements at the addresses of these that have gone unnoticed.
  private func forgetGone(
    among outline: ArrayOutline, _ state: inout State
  ) -> [ObservationInfo] {
    let width = state.properties.count
    let elements = outline.entries?.map(\.element) ?? outline.allObjects
    return elements.flatMap { element -> [ObservationInfo] in
      guard let element, let slot = state.positions.slot(of: element),
        state.hooks[slot * width..<(slot + 1) * width].contains(where: { $0.isStale(for: element) })
      else { return [] }
      return take(state.positions.forget(ObjectIdentifier(element)), &state)
    }
  }

  private func take(
    _ movement: ElementPositions.Movement, _ state: inout State
  ) -> [ObservationInfo] {
    let width = state.properties.count
    var left: [ObservationInfo] = []
    for slot in movement.left {
      for index in slot * width..<(slot + 1) * width {
        if let path = unhook(index, &state) { left.append(path) }
      }
    }
    let missing = state.positions.slotCount * width - state.hooks.count
    if missing > 0 { state.hooks += repeatElement(.none, count: missing) }
    if state.joined.isEmpty {
      state.joined = movement.joined
      state.departuresAtJoining = state.positions.departures
    } else {
      state.joined += movement.joined
    }
    return left
  }

  /// Takes all elements off their hooks, and forgets them.
  func unhookElements(_ state: inout State) -> [ObservationInfo] {
    take(state.positions.removeAll(), &state)
  }

  /// Takes all parts off their subjects. Under the lock of the store.
  ///
  /// - Returns: What they held, to be freed outside of every lock.
  func detachLocked(_ token: ObservationInfo) -> Any {
    token.sink = nil
    let handler = token.handler.take()
    let (ended, paths) = state.withLock { state in
      var paths = unhookElements(&state)
      if let content = state.content {
        _ = state.link?.remove(content)
        _ = content.deactivate()
      }
      for property in state.properties { _ = property.info.deactivate() }
      if let path = state.path { paths.append(path) }
      var ended = State(root: .released, handler: nil)
      swap(&ended, &state)
      if ended.queue.isDelivering {
        state.queue.begin()
        state.lent = (ended.root, ended.handler)
      }
      return (ended, paths)
    }
    return (handler, ended, paths.map(store.endPartLocked))
  }

  /// Takes a part off a subject whose object goes. Under the lock of the store.
  func subjectWillGoLocked(_ subject: Subject, of part: ObservationInfo) -> SinkLoss {
    let (endsToken, left) = state.withLock { state -> (Bool, [ObservationInfo]) in
      _ = subject.remove(part)
      guard part === state.content else {
        forget(subject, &state)
        return (false, [])
      }
      state.link = nil
      return witness.source == .root ? (true, []) : (false, unhookElements(&state))
    }
    return SinkLoss(ended: endsToken ? token : nil, freed: left.map(store.endPartLocked))
  }

  /// Forgets a hook, either because its element goes while it is in the array, which is then going
  /// itself, or because the storage of the property was replaced.
  private func forget(_ subject: Subject, _ state: inout State) {
    guard let owner = subject.owner, let slot = state.positions.slot(at: owner) else { return }
    let width = state.properties.count
    for index in slot * width..<(slot + 1) * width where state.hooks[index].isOn(subject) {
      state.hooks[index] = .none
    }
    state.hasDoubtful = true
  }

  /// Forgets an element that goes while it is in the array: the array itself is going. Under the lock
  /// of the store.
  ///
  /// - Returns: What was held for it, to be freed outside of every lock.
  func elementWillGoLocked(_ element: ObjectIdentifier) -> [Any] {
    state.withLock { take($0.positions.forget(element), &$0) }.map(store.endPartLocked)
  }
}

// MARK: - Hooks

extension ArraySink {
  /// Hooks the elements that have joined to what their key paths read. Takes the lock itself; runs
  /// getters of the user's without it.
  func hookJoined() {
    let (properties, joined, departures, hasValues) = state.withLock { state in
      defer { (state.joined, state.hasValues) = ([], false) }
      return (state.properties, state.joined, state.departuresAtJoining, state.hasValues)
    }
    if hasValues, !witness.areOptional {
      for (property, _) in properties {
        reportOnce(ObservationIssue.nothingObservable, at: property.registration)
      }
    }
    guard !joined.isEmpty else { return }
    AccessTracker.trackEach { track in
      for (index, followed) in properties.enumerated() {
        for (slot, element) in joined {
          let accesses = track { followed.property.touch(element) }
          hook(
            element, at: slot * properties.count + index, joinedAfter: departures, to: followed,
            reading: accesses)
        }
      }
    }
  }

  /// - Parameter departures: `ElementPositions.departures` when the element came.
  private func hook(
    _ element: AnyObject, at index: Int, joinedAfter departures: Int,
    to followed: (property: ElementProperty, info: ObservationInfo),
    reading accesses: PropertyAccesses
  ) {
    let property = followed.property
    var (hook, info) = (ElementHook.none, followed.info)
    if let subject = accesses.property(of: element, at: property.registration.keyPath),
      !subject.isAtomic
    {
      hook = .subject(SubjectLink(subject))
    } else if accesses.first != nil {
      let path = ElementPath(of: element, accesses, at: property)
      info = part(
        property.registration, root: .unretained(WeakReference(element)), sink: path, kind: .path,
        handler: property)
      hook = .path(info)
    } else {
      return reportOnce(ObservationIssue.nothingObservable, at: property.registration)
    }
    state.withLock { state in
      // Getters have run since the element joined: it may have left, or have been hooked.
      guard state.isActive,
        departures == state.positions.departures
          || state.positions.slot(of: element) == index / state.properties.count,
        case .none = state.hooks[index]
      else { return }
      if case .path = hook { state.hasDoubtful = true }
      accesses.insert(info)
      state.hooks[index] = hook
    }
  }

  /// - Returns: The path that was the hook.
  private func unhook(_ index: Int, _ state: inout State) -> ObservationInfo? {
    defer { state.hooks[index] = .none }
    if case .path(let info) = state.hooks[index] { return info }
    if case .subject(let link) = state.hooks[index] {
      _ = link.remove(state.properties[index % state.properties.count].info)
    }
    return nil
  }
}
