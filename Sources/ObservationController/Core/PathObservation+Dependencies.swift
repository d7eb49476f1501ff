import Synchronization

/// Property that a key path reads, as the path refers to it between evaluations.
struct Dependency {
  let link: Subject.Link

  /// Whether the property is one of the observed object's own.
  let isOfRoot: Bool

  /// The lock of a property that several threads may change.
  let lock: ExclusiveLock?
}

extension Dependency {
  /// State of a property when a path read it: `Node.version` of a derived one, `Subject.stamp` of a
  /// stored one.
  struct Version: Equatable {
    /// Of the subject, or of the derived node where the path follows the properties behind it.
    let source: ObjectIdentifier
    let number: UInt32
  }
}

extension PathObservation {
  /// Some of the properties that a path reads. A few are compared one by one, many are looked up.
  struct DependencySet {
    private let dependencies: ArraySlice<Dependency>
    private let links: Set<Subject.Link>?

    init(_ dependencies: ArraySlice<Dependency>) {
      self.dependencies = dependencies
      links = dependencies.count <= 8 ? nil : Set(dependencies.lazy.map(\.link))
    }

    func contains(_ dependency: Dependency) -> Bool {
      if let links { return links.contains(dependency.link) }
      return dependencies.contains { $0.link == dependency.link }
    }
  }
}

extension PathObservation {
  /// Whether it acts before a property is stored.
  var actsBeforeStore: Bool { !isPinned.load(ordering: .acquiring) }

  func unpin() { isPinned.store(false, ordering: .releasing) }

  /// Adds an info to its subjects, which the caller retains. Under the lock of the store.
  func attachLocked(_ info: ObservationInfo) {
    for dependency in dependencies { dependency.link.insert(info) }
  }

  /// Needs of a subject that it is attached to, see `Subject.Phase`.
  func needs(isAtomic: Bool) -> Subject.Phase.RawValue {
    guard actsBeforeStore else { return 0 }
    return isReady && !isAtomic ? Subject.Phase.isFollowed : Subject.Phase.needsWillChange
  }

  var readsDerived: Bool { storedReadsDerived.load(ordering: .relaxed) }
  var flattensDerived: Bool { storedFlattensDerived.load(ordering: .relaxed) }

  func noteDerived(flattens: Bool) {
    storedReadsDerived.store(true, ordering: .relaxed)
    if flattens { storedFlattensDerived.store(true, ordering: .relaxed) }
  }

  func setDependencies(_ new: [Dependency]) { (dependencies, places) = (new, nil) }

  /// Value of `losses`, to be compared with a later one.
  var lossCount: UInt32 { losses.load(ordering: .acquiring) }

  /// Removes a dependency whose object is being deallocated. Under the lock of the store.
  ///
  /// - Returns: `nil` if another thread has attached the path to something else before.
  /// - Complexity: O(1) amortised; the last dependency takes the place of this one.
  func removeDependency(on subject: Subject) -> Dependency? {
    if places == nil {
      places = Dictionary(uniqueKeysWithValues: zip(dependencies.lazy.map(\.link), 0...))
    }
    guard let place = places?.removeValue(forKey: Subject.Link(subject)) else { return nil }
    losses.wrappingAdd(1, ordering: .releasing)
    dependencies.swapAt(place, dependencies.count - 1)
    if place < dependencies.count - 1 { places?[dependencies[place].link] = place }
    return dependencies.removeLast()
  }
}
