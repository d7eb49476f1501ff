/// Property of one object that was read while a key path was evaluated.
///
/// Not kept longer than the evaluation: the subject is deallocated with its object.
struct PropertyAccess {
  let subject: Subject
  let owner: ObjectIdentifier

  /// The key path of the property itself, to recognise an observation of just that property; `nil`
  /// for the elements of an array, which are no property, and where it was not asked for.
  let keyPath: AnyKeyPath?

  /// The property and its lock, if several threads may change it.
  var atomic: (any AtomicProperty)?
  var lock: ExclusiveLock?

  /// A derived property: its subject uses it without retaining it while an info is attached. Its
  /// deinit, which detaches what is attached, waits for the evaluation to end.
  var derived: DerivedProperty?

  func dependency(of root: ObjectIdentifier) -> Dependency {
    Dependency(link: Subject.Link(subject), isOfRoot: owner == root, lock: lock)
  }

  /// Whether `keyPath`, which read this property, is that of the property.
  ///
  /// A computed property may read a single property too, and of the same type; only the key path
  /// distinguishes them. A subclass may override the getter: its property is followed as a path.
  func isProperty(of object: AnyObject, at keyPath: AnyKeyPath) -> Bool {
    owner == ObjectIdentifier(object) && type(of: keyPath).rootType == type(of: object)
      && self.keyPath == keyPath
  }
}

/// Properties that an evaluation reads, in the order in which they were first read, each once.
///
/// A path that is evaluated again nearly always reads what it read before, in the same order. As
/// long as it does, a reading costs one comparison and nothing is kept.
@usableFromInline
struct PropertyAccesses {
  /// What a path that is evaluated again has read before.
  private let before: [Dependency]

  /// `PathObservation.lossCount` when the evaluation began.
  private let losses: UInt32

  /// The path; held by the caller.
  private let dependent: Unmanaged<PathObservation>?

  /// How many of `before` have been read so far, in their order.
  private var known = 0

  /// The properties that were read besides.
  private(set) var all: [PropertyAccess] = []

  /// All properties that were read, once there are many: reading n of them then takes n lookups
  /// rather than n² comparisons.
  private var seen: Set<Subject.Link>?

  /// Versions of the derived properties that were read; those of stored ones only for a path that
  /// follows the properties behind a derived one, and has to find out whether one that it reads
  /// directly has changed.
  private(set) var versions: [Dependency.Version]?

  /// The derived property that was read first, while it is attached to no stored properties; until
  /// something else is read.
  private var derived: DerivedProperty?

  /// Whether a derived property is among them, or the properties behind one.
  private(set) var areDerived = false

  /// Whether a derived property was read that this thread computes, which is reported.
  var areCyclic = false

  /// Derived properties in whose place those behind them were recorded; `nil` for none.
  private(set) var flattened: [DerivedProperty]?

  /// Whether the stored properties behind derived ones are recorded in their place.
  private let flattens: Bool

  /// The object that the path starts from, if it is known to be held meanwhile.
  private let root: ObjectIdentifier?

  /// - Parameter path: The path that is evaluated again, under the lock of the store; `nil` for a
  ///   first evaluation.
  init(
    of path: PathObservation? = nil, flattens: Bool = true, root: ObjectIdentifier? = nil
  ) {
    self.root = root
    (before, losses) = (path?.dependencies ?? [], path?.lossCount ?? 0)
    dependent = path.map { .passUnretained($0) }
    self.flattens = flattens
  }
}

// MARK: - Recording

extension PropertyAccesses {
  /// Records a property.
  ///
  /// - Parameter keyPath: Asked only where it is wanted.
  @inline(__always)
  mutating func insert(
    _ subject: Subject, of owner: ObjectIdentifier, atomic: (any AtomicProperty)? = nil,
    lock: ExclusiveLock? = nil, keyPath: () -> AnyKeyPath?
  ) {
    if let dependent, dependent._withUnsafeGuaranteedRef({ $0.flattensDerived }) {
      note(subject.stamp.load(ordering: .relaxed), of: subject)
    }
    if insertIfExpected(subject) { return }
    insertOther(
      PropertyAccess(
        subject: subject, owner: owner, keyPath: dependent == nil ? keyPath() : nil,
        atomic: atomic, lock: lock))
  }

  /// Records a derived property: its own subject, or the stored properties behind it.
  ///
  /// - Parameter version: That of the value, see `Node.version`.
  mutating func insert(_ derived: DerivedProperty, of owner: AnyObject, version: UInt32) {
    areDerived = true
    if !flattens, let subject = derived.observedSubject, insertIfExpected(subject) {
      return note(version, of: subject)
    }
    // As long as it lives; see `replaceTemporaries`.
    if ObjectIdentifier(owner) != root { derived.keepOwner(owner) }
    if !flattens, let access = derived.access(of: owner) {
      note(version, of: access.subject)
      return insertOther(access)
    }
    let isFirst = all.isEmpty && self.derived == nil && derived.isLasting && dependent == nil
    insertDerived()
    if isFirst { self.derived = derived } else { insertSources(of: derived, version: version) }
  }

  private mutating func note(_ version: UInt32, of source: AnyObject) {
    if versions == nil { versions = [] }
    versions?.append(Dependency.Version(source: ObjectIdentifier(source), number: version))
  }

  /// Records the stored properties behind the derived one that was read first: not before something
  /// else is read, since they may be many, and an observation of the derived property needs none.
  mutating func insertDerived() {
    if let derived = derived.take() { insertSources(of: derived, version: 0) }
  }

  private mutating func insertSources(of derived: DerivedProperty, version: UInt32) {
    if derived.isLasting {
      note(version, of: derived)
      // Others have no lock that guards what is noted of followers.
      if derived.isInGraph {
        if flattened == nil { flattened = [] }
        flattened?.append(derived)
      }
    } else {
      noteTemporary(derived)
    }
    dependent?._withUnsafeGuaranteedRef { $0.noteDerived(flattens: true) }
    for access in derived.sources {
      if !insertIfExpected(access.subject) { insertOther(access) }
    }
  }

  /// Notes a version that differs from any other, for a value that no other reading finds.
  private mutating func noteTemporary(_ derived: DerivedProperty) {
    note(UInt32(truncatingIfNeeded: Subject.nextChangeID()), of: derived)
  }

  /// Records what lies behind derived properties of objects that were gone when the evaluation had
  /// ended, in place of the properties.
  mutating func replaceTemporaries() {
    guard areDerived else { return }
    if let lost = flattened?.first(where: \.hasLostOwner) { noteTemporary(lost) }
    guard all.contains(where: isLost) else { return }
    let accesses = all
    (all, seen) = ([], nil)
    for access in accesses {
      if let derived = access.derived, isLost(access) {
        noteTemporary(derived)
        insertSources(of: derived, version: 0)
      } else if !insertIfExpected(access.subject) {
        insertOther(access)
      }
    }
  }

  private func isLost(_ access: PropertyAccess) -> Bool {
    access.owner != root && access.derived?.hasLostOwner ?? false
  }

  /// Records a property, if it is the next one that the path read before.
  @inline(__always)
  private mutating func insertIfExpected(_ subject: Subject) -> Bool {
    guard known < before.count, all.isEmpty, before[known].link.isTo(subject), !haveLosses
    else { return false }
    seen?.insert(before[known].link)
    known += 1
    return true
  }

  @inline(never)
  private mutating func insertOther(_ access: consuming PropertyAccess) {
    if derived != nil { insertDerived() }
    guard !contains(access.subject) else { return }
    seen?.insert(Subject.Link(access.subject))
    all.append(access)
  }

  private mutating func contains(_ subject: Subject) -> Bool {
    // Those that are known by their address alone are left out later.
    guard !haveLosses, known + all.count > 8 else {
      return all.contains { $0.subject === subject }
        || !haveLosses && before.prefix(known).contains { $0.link.isTo(subject) }
    }
    if let seen { return seen.contains(Subject.Link(subject)) }
    var seen = Set(before.prefix(known).lazy.map(\.link))
    for access in all { seen.insert(Subject.Link(access.subject)) }
    defer { self.seen = seen }
    return seen.contains(Subject.Link(subject))
  }

  /// Whether an object has been deallocated meanwhile, whose address may have been used again.
  private var haveLosses: Bool {
    dependent?._withUnsafeGuaranteedRef { $0.lossCount != losses } ?? false
  }
}

// MARK: - Evaluating a path again

extension PropertyAccesses {
  /// Whether the path reads what it read before, and nothing besides.
  var areSame: Bool { known == before.count && all.isEmpty && !haveLosses }

  /// Properties that the path reads now. To be used while this is alive, under the lock of the
  /// store.
  ///
  /// - Parameter left: Those that it read before and that have not been deallocated.
  func dependencies(of root: AnyObject, left: [Dependency]) -> [Dependency] {
    let root = ObjectIdentifier(root)
    var dependencies: [Dependency] = []
    dependencies.reserveCapacity(known + all.count)
    guard haveLosses else {
      dependencies += before.prefix(known)
      for access in all { dependencies.append(access.dependency(of: root)) }
      return dependencies
    }
    let leftSet = PathObservation.DependencySet(left[...])
    dependencies += before.prefix(known).lazy.filter { leftSet.contains($0) }
    let keptSet = PathObservation.DependencySet(dependencies[...])
    for access in all {
      let new = access.dependency(of: root)
      if !keptSet.contains(new) { dependencies.append(new) }
    }
    return dependencies
  }
}

// MARK: - Registering

extension PropertyAccesses {
  /// The subject of the property at `keyPath`, which read these; `nil` for a path.
  func property(of object: AnyObject, at keyPath: AnyKeyPath) -> Subject? {
    only.flatMap { $0.isProperty(of: object, at: keyPath) ? $0.subject : nil }
  }

  /// The derived property at `keyPath`, which read these; `nil` for a path.
  func derivedProperty(of object: AnyObject, at keyPath: AnyKeyPath) -> DerivedProperty? {
    derived.flatMap { $0.isProperty(of: object, at: keyPath) ? $0 : nil }
  }

  /// Whether an atomic property, and nothing else, decides on the value of the path.
  var areOneAtomic: Bool { !areDerived && only?.subject.isAtomic ?? false }

  /// Whether another thread may change one of them.
  var areShared: Bool { all.contains { $0.subject.isAtomic } }

  /// The only property that was read, if it was one.
  var only: PropertyAccess? { all.count == 1 ? all[0] : nil }

  /// Returns when all changes that other threads had begun have been stored: those that begin from
  /// now on find the infos that have been attached by now.
  func waitForChangesUnderWay() {
    for access in all { access.lock?.withLock {} }
  }

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
