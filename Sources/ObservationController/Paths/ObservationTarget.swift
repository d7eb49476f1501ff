/// The kind of a key path that is not just a property of the observed object, found by reading it.
/// Indirect, so that `nothing` leaves little to release.
@usableFromInline
indirect enum ObservationTarget {
  /// A property of the observed object, or a path, that other threads may change meanwhile.
  case shared(PropertyAccesses, isProperty: Bool)

  /// A nested or computed path, with the properties that it read.
  case path(PropertyAccesses)

  /// No observable property.
  case nothing
}

extension ObservationStore {
  /// Resolves the key path of `request`, by reading it under an access tracker.
  ///
  /// - Parameters:
  ///   - registration: Remembers that the key path is a property.
  ///   - isPlain: Whether the value of the key path is plain, see `PlainValue`.
  ///   - target: Receives the kind of the key path, if it is no property of `object` itself.
  ///   - read: Reads the key path, with no lock held.
  /// - Returns: The subject of that property: not as a case of the target, whose payloads of
  ///   different sizes would be copied and released by functions of their own.
  @usableFromInline
  func property(
    of object: AnyObject, _ request: ObservationRequest, at registration: ObservationRegistration,
    isPlain: Bool, orElse target: inout ObservationTarget, reading read: () -> Void
  ) -> Subject? {
    // Of an object of the same class the same key path is the same property, so that only its
    // subject is wanted: half of the cost of finding out.
    if registration.isKnownProperty(of: object),
      let subject = AccessTracker.singleSubject(of: object, read)
    {
      return subject
    }
    var accesses = PropertyAccesses(
      flattens: !PathObservation.isReady(request.options, isPlain: isPlain))
    AccessTracker.track(in: &accesses, read)
    if !request.options.contains(.prior),
      let node = accesses.derivedProperty(of: object, at: request.keyPath),
      let subject = node.prepareToBeObserved()
    {
      return subject
    }
    accesses.insertDerived()
    guard !isGoing(object, reading: accesses) else { return nil }
    if accesses.areShared {
      target = .shared(
        accesses, isProperty: accesses.property(of: object, at: request.keyPath) != nil)
      return nil
    }
    if let subject = accesses.property(of: object, at: request.keyPath) {
      registration.knowProperty(of: object)
      return subject
    }
    guard accesses.first != nil else {
      ObservationDispatcher.report(
        .nothingObservable(
          keyPath: request.keyPath, file: request.file, line: request.line))
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
    guard accesses.first != nil, !accesses.include(propertyOf: object) else { return false }
    return WeakReference(object).object == nil
  }
}

extension ObservationRegistration {
  /// Whether the key path is one property after the other, from `root`. Remembered: finding out
  /// takes as long as the rest of a registration.
  func isChain(_ accesses: PropertyAccesses, from root: AnyObject) -> Bool {
    let known = chain.load(ordering: .relaxed)
    guard known == 0 else { return known == 2 }
    let isChain = accesses.areChain(at: keyPath, from: root)
    chain.store(isChain ? 2 : 1, ordering: .relaxed)
    return isChain
  }
}
