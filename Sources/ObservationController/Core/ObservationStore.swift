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
  private unowned let addressee: AnyObject

  let retainsObserved: Bool

  struct State {
    /// The infos of each observed object, in the order of registration. Not in a `Dictionary`,
    /// which takes more memory for each object, hashes addresses slowly, and iterates at random, so
    /// that ending a million observations waits for memory.
    var infos = SortedMap<ObjectIdentifier, InfoList>()

    /// Finds infos of objects that have many.
    var index = InfoIndex()

    var count = 0

    /// The infos that a sweep looks at: of objects that are not retained, bindings, and those that
    /// end with the observer.
    var passing = InfoList.none

    /// Counts registrations, so that a comparison outside of the lock notices that it is out of
    /// date.
    var additions: UInt64 = 0

    /// How many infos the last sweep left, see `sweepIfDue`.
    var countAtLastSweep = 0

    /// The last registration of a call of `observe`, shared by the observations of a loop: it saves
    /// about 150 bytes for each.
    var lastRegistration: ObservationRegistration?
  }

  let state = Locked(State())

  init(observer: AnyObject, retainsObserved: Bool) {
    self.observer = observer
    observerIdentity = ObjectIdentifier(observer)
    addressee = observer
    self.retainsObserved = retainsObserved
  }
}

// MARK: - Reading an info

extension ObservationStore {
  /// The observed object of `info`, `nil` once its deinit has begun or the observation has ended.
  func object(of info: ObservationInfo) -> AnyObject? {
    state.withLock { _ in info.root.object }
  }

  /// How the observed object of `info` is held.
  func root(of info: ObservationInfo) -> ObservationInfo.Root {
    state.withLock { _ in info.root }
  }

  /// The references that a direct delivery retains, `nil` if there is nothing to deliver to.
  func directTarget(of info: ObservationInfo) -> (object: AnyObject, handler: AnyObject)? {
    // The handler is cleared under this lock, since no subject's turn guards it; what is handed out
    // is released outside of the lock.
    state.withLock { _ in
      guard let object = info.root.object, let handler = info.handler else { return nil }
      return (object, handler)
    }
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
    return state.withLock { state in state.infos.values.flatMap(\.all) }
      .sorted { $0.serial < $1.serial }
  }

  /// The active infos of `object`, in the order of registration.
  ///
  /// - Parameter keyPath: Limits the result to infos of this key path.
  /// - Complexity: O(k) in the infos to return.
  func infos(of object: AnyObject, at keyPath: AnyKeyPath? = nil) -> [ObservationInfo] {
    infos(at: ObjectIdentifier(object), keyPath, nil) {
      self.object(of: $0) === object && !isDone($0)
    }
  }

  /// The active infos of `object`, and those of an object at the same address whose deinit has
  /// begun, which `object` itself may be: it may unobserve itself in its deinit.
  ///
  /// - Parameter context: Limits the result to infos of the key path with this context.
  func infosToEnd(
    of object: AnyObject, at keyPath: AnyKeyPath? = nil, context: ObservationContext?? = nil
  ) -> [ObservationInfo] {
    infos(at: ObjectIdentifier(object), keyPath, context) {
      let listed = self.object(of: $0)
      return listed == nil || listed === object
    }
  }

  /// Calls the `==` and `hash(into:)` of subscript indices; not under a lock.
  private func infos(
    at object: ObjectIdentifier, _ keyPath: AnyKeyPath?, _ context: ObservationContext??,
    where isWanted: (ObservationInfo) -> Bool
  ) -> [ObservationInfo] {
    var listed = state.withLock { $0.infos[object] ?? .none }
    if let keyPath, listed.count > InfoIndex.few {
      let hash = ObservationRegistration.hash(of: keyPath)
      listed = state.withLock { state in
        let infos = state.infos[object] ?? .none
        // They may have become few meanwhile.
        return infos.count > InfoIndex.few
          ? state.index[InfoIndex.Key(object: object, keyPathHash: hash, context: context)] : infos
      }
    }
    var infos: [ObservationInfo] = []
    listed.visit { info in
      if keyPath.map({ info.registration.keyPath == $0 }) ?? true,
        context.map({ info.registration.context == $0 }) ?? true, isWanted(info)
      {
        infos.append(info)
      }
    }
    return infos
  }
}

/// The map is locked, the observer is weak and set once, the rest is immutable.
extension ObservationStore: @unchecked Sendable {}
