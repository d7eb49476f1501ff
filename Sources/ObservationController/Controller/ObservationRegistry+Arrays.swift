extension ObservationRegistry {
  /// Registers an observation of an array.
  ///
  /// - Returns: The token, which is inactive if `source` reads nothing observable.
  @usableFromInline
  func addArray<Element>(
    _ object: AnyObject, _ registration: ObservationRegistration, _ source: ArraySource<Element>,
    _ calls: ArrayCalls, _ keyPaths: [PartialKeyPath<Element>], handler: AnyObject,
    invoke: @escaping ObservationInvocation
  ) -> ObservationInfo {
    let first = source.readSettled(object)
    guard first.isObservable else {
      ObservationDispatcher.report(
        .nothingObservable(
          keyPath: registration.keyPath, file: registration.file, line: registration.line))
      return inactive(registration)
    }
    guard !isGoing(object, reading: first.accesses) else { return inactive(registration) }
    let token = ObservationInfo(
      site: site(for: registration, valueType: [Element].self, invoke: invoke),
      root: root(for: object, registration), handler: handler,
      serial: registration.isEarly ? ObservationInfo.nextEarlySerial() : nil)
    let observation = ArrayObservation<Element>(token: token, reading: source, calls: calls)
    token.sink = observation
    observation.makeParts(
      of: registration, path: source.path(of: object, first.accesses, for: observation), keyPaths)
    let registered = add(token, of: object, registration) {}
    guard registered.isNew else {
      withExtendedLifetime(observation.detachLocked(token)) {}  // no lock: nobody else knows it
      return registered.info
    }
    // Other threads may change a plain array, and tell that, before the initial delivery.
    let isShared = first.array == nil && first.accesses.areShared
    // The parts hang on what was read before that may go.
    let elements = withExtendedLifetime(first) {
      isShared
        ? observation.beginHeld(reading: first.accesses)
        : observation.begin(with: first.array, values: first.values)
    }
    if registration.options.contains(.distinct), let element = elements.first {
      token.site.reportMissingEquality(of: element)
    }
    if registration.options.contains(.initial) {
      withUnsafePointer(to: ArrayChangeDetails.initial(elements)) {
        ObservationDispatcher.deliverInitial($0, of: object, to: token, handler: handler)
      }
    }
    if isShared { observation.deliverHeld() }
    return token
  }
}
