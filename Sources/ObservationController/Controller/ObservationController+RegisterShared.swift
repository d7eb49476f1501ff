extension ObservationController {
  /// Registers an observation of something that other threads may change just now.
  ///
  /// The initial delivery has the value that the first change begins with, and comes before it: what
  /// other threads tell meanwhile waits.
  @usableFromInline
  func registerShared<Object: AnyObject, Value>(
    _ object: Object, _ registration: ObservationRegistration, at site: ObservationSite,
    _ accesses: PropertyAccesses, isProperty: Bool,
    reading read: @escaping (AnyObject) -> ValueBox,
    prepare: ((ObservationToken) -> Void)?,
    handler: @escaping (Observer, Object, ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    var gate = InitialGate<Observer, Object, Value>(handler)
    var registered = add(
      object, registration, at: site, accesses, isProperty: isProperty, pins: true, reading: read,
      to: gate)
    if registered.isNew, registered.isMisjudged {
      // What has been told since waits at the gate, and is dropped with it.
      registry.end(registered.info)
      gate = InitialGate(handler)
      registered = add(
        object, registration, at: site, accesses, isProperty: false, pins: false, reading: read,
        to: gate)
    }
    let info = registered.info
    guard registered.isNew, let box = registered.value else { return info }
    // Safe: the value of the key path.
    let value = withExtendedLifetime(box) {
      box.address.assumingMemoryBound(to: Value.self).pointee
    }
    prepare?(info)
    if registration.options.contains(.distinct) { info.site.reportMissingEquality(of: value) }
    gate.open(info, of: object, with: registration.options.contains(.initial) ? value : nil)
    return info
  }

  private func add<Object: AnyObject, Value>(
    _ object: Object, _ registration: ObservationRegistration, at site: ObservationSite,
    _ accesses: PropertyAccesses, isProperty: Bool, pins: Bool,
    reading read: @escaping (AnyObject) -> ValueBox,
    to gate: InitialGate<Observer, Object, Value>
  ) -> ObservationRegistry.Registered {
    let handler = ObservationHandler<Observer, Object, Value> { gate.admit($0, $1, $2) }
    if isProperty, let access = accesses.only {
      return registry.add(
        object, registration, at: site, atomic: access, handler: handler)
    }
    return registry.add(
      object, registration, at: site, shared: accesses, pins: pins,
      isPlain: PlainValue.contains(Value.self), reading: read, handler: handler)
  }
}
