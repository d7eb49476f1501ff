/// Registers paths, and attaches them to the properties that they read.
extension ObservationStore {
  /// Registers an observation of a path that reads the properties of `accesses`.
  @usableFromInline
  func add(
    _ object: AnyObject, _ request: ObservationRequest, at registration: ObservationRegistration,
    path accesses: PropertyAccesses, isPlain: Bool, initially value: () -> ValueBox?,
    reading read: @escaping (AnyObject) -> ValueBox, handler: AnyObject
  ) -> Registered {
    // The path refers to the subjects without retaining them.
    defer { withExtendedLifetime(accesses) {} }
    let path = PathObservation(
      of: object, accesses, request.options, isChain: registration.isChain(accesses, from: object),
      isPlain: isPlain, read: read)
    path.keep(value)
    let info = ObservationInfo(
      registration: registration, root: root(for: object, request), sink: path, kind: .path,
      handler: handler)
    let registered = add(info, of: object, request)
    // A path that reads a derived property has to know its version.
    if accesses.areDerived, registered.isNew {
      _ = path.noteVersions(of: path.readAndRehook(info))
    }
    return registered
  }

  /// Has a path that read a single atomic property act before its changes too.
  func unpin(_ info: ObservationInfo) {
    state.withLock { _ in
      guard info.isActive, let path = info.path else { return }
      path.unpin()
      for dependency in path.dependencies {
        _ = dependency.link.remove(info)
        dependency.link.insert(info)
      }
    }
  }

  /// Prepares another evaluation of a path.
  ///
  /// - Parameters:
  ///   - accesses: Set to record the evaluation. In place, since a copy would count references.
  ///   - value: Value that the first dependency is read as, in place of its own.
  /// - Returns: The object to evaluate the path from; `nil` if the observation or its object has ended.
  func prepare(
    _ accesses: inout PropertyAccesses, of info: ObservationInfo, by path: PathObservation,
    at value: UnsafeRawPointer? = nil
  ) -> AnyObject? {
    state.withLock { _ in
      accesses = PropertyAccesses(of: path, pinning: value)
      return info.root.object
    }
  }

  /// Attaches a path to the properties that it reads now, and detaches it from the others.
  ///
  /// - Parameter path: That of `info`.
  /// - Returns: Its dependencies, if there are new ones; `nil` otherwise.
  func rehook(
    _ info: ObservationInfo, by path: PathObservation, of object: AnyObject,
    to accesses: PropertyAccesses
  ) -> [Dependency]? {
    guard !accesses.areSame else { return nil }
    let new = state.withLock { _ in
      let new = accesses.dependencies(of: object, left: path.dependencies)
      return rehookLocked(info, path, to: new) ? new : nil
    }
    if info.isActive { DeliveryProbe.record(.rehook(info)) }
    return new
  }

  /// - Returns: Whether there are new ones.
  private func rehookLocked(
    _ info: ObservationInfo, _ path: PathObservation, to new: [Dependency]
  ) -> Bool {
    guard info.isActive else { return false }
    // A path that leads over another link than before reads the same up to there.
    let old = path.dependencies
    var same = 0
    while same < old.count, same < new.count, old[same].link == new[same].link { same += 1 }
    let had = DependencySet(old[same...])
    let has = DependencySet(new[same...])
    var hasNew = false
    for index in same..<old.count where !has.contains(old[index]) {
      _ = old[index].link.remove(info)
    }
    for index in same..<new.count where !had.contains(new[index]) {
      new[index].link.insert(info)
      hasNew = true
    }
    path.dependencies = new
    return hasNew
  }
}
