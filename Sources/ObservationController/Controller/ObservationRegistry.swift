/// What a controller knows, without its type: the map from observed objects to their infos.
///
///     observer ──▶ controller ──▶ registry ──▶ info ──▶ object     strong, if the controller retains
///        ▲                        │    ▲        │
///        └┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┘    └── site ─┘                  weak to the observer
///
/// The cycle between registry and info lasts as long as the observation: the controller's deinit
/// ends all of them.
///
/// Locks are taken in the order registry, subject. Under the registry's lock stands everything that
/// ties an info to its object and subjects, so that an info is taken off both at once, whoever ends
/// it: a token, a controller, the object that goes, on whatever thread.
@usableFromInline
final class ObservationRegistry {
  /// Set once, in `init`; loading it is safe on any thread.
  private(set) weak var observer: AnyObject?

  /// Recognises the observer where it is observed, without loading a weak reference.
  let observerIdentity: ObjectIdentifier

  /// Keeps the address of the observer from being used again: this may outlive the observer, and a new
  /// object at its address would be taken for it, and not be retained.
  private unowned let addressee: AnyObject

  let retainsObserved: Bool

  struct State {
    /// The infos of each observed object, in the order of registration.
    var infos = InfoTable()

    var count = 0

    /// With a controller that retains, the infos that may have to end without anybody ending them:
    /// those of objects that it does not retain, and bindings. With another one, all infos are.
    var passing = InfoList.none

    /// Counts registrations, so that a comparison outside of the lock notices that it is out of date.
    var additions: UInt64 = 0

    /// How many infos the last sweep left, see `sweepIfDue`.
    var countAtLastSweep = 0

    /// The last site, shared by registrations in a loop: it saves about 150 bytes for each.
    var lastSite: ObservationSite?
  }

  let state = Locked(State())

  init(observer: AnyObject, retainsObserved: Bool) {
    self.observer = observer
    observerIdentity = ObjectIdentifier(observer)
    addressee = observer
    self.retainsObserved = retainsObserved
  }
}

// MARK: - Reading

extension ObservationRegistry {
  /// The observed object of `info`, `nil` once it has begun to go or the observation has ended.
  func object(of info: ObservationInfo) -> AnyObject? {
    state.withLock { _ in info.objectLocked }
  }

  /// How the observed object of `info` is held.
  func root(of info: ObservationInfo) -> ObservationInfo.Root {
    state.withLock { _ in info.root }
  }

  /// The active infos, in the order of registration.
  func infos() -> [ObservationInfo] {
    sweep()
    return state.withLock { state in state.infos.all.flatMap(\.all) }
      .sorted { $0.serial < $1.serial }
  }

  /// The active infos of `object`, in the order of registration.
  func infos(of object: AnyObject) -> [ObservationInfo] {
    listed(at: ObjectIdentifier(object)).filter {
      self.object(of: $0) === object && !isDone($0)
    }
  }

  /// The same, and infos of an object that was or is at the same address and has begun to go, which
  /// `object` itself may be: it may unobserve itself in its deinit.
  func infosToEnd(of object: AnyObject) -> [ObservationInfo] {
    listed(at: ObjectIdentifier(object)).filter {
      let listed = self.object(of: $0)
      return listed == nil || listed === object
    }
  }

  private func listed(at key: ObjectIdentifier) -> ContiguousArray<ObservationInfo> {
    state.withLock { $0.infos[key] }.all
  }

  /// Whether nothing is left for `info` to do, so that it ends when somebody comes by.
  ///
  /// Not under a lock: this may hold the last reference to an object for a moment.
  func isDone(_ info: ObservationInfo) -> Bool {
    info.site.purpose.isDone || isOrphaned(info)
  }

  /// Whether `info` ends because its observer has gone.
  func isOrphaned(_ info: ObservationInfo) -> Bool {
    info.site.purpose.endsWithObserver && observer == nil
  }

  /// How many observations there are.
  var count: Int {
    sweep()
    return state.withLock { $0.count }
  }

  func description(of info: ObservationInfo) -> ObservationDescription {
    ObservationDescription(info, object: object(of: info))
  }
}

/// The map is locked, the observer is weak and set once, the rest is immutable.
extension ObservationRegistry: @unchecked Sendable {}
