extension PathObservation {
  /// A property that the path reads.
  struct Dependency {
    let link: SubjectLink

    /// Whether the property is one of the observed object's own.
    let isOfRoot: Bool

    /// The lock of the property, if several threads may change it.
    let lock: ExclusiveLock?

    init(_ subject: Subject, isOfRoot: Bool, lock: ExclusiveLock?) {
      (link, self.isOfRoot, self.lock) = (SubjectLink(subject), isOfRoot, lock)
    }
  }

  /// State of a property when the path read it: `Node.version` of a derived one, `Subject.stamp` of a stored
  /// one.
  struct Version: Equatable {
    /// Of the subject, or of the derived node where the path follows what lies behind it.
    let source: ObjectIdentifier
    let number: UInt32
  }

  /// Whether the path has to be evaluated, since a derived property that it reads has changed.
  ///
  /// - Parameter version: That of the value now.
  func isOutOfDate(_ subject: Subject, _ version: UInt32) -> Bool {
    let version = Version(source: ObjectIdentifier(subject), number: version)
    return state.withLock { !$0.versions.contains(version) }
  }

  /// - Returns: The dependency that was one.
  func removeDependency(on subject: Subject) -> Dependency? {
    // Moved out and back, so that no access to the property needs a check of exclusivity.
    var remaining = dependencies
    guard let index = remaining.firstIndex(where: { $0.link.isTo(subject) }) else {
      return nil
    }
    defer { dependencies = remaining }
    losses.wrappingAdd(1, ordering: .releasing)
    return remaining.remove(at: index)
  }
}

extension PropertyAccess {
  func dependency(of root: AnyObject) -> PathObservation.Dependency {
    PathObservation.Dependency(
      subject, isOfRoot: owner == ObjectIdentifier(root), lock: lock)
  }
}

/// What a path reads when it is evaluated again: nearly always just what it read before, in the same
/// order.
///
/// As long as that is so, noting a property takes one comparison and nothing is kept. A list of what
/// was read with the key paths, to be compared afterwards, took 1,000 instructions for each property.
struct FollowedDependencies {
  typealias Dependency = PathObservation.Dependency

  /// What it read before.
  private let before: [Dependency]

  /// `PathObservation.losses` by then.
  private let losses: UInt32

  /// Held by whoever evaluates it.
  private let path: Unmanaged<PathObservation>

  /// How many of those it has read so far, in their order.
  private var count = 0

  /// What it has read besides, each property once, in the order of first access.
  private var others: [Other] = []

  /// Identities of what has been read, once that is much: n properties then take n lookups rather
  /// than n² comparisons.
  private var seen: Set<SubjectLink> = []

  private let root: ObjectIdentifier

  /// Versions of the derived properties that it has read; those of stored ones only if it follows what lies
  /// behind a derived one, and has to find out whether anything has changed that it has read directly.
  private(set) var versions: [PathObservation.Version] = []

  /// Whether what is noted lies behind a derived property.
  private var isBehind = false

  /// Holds the subject until the path has been hooked to it.
  private struct Other {
    let subject: Subject
    let dependency: Dependency
  }

  /// Under the lock of the store.
  init(of path: PathObservation, from root: AnyObject) {
    before = path.dependencies
    losses = path.losses.load(ordering: .relaxed)
    self.path = .passUnretained(path)
    self.root = ObjectIdentifier(root)
  }
}

extension FollowedDependencies {
  /// Whether the path reads what it read before.
  var areSame: Bool { count == before.count && others.isEmpty && !haveLosses }

  /// Whether something has gone meanwhile, whose address may have been used again.
  private var haveLosses: Bool {
    path._withUnsafeGuaranteedRef { $0.losses.load(ordering: .acquiring) != losses }
  }

  /// What the path reads now, each property once, in the order of first access. To be used while this
  /// is alive, under the lock of the store.
  ///
  /// - Parameter left: Those that it read before and that have not gone.
  func all(left: [Dependency]) -> [Dependency] {
    guard haveLosses else {
      var all: [Dependency] = []
      all.reserveCapacity(count + others.count)
      for index in 0..<count { all.append(before[index]) }
      for other in others { all.append(other.dependency) }
      return all
    }
    let leftSet = DependencySet(left[...])
    let kept = before.prefix(count).filter { leftSet.contains($0) }
    let keptSet = DependencySet(kept[...])
    return kept + others.lazy.map(\.dependency).filter { !keptSet.contains($0) }
  }

  @inline(__always)
  mutating func insert(_ subject: Subject, of owner: ObjectIdentifier, lock: ExclusiveLock?) {
    if path._withUnsafeGuaranteedRef({ $0.flattensDerived }), !isBehind {
      versions.append(
        PathObservation.Version(
          source: ObjectIdentifier(subject), number: subject.stamp.load(ordering: .relaxed)))
    }
    if others.isEmpty, count < before.count, before[count].link.isTo(subject), !haveLosses {
      if !seen.isEmpty { seen.insert(before[count].link) }
      count += 1
    } else {
      insertOther(subject, of: owner, lock: lock)
    }
  }

  /// Notes a derived property: its own subject, or the stored properties behind it.
  mutating func insert(_ derived: DerivedProperty, version: UInt32) {
    isBehind = true
    defer { isBehind = false }
    if let subject = subject(of: derived), let owner = subject.owner {
      versions.append(
        PathObservation.Version(source: ObjectIdentifier(subject), number: version))
      return insert(subject, of: owner, lock: nil)
    }
    // A value that was computed for this reading alone is not compared.
    versions.append(
      PathObservation.Version(
        source: ObjectIdentifier(derived),
        number: derived.isLasting ? version : UInt32(truncatingIfNeeded: Subject.nextChangeID())))
    path._withUnsafeGuaranteedRef { $0.noteDerived(flattens: true) }
    for access in derived.sources { insert(access.subject, of: access.owner, lock: access.lock) }
  }

  /// - Returns: `nil` if what lies behind has to be followed.
  private func subject(of derived: DerivedProperty) -> Subject? {
    // A path that notes its value before a store has to know of the store.
    guard path._withUnsafeGuaranteedRef({ $0.isReady }) else { return nil }
    if others.isEmpty, count < before.count, let subject = derived.observedSubject,
      before[count].link.isTo(subject)
    {
      return subject
    }
    return derived.access?.subject
  }

  @inline(never)
  private mutating func insertOther(
    _ subject: Subject, of owner: ObjectIdentifier, lock: ExclusiveLock?
  ) {
    guard !contains(subject) else { return }
    let dependency = Dependency(subject, isOfRoot: owner == root, lock: lock)
    if !seen.isEmpty { seen.insert(dependency.link) }
    others.append(Other(subject: subject, dependency: dependency))
  }

  private mutating func contains(_ subject: Subject) -> Bool {
    // Those that are known by their address alone are left out later.
    guard !haveLosses else { return others.contains { $0.subject === subject } }
    guard count + others.count > 8 else {
      return before.prefix(count).contains { $0.link.isTo(subject) }
        || others.contains { $0.subject === subject }
    }
    if seen.isEmpty {
      seen = Set(before.prefix(count).lazy.map(\.link) + others.lazy.map(\.dependency.link))
    }
    return seen.contains(SubjectLink(subject))
  }
}

/// Some of the properties that a path reads. A few are compared one by one, many are looked up.
struct DependencySet {
  private let dependencies: ArraySlice<PathObservation.Dependency>
  private let links: Set<SubjectLink>?

  init(_ dependencies: ArraySlice<PathObservation.Dependency>) {
    self.dependencies = dependencies
    links = dependencies.count <= 8 ? nil : Set(dependencies.lazy.map(\.link))
  }

  func contains(_ dependency: PathObservation.Dependency) -> Bool {
    if let links { return links.contains(dependency.link) }
    return dependencies.contains { $0.link == dependency.link }
  }
}

extension [PathObservation.Dependency] {
  /// Whether another thread may change one of the properties.
  var areShared: Bool {
    contains { $0.lock != nil }
  }

  /// Returns when all changes that other threads had begun have been stored: those that begin from
  /// now on find who has been hooked by now.
  func waitForChangesUnderWay() {
    for dependency in self { dependency.lock?.withLock {} }
  }
}
