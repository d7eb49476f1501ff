/// Finding out what properties are called.
extension KeyPathNames {
  /// Learns the names of all that is observed just now, from what objects store; calls no getter.
  static func learnAll() {
    let observed = ObservationDispatcher.shared.allInfos.compactMap { ObservedInGraph($0) }
    AccessTracker.withoutTracking {
      learn(observed, StoredObjects(of: observed.flatMap(\.objects)), reads: false)
    }
  }

  /// Learns the names of what is observed, as far as objects hold it.
  ///
  /// - Parameter reads: Whether to read the key paths whose names are not known otherwise, with no lock
  ///   held.
  static func learn(
    _ observed: [ObservedInGraph], _ objects: StoredObjects, reads: Bool = true
  ) {
    for derived in objects.derived {
      if let keyPath = derived.node.keyPath { learn(derived.property.name, for: keyPath) }
    }
    for item in observed {
      learn(item, objects, reads: reads)
      guard reads else { continue }
      if let target = item.target { learn(target.keyPath, of: target.object, objects) }
      for (keyPath, subjects) in item.links.elements {
        if let owner = objects.owner(ofFirstKnown: subjects) { learn(keyPath, of: owner, objects) }
      }
    }
  }

  private static func learn(_ item: ObservedInGraph, _ objects: StoredObjects, reads: Bool) {
    let keyPath = item.registration.keyPath
    if item.object is any GraphArray, item.registration.elementKeyPaths != nil,
      type(of: keyPath).rootType == type(of: item.object)
    {
      return learn("elements", for: keyPath)
    }
    // Events, hooks and notifications have no property.
    if item.object is any CyclicSource || item.registration.isNotification { return }
    // By what it is, where that is known: a getter has an address for each module that uses it.
    if item.links.isProperty, let subject = item.links.subjects.first,
      let property = objects.properties[subject]
    {
      learn(property.name, for: keyPath)
    } else {
      if reads { learn(keyPath, of: item.object, objects) }
      guard item.isChain, !isKnown(keyPath) else { return }
      learn(item.links.subjects.map { objects.properties[$0]?.name }, for: keyPath)
    }
  }

  private static func learn(_ keyPath: AnyKeyPath, of object: AnyObject, _ objects: StoredObjects) {
    guard !isKnown(keyPath) else { return }
    let accesses = AccessTracker.track {
      let object: Any = object
      _ = object[keyPath: keyPath]
    }
    for access in accesses.all {
      if let keyPath = access.keyPath,
        let property = objects.properties[ObjectIdentifier(access.subject)]
      {
        learn(property.name, for: keyPath)
      }
    }
  }
}

extension ObservationInfo: NameProvider {
  /// Finds names in what the object stores, and the objects on the way of a nested path.
  func learnNames() {
    guard !KeyPathNames.isKnown(registration.keyPath), let observed = ObservedInGraph(self) else {
      return
    }
    AccessTracker.withoutTracking {
      let objects = StoredObjects(of: [observed.object], within: observed.links.owners)
      KeyPathNames.learn([observed], objects)
    }
  }
}
