import Synchronization

/// Printed key paths of properties, by numbers that fit into a gap of their subjects.
///
/// `KeyPathNames` inserts the names when a printed key path is read: they may be found out later.
/// There are as many numbers as properties in the source of a program; beyond 32,767 properties
/// have no name.
enum PropertyNames {
  private static let table = Locked((texts: [""], numbers: [String: UInt16]()))

  /// Bit in the number of a subject whose getter is known.
  fileprivate static let read: UInt16 = 1 << 15

  /// Learns the type and the name of a property, or the printed key path of its getter; with both,
  /// the name of the getter.
  static func learn(_ text: String, for subject: Subject) {
    let known = self.text(numbered: subject.name) { text } ?? text
    for (printed, named) in [(known, text), (text, known)] where !named.contains("<computed ") {
      KeyPathNames.learn([named.split(separator: ".").last.map(String.init)], for: printed)
    }
  }

  static func text(of registration: ObservationRegistration) -> String? {
    text(numbered: registration.name) { KeyPathNames.printed(registration.keyPath) }
  }

  /// The printed key path of a property: of the getter that has read it, of an observation of the
  /// property alone, its step in an observed path, or its place in the object.
  static func text(of subject: Subject, of object: AnyObject) -> String {
    let known = text(numbered: subject.name) {
      (subject.latestInfos.all + subject.directPaths.all).lazy
        .compactMap { $0.text(of: subject, of: object) }.first
        ?? StoredNames.name(of: subject, in: object)
    }
    return known
      ?? "\\\(type(of: object)).\(object is any AnyObservableArray ? "elements" : "‹?›")"
  }

  /// - Parameter find: Finds the text if there is no number yet.
  fileprivate static func text(
    numbered number: borrowing Atomic<UInt16>, or find: () -> String?
  ) -> String? {
    let known = number.load(ordering: .relaxed) & ~read
    guard known == 0 else { return table.withLock { $0.texts[Int(known)] } }
    guard let text = find() else { return nil }
    table.withLock { table in
      let new = table.numbers[text] ?? UInt16(min(table.texts.count, Int(read)))
      guard new < read else { return }
      if table.numbers.updateValue(new, forKey: text) == nil { table.texts.append(text) }
      number.store(new, ordering: .relaxed)
    }
    return text
  }
}

extension ObservationInfo {
  /// The printed key path of a property of `object`: that of an observation of the property, or of
  /// an array that it leads to, or a step of a chain of properties.
  fileprivate func text(of subject: Subject, of object: AnyObject) -> String? {
    let keyPath = registration.keyPath
    guard let path else { return KeyPathNames.printed(keyPath) }
    let index = withStoreLock {
      path.dependencies.firstIndex { $0.identity == ObjectIdentifier(subject) }
    }
    guard registration.isChain, let index else { return nil }
    return KeyPathNames.step(index, of: keyPath).map { "\\\(type(of: object)).\($0)" }
  }
}

// MARK: - Finding out names

extension KeyPathNames {
  /// Learns the names of observed properties that objects store.
  ///
  /// Reads the key paths whose names are not known otherwise, with no lock held.
  static func learn(_ observed: [ObservedInGraph], _ objects: StoredObjects) {
    for item in observed {
      // By the subjects, where they are known: a getter has an address for each module that uses
      // it.
      if item.isProperty || item.registration.isChain {
        learn(item.subjects.map { objects.properties[$0]?.name }, for: printed(item.keyPath))
      }
      learn(item.keyPath, of: item.object)
      if let (object, keyPath) = item.target { learn(keyPath, of: object) }
      for (keyPath, subjects) in item.elements {
        if let owner = objects.owner(ofFirstKnown: subjects) { learn(keyPath, of: owner) }
      }
    }
  }

  private static func learn(_ keyPath: AnyKeyPath, of object: AnyObject) {
    guard !isKnown(keyPath) else { return }
    let accesses = AccessTracker.track {
      let object: Any = object
      _ = object[keyPath: keyPath]
    }
    for access in accesses.all {
      if let subject = access.subject { DeliveryProbe.learn(access.keyPath, of: subject) }
    }
  }
}

extension DeliveryProbe: DeliveryProbe.Diagnostics {
  static func name(of storage: AnyObject, in owner: AnyObject) -> String? {
    StoredNames.name(of: storage, in: owner)
  }

  static func learnNames(in owner: AnyObject) { StoredNames.learn(owner) }

  static func learn(name: String, of subject: Subject) {
    _ = PropertyNames.text(numbered: subject.name) { name }
  }

  static func learn(_ keyPath: AnyKeyPath?, of subject: Subject) {
    guard let keyPath, subject.name.load(ordering: .relaxed) & PropertyNames.read == 0 else {
      return
    }
    PropertyNames.learn(KeyPathNames.printed(keyPath), for: subject)
    subject.name.bitwiseOr(PropertyNames.read, ordering: .relaxed)
  }

  /// Finds names in the fields of the object, see `StoredNames`; reads no property of the user's.
  static func learnNames(of info: ObservationInfo) {
    guard !KeyPathNames.isKnown(info.registration.keyPath), let observed = ObservedInGraph(info)
    else { return }
    StoredNames.learn(observed)
  }

  static func learnNames(of keyPaths: [AnyKeyPath], in owner: AnyObject) {
    if !keyPaths.allSatisfy(KeyPathNames.isKnown) { StoredNames.learn(owner) }
  }
}
