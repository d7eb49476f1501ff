import Synchronization

/// Receiver of the changes of a subject in place of a handler: a path, or an array.
///
///     subject ──▶ info ──▶ sink     strong
///
/// An info whose sink is `nil` observes the property itself. A sink may serve several infos, so
/// that each call names the info.
protocol Sink: AnyObject {
  /// Delivers queued changes, when the delivery of the subject reaches the info.
  ///
  /// - Parameters:
  ///   - delivery: Delivery of the subject.
  ///   - id: Number up to which changes are delivered.
  func deliver(
    _ info: ObservationInfo, _ delivery: ObservationDelivery, of object: AnyObject,
    through id: UInt64, to recipient: inout ObservationRecipient
  )

  /// Drops queued changes up to a number, which a cycle kept from being delivered.
  func discard(through id: UInt64)

  /// Removes an info from a subject whose object is being deallocated. Under the lock of the store.
  func subjectWillGoLocked(_ subject: Subject, of info: ObservationInfo)
    -> ObservationStore.SinkLoss

  /// Removes an info that has ended from its subjects. Under the lock of the store.
  ///
  /// - Returns: References to be released outside of every lock.
  func detachLocked(_ info: ObservationInfo) -> Any

  /// Reads the property that an info of the sink's own observes; `nil` if `object` does not have
  /// it.
  func read(_ info: ObservationInfo, of object: AnyObject) -> ValueBox?

  /// Notes a change of an element, to follow all such changes of a transaction together.
  ///
  /// - Returns: `false` if the change has to be delivered by itself.
  func gather(_ object: AnyObject) -> Bool

  /// Delivers the changes that it has gathered.
  ///
  /// - Returns: `false` if that has to wait for another edit of the array.
  func deliverGathered(id: UInt64) -> Bool
}

extension ObservationStore {
  /// Consequences of the end of an object for a sink.
  struct SinkLoss {
    /// The observation that ends with it.
    var ended: ObservationInfo?

    /// To be released outside of every lock.
    var freed: [Any] = []
  }
}

/// Defaults: only arrays have elements.
extension Sink {
  func read(_ info: ObservationInfo, of object: AnyObject) -> ValueBox? { nil }

  func gather(_ object: AnyObject) -> Bool { false }

  func deliverGathered(id: UInt64) -> Bool { true }
}

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

extension Dependent {
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

/// Object that is evaluated from properties, and attached to their subjects: what the stages of a
/// change know of a path, which overrides the functions that do nothing here.
class Dependent {
  /// Guarded by the lock of the info's store, without which no info is put on a subject: a check of
  /// exclusivity would be a second one.
  @exclusivity(unchecked) private(set) final var dependencies: [Dependency]

  /// Where each of many dependencies stands, once one of them has been lost.
  private final var places: [Subject.Link: Int]?

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

  /// Whether it reads a single atomic property, and is evaluated when a change of that is
  /// delivered, see `PathObservation.deliverPinned`. Never set again.
  private let isPinned: Atomic<Bool>

  init(dependencies: [Dependency], isReady: Bool, isPinned: Bool) {
    (self.dependencies, self.isReady) = (dependencies, isReady)
    self.isPinned = Atomic(isPinned)
  }

  /// Whether the array that it leads to has edits that a transaction has yet to have recorded.
  var awaitsEdits: Bool { false }

  /// Opens a change, and notes the value before it, where that is needed.
  ///
  /// - Returns: The value, if this has noted it.
  func noteOld(_ info: ObservationInfo) -> ValueBox? { nil }

  /// Opens a change: notes the value before it, and delivers that where `.prior` asks for it; not
  /// in a transaction, which does so at its end.
  func willChange(_ info: ObservationInfo, to recipient: inout ObservationRecipient) {}

  /// Evaluates what depends on a change that has been stored, and queues the result.
  func didChange(_ info: ObservationInfo, id: UInt64) {}

  /// Evaluates what depends on a derived property, if that has changed, and queues the result.
  ///
  /// - Parameter versions: Those of the value now.
  func derivedDidChange(
    _ info: ObservationInfo, of subject: Subject, _ versions: DerivedTurn.Versions, id: UInt64
  ) {}

  /// Evaluates what depends on a change that has been stored, and delivers the result, where no
  /// other info is notified of the change.
  ///
  /// - Returns: `false` if it has to wait for something.
  func didChangeAlone(
    _ info: ObservationInfo, id: UInt64, to recipient: inout ObservationRecipient
  ) -> Bool { false }

  /// Whether the change is queued.
  func hasQueued(_ id: UInt64) -> Bool { false }

  /// Delivers queued changes up to a number.
  func deliver(
    _ info: ObservationInfo, through id: UInt64, to recipient: inout ObservationRecipient
  ) {}
}

extension Dependent {
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
  /// - Complexity: O(1) amortised; the last of many dependencies takes the place of this one.
  func removeDependency(on subject: Subject) -> Dependency? {
    let isFew = dependencies.count <= 64
    if !isFew, places == nil {
      places = Dictionary(uniqueKeysWithValues: zip(dependencies.lazy.map(\.link), 0...))
    }
    let place =
      isFew
      ? dependencies.firstIndex { $0.link.isTo(subject) }
      : places?.removeValue(forKey: Subject.Link(subject))
    guard let place else { return nil }
    losses.wrappingAdd(1, ordering: .releasing)
    if isFew { return dependencies.remove(at: place) }
    dependencies.swapAt(place, dependencies.count - 1)
    if place < dependencies.count - 1 { places?[dependencies[place].link] = place }
    return dependencies.removeLast()
  }
}
