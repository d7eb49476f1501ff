/// Names of properties as numbers, which fit into a gap of their subjects.
///
/// A number stands for a printed key path, whose names `KeyPathNames` inserts when it is read: they
/// may be found out later. There are as many numbers as properties in the source of a program;
/// beyond 32,767 properties have no name.
enum PropertyNames {
  typealias Number = UInt16

  private static let table = Locked((texts: [""], numbers: [String: Number]()))

  /// Bit in the number of a subject whose getter is known.
  private static let read: Number = 1 << 15

  /// Printed key paths by their numbers; an empty one for 0.
  static var texts: [String] { table.withLock { $0.texts } }

  /// Learns by which key path a property is read.
  static func learn(_ keyPath: AnyKeyPath?, for subject: Subject) {
    let known = subject.name.load(ordering: .relaxed)
    guard known & read == 0, let keyPath else { return }
    let printed = String(reflecting: keyPath)
    if case let text = texts[Int(known)], !KeyPathNames.hasComputed(text),
      let name = text.split(separator: ".").last
    {
      KeyPathNames.learn(String(name), forPrinted: printed)
    }
    subject.name.store((known == 0 ? number(of: printed) : known) | read, ordering: .relaxed)
  }

  /// Learns the name of a property.
  static func learn(_ name: String, of owner: AnyObject, for subject: Subject) {
    let known = number(of: subject)
    guard known == 0 else { return KeyPathNames.learn(name, forPrinted: texts[Int(known)]) }
    subject.name.store(number(of: "\\\(type(of: owner)).\(name)"), ordering: .relaxed)
  }
}

// MARK: - Numbers

extension PropertyNames {
  static func number(of keyPath: AnyKeyPath) -> Number { number(of: String(reflecting: keyPath)) }

  static func number(of registration: ObservationRegistration) -> Number {
    let known = registration.name.load(ordering: .relaxed)
    guard known == 0 else { return known }
    let number = number(of: registration.keyPath)
    registration.name.store(number, ordering: .relaxed)
    return number
  }

  /// Number of a property: by the getter that has read it, by an observation of the property alone,
  /// or by its place in an observed path.
  static func number(of subject: Subject, of object: AnyObject) -> Number {
    let known = number(of: subject)
    guard known == 0 else { return known }
    let infos = subject.latestInfos.all
    let found =
      infos.first { $0.isOf(object) }.map { String(reflecting: $0.registration.keyPath) }
      ?? infos.lazy.compactMap { $0.registration.store.step(of: $0, to: subject, of: object) }.first
    let number = number(
      of: found
        ?? "\\\(type(of: object)).\(object is any StoredObjects.GraphArray ? "elements" : "‹?›")")
    if found != nil { subject.name.store(number, ordering: .relaxed) }
    return number
  }

  /// Number of a property; 0 if it has no name yet.
  private static func number(of subject: Subject) -> Number {
    subject.name.load(ordering: .relaxed) & ~read
  }

  /// Number of a printed key path; 0 if there are no more.
  private static func number(of text: String) -> Number {
    table.withLock { table in
      if let number = table.numbers[text] { return number }
      guard table.texts.count < read else { return 0 }
      let number = Number(table.texts.count)
      table.texts.append(text)
      table.numbers[text] = number
      return number
    }
  }
}

extension ObservationInfo {
  /// Whether the key path is that of a property of `object`, or, for an array, leads to it.
  fileprivate func isOf(_ object: AnyObject) -> Bool {
    guard path == nil else { return false }
    guard traits.contains(.part) else { return true }
    let keyPath = type(of: registration.keyPath)
    return keyPath.rootType == type(of: object) || keyPath.valueType == type(of: object)
  }
}

extension ObservationStore {
  /// The property of `object` that a chain of properties reads, printed.
  fileprivate func step(
    of info: ObservationInfo, to subject: Subject, of object: AnyObject
  ) -> String? {
    guard let path = info.path, path.isChain else { return nil }
    let index = state.withLock { _ in path.dependencies.firstIndex { $0.link.isTo(subject) } }
    return index.flatMap { KeyPathNames.step($0, of: info.registration.keyPath) }
      .map { "\\\(type(of: object)).\($0)" }
  }
}

// MARK: - Finding out names

extension KeyPathNames {
  /// Learns the names of observed properties that objects store.
  ///
  /// - Parameter reads: Whether to read the key paths whose names are not known otherwise, with no
  ///   lock held.
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
    if item.object is any StoredObjects.GraphArray, item.registration.elementKeyPaths != nil,
      type(of: keyPath).rootType == type(of: item.object)
    {
      return learn("elements", for: keyPath)
    }
    // Events, hooks and notifications have no property.
    if item.object is any ObservationIssue.CyclicSource || item.registration.request.isNotification
    {
      return
    }
    // By the subject, where that is known: a getter has an address for each module that uses it.
    if item.links.isProperty, let subject = item.links.subjects.first,
      let property = objects.properties[subject]
    {
      learn(property.name, for: keyPath)
    } else {
      if reads { learn(keyPath, of: item.object, objects) }
      guard let path = item.info.path, path.isChain, !isKnown(keyPath) else { return }
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

extension ObservationInfo: ObservationDescription.NameProvider {
  /// Finds names in the stored properties of the object, and of the objects that a nested path
  /// leads over.
  func learnNames(readsAll: Bool) {
    guard !KeyPathNames.isKnown(registration.keyPath), let observed = ObservedInGraph(self),
      // The name of a property that is computed from others is nowhere to be found.
      readsAll || path == nil
        || KeyPathNames.unnamedCount(in: registration.keyPath) == observed.links.subjects.count
    else { return }
    AccessTracker.withoutTracking {
      let objects = StoredObjects(
        of: [observed.object], within: observed.links.owners,
        wanted: readsAll ? nil : Set(observed.links.subjects))
      KeyPathNames.learn([observed], objects)
    }
  }

  static func learnNames(of keyPaths: [AnyKeyPath], in owner: AnyObject) {
    StoredObjects.learnNames(of: keyPaths.filter { !KeyPathNames.isKnown($0) }, in: owner)
  }
}
