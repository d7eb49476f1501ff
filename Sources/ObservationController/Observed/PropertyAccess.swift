/// The property of one object that was read while a key path was evaluated.
@usableFromInline
struct PropertyAccess {
  let subject: Subject
  let owner: ObjectIdentifier

  /// The key path of the property itself, to recognise a path that is nothing but the property;
  /// `nil` for the elements of an array, which are no property.
  let keyPath: AnyKeyPath?

  func dependency(of root: AnyObject) -> PathObservation.Dependency {
    PathObservation.Dependency(
      subject: subject, isOfRoot: owner == ObjectIdentifier(root))
  }
}

/// Properties in the order in which they were first read, each once.
///
/// The first one, for most key paths the only one, is stored without an allocation.
@usableFromInline
struct PropertyAccesses {
  private(set) var first: PropertyAccess?
  private var others: [PropertyAccess] = []

  /// Identities of all properties, once there are many: a path over n of them then takes n lookups
  /// rather than n² comparisons.
  private var seen: Set<ObjectIdentifier> = []
}

extension PropertyAccesses {
  /// The subject of the property that `keyPath`, which read these, is nothing but.
  func property(of object: AnyObject, at keyPath: AnyKeyPath) -> Subject? {
    guard others.isEmpty, let first, first.isProperty(of: object, at: keyPath) else { return nil }
    return first.subject
  }

  /// The only property that was read, if it was one.
  var only: PropertyAccess? {
    others.isEmpty ? first : nil
  }

  var all: [PropertyAccess] {
    first.map { [$0] + others } ?? []
  }

  /// Whether exactly these properties were read, in this order.
  func areTo(_ dependencies: [PathObservation.Dependency]) -> Bool {
    guard let first, dependencies.count == others.count + 1,
      dependencies[0].subject === first.subject
    else { return first == nil && dependencies.isEmpty }
    return zip(dependencies.dropFirst(), others).allSatisfy { $0.subject === $1.subject }
  }

  mutating func insert(_ access: PropertyAccess) {
    guard let first else {
      first = access
      return
    }
    guard first.subject !== access.subject else { return }
    if others.count < 8 {
      guard !others.contains(where: { $0.subject === access.subject }) else { return }
    } else {
      if seen.isEmpty { seen = Set(others.map { ObjectIdentifier($0.subject) }) }
      guard seen.insert(ObjectIdentifier(access.subject)).inserted else { return }
    }
    others.append(access)
  }
}
