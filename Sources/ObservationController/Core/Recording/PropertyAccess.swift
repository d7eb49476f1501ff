/// Property of one object that was read while a key path was evaluated.
///
/// Not kept longer than the registration: subject and storage are deallocated with the object.
struct PropertyAccess {
  /// `nil` for a derived property.
  let subject: Subject?
  /// `nil` for a stored property.
  let derived: DerivedProperty?
  let owner: ObjectIdentifier
  /// The key path of the property itself, to recognise an observation of just that property; `nil`
  /// for the elements of an array, which are no property, and for a property whose values another
  /// wrapper converts.
  let keyPath: AnyKeyPath?
  /// The property, if several threads may change it.
  let atomic: (any AtomicProperty)?
  /// Class and name of the property, as `\Person.name`; `nil` if they are not known.
  fileprivate(set) var name: String?

  fileprivate var identity: ObjectIdentifier? {
    subject.map { ObjectIdentifier($0) } ?? derived.map { ObjectIdentifier($0) }
  }
}

/// Properties that an evaluation reads, in the order in which they were first read, each once.
@usableFromInline
struct PropertyAccesses {
  private(set) var all: [PropertyAccess] = []
  /// All properties that were read, once there are many: reading n of them then takes n lookups
  /// rather than n² comparisons.
  private var seen: Set<ObjectIdentifier?>?
  /// Whether a derived property was read that this thread computes, which is reported.
  var areCyclic = false
  /// Whether their names are noted.
  var areNamed = false
}

extension PropertyAccesses {
  /// Records a property.
  mutating func insert(_ access: PropertyAccess) {
    if all.count == 8, seen == nil { seen = Set(all.lazy.map(\.identity)) }
    let isNew =
      seen?.insert(access.identity).inserted ?? !all.contains { $0.identity == access.identity }
    if isNew { all.append(access) }
  }

  /// Finds the name of the property that was recorded last, one of `owner`.
  mutating func nameLast(of owner: AnyObject) {
    guard let last = all.last, last.name == nil, last.owner == ObjectIdentifier(owner) else {
      return
    }
    let storage = last.atomic.map { $0 as AnyObject } ?? last.derived ?? last.subject
    all[all.count - 1].name = storage.flatMap {
      DeliveryProbe.diagnostics?.name(of: $0, in: owner)
    }
  }

  /// The property at `keyPath`, which read these; `nil` for a path.
  ///
  /// A computed property may read a single property too, and of the same type; only the key path
  /// distinguishes them. A subclass may override the getter: its property is followed as a path.
  func property(of object: AnyObject, at keyPath: AnyKeyPath) -> PropertyAccess? {
    guard let only, only.owner == ObjectIdentifier(object),
      type(of: keyPath).rootType == type(of: object), only.keyPath == keyPath
    else { return nil }
    return only
  }

  /// An atomic property that alone decides on the value of a path.
  typealias Pin = (link: SubjectReference, isOfRoot: Bool)

  /// - Parameter root: The object that the path starts from.
  func pin(of root: AnyObject) -> Pin? {
    guard let only, let subject = only.subject, only.atomic?.hasValue ?? false else { return nil }
    return (SubjectReference(subject), only.owner == ObjectIdentifier(root))
  }

  /// Whether another thread may change one of them.
  var areShared: Bool {
    all.contains {
      $0.atomic != nil || $0.derived.map { $0.node.state & Node.State.shared != 0 } ?? false
    }
  }

  /// The only property that was read, if it was one.
  var only: PropertyAccess? { all.count == 1 ? all[0] : nil }

  /// Whether `keyPath` is a chain of these properties, each of the object that the one before
  /// refers to.
  func areChain(at keyPath: AnyKeyPath, from root: AnyObject) -> Bool {
    let keyPaths = all.compactMap(\.keyPath)
    guard type(of: keyPath).rootType == type(of: root), keyPaths.count == all.count,
      keyPaths.count > 1, var chain = keyPaths.last
    else { return false }
    // From behind: appended to one after the other, three or more do not equal the literal.
    for previous in keyPaths.dropLast().reversed() {
      guard let longer = previous.appending(path: chain) else { return false }
      chain = longer
    }
    return chain == keyPath
  }
}
