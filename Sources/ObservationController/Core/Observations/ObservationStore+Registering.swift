/// Registering observations: the one way into the tables, for every kind of info.
extension ObservationStore {
  /// Registers an observation of a property of `object`.
  @usableFromInline
  func add(
    _ object: AnyObject, at registration: consuming ObservationRegistration,
    property subject: Subject, handler: consuming AnyObject
  ) -> (info: ObservationInfo, isNew: Bool) {
    // The info refers to the subject without retaining it.
    defer { withExtendedLifetime(subject) {} }
    let root = registration.root(for: object)
    let info = ObservationInfo(
      registration: consume registration, root: root, link: SubjectReference(subject),
      handler: consume handler)
    subject.derived?.willInsert(info, of: object)
    let registered = add(info, of: object)
    if !registered.isNew { subject.derived?.takeBeginning(of: info) }
    return (registered.info, registered.isNew)
  }

  /// The token of a registration that failed.
  @usableFromInline
  func inactive(_ registration: ObservationRegistration) -> ObservationInfo {
    let info = ObservationInfo(registration: registration, root: .released, handler: nil)
    _ = info.deactivate()
    return info
  }

  /// Adds `info` to the tables and attaches it to its subjects, unless another thread has
  /// registered an equal one meanwhile. The caller holds the subjects.
  ///
  /// - Parameters:
  ///   - atomic: A property whose value is wanted as it is at that moment.
  ///   - stamp: That of the value that it has to have; `nil` for any.
  /// - Returns: The info that is registered, now or before, and the value of `atomic`, with which
  ///   the first change to be delivered begins. `info` as one that is not new, if the property has
  ///   another stamp: nothing has happened.
  @inline(__always)
  func add(
    _ info: ObservationInfo, of object: AnyObject,
    reading atomic: (any AtomicProperty)? = nil, since stamp: UInt32? = nil
  ) -> (info: ObservationInfo, isNew: Bool, value: ValueBox?) {
    let key = ObjectIdentifier(object)
    // Key paths are compared outside of the lock, so that the result is only valid while the list
    // stays as it is.
    var compared = InfoList.none
    // What the new registration takes the place of is released outside of the lock.
    var replaced: ObservationRegistration?
    defer { withExtendedLifetime(replaced) {} }
    while true {
      var value: ValueBox?
      var candidates: InfoList?
      if let atomic {
        value = atomic.lock.withLock {
          let current = atomic.subject.stamp.load(ordering: .relaxed)
          guard stamp ?? current == current else { return nil }
          candidates = tryAdd(info, at: key, &compared, &replaced)
          return atomic.boxedLocked()
        }
        if value == nil { return (info, false, nil) }
      } else {
        candidates = tryAdd(info, at: key, &compared, &replaced)
      }
      guard let candidates else {
        // Only where none was due before: an object in its deinit, say, leaves at once. Pinned by
        // DeinitMisuseTests.
        if isPassing(info), state.withLock({ $0.roomBeforeSweep < 0 }) { sweep() }
        return (info, true, value)
      }
      if candidates.isEmpty || candidates.isLonger(than: InfoIndex.few - 1) {
        // There are many, or will be. No more than a few are hashed, which have not been before.
        info.registration.prepareHash()
        candidates.visit { $0.registration.prepareHash() }
      }
      // Outside of the lock: equality of key paths may call the `==` of a subscript's index.
      let existing = candidates.first {
        $0.isActive && $0.traits.contains(.array) == info.traits.contains(.array)
          && $0.registration.isSame(as: info.registration)
          && $0.object === object
      }
      if let existing {
        replaceHandler(of: existing, by: info)
        ObservationDispatcher.report(info.registration, sameAs: existing)
        return (existing, false, nil)
      }
    }
  }

  /// - Returns: Infos of the object to compare with before the next attempt, none where the
  ///   registration has to be hashed; `nil` if `info` has been added.
  @inline(__always)
  private func tryAdd(
    _ info: ObservationInfo, at key: ObjectIdentifier, _ compared: inout InfoList,
    _ replaced: inout ObservationRegistration?
  ) -> InfoList? {
    state.withLock { state in
      endRestLocked(&state)
      let place = state.objects.place(of: key)
      if place.isTaken {
        let others = state.objects[place].infos
        guard
          let alike = state.index.infos(
            of: InfoIndex.Key(of: info.registration, key), among: others)
        else { return InfoList.none }
        guard alike.isEmpty || alike.isIdentical(to: compared) else {
          compared = alike
          return alike
        }
        // Gives up the list, so that it is edited in place.
        state.index.insert(info, of: key, among: consume others)
        state.objects[place].infos.insert(info)
      } else {
        state.objects.insert(ObservedObject(order: key, infos: .one(info)), at: place)
      }
      state.count += 1
      if info.registration.isShared, state.lastRegistration !== info.registration {
        replaced = exchange(&state.lastRegistration, with: info.registration)
      }
      if isPassing(info) {
        info.registration.binding?.info = info
        state.passing.insert(info)
        state.roomBeforeSweep -= 1
      }
      if let link = info.link ?? info.path?.pin?.link { link.insert(info) }
      return nil
    }
  }

  /// The registration for a call of `observe`: the last one again, if it is from the same line of
  /// code, so that a loop makes one.
  @usableFromInline
  func registration(
    of access: KeyPathAccess, _ options: ObservationOptions,
    _ context: ObservationContext?, _ handlerKind: ObservationDescription.HandlerKind,
    _ file: String, _ line: UInt, valueType: Any.Type,
    invoke: @escaping ObservationRegistration.Invocation
  ) -> ObservationRegistration {
    // Identity, not `==`: a literal in a loop is one object, and comparing the components of key
    // paths would cost more than a registration of its own.
    if let last = state.withLock({ $0.lastRegistration }), last.keyPath === access.keyPath,
      last.line == line, last.options == options, last.handlerKind == handlerKind,
      last.context == context, last.file == file
    {
      return last
    }
    let request = ObservationRequest(
      access, options: options, context: context, handlerKind: handlerKind, file: file, line: line)
    let new = ObservationRegistration(
      store: self, request: request, valueType: valueType, invoke: invoke, isShared: true)
    return new
  }
}
