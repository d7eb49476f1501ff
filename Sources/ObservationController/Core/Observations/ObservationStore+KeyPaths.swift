/// Finds out what a key path is that is to be observed.
extension ObservationStore {
  /// Resolves the key path of a registration, by reading it under an access tracker.
  ///
  /// - Parameters:
  ///   - registration: Remembers that the key path is a property.
  ///   - path: Receives the properties that a nested or computed path has read; also the property
  ///     of the observed object, where other threads may change it meanwhile.
  ///   - value: Memory of an optional that receives the value.
  /// - Returns: The subject of the property that the key path is; `nil` for a path, and if nothing
  ///   can be observed.
  @usableFromInline
  func property(
    of object: AnyObject, at registration: ObservationRegistration,
    orElse path: inout PropertyAccesses?, value: UnsafeMutableRawPointer
  ) -> Subject? {
    sweep(before: registration)
    func read() { _ = registration.request.access.use(.reading, object, value) }
    // Of an object of the same class the same key path is the same property, so that only its
    // subject is wanted: half of the cost of finding out.
    if registration.isKnownProperty(of: object),
      let subject = AccessTracker.singleSubject(read),
      subject.knownOwner == ObjectIdentifier(object)
    {
      return subject
    }
    let accesses = AccessTracker.track(naming: true, read)
    // One that other threads may change meanwhile is followed as a path.
    let property =
      accesses.areShared ? nil : accesses.property(of: object, at: registration.keyPath)
    if !registration.options.contains(.prior), let derived = property?.derived,
      derived.isLasting, let subject = derived.prepareToBeObserved(of: object)
    {
      return subject
    }
    if let subject = property?.subject {
      registration.knowProperty(of: object)
      return subject
    }
    if accesses.all.isEmpty {
      if !accesses.areCyclic { registration.report(ObservationIssue.nothingObservable) }
    } else if !isDeallocating(object, reading: accesses) {
      for case (let subject?, let name?) in accesses.all.lazy.map({ ($0.subject, $0.name) }) {
        DeliveryProbe.diagnostics?.learn(name: name, of: subject)
      }
      path = accesses
    }
    return nil
  }

  /// Whether the deinit of `object` has begun, and no subject would end the observation with it:
  /// the observation would retain it, as far as an object can be retained then.
  ///
  /// Finds out only for paths that read no property of `object`: a weak reference makes counting
  /// the references of an object slow for good.
  func isDeallocating(_ object: AnyObject, reading accesses: PropertyAccesses) -> Bool {
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
    noteGetters(of: accesses)
    chain.store(accesses.areChain(at: keyPath, from: root) ? 2 : 1, ordering: .relaxed)
  }
}
