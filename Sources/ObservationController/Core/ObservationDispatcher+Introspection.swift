/// Who observes what. A snapshot each: another thread may observe or unobserve meanwhile.
extension ObservationDispatcher {
  /// How many observations there are, of all controllers.
  ///
  /// - Complexity: O(c + n) in the number of controllers and of observations of unretained objects.
  public var activeObservationCount: Int {
    let stores = allRegistries
    var count = stores.reduce(0) { $0 + $1.count }
    while true {
      // Again until nothing goes: what ends when it is looked at may hold the last reference to an
      // object that observations of a controller counted before are about.
      let next = stores.reduce(0) { $0 + $1.count }
      guard next < count else { return next }
      count = next
    }
  }

  /// The observations of `object`, in the order of registration.
  ///
  /// - Complexity: O(c + n log n) in the number of controllers and of observations of `object`;
  ///   independent of other observed objects.
  public func observations(of object: AnyObject) -> [ObservationDescription] {
    infos(of: object).map { $0.registration.store.description(of: $0) }
  }

  /// The key paths that somebody observes on `object`, each once, in the order of registration.
  ///
  /// - Complexity: O(c + n log n) in the number of controllers and of observations of `object`.
  public func observedKeyPaths(of object: AnyObject) -> [AnyKeyPath] {
    unique(infos(of: object).map(\.registration.keyPath))
  }

  /// The observers of `keyPath` on `object`, each once, in the order of registration.
  ///
  /// - Complexity: O(c + n log n) in the number of controllers and of observations of `keyPath`.
  public func observers<Object: AnyObject>(
    of object: Object, _ keyPath: PartialKeyPath<Object>
  ) -> [AnyObject] {
    var seen: Set<ObjectIdentifier> = []
    return infos(of: object, at: keyPath)
      .compactMap(\.registration.store.observer)
      .filter { seen.insert(ObjectIdentifier($0)).inserted }
  }

  /// The key paths that `observer` observes on `object`, each once, in the order of registration.
  ///
  /// - Complexity: O(c + n log n) in the number of controllers and of observations of `object`.
  public func observedKeyPaths(of object: AnyObject, by observer: AnyObject) -> [AnyKeyPath] {
    unique(infos(of: object, by: observer).map(\.registration.keyPath))
  }

  /// Ends all observations of `object`, whoever observes it. Nothing happens if nobody does.
  ///
  /// - Complexity: O(c + n log n) in the number of controllers and of observations of `object`.
  public func removeObservations(of object: AnyObject) {
    end(infosToEnd(of: object))
  }

  /// Ends all observations of `object` by `observer`. Nothing happens if there is none.
  ///
  /// - Complexity: O(c + n log n) in the number of controllers and of observations of `object`.
  public func removeObservations(of object: AnyObject, by observer: AnyObject) {
    end(infosToEnd(of: object, by: observer))
  }

  /// Ends all observations of `keyPath` on `object`, whoever observes it. Nothing happens if nobody
  /// does.
  ///
  /// - Complexity: O(c + n log n) in the number of controllers and of observations of `keyPath`.
  public func removeObservations<Object: AnyObject>(
    of object: Object, _ keyPath: PartialKeyPath<Object>
  ) {
    end(infosToEnd(of: object, at: keyPath))
  }
}

// MARK: - The table of controllers

extension ObservationDispatcher {
  func add(_ store: ObservationStore) {
    stores.withLock { $0[ObjectIdentifier(store)] = .passUnretained(store) }
  }

  func remove(_ store: ObservationStore) {
    stores.withLock { $0[ObjectIdentifier(store)] = nil }
  }

  private var allRegistries: [ObservationStore] {
    // Retained under the lock, while the controller that owns it can't have passed `remove`.
    stores.withLock { $0.values.map { $0.takeUnretainedValue() } }
  }

  /// The observations of everybody, in the order of registration.
  var allInfos: [ObservationInfo] {
    let count = activeObservationCount  // sweeps until nothing goes
    var infos: [ObservationInfo] = []
    infos.reserveCapacity(count)
    for store in allRegistries { infos += store.infos() }
    return infos.filter(\.isActive).sorted { $0.serial < $1.serial }
  }

  /// - Parameter observer: Only those by this one.
  func infos(
    of object: AnyObject, at keyPath: AnyKeyPath? = nil, by observer: AnyObject? = nil
  ) -> [ObservationInfo] {
    stores(of: observer).flatMap { $0.infos(of: object, at: keyPath) }
      .sorted { $0.serial < $1.serial }
  }

  private func infosToEnd(
    of object: AnyObject, at keyPath: AnyKeyPath? = nil, by observer: AnyObject? = nil
  ) -> [ObservationInfo] {
    // Live views go on: what they have of their source is part of them.
    stores(of: observer).flatMap { $0.infosToEnd(of: object, at: keyPath) }
      .filter { !$0.isOfView }
  }

  private func stores(of observer: AnyObject?) -> [ObservationStore] {
    guard let observer else { return allRegistries }
    return allRegistries.filter {
      // The address first, since loading a weak reference takes long.
      $0.observerIdentity == ObjectIdentifier(observer) && $0.observer === observer
    }
  }

  private func end(_ infos: [ObservationInfo]) {
    for info in infos { info.invalidate() }
  }

  private func unique(_ keyPaths: [AnyKeyPath]) -> [AnyKeyPath] {
    var seen: Set<AnyKeyPath> = []
    return keyPaths.filter { seen.insert($0).inserted }
  }
}
