extension ObservationStore {
  /// Registers an observation of an array.
  ///
  /// - Returns: The token, which is inactive if the path to the array reads nothing observable.
  @usableFromInline
  func addArray<Element>(
    _ object: AnyObject, _ request: ObservationRequest, _ witness: ArrayWitness,
    _ keyPaths: [PartialKeyPath<Element>], handler: AnyObject,
    invoke: @escaping ObservationInvocation
  ) -> ObservationInfo {
    let (value, accesses) = witness.readSettled(object)
    let isArray = witness.array(in: value) != nil
    guard accesses.first != nil || isArray else {
      ObservationDispatcher.report(
        .nothingObservable(
          keyPath: request.keyPath, file: request.file, line: request.line))
      return inactive(request)
    }
    guard !isGoing(object, reading: accesses) else { return inactive(request) }
    let token = ObservationInfo(
      registration: registration(for: request, valueType: [Element].self, invoke: invoke),
      root: root(for: object, request), kind: .array, handler: handler,
      serial: request.isEarly ? ObservationInfo.nextEarlySerial() : nil)
    let sink = ArraySink(token: token, witness: witness, followsElements: !keyPaths.isEmpty)
    token.sink = sink
    sink.makeParts(of: object, request, accesses, keyPaths)
    let registered = add(token, of: object, request)
    guard registered.isNew else {
      withExtendedLifetime(sink.detachLocked(token)) {}  // no lock: nobody else knows it
      return registered.info
    }
    // Other threads may change a plain array, and record that, before the initial delivery.
    let isShared = !isArray && accesses.areShared
    // The parts are on subjects of objects that may be held by nothing else.
    let initial = withExtendedLifetime((value, accesses)) {
      isShared ? sink.beginHeld(with: value, reading: accesses) : sink.begin(with: value)
    }
    // Safe: the witness is of this type.
    let elements = unsafeDowncast(initial, to: ArrayChangeDetails<Element>.self).elements
    if request.options.contains(.distinct), let element = elements.first {
      token.reportMissingEquality(of: element)
    }
    if request.options.contains(.initial) {
      withUnsafePointer(to: initial) {
        ObservationDispatcher.deliverInitial($0, of: object, to: token, handler: handler)
      }
    }
    if isShared {
      var recipient = ObservationRecipient()
      sink.deliver(.reached, recipient: &recipient)
    }
    return token
  }
}
