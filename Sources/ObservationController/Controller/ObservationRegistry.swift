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

  let retainsObserved: Bool

  struct State {
    /// The infos of each observed object, in the order of registration.
    var infos: [ObjectIdentifier: InfoList] = [:]

    var count = 0

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
    self.retainsObserved = retainsObserved
  }
}

// MARK: - Reading

extension ObservationRegistry {
  /// The observed object of `info`, `nil` once it has begun to go or the observation has ended.
  func object(of info: ObservationInfo) -> AnyObject? {
    state.withLock { _ in info.objectLocked }
  }

  /// The active infos, in the order of registration.
  func infos() -> [ObservationInfo] {
    sweep()
    return state.withLock { state in state.infos.values.flatMap(\.all) }
      .sorted { $0.serial < $1.serial }
  }

  /// The active infos of `object`, in the order of registration.
  func infos(of object: AnyObject) -> [ObservationInfo] {
    listed(at: ObjectIdentifier(object)).filter { self.object(of: $0) === object }
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
    state.withLock { $0.infos[key] ?? .none }.all
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

// MARK: - Registering

extension ObservationRegistry {
  /// An info that was registered, now or before.
  @usableFromInline
  struct Registered {
    @usableFromInline let info: ObservationInfo
    @usableFromInline let isNew: Bool
  }

  /// Registers an observation of a property of `object`.
  @usableFromInline
  func add(
    _ object: AnyObject, _ registration: ObservationRegistration, valueType: Any.Type,
    property subject: Subject, handler: AnyObject, invoke: @escaping ObservationInvocation
  ) -> Registered {
    add(
      ObservationInfo(
        site: site(for: registration, valueType: valueType, invoke: invoke),
        root: root(for: object),
        source: .subject(subject), handler: handler),
      of: object, registration, on: CollectionOfOne(subject))
  }

  /// Registers an observation of a path that reads the properties of `accesses`.
  @usableFromInline
  func add(
    _ object: AnyObject, _ registration: ObservationRegistration, valueType: Any.Type,
    path accesses: PropertyAccesses, reading read: @escaping (AnyObject) -> ValueBox,
    handler: AnyObject, invoke: @escaping ObservationInvocation
  ) -> Registered {
    let path = PathObservation(
      dependencies: accesses.all.map { $0.dependency(of: object) }, read: read)
    return add(
      ObservationInfo(
        site: site(for: registration, valueType: valueType, invoke: invoke),
        root: root(for: object),
        source: .path(path), handler: handler),
      of: object, registration, on: accesses.all.map(\.subject))
  }

  /// The token for a registration that came to nothing.
  @usableFromInline
  func inactive(_ registration: ObservationRegistration) -> ObservationInfo {
    let info = ObservationInfo(
      site: ObservationSite(
        registry: self, registration: registration, invoke: { _, _, _, _, _ in }, areEqual: nil),
      root: .released, source: .none, handler: nil)
    _ = info.deactivate()
    return info
  }

  /// Puts `info` into the map and onto its subjects, unless another thread has registered the same
  /// meanwhile.
  func add(
    _ info: ObservationInfo, of object: AnyObject, _ registration: ObservationRegistration,
    on subjects: some Collection<Subject>
  ) -> Registered {
    let key = ObjectIdentifier(object)
    var compared: UInt64?
    while true {
      var replacedSite: ObservationSite?
      let candidates: InfoList? = state.withLock { state in
        if let others = state.infos.updateValue(.one(info), forKey: key) {
          state.infos[key] = others
          // Key paths are compared outside of the lock, so that what came of it is only true while
          // nothing else has been registered.
          guard compared == state.additions else {
            compared = state.additions
            return others
          }
          state.infos[key]?.insert(info)
        }
        state.additions += 1
        state.count += 1
        if state.lastSite !== info.site {
          replacedSite = state.lastSite
          state.lastSite = info.site
        }
        for subject in subjects { subject.insert(info) }
        return nil
      }
      withExtendedLifetime(replacedSite) {}
      guard let candidates else {
        sweepIfDue()
        return Registered(info: info, isNew: true)
      }
      if let existing = first(of: candidates, matching: registration, on: object) {
        return Registered(info: existing, isNew: false)
      }
    }
  }

  /// Compares outside of the lock: equality of key paths may call the `==` of a subscript's index.
  private func first(
    of candidates: InfoList, matching registration: ObservationRegistration, on object: AnyObject
  ) -> ObservationInfo? {
    candidates.all.first { info in
      info.isActive && info.site.context == registration.context
        && info.site.isOfArray == registration.isOfArray
        && info.site.keyPath == registration.keyPath && self.object(of: info) === object
    }
  }

  /// The site for a registration: the last one again, if it is from the same line of code.
  func site(
    for registration: ObservationRegistration, valueType: Any.Type,
    invoke: @escaping ObservationInvocation
  ) -> ObservationSite {
    if let last = state.withLock({ $0.lastSite }), last.matches(registration) { return last }
    return ObservationSite(
      registry: self, registration: registration, invoke: invoke,
      areEqual: registration.options.contains(.distinct)
        ? equality(of: valueType) : nil)
  }

  /// Opens the type.
  private func equality(of type: Any.Type) -> ObservationSite.Equality {
    ObservationSite.equality(of: type)
  }

  /// How the object is held: weakly if the controller does not retain, and if it is the observer,
  /// which owns the controller and would never go.
  func root(for object: AnyObject) -> ObservationInfo.Root {
    retainsObserved && ObjectIdentifier(object) != observerIdentity
      ? .retained(object) : .unretained(WeakReference(object))
  }
}

// MARK: - Paths

extension ObservationRegistry {
  /// Hooks a path that is part of a token to the properties that it has been found to read.
  func hook(_ part: ObservationInfo) {
    state.withLock { _ in
      guard part.isActive, let path = part.path else { return }
      for dependency in path.dependencies { dependency.subject.insert(part) }
    }
  }

  /// Hooks a path to the properties that it reads now, and takes it off those it does not.
  func rehook(
    _ info: ObservationInfo, to accesses: PropertyAccesses, of object: AnyObject
  ) {
    guard let path = info.path else { return }
    state.withLock { _ in
      guard info.isActive, !accesses.areTo(path.dependencies) else { return }
      let new = accesses.all.map { $0.dependency(of: object) }
      let (old, kept) = (path.dependencies, Set(path.dependencies).intersection(new))
      for dependency in old where !kept.contains(dependency) {
        _ = dependency.subject.remove(info)
      }
      for dependency in new where !kept.contains(dependency) {
        dependency.subject.insert(info)
      }
      path.dependencies = new
    }
  }
}

/// The map is locked, the observer is weak and set once, the rest is immutable.
extension ObservationRegistry: @unchecked Sendable {}
