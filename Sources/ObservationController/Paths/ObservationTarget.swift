/// What a key path turned out to be when it was read for the first time, if not a property of the observed
/// object itself and nothing more. Indirect, so that where it is nothing, there is little to be freed.
@usableFromInline
indirect enum ObservationTarget {
  /// Such a property, or a path, that other threads may change just now.
  case shared(PropertyAccesses, isProperty: Bool)

  /// A nested or computed path, with the properties that it read.
  case path(PropertyAccesses)

  /// Nothing that could be observed.
  case nothing
}

extension ObservationStore {
  /// Finds out what the key path of `request` is, by reading it under an access tracker.
  ///
  /// - Parameters:
  ///   - registration: That of the registration, which remembers what came of it.
  ///   - isPlain: Whether its value is, see `PlainValue`.
  ///   - target: Receives what it is, if it is no property of `object` itself.
  ///   - read: Reads the key path, with no lock held.
  /// - Returns: The subject of that property: not as one of the targets, which are of different sizes,
  ///   and would be taken apart and freed by functions of their own: 110 instructions.
  @usableFromInline
  func property(
    of object: AnyObject, _ request: ObservationRequest, at registration: ObservationRegistration,
    isPlain: Bool, orElse target: inout ObservationTarget, reading read: () -> Void
  ) -> Subject? {
    // Of an object of the same class the same key path is the same property, so that only its subject
    // is wanted: half of the cost of finding out.
    if registration.isKnownProperty(of: object),
      let subject = AccessTracker.single(read).subject(of: object)
    {
      return subject
    }
    var accesses = AccessTracker.track(
      flattens: !PathObservation.isReady(request.options, isPlain: isPlain), read)
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

  /// Whether `object` has begun to go, and nothing that goes with it would end an observation of what
  /// was read: that would keep it, as far as an object can be kept then.
  ///
  /// Asked only of those that read none of their own properties: a weak reference makes counting the
  /// references of an object slow for good.
  func isGoing(_ object: AnyObject, reading accesses: PropertyAccesses) -> Bool {
    guard accesses.first != nil, !accesses.include(propertyOf: object) else { return false }
    return WeakReference(object).object == nil
  }
}

extension PropertyAccess {
  /// Whether `keyPath`, which read this property, is nothing but the property.
  ///
  /// A computed property may read a single property too, and of the same type; only the key path
  /// tells them apart. Where a subclass is in play, not even that: it may override the getter. Then
  /// the property is followed as a path, which is right, if slower.
  func isProperty(of object: AnyObject, at keyPath: AnyKeyPath) -> Bool {
    owner == ObjectIdentifier(object) && type(of: keyPath).rootType == type(of: object)
      && self.keyPath == keyPath
  }
}
