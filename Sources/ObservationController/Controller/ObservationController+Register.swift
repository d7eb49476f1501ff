extension ObservationController {
  /// Erases the types of a handler and registers it; every `observe` ends here.
  @inlinable
  func register<Object: AnyObject, Value>(
    _ object: Object, _ keyPath: KeyPath<Object, Value>, _ registration: ObservationRegistration,
    isolation: (any Actor)?,
    handler: @escaping (Observer, Object, ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    var handler = handler
    assert(
      {
        handler = ObservationDispatcher.checking(isolation, of: registration, around: handler)
        return true
      }())

    var value: Value?
    let target = registry.target(of: object, registration) { value = object[keyPath: keyPath] }
    let erased = ObservationHandler(handler)
    let invoke = ObservationHandler<Observer, Object, Value>.invocation
    let registered: ObservationRegistry.Registered
    switch target {
    case .nothing:
      return registry.inactive(registration)
    case .property(let subject):
      registered = registry.add(
        object, registration, valueType: Value.self, property: subject,
        handler: erased, invoke: invoke)
    case .path(let dependencies):
      registered = registry.add(
        object, registration, valueType: Value.self, path: dependencies,
        // Safe: it is only called with the object that it was registered for.
        reading: { ValueBox(unsafeDowncast($0, to: Object.self)[keyPath: keyPath]) },
        handler: erased, invoke: invoke)
    }
    let info = registered.info
    guard registered.isNew, let value else { return info }
    if registration.options.contains(.distinct) { info.site.reportMissingEquality(of: value) }
    if registration.options.contains(.initial) {
      withUnsafePointer(to: value) {
        ObservationDispatcher.deliverInitial($0, of: object, to: info, handler: erased)
      }
    }
    return info
  }
}
