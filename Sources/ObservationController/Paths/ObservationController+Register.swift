extension ObservationController {
  /// Registers an observation with a registration for `request`.
  @inlinable
  func register<Object: AnyObject, Value>(
    _ object: Object, _ request: consuming ObservationRequest, isolation: (any Actor)?,
    prepare: ((ObservationToken) -> Void)? = nil,
    handler: @escaping (Observer, Object, ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    register(
      object,
      at: ObservationRegistration(
        store: store, request: request, valueType: Value.self,
        invoke: ObservationHandler<Observer, Object, Value>.invocation),
      isolation: isolation, prepare: prepare, handler: handler)
  }

  /// Erases the types of a handler and registers it; every `observe` ends here.
  ///
  /// - Parameter prepare: Receives the token of a new observation before the initial delivery.
  @inlinable
  func register<Object: AnyObject, Value>(
    _ object: Object, at registration: consuming ObservationRegistration,
    isolation: (any Actor)?, prepare: ((ObservationToken) -> Void)? = nil,
    handler: @escaping (Observer, Object, ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    typealias Handler = ObservationHandler<Observer, Object, Value>
    let registration = consume registration
    assert(registration.request.access.isOfValues(of: Value.self))
    var value: Value?
    var target = ObservationStore.Target.nothing
    let property = withUnsafeMutablePointer(to: &value) {
      store.property(
        of: object, at: registration, isPlain: PlainValue.contains(Value.self),
        orElse: &target, value: $0)
    }
    let erased = Handler(on: isolation, registration.request, handler)
    guard let property = consume property else {
      guard case .path(let accesses) = target else { return store.inactive(registration) }
      return registerPath(
        object, at: registration, accesses, value, prepare: prepare, handler: erased)
    }
    // Held for the initial delivery alone, else consumed as the registration is, which saves
    // counting.
    let held = registration.options.contains(.initial) ? erased : nil
    let registered = store.add(
      object, at: consume registration, property: property, handler: consume erased)
    if registered.isNew, let value {
      begin(registered.info, of: object, with: value, prepare, handler: held)
    }
    return registered.info
  }

  /// Begins to deliver a new observation.
  ///
  /// - Parameter handler: `nil` without an initial delivery.
  @inlinable @inline(__always)
  func begin<Value>(
    _ info: ObservationToken, of object: AnyObject, with value: Value,
    _ prepare: ((ObservationToken) -> Void)?, handler: AnyObject?
  ) {
    prepare?(info)
    if info.registration.options.contains(.distinct) { info.reportMissingEquality(of: value) }
    guard let handler else { return }
    withUnsafePointer(to: value) {
      ObservationDispatcher.deliverInitial($0, of: object, to: info, handler: handler)
    }
  }
}

extension ObservationController {
  /// Registers an observation of a path, or of a property that other threads may change meanwhile.
  ///
  /// Where other threads may change what is read, the initial delivery has the value that the first
  /// change begins with, and comes before it: changes that other threads make meanwhile wait.
  ///
  /// - Parameters:
  ///   - value: The value of the key path, where no other thread may change it.
  ///   - pins: Whether a path may be taken for one that reads a single atomic property.
  @usableFromInline
  func registerPath<Object: AnyObject, Value>(
    _ object: Object, at registration: ObservationRegistration, _ accesses: PropertyAccesses,
    _ value: Value?, pins: Bool = true, prepare: ((ObservationToken) -> Void)?,
    handler: ObservationHandler<Observer, Object, Value>
  ) -> ObservationToken {
    // The info refers to the subjects without retaining them.
    defer { withExtendedLifetime(accesses) {} }
    let path =
      accesses.property(of: object, at: registration.keyPath) == nil
      ? PathObservation(
        of: object, accesses, registration, pins: pins, isPlain: PlainValue.contains(Value.self))
      : nil
    let isPinned = !(path?.actsBeforeStore ?? true)
    let isShared = accesses.areShared
    let isInitial = registration.options.contains(.initial)
    // Not to be delivered before the initial one, or if the path has to be registered anew.
    let waits = isShared && (isInitial || isPinned || prepare != nil)
    let queued = waits ? QueuedHandler(handler) : nil
    let front =
      queued.map { queued in
        ObservationHandler { if !queued.add($2) { handler.call($0, $1, $2) } }
      } ?? handler
    let info = ObservationInfo(
      registration: registration, root: registration.root(for: object),
      link: path == nil ? accesses.all.first.map { Subject.Link($0.subject) } : nil, sink: path,
      kind: path == nil ? [] : .path, handler: front)
    var box = isShared ? nil : value.map { ValueBox($0) }
    if !isPinned { path?.prepareToBegin(at: box) }
    let registered = store.add(
      info, of: object, reading: path == nil || isPinned ? accesses.only?.atomic : nil)
    guard registered.isNew else { return registered.info }
    if isPinned {
      box = registered.value.flatMap { path?.beginPinned(info, at: $0) }
      guard box != nil || !info.isActive else {
        // Changes that have been delivered since wait, and are dropped.
        store.end(info)
        return registerPath(
          object, at: registration, accesses, value, pins: false, prepare: prepare,
          handler: handler)
      }
    } else if let path, isShared {
      accesses.waitForChangesUnderWay()
      let next = path.begin(info) { box = $0 }
      var recipient = ObservationRecipient()
      if let next { path.deliver(info, through: next, to: &recipient) }
    } else if let path, accesses.areDerived {
      // It has to know the versions of the derived properties.
      path.noteFirstVersions(info)
    } else if path == nil {
      box = registered.value
    }
    guard let box else { return info }
    // Safe: the value of the key path.
    begin(
      info, of: object, with: box.value(as: Value.self), prepare,
      handler: isInitial ? handler : nil)
    queued?.open(for: info)
    return info
  }
}

extension ObservationController {
  /// Registers each key path with the type of its values, and delivers them as `Any`.
  func registerEach<Object: AnyObject>(
    _ object: Object, _ keyPaths: [PartialKeyPath<Object>], _ options: ObservationOptions,
    _ context: ObservationContext?, _ handlerKind: ObservationDescription.HandlerKind,
    _ isolation: (any Actor)?, _ file: String, _ line: UInt,
    handler: @escaping (Observer, Object, ObservedChange<Any>) -> Void
  ) -> [ObservationToken] {
    guard !keyPaths.isEmpty else {
      ObservationDispatcher.report(.emptyKeyPaths(file: file, line: line))
      return []
    }
    /// - Parameter valueType: That of the key path, opened.
    func registerTyped<Value>(
      _ keyPath: PartialKeyPath<Object>, _ valueType: Value.Type
    ) -> ObservationToken {
      // Safe: every key path from `Object` to values of this type is a `KeyPath<Object, Value>`.
      let typed = unsafeDowncast(keyPath, to: KeyPath<Object, Value>.self)
      let request = ObservationRequest(
        .reading(typed), options: options, context: context, handlerKind: handlerKind, file: file,
        line: line)
      return register(object, request, isolation: isolation) {
        (observer, object, change: ObservedChange<Value>) in
        handler(observer, object, change.withValuesAsAny)
      }
    }
    return keyPaths.map { keyPath in
      let valueType = type(of: keyPath).valueType
      return registerTyped(keyPath, valueType)
    }
  }
}
