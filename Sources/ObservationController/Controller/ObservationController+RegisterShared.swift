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
    var queued = QueuedHandler(ObservationHandler(handler))
    func add(isProperty: Bool, pins: Bool) -> ObservationRegistry.Registered {
      let front = ObservationHandler<Observer, Object, Value> { [queued] in
        if !queued.put($2) { handler($0, $1, $2) }
      }
      if isProperty, let access = accesses.only {
        return registry.add(object, registration, at: site, atomic: access, handler: front)
      }
      return registry.add(
        object, registration, at: site, shared: accesses, pins: pins,
        isPlain: PlainValue.contains(Value.self), reading: read, handler: front)
    }
    var registered = add(isProperty: isProperty, pins: true)
    if registered.isNew, registered.isMisjudged {
      // What has been delivered since waits, and is dropped.
      registry.end(registered.info)
      queued = QueuedHandler(ObservationHandler(handler))
      registered = add(isProperty: false, pins: false)
    }
    let info = registered.info
    guard registered.isNew, let box = registered.value else { return info }
    prepare?(info)
    if registration.options.contains(.distinct) {
      // Safe: the value of the key path.
      withExtendedLifetime(box) {
        info.site.reportMissingEquality(
          of: box.address.assumingMemoryBound(to: Value.self).pointee)
      }
    }
    queued.open(for: info, with: registration.options.contains(.initial) ? box : nil)
    return info
  }
}
