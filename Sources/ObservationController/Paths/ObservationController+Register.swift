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
    var target = ObservationTarget.nothing
    // One closure, read once here: only then is a literal key path folded, which saves the standard
    // library's way of reading it, 1,000 instructions.
    let property = store.property(
      of: object, request, at: registration, isPlain: PlainValue.contains(Value.self),
      orElse: &target,
      reading: { value = object[keyPath: keyPath] })
    // Held for the initial delivery alone, else consumed, as the registration is: to count a reference and to
    // take that back takes 40 instructions.
    let isInitial = request.options.contains(.initial)
    var held: Handler?
    let registered: ObservationStore.Registered
    if let property = consume property {
      let erased = Handler(handler)
      if isInitial { held = erased }
      registered = store.add(
        object, request, at: consume registration, property: property, handler: consume erased)
    } else {
      switch target {
      case .nothing:
        return store.inactive(request)
      case .shared(let accesses, let isProperty):
        return registerShared(
          object, request, at: registration, accesses, isProperty: isProperty,
          reading: { ValueBox(unsafeDowncast($0, to: Object.self)[keyPath: keyPath]) },  // as below
          prepare: prepare, handler: handler)
      case .path(let dependencies):
        let erased = Handler(handler)
        if isInitial { held = erased }
        registered = store.add(
          object, request, at: registration, path: dependencies,
          isPlain: PlainValue.contains(Value.self), initially: { value.map { ValueBox($0) } },
          // Safe: it is only called with the object that it was registered for.
          reading: { ValueBox(unsafeDowncast($0, to: Object.self)[keyPath: keyPath]) },
          handler: erased)
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
