import Synchronization

/// Property that a key path reads, as the path refers to it between evaluations.
struct Dependency {
  let link: SubjectLink

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

extension [Dependency] {
  /// Whether another thread may change one of the properties.
  var areShared: Bool {
    contains { $0.lock != nil }
  }

  /// Returns when all changes that other threads had begun have been stored: those that begin from
  /// now on find the infos that have been attached by now.
  func waitForChangesUnderWay() {
    for dependency in self { dependency.lock?.withLock {} }
  }
}

/// Some of the properties that a path reads. A few are compared one by one, many are looked up.
struct DependencySet {
  private let dependencies: ArraySlice<Dependency>
  private let links: Set<SubjectLink>?

  init(_ dependencies: ArraySlice<Dependency>) {
    self.dependencies = dependencies
    links = dependencies.count <= 8 ? nil : Set(dependencies.lazy.map(\.link))
  }

  func contains(_ dependency: Dependency) -> Bool {
    if let links { return links.contains(dependency.link) }
    return dependencies.contains { $0.link == dependency.link }
  }
}

/// Object that is evaluated from properties, and attached to their subjects.
class Dependent {
  /// Guarded by the lock of the info's store, without which no info is put on a subject.
  final var dependencies: [Dependency]

  /// Counts the dependencies whose objects have been deallocated. Counted under that lock, before a
  /// subject is freed and its address can be used again.
  fileprivate final let losses = Atomic<UInt32>(0)

  /// Whether the value before an assignment is known, or not needed, so that nothing has to be done
  /// before.
  final let isReady: Bool

  /// Whether it has read a derived property, and whether it is attached to the stored properties
  /// behind one. Set by the thread that evaluates it, and never reset; read on any thread.
  private let storedReadsDerived = Atomic<Bool>(false)
  private let storedFlattensDerived = Atomic<Bool>(false)

  init(dependencies: [Dependency], isReady: Bool) {
    (self.dependencies, self.isReady) = (dependencies, isReady)
  }
}

extension Dependent {
  var readsDerived: Bool { storedReadsDerived.load(ordering: .relaxed) }
  var flattensDerived: Bool { storedFlattensDerived.load(ordering: .relaxed) }

  func noteDerived(flattens: Bool) {
    storedReadsDerived.store(true, ordering: .relaxed)
    if flattens { storedFlattensDerived.store(true, ordering: .relaxed) }
  }

  /// Value of `losses`, to be compared with a later one.
  var lossCount: UInt32 { losses.load(ordering: .acquiring) }

  /// Removes a dependency whose object is being deallocated. Under the lock of the store.
  ///
  /// - Returns: `nil` if another thread has attached the path to something else before.
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
