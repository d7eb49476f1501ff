/// What a key path turned out to be when it was read for the first time.
@usableFromInline
enum ObservationTarget {
  /// A property of the observed object itself, and nothing more.
  case property(Subject)

  /// The same, or a path, that other threads may change just now.
  case shared(PropertyAccesses, isProperty: Bool)

  /// A nested or computed path, with the properties that it read.
  case path(PropertyAccesses)

  /// Nothing that could be observed.
  case nothing
}

extension ObservationRegistry {
  /// Finds out what the key path of `registration` is, by reading it under an access tracker.
  ///
  /// - Parameters:
  ///   - site: That of the registration, which remembers what came of it.
  ///   - read: Reads the key path, with no lock held.
  @usableFromInline
  func target(
    of object: AnyObject, _ registration: ObservationRegistration, at site: ObservationSite,
    reading read: () -> Void
  ) -> ObservationTarget {
    // Of an object of the same class the same key path is the same property, so that only its subject
    // is wanted: half of the cost of finding out.
    if site.isKnownProperty(of: object),
      let subject = AccessTracker.single(read).subject(of: object)
    {
      return .property(subject)
    }
    let accesses = AccessTracker.track(read)
    if accesses.areShared {
      return .shared(
        accesses, isProperty: accesses.property(of: object, at: registration.keyPath) != nil)
    }
    if let subject = accesses.property(of: object, at: registration.keyPath) {
      site.knowProperty(of: object)
      return .property(subject)
    }
    guard accesses.first != nil else {
      ObservationDispatcher.report(
        .nothingObservable(
          keyPath: registration.keyPath, file: registration.file, line: registration.line))
      return .nothing
    }
    return .path(accesses)
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
