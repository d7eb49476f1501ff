/// Registers paths, and attaches them to the properties that they read.
extension ObservationStore {
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

  /// Attaches a path to the properties that it reads now, which are not those that it read before,
  /// and detaches it from the others.
  ///
  /// - Parameter path: That of `info`.
  /// - Returns: New dependencies that other threads may change.
  func rehook(
    _ info: ObservationInfo, by path: PathObservation, of object: AnyObject,
    to accesses: PropertyAccesses
  ) -> [Dependency] {
    let joined = state.withLock { _ -> [Dependency] in
      guard info.isActive else { return [] }
      let old = path.dependencies
      let new = accesses.dependencies(of: object, left: old)
      // A path that leads over another link than before reads the same up to there.
      var same = 0
      while same < old.count, same < new.count, old[same].link == new[same].link { same += 1 }
      let had = PathObservation.DependencySet(old[same...])
      let has = PathObservation.DependencySet(new[same...])
      var joined: [Dependency] = []
      for index in same..<old.count where !has.contains(old[index]) {
        _ = old[index].link.remove(info)
      }
      for index in same..<new.count where !had.contains(new[index]) {
        new[index].link.insert(info)
        if new[index].lock != nil { joined.append(new[index]) }
      }
      path.setDependencies(new)
      return joined
    }
    if info.isActive { DeliveryProbe.record(.rehook(info)) }
    return joined
  }

  /// The kind of a key path that is not just a property of the observed object, found by reading
  /// it. Indirect, so that `nothing` leaves little to release.
  @usableFromInline
  indirect enum Target {
    /// A nested or computed path, with the properties that it read; also the property of the
    /// observed object, where other threads may change it meanwhile.
    case path(PropertyAccesses)

    /// No observable property.
    case nothing
  }

  /// Resolves the key path of a registration, by reading it under an access tracker.
  ///
  /// - Parameters:
  ///   - registration: Remembers that the key path is a property.
  ///   - isPlain: Whether the value of the key path is plain, see `PlainValue`.
  ///   - target: Receives the kind of the key path, if it is no property of `object` itself.
  ///   - value: Memory of an optional that receives the value.
  /// - Returns: The subject of that property: not as a case of the target, whose payloads of
  ///   different sizes would be copied and released by functions of their own.
  @usableFromInline
  func property(
    of object: AnyObject, at registration: ObservationRegistration,
    isPlain: @autoclosure () -> Bool, orElse target: inout ObservationStore.Target,
    value: UnsafeMutableRawPointer
  ) -> Subject? {
    func read() { registration.request.access.read(object, to: value) }
    // Of an object of the same class the same key path is the same property, so that only its
    // subject is wanted: half of the cost of finding out.
    if registration.isKnownProperty(of: object),
      let subject = AccessTracker.singleSubject(of: object, read)
    {
      return subject
    }
    var accesses = PropertyAccesses(
      flattens: !PathObservation.isReady(registration.options, isPlain: isPlain()),
      root: ObjectIdentifier(object))
    AccessTracker.track(in: &accesses, read)
    if !registration.options.contains(.prior),
      let node = accesses.derivedProperty(of: object, at: registration.keyPath),
      let subject = node.prepareToBeObserved(of: object)
    {
      return subject
    }
    accesses.insertDerived()
    guard !isGoing(object, reading: accesses) else { return nil }
    if !accesses.areShared,
      let subject = accesses.property(of: object, at: registration.keyPath)
    {
      registration.knowProperty(of: object)
      return subject
    }
    guard !accesses.all.isEmpty else {
      if !accesses.areCyclic {
        ObservationDispatcher.report(registration.issue(ObservationIssue.nothingObservable))
      }
      return nil
    }
    target = .path(accesses)
    return nil
  }

  /// Whether the deinit of `object` has begun, and no subject would end the observation with it:
  /// the observation would retain it, as far as an object can be retained then.
  ///
  /// Finds out only for paths that read no property of `object`: a weak reference makes counting
  /// the references of an object slow for good.
  func isGoing(_ object: AnyObject, reading accesses: PropertyAccesses) -> Bool {
    let owner = ObjectIdentifier(object)
    return !accesses.all.isEmpty && !accesses.all.contains { $0.owner == owner }
      && WeakReference(object).object == nil
  }
}

extension ObservationRegistration {
  /// Whether the key path is one property after the other, in the order of the dependencies.
  var isChain: Bool { chain.load(ordering: .relaxed) == 2 }

  /// Notes whether it is. Once: finding out takes as long as the rest of a registration.
  func noteChain(of accesses: PropertyAccesses, from root: AnyObject) {
    guard chain.load(ordering: .relaxed) == 0 else { return }
    chain.store(accesses.areChain(at: keyPath, from: root) ? 2 : 1, ordering: .relaxed)
  }
}
