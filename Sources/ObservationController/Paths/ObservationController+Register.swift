extension ObservationController {
  /// Erases the types of a handler and registers it; every `observe` ends here.
  ///
  /// - Parameter prepare: Receives the token of a new observation before the initial delivery.
  @inlinable
  func register<Object: AnyObject, Value>(
    _ object: Object, _ keyPath: KeyPath<Object, Value>, _ request: ObservationRequest,
    isolation: (any Actor)?, prepare: ((ObservationToken) -> Void)? = nil,
    handler: @escaping (Observer, Object, ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    var handler = handler
    assert(
      {
        handler = ObservationDispatcher.checking(isolation, of: request, around: handler)
        return true
      }())

    typealias Handler = ObservationHandler<Observer, Object, Value>
    let registration = store.registration(
      for: request, valueType: Value.self, invoke: Handler.invocation, read: Handler.reading)
    var value: Value?
    var target = ObservationStore.Target.nothing
    // One closure, called once here: only then is a literal key path folded to direct access.
    let property = store.property(
      of: object, request, at: registration, isPlain: PlainValue.contains(Value.self),
      orElse: &target,
      reading: { value = object[keyPath: keyPath] })
    // Held for the initial delivery alone, else consumed as the registration is, which saves
    // counting.
    let isInitial = request.options.contains(.initial)
    var held: Handler?
    let registered: ObservationStore.Registered
    if let property = consume property {
      let erased = Handler(handler)
      if isInitial { held = erased }
      registered = store.add(
        object, request, at: consume registration, property: property, handler: consume erased)
    } else {
      // Safe: it is only called with the object that it was registered for.
      let read = { (object: AnyObject) in
        ValueBox(unsafeDowncast(object, to: Object.self)[keyPath: keyPath])
      }
      switch target {
      case .nothing:
        return store.inactive(request)
      case .shared(let accesses, let isProperty):
        return registerShared(
          object, request, at: registration, accesses, isProperty: isProperty,
          reading: read, prepare: prepare, handler: handler)
      case .path(let dependencies):
        let erased = Handler(handler)
        if isInitial { held = erased }
        registered = store.add(
          object, request, at: registration, path: dependencies,
          isPlain: PlainValue.contains(Value.self), initially: { value.map { ValueBox($0) } },
          reading: read, handler: erased)
      }
    }
    guard registered.isNew, let value else { return registered.info }
    prepare?(registered.info)
    if request.options.contains(.distinct) {
      registered.info.reportMissingEquality(of: value)
    }
    if let held {
      withUnsafePointer(to: value) {
        ObservationDispatcher.deliverInitial($0, of: object, to: registered.info, handler: held)
      }
    }
    return registered.info
  }
}

extension ObservationController {
  /// Registers an observation of a property or a path that other threads may change meanwhile.
  ///
  /// The initial delivery has the value that the first change begins with, and comes before it:
  /// changes that other threads make meanwhile wait.
  ///
  /// - Parameter pins: Whether a path may be taken for one that reads a single atomic property.
  @usableFromInline
  func registerShared<Object: AnyObject, Value>(
    _ object: Object, _ request: ObservationRequest, at registration: ObservationRegistration,
    _ accesses: PropertyAccesses, isProperty: Bool, pins: Bool = true,
    reading read: @escaping (AnyObject) -> ValueBox,
    prepare: ((ObservationToken) -> Void)?,
    handler: @escaping (Observer, Object, ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    // The info refers to the subjects without retaining them.
    defer { withExtendedLifetime(accesses) {} }
    let queued = QueuedHandler(ObservationHandler(handler))
    let front = ObservationHandler<Observer, Object, Value> {
      if !queued.add($2) { handler($0, $1, $2) }
    }
    let path =
      isProperty
      ? nil
      : PathObservation(
        of: object, accesses, request.options, pins: pins,
        isPlain: PlainValue.contains(Value.self), read: read)
    let isPinned = !(path?.actsBeforeStore ?? true)
    let info = ObservationInfo(
      registration: registration, root: store.root(for: object, request),
      link: isProperty ? accesses.only.map { Subject.Link($0.subject) } : nil, sink: path,
      kind: isProperty ? [] : .path, handler: front)
    if !isPinned { path?.prepareToBegin() }
    let registered = store.add(
      info, of: object, request, reading: isProperty || isPinned ? accesses.only?.atomic : nil)
    guard registered.isNew else { return registered.info }
    var value = registered.value
    if isPinned {
      value = value.flatMap { path?.beginPinned(info, at: $0) }
      guard value != nil || !info.isActive else {
        // Changes that have been delivered since wait, and are dropped.
        store.end(info)
        return registerShared(
          object, request, at: registration, accesses, isProperty: false, pins: false,
          reading: read, prepare: prepare, handler: handler)
      }
    } else if let path {
      accesses.waitForChangesUnderWay()
      let next = path.begin(info) { value = $0 }
      var recipient = ObservationRecipient()
      if let next { path.deliver(info, through: next, to: &recipient) }
    }
    guard let box = value else { return info }
    prepare?(info)
    if request.options.contains(.distinct) {
      // Safe: the value of the key path.
      info.reportMissingEquality(of: box.value(as: Value.self))
    }
    queued.open(for: info, with: request.options.contains(.initial) ? box : nil)
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
    return keyPaths.map { keyPath in
      let request = ObservationRequest(
        keyPath: keyPath, options: options, context: context, handlerKind: handlerKind,
        file: file, line: line)
      let valueType = type(of: keyPath).valueType
      return registerTyped(object, keyPath, valueType, request, isolation, handler)
    }
  }

  /// Receives the value type of a key path, opened.
  private func registerTyped<Object: AnyObject, Value>(
    _ object: Object, _ keyPath: PartialKeyPath<Object>, _ valueType: Value.Type,
    _ request: ObservationRequest, _ isolation: (any Actor)?,
    _ handler: @escaping (Observer, Object, ObservedChange<Any>) -> Void
  ) -> ObservationToken {
    // Safe: every key path from `Object` to values of this type is a `KeyPath<Object, Value>`.
    let keyPath = unsafeDowncast(keyPath, to: KeyPath<Object, Value>.self)
    return register(object, keyPath, request, isolation: isolation) {
      handler($0, $1, $2.withValuesAsAny)
    }
  }
}
