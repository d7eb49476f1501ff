/// Routes every change to the handlers, and knows all observations.
///
/// The shared dispatcher is the only code that calls handlers, actions and delegate methods. It
/// holds no lock while it does, and no observer or observed object between deliveries.
///
///     let dispatcher = ObservationDispatcher.shared
///     print(dispatcher.observations(of: person))      // who observes this person, and what
///     dispatcher.removeObservations(of: person)       // ends all of it
///
/// Each list is a snapshot: another thread may observe or unobserve meanwhile.
public final class ObservationDispatcher: Sendable {
  /// The dispatcher of all controllers.
  public static let shared = ObservationDispatcher()

  /// The stores of all controllers. Unretained: the deinit of a controller removes its store.
  let stores = Locked<[ObjectIdentifier: Unmanaged<ObservationStore>]>([:], .tables)

  private init() {}
}

// MARK: - Finding observations

extension ObservationDispatcher {
  /// The number of observations of all controllers.
  ///
  /// - Complexity: O(c + n) in the number of controllers and of observations of unretained objects.
  public var activeObservationCount: Int {
    let stores = allStores
    var count = Int.max
    while true {
      // Counting ends observations whose object or observer is gone, which may release the last
      // reference to an object that a controller counted before observes.
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
    infos(of: object).map(ObservationDescription.init)
  }

  /// All observations there are, of all controllers, in the order of registration.
  ///
  /// - Complexity: O(c + n log n) in the number of controllers and of observations.
  public var observations: [ObservationDescription] { allInfos.map(ObservationDescription.init) }

  /// The observed key paths of `object`, each once, in the order of registration.
  ///
  /// - Complexity: O(c + n log n) in the number of controllers and of observations of `object`.
  public func observedKeyPaths(of object: AnyObject) -> [AnyKeyPath] {
    keyPaths(of: infos(of: object))
  }

  /// The observers of `keyPath` on `object`, each once, in the order of registration.
  ///
  /// - Complexity: O(c + n log n) in the number of controllers and of observations of `keyPath`.
  public func observers<Object: AnyObject>(
    of object: Object, _ keyPath: PartialKeyPath<Object>
  ) -> [AnyObject] {
    infos(of: object, at: keyPath)
      .compactMap(\.registration.store.observer)
      .unique { ObjectIdentifier($0) }
  }

  /// The key paths that `observer` observes on `object`, each once, in the order of registration.
  ///
  /// - Complexity: O(c + n log n) in the number of controllers and of observations of `object`.
  public func observedKeyPaths(of object: AnyObject, by observer: AnyObject) -> [AnyKeyPath] {
    keyPaths(of: infos(of: object, by: observer))
  }

  /// All observations, in the order of registration.
  var allInfos: [ObservationInfo] {
    _ = activeObservationCount  // ends observations without object or observer
    return allStores.flatMap { $0.infos() }.filter(\.isActive).sorted { $0.serial < $1.serial }
  }

  /// - Parameters:
  ///   - observer: Limits the result to the observations of this observer.
  ///   - toEnd: See `ObservationStore.infos`.
  func infos(
    of object: AnyObject, at keyPath: AnyKeyPath? = nil, by observer: AnyObject? = nil,
    toEnd: Bool = false
  ) -> [ObservationInfo] {
    stores(of: observer).flatMap { $0.infos(of: object, at: keyPath, toEnd: toEnd) }
      .sorted { $0.serial < $1.serial }
  }

  /// The key paths of infos, each once.
  private func keyPaths(of infos: [ObservationInfo]) -> [AnyKeyPath] {
    infos.map(\.registration.keyPath).unique(by: \.self)
  }
}

// MARK: - Ending observations

extension ObservationDispatcher {
  /// Ends all observations of `object` by all observers. Nothing happens if there is none. Live
  /// views continue to follow their sources.
  ///
  /// - Complexity: O(c + n log n) in the number of controllers and of observations of `object`.
  public func removeObservations(of object: AnyObject) {
    end(infos(of: object, toEnd: true))
  }

  /// Ends all observations of `object` by `observer`. Nothing happens if there is none, or
  /// `observer` is a live view of `object`.
  ///
  /// - Complexity: O(c + n log n) in the number of controllers and of observations of `object`.
  public func removeObservations(of object: AnyObject, by observer: AnyObject) {
    end(infos(of: object, by: observer, toEnd: true))
  }

  /// Ends all observations of `keyPath` on `object` by all observers. Nothing happens if there is
  /// none. Live views continue to follow their sources.
  ///
  /// - Complexity: O(c + n log n) in the number of controllers and of observations of `keyPath`.
  public func removeObservations<Object: AnyObject>(
    of object: Object, _ keyPath: PartialKeyPath<Object>
  ) {
    end(infos(of: object, at: keyPath, toEnd: true))
  }

  /// Ends the observations of `keyPath` on `object` by `observer`. Nothing happens if there is
  /// none, or `observer` is a live view of `object`.
  ///
  /// - Complexity: O(c + n log n) in the number of controllers and of observations of `keyPath`.
  public func removeObservations<Object: AnyObject>(
    of object: Object, _ keyPath: PartialKeyPath<Object>, by observer: AnyObject
  ) {
    end(infos(of: object, at: keyPath, by: observer, toEnd: true))
  }

  private func end(_ infos: [ObservationInfo]) {
    // A live view goes on: it would be wrong without the observation of its source.
    for info in infos where !info.isOfView { info.invalidate() }
  }
}

// MARK: - The table of stores

extension ObservationDispatcher {
  func add(_ store: ObservationStore) {
    stores.withLock { $0[ObjectIdentifier(store)] = .passUnretained(store) }
  }

  func remove(_ store: ObservationStore) {
    stores.withLock { $0[ObjectIdentifier(store)] = nil }
  }

  private var allStores: [ObservationStore] {
    // Retained under the lock, while the controller that owns it can't have passed `remove`.
    stores.withLock { $0.values.map { $0.takeUnretainedValue() } }
  }

  private func stores(of observer: AnyObject?) -> [ObservationStore] {
    guard let observer else { return allStores }
    // By the address alone, which the store keeps from being used again: the observer may end its
    // observations in its deinit.
    return allStores.filter { $0.observerIdentity == ObjectIdentifier(observer) }
  }
}
