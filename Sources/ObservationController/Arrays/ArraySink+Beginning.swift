/// The beginning of an observation of an array.
extension ArraySink {
  /// Makes the parts that are put on subjects. No other thread has a reference to this sink yet.
  func makeParts<Element>(
    of object: AnyObject, _ request: ObservationRequest, _ accesses: PropertyAccesses,
    _ keyPaths: [PartialKeyPath<Element>]
  ) {
    let properties = keyPaths.unique(by: \.self).map {
      keyPath -> (ElementProperty, ObservationInfo) in
      let valueType = type(of: keyPath).valueType
      let property = ElementProperty(keyPath, valueType, of: self, request)
      return (property, part(property.registration, sink: self, kind: .part, handler: property))
    }
    state.withLock { state in
      state.elements = ArraySink.FollowedElements(properties)
      if !accesses.all.isEmpty {
        // A registration of its own, since the path has to note its old value whatever was asked
        // for.
        let registration = ObservationRegistration(
          store: store, request: request.part(request.access, options: .old),
          invoke: { _, _, _, _, _ in })
        state.path = part(
          registration, root: token.root, sink: ArrayPath(registration, from: object, to: self),
          kind: .path)
      }
      if witness.source != .values {
        state.content = part(token.registration, sink: self, kind: .part)
      }
    }
  }

  /// Puts everything on its subjects, when the token is in the tables, and takes the turn: changes
  /// that getters and other threads make meanwhile wait for the caller to deliver them.
  ///
  /// - Parameters:
  ///   - value: What the key path has been found to lead to.
  ///   - accesses: Emptied.
  /// - Returns: The elements as they are, as an initial change.
  func begin(
    of object: AnyObject, with value: ValueBox, reading accesses: inout PropertyAccesses
  ) -> ValueBox {
    let info = state.withLock { state in
      state.queue.begin()
      return state.path
    }
    guard let info, let path = info.path else { return follow(value) }
    let isShared = accesses.areShared
    let first = path.attach(
      info, to: &accesses, at: value, rereadingFrom: isShared ? object : nil)
    let elements = follow(first ?? value)
    if isShared { path.open(info) }
    return elements
  }

  private func follow(_ value: ValueBox) -> ValueBox {
    hookContent(of: witness.array(in: value))
    let elements = witness.elements(value)
    note(elements, id: nil)
    hookJoined()
    return elements
  }
}

extension ObservationStore {
  /// Registers an observation of an array.
  ///
  /// - Returns: The token, which is inactive if the path to the array reads nothing observable.
  @usableFromInline
  func addArray<Element>(
    _ object: AnyObject, _ request: consuming ObservationRequest, _ witness: ArrayWitness,
    _ keyPaths: [PartialKeyPath<Element>], handler: AnyObject,
    invoke: @escaping ObservationRegistration.Invocation
  ) -> ObservationInfo {
    let registration = ObservationRegistration(
      store: self, request: request, valueType: [Element].self, invoke: invoke)
    var (value, accesses) = witness.readSettled(object)
    guard !accesses.all.isEmpty || witness.array(in: value) != nil else {
      ObservationDispatcher.report(registration.issue(ObservationIssue.nothingObservable))
      return inactive(registration)
    }
    guard !isGoing(object, reading: accesses) else { return inactive(registration) }
    let token = ObservationInfo(
      registration: registration, root: registration.root(for: object), kind: .array,
      handler: nil)
    let sink = ArraySink(
      token: token, witness: witness, followsElements: !keyPaths.isEmpty, handler: handler)
    token.sink = sink
    sink.makeParts(of: object, registration.request, accesses, keyPaths)
    let registered = add(token, of: object)
    guard registered.isNew else {
      withExtendedLifetime(sink.detachLocked(token)) {}  // no lock: no other reference
      return registered.info
    }
    // Changes of other threads come after the initial delivery, those of its handler within.
    let isShared = witness.source == .values && accesses.areShared
    // The parts are on subjects of objects that may be held by nothing else.
    let initial = withExtendedLifetime(value) {
      sink.begin(of: object, with: value, reading: &accesses)
    }
    if !isShared { sink.state.withLock { $0.queue.end() } }
    // The witness is of this type.
    let elements = initial.value(as: ArrayChange<Element>.self).elements
    if registration.options.contains(.distinct), let element = elements.first {
      token.reportMissingEquality(of: element)
    }
    if registration.options.contains(.initial) {
      initial.withAddress {
        ObservationDispatcher.deliverInitial($0, of: object, to: token, handler: handler)
      }
    }

    var recipient = ObservationRecipient()
    sink.deliver(through: isShared ? nil : 0, recipient: &recipient)
    return token
  }
}
