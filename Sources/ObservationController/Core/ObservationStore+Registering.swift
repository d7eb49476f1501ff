/// Registering observations: the one way into the tables.
extension ObservationStore {
  /// An info that was registered, now or before.
  @usableFromInline
  struct Registered {
    @usableFromInline let info: ObservationInfo
    @usableFromInline let isNew: Bool

    /// The value that the first change to be delivered begins with, where other threads may change it.
    var value: ValueBox?
  }

  /// Registers an observation of a property of `object`.
  @usableFromInline
  func add(
    _ object: AnyObject, _ request: ObservationRequest,
    at registration: consuming ObservationRegistration, property subject: Subject,
    handler: consuming AnyObject
  ) -> Registered {
    let info = ObservationInfo(
      registration: consume registration, root: root(for: object, request),
      link: SubjectLink(subject), handler: consume handler)
    return add(info, of: object, request) { subject.insert(info) }
  }

  /// The token for a registration that came to nothing.
  @usableFromInline
  func inactive(_ request: ObservationRequest) -> ObservationInfo {
    let info = ObservationInfo(
      registration: ObservationRegistration(
        store: self, request: request, invoke: { _, _, _, _, _ in }, areEqual: nil),
      root: .released, handler: nil)
    _ = info.deactivate()
    return info
  }

  /// Puts `info` into the map and onto its subjects, unless another thread has registered the same
  /// meanwhile.
  ///
  /// - Parameters:
  ///   - atomic: A property whose value is wanted as it is at that moment.
  ///   - hook: Puts `info` onto its subjects; nothing where it is called without one. Inlined, as this is: 60 instructions for a property.
  @inline(__always)
  func add(
    _ info: ObservationInfo, of object: AnyObject, _ request: ObservationRequest,
    reading atomic: (any AtomicProperty)? = nil, hook: () -> Void = {}
  ) -> Registered {
    let key = ObjectIdentifier(object)
    // Asked before anybody else knows the info: another thread may end it as soon as it is added.
    // Pinned by EventStressTests under ThreadSanitizer.
    let isPassing = isPassing(info)
    var compared: UInt64?
    while true {
      var replacedSite: ObservationRegistration?
      var value: ValueBox?
      var candidates: InfoList?
      if let atomic {
        value = atomic.boxed {
          candidates = tryAdd(info, at: key, isPassing, &compared, &replacedSite, hook)
        }
      } else {
        candidates = tryAdd(info, at: key, isPassing, &compared, &replacedSite, hook)
      }
      withExtendedLifetime(replacedSite) {}
      guard let candidates else {
        if !retainsObserved || isPassing { sweepIfDue() }
        return Registered(info: info, isNew: true, value: value)
      }
      if candidates.isEmpty || candidates.count >= InfoIndex.few {
        // There are many, or will be. No more than a few are hashed, which have not been before.
        info.registration.prepareHash()
        candidates.visit { $0.registration.prepareHash() }
      }
      if let existing = first(of: candidates, matching: request, on: object) {
        ObservationDispatcher.reportRegistration(request, sameAs: existing)
        return Registered(info: existing, isNew: false)
      }
    }
  }

  /// - Returns: Infos of the same object to compare with before it is tried again, none where the registration has
  ///   to be hashed; `nil` if `info` has been added.
  @inline(__always)
  private func tryAdd(
    _ info: ObservationInfo, at key: ObjectIdentifier, _ isPassing: Bool, _ compared: inout UInt64?,
    _ replacedSite: inout ObservationRegistration?, _ hook: () -> Void
  ) -> InfoList? {
    state.withLock { state in
      let others = state.infos.insertFirst(info, of: key)
      if !others.isEmpty {
        guard let alike = state.index.infos(like: info, of: key, among: others) else {
          return InfoList.none
        }
        // Key paths are compared outside of the lock, so that what came of it is only true while
        // nothing else has been registered.
        guard alike.isEmpty || compared == state.additions else {
          compared = state.additions
          return alike
        }
        // Gives up the list, so that it is edited in place.
        state.index.insert(info, of: key, among: consume others)
        state.infos.insert(info, of: key)
      }
      state.additions += 1
      state.count += 1
      if isPassing { state.passing.insert(info) }
      if state.lastSite !== info.registration {
        replacedSite = state.lastSite
        state.lastSite = info.registration
      }
      hook()
      return nil
    }
  }

  /// Compares outside of the lock: equality of key paths may call the `==` of a subscript's index.
  private func first(
    of candidates: InfoList, matching request: ObservationRequest, on object: AnyObject
  ) -> ObservationInfo? {
    candidates.all.first { info in
      info.isActive && info.registration.isSame(as: request) && self.object(of: info) === object
    }
  }

  /// The registration for a registration: the last one again, if it is from the same line of code.
  ///
  /// - Parameter invoke: Calls handlers of the types of `request`.
  @usableFromInline
  func registration(
    for request: ObservationRequest, valueType: Any.Type,
    invoke: @escaping ObservationInvocation, read: ObservationReading? = nil
  ) -> ObservationRegistration {
    if let last = state.withLock({ $0.lastSite }), last.matches(request) { return last }
    return ObservationRegistration(
      store: self, request: request, invoke: invoke, read: read,
      areEqual: request.options.contains(.distinct)
        ? equality(of: valueType) : nil)
  }

  /// Opens the type.
  private func equality(of type: Any.Type) -> ObservationRegistration.Equality {
    ObservationRegistration.equality(of: type)
  }

  /// Whether `info` has a place in `State.passing`.
  func isPassing(_ info: ObservationInfo) -> Bool {
    guard retainsObserved else { return false }
    if case .retained = info.root { return info.registration.purpose.target != nil }
    return true
  }

  /// How the object is held: weakly if the controller does not retain, and if it is the observer,
  /// which owns the controller and would never go; or if that was asked for.
  func root(
    for object: AnyObject, _ request: ObservationRequest
  ) -> ObservationInfo.Root {
    retainsObserved && !request.holdsWeakly && ObjectIdentifier(object) != observerIdentity
      ? .retained(object) : .unretained(WeakReference(object))
  }
}
