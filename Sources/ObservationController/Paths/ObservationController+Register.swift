extension ObservationController {
  /// Registers an observation with a registration for `request`.
  @inlinable
  func register<Object: AnyObject, Value>(
    _ object: Object, _ request: consuming ObservationRequest, isolation: (any Actor)?,
    prepare: ((ObservationToken) -> Void)? = nil, queued: QueuedHandler? = nil,
    handler: @escaping (Observer, Object, ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    register(
      object,
      at: ObservationRegistration(
        store: store, request: request, valueType: Value.self,
        invoke: ObservationHandler<Observer, Object, Value>.invocation),
      isolation: isolation, prepare: prepare, queued: queued, handler: handler)
  }

  /// Erases the types of a handler and registers it; every `observe` ends here.
  ///
  /// - Parameters:
  ///   - prepare: Receives the token of a new observation before the initial delivery.
  ///   - queued: What `handler` adds its changes to, if it does.
  @inlinable
  func register<Object: AnyObject, Value>(
    _ object: Object, at registration: consuming ObservationRegistration,
    isolation: (any Actor)?, prepare: ((ObservationToken) -> Void)? = nil,
    queued: QueuedHandler? = nil,
    handler: @escaping (Observer, Object, ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    typealias Handler = ObservationHandler<Observer, Object, Value>
    let registration = consume registration
    assert(type(of: registration.keyPath).valueType == Value.self)
    var value: Value?
    var path: PropertyAccesses?
    let property = withUnsafeMutablePointer(to: &value) {
      store.property(of: object, at: registration, orElse: &path, value: $0)
    }
    // Another thread may change what a path or a derived property reads, now or later; a stored
    // property only if it is atomic, which is followed as a path.
    let isShared = isolation != nil && property?.isOfStoredProperty != true
    let erased =
      queued.map { QueuedObservationHandler($0, handler) }
      ?? Handler(on: isolation, isShared: isShared, registration.request, handler)
    guard let property = consume property else {
      // Its properties are held by the registration of the path alone.
      guard let accesses = path.take() else { return store.inactive(registration) }
      return registerPath(
        object, at: registration, consume accesses, value, prepare: prepare, handler: erased)
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
    if let handler {
      withUnsafePointer(to: value) {
        ObservationDispatcher.deliverInitial($0, of: object, to: info, handler: handler)
      }
    }
    // Last: the reporter may make a change.
    if info.registration.options.contains(.distinct) { info.reportMissingEquality(of: value) }
  }
}

extension ObservationController {
  /// Registers an observation of a path, or of a property that other threads may change meanwhile.
  ///
  /// If other threads may change the properties that are read, the initial delivery has the value
  /// that the first change begins with, and comes before it: changes that other threads make
  /// meanwhile wait.
  ///
  /// - Parameter value: The value of the key path, where no other thread may change it.
  @usableFromInline
  func registerPath<Object: AnyObject, Value>(
    _ object: Object, at registration: ObservationRegistration,
    _ read: consuming PropertyAccesses, _ value: Value?, prepare: ((ObservationToken) -> Void)?,
    handler: ObservationHandler<Observer, Object, Value>
  ) -> ObservationToken {
    var accesses = consume read
    let isShared = accesses.areShared
    let isInitial = registration.options.contains(.initial)
    let path =
      accesses.property(of: object, at: registration.keyPath)?.subject == nil
      ? makePath(registration, from: object, reading: accesses) : nil
    // The only property, which lists the info without retaining that.
    let atomic = path == nil || path?.pin != nil ? accesses.only : nil
    // Not to be delivered before the initial one.
    let waits = atomic != nil && (isInitial || prepare != nil)
    let queued = waits ? QueuedHandler(handler) : nil
    let front =
      queued.map { queued in
        QueuedObservationHandler(queued) { if !queued.add($2) { handler.call($0, $1, $2) } }
      } ?? handler
    let info = ObservationInfo(
      registration: registration, root: registration.root(for: object),
      link: atomic?.subject.map { SubjectReference($0) }, sink: path,
      kind: path == nil ? [] : .path, handler: front)
    let pinned = atomic?.atomic.flatMap { path?.register(info, of: object, reading: $0) }
    let registered =
      pinned ?? store.add(info, of: object, reading: path == nil ? atomic?.atomic : nil)
    guard registered.isNew else { return registered.info.returned }
    var box = registered.value
    if let path, pinned == nil {
      box = path.attach(
        info, to: &accesses, at: isShared ? nil : value.map { ValueBox($0) },
        rereadingFrom: isShared ? object : nil)
    }
    withExtendedLifetime(atomic) {}
    guard let box else { return info.returned }
    // Safe: the value of the key path.
    begin(
      info, of: object, with: box.value(as: Value.self), prepare,
      handler: isInitial ? handler : nil)
    if let queued {
      queued.deliveries.open(for: info)
      // No more by way of the queue, unless it has ended. A property goes on with `handler` behind
      // the queue, which need not be asked, unless that was replaced meanwhile.
      let latest = queued.deliveries.handler
      if path != nil || latest !== handler {
        store.replaceHandler(of: info, front, by: latest)
      }
    }
    if pinned == nil, isShared { path?.open(info) }
    return info.returned
  }
}

private func makePath(
  _ registration: ObservationRegistration, from object: AnyObject,
  reading accesses: PropertyAccesses
) -> PathObservation {
  registration.request.isAutorun
    ? AutorunPath(registration, from: object, reading: accesses)
    : PathObservation(registration, from: object, reading: accesses)
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
      return observe(
        object, .reading(typed), options, context, by: handlerKind, isolation, file, line
      ) { (observer, object, change: ObservedChange<Value>) in
        handler(observer, object, change.withValuesAsAny)
      }
    }
    return keyPaths.map { keyPath in
      let valueType = type(of: keyPath).valueType
      return registerTyped(keyPath, valueType)
    }
  }
}
