import Synchronization

/// A controller's tables, without its type: from observed objects to their infos.
///
///     observer ──▶ controller ──▶ store ──▶ info ──▶ object     strong, if the controller retains
///        ▲                        │    ▲        │
///        └┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┘    └── registration ─┘                  weak to the observer
///
/// The cycle between store and info lasts as long as the observation: the controller's deinit
/// ends all of them.
///
/// Locks are taken in the order store, subject. The store's lock guards everything that ties an
/// info to its object and subjects, so that an info is removed from both at once, whether a token,
/// a controller or the deinit of the object ends it, on any thread.
@usableFromInline
final class ObservationStore {
  /// Set once, in `init`; loading it is safe on any thread.
  private(set) weak var observer: AnyObject?

  /// Recognises the observer where it is observed, without loading a weak reference.
  let observerIdentity: ObjectIdentifier

  /// Keeps the address of the observer from being used again: this may outlive the observer, and a
  /// new object at its address would be taken for it, and not be retained.
  private unowned let reservedObserver: AnyObject

  let retainsObserved: Bool

  /// The infos of an object, of which there are some.
  struct ObservedObject: Ordered {
    let order: ObjectIdentifier
    var infos: InfoList
  }

  struct State {
    /// The observed objects. Not in a `Dictionary`, which takes more memory for each object, hashes
    /// addresses slowly, and iterates at random, so that ending a million observations waits for
    /// memory.
    var objects = SortedList<ObservedObject>()

    /// Finds infos of objects that have many.
    var index = InfoIndex()

    var count = 0

    /// The infos that a sweep looks at: of objects that are not retained, bindings, and those that
    /// end with the observer.
    var passing = InfoList.none

    /// How many more of them there may be before the next sweep: as many as the last one left.
    var roomBeforeSweep = 0

    /// The last registration of a call of `observe`, shared by the observations of a loop: it saves
    /// about 150 bytes for each.
    var lastRegistration: ObservationRegistration?

    /// Objects that `endAll` has taken out, in chunks, and whose infos it has yet to end.
    var ending: ContiguousArray<SortedList<ObservedObject>.Chunk> = []

    /// What has been ended in its place, and is for it to release.
    var pendingReleases: [PendingRelease] = []

    /// All infos of an object.
    func infos(of object: ObjectIdentifier) -> InfoList { objects[object]?.infos ?? .none }

    /// Takes one of the objects that `endAll` has taken out.
    mutating func takeEnding() -> ObservedObject? {
      while let last = ending.indices.last {
        if let object = ending[last].popLast() { return object }
        ending.removeLast()
      }
      return nil
    }
  }

  let state = Locked(State(), .store)

  /// Whether an observation has been registered, so that a missing observer has been reported.
  let hasBegun = Atomic(false)

  init(observer: AnyObject, retainsObserved: Bool) {
    self.observer = observer
    observerIdentity = ObjectIdentifier(observer)
    reservedObserver = observer
    self.retainsObserved = retainsObserved
  }
}

// MARK: - Finding infos

extension ObservationStore {
  /// The number of observations.
  var count: Int {
    sweep()
    return state.withLock { $0.count }
  }

  /// The active infos, in the order of registration.
  func infos() -> [ObservationInfo] {
    sweep()
    return state.withLock { state in state.objects.elements.flatMap(\.infos.all) }
      .sorted { $0.serial < $1.serial }
  }

  /// The active infos of `object`, in the order of registration.
  ///
  /// Calls the `==` and `hash(into:)` of subscript indices; not under a lock.
  ///
  /// - Parameters:
  ///   - keyPath: Limits the result to infos of this key path.
  ///   - context: Limits the result to infos with this context.
  ///   - toEnd: Whether to include those with nothing left to do, and those of an object at the
  ///     same address whose deinit has begun, which `object` itself may be: it may unobserve itself
  ///     in its deinit.
  /// - Complexity: O(k) in the infos to return.
  func infos(
    of object: AnyObject, at keyPath: AnyKeyPath? = nil, context: ObservationContext?? = nil,
    toEnd: Bool = false
  ) -> ContiguousArray<ObservationInfo> {
    let identity = ObjectIdentifier(object)
    var listed = state.withLock { state in
      endRestLocked(&state)
      return state.infos(of: identity)
    }
    if let keyPath, listed.isLonger(than: InfoIndex.few) {
      let key = InfoIndex.Key(
        object: identity, keyPathHash: ObservationRegistration.hash(of: keyPath), context: context)
      // They may have become few meanwhile.
      listed = state.withLock { $0.index.infos(of: key, among: $0.infos(of: identity)) ?? .none }
    }
    return listed.filter { info in
      guard keyPath.map({ info.registration.keyPath == $0 }) ?? true,
        context.map({ info.registration.context == $0 }) ?? true
      else { return false }
      let root = info.object
      return root === object ? toEnd || !isDone(info) : toEnd && root == nil
    }.all
  }
}

/// The tables are locked, the observer is weak and set once, the rest is immutable.
extension ObservationStore: @unchecked Sendable {}
