/// The property of one object that was read while a key path was evaluated.
///
/// Not kept longer than the evaluation: a subject ends its observations when it goes.
@usableFromInline
struct PropertyAccess {
  let subject: Subject
  let owner: ObjectIdentifier

  /// The key path of the property itself, to recognise a path that is nothing but the property;
  /// `nil` for the elements of an array, which are no property.
  let keyPath: AnyKeyPath?

  /// The property, if several threads may change it. Not as what it is: counting the references of a
  /// protocol's values took more than noting them.
  private let holder: AnyObject?

  /// The lock of such a property.
  let lock: ExclusiveLock?

  init(
    subject: Subject, owner: ObjectIdentifier, keyPath: AnyKeyPath?,
    atomic: (any AtomicProperty)? = nil, lock: ExclusiveLock? = nil
  ) {
    self.subject = subject
    self.owner = owner
    self.keyPath = keyPath
    holder = atomic
    self.lock = lock
  }

  var atomic: (any AtomicProperty)? { holder as? any AtomicProperty }
}

/// Properties in the order in which they were first read, each once.
///
/// The first one, for most key paths the only one, is stored without an allocation.
@usableFromInline
struct PropertyAccesses {
  private(set) var first: PropertyAccess?
  private var others: [PropertyAccess] = []

  /// Whether all of them were read just now, and none by something that has kept its value since.
  var areDirect = true

  /// Whether a derived property is among them, or what lies behind one.
  private(set) var areDerived = false

  /// The derived property that was read first, for those who flatten; until something else is read.
  private var derived: DerivedProperty?

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

  /// The derived property that `keyPath`, which read these, is nothing but.
  func derivedProperty(of object: AnyObject, at keyPath: AnyKeyPath) -> DerivedProperty? {
    guard let derived, derived.isProperty(of: object, at: keyPath) else { return nil }
    return derived
  }

  /// Notes that a derived property was read.
  ///
  /// - Parameter flattens: Whether the stored properties behind it are wanted, whatever lies in between.
  mutating func insert(_ derived: DerivedProperty, flattens: Bool) {
    areDerived = true
    if !flattens, let access = derived.access { return insert(access) }
    let isFirst = first == nil && areDirect && self.derived == nil && derived.isLasting
    insertDerived()
    areDirect = false
    if isFirst { self.derived = derived } else { insertSources(of: derived) }
  }

  /// Notes the stored properties behind the derived one that was read first: not before something else is
  /// read, since they may be many, and an observation of the derived property needs none.
  mutating func insertDerived() {
    if let derived = derived.take() { insertSources(of: derived) }
  }

  private mutating func insertSources(of derived: DerivedProperty) {
    for access in derived.sources { insert(access) }
  }

  /// The atomic property whose value, and nothing else, decides on that of the path.
  var pinnable: PropertyAccess? {
    guard areDirect, let only, only.subject.isAtomic else { return nil }
    return only
  }

  /// Whether another thread may change one of them.
  var areShared: Bool {
    first?.subject.isAtomic ?? false || others.contains { $0.subject.isAtomic }
  }

  /// Whether a property of `object` itself was read.
  func include(propertyOf object: AnyObject) -> Bool {
    let owner = ObjectIdentifier(object)
    return first?.owner == owner || others.contains { $0.owner == owner }
  }

  /// The only property that was read, if it was one.
  var only: PropertyAccess? {
    others.isEmpty ? first : nil
  }

  func visit(_ body: (PropertyAccess) -> Void) {
    if let first { body(first) }
    for access in others { body(access) }
  }

  /// Whether `keyPath` is nothing but these properties, each of the object that the one before refers to.
  func areChain(at keyPath: AnyKeyPath, from root: AnyObject) -> Bool {
    guard type(of: keyPath).rootType == type(of: root), fit(keyPath) else { return false }
    let keyPaths = all.compactMap(\.keyPath)
    guard var chain = keyPaths.last, keyPaths.count > 1 else { return false }
    // From behind: appended to one after the other, three or more do not equal the literal.
    for previous in keyPaths.dropLast().reversed() {
      guard let longer = previous.appending(path: chain) else { return false }
      chain = longer
    }
    return chain == keyPath
  }

  /// Whether the types of the properties fit into a chain that leads to the value of `keyPath`: most
  /// that are none are told by that.
  private func fit(_ keyPath: AnyKeyPath) -> Bool {
    var reached: Any.Type? = type(of: keyPath).rootType
    visit { access in
      let isNext = access.keyPath.map { type(of: $0).rootType == reached } ?? false
      reached = isNext ? access.keyPath.map { type(of: $0).valueType } : nil
    }
    return reached == type(of: keyPath).valueType
  }

  /// Puts `info` onto the subjects of the properties.
  func insert(_ info: ObservationInfo) {
    visit { $0.subject.insert(info) }
  }

  /// Returns when all changes that other threads had begun have been stored: those that begin from
  /// now on find who has been hooked by now.
  func waitForChangesUnderWay() {
    visit { $0.lock?.withLock {} }
  }

  var count: Int { first == nil ? 0 : others.count + 1 }

  var all: [PropertyAccess] {
    first.map { [$0] + others } ?? []
  }

  mutating func insert(_ access: PropertyAccess) {
    if derived != nil { insertDerived() }
    // Not bound to a name: a copy would count four references.
    guard first != nil else {
      first = access
      return
    }
    guard first?.subject !== access.subject else { return }
    if others.count < 8 {
      guard !others.contains(where: { $0.subject === access.subject }) else { return }
    } else {
      if seen.isEmpty { seen = Set(others.map { ObjectIdentifier($0.subject) }) }
      guard seen.insert(ObjectIdentifier(access.subject)).inserted else { return }
    }
    others.append(access)
  }
}
