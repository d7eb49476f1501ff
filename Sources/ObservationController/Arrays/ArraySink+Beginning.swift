/// The beginning of an observation of an array.
extension ArraySink {
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
    let isShared = accesses.areShared
    let first = info.flatMap {
      $0.path?.attach($0, to: &accesses, at: value, rereadingFrom: isShared ? object : nil)
    }
    hookContent(of: witness.array(in: first ?? value))
    let elements = witness.elements(first ?? value)
    note(elements, id: nil)
    hookJoined()
    if isShared, let info { info.path?.open(info) }
    return elements
  }
}

extension ObservationStore {
  /// Registers an observation of an array.
  ///
  /// - Parameter prepare: Receives the token of a new observation, and an initial change, before
  ///   anything is delivered.
  /// - Returns: The token, which is inactive if the path to the array reads nothing observable.
  @usableFromInline
  func addArray<Element>(
    _ object: AnyObject, _ request: consuming ObservationRequest, _ witness: ArrayWitness,
    _ keyPaths: [PartialKeyPath<Element>], handler: AnyObject,
    prepare: ((ObservationToken, ArrayChange<Element>) -> Void)? = nil,
    invoke: @escaping ObservationRegistration.Invocation
  ) -> ObservationInfo {
    addArray(
      object, request, witness, keyPaths, valueType: [Element].self,
      // The witness is of this type.
      first: { $0.value(as: ArrayChange<Element>.self).elements.first }, handler: handler,
      prepare: prepare.map { prepare in
        { prepare($0, $1.value(as: ArrayChange<Element>.self)) }
      }, invoke: invoke)
  }

  /// - Parameter first: An element of an initial change.
  func addArray<Element>(
    _ object: AnyObject, _ request: consuming ObservationRequest, _ witness: ArrayWitness,
    _ keyPaths: [PartialKeyPath<Element>], valueType: Any.Type, first: (ValueBox) -> Element?,
    handler: AnyObject, prepare: ((ObservationToken, ValueBox) -> Void)? = nil,
    invoke: @escaping ObservationRegistration.Invocation
  ) -> ObservationInfo {
    let registration = ObservationRegistration(
      store: self, request: request, valueType: valueType, invoke: invoke)
    sweep(before: registration)
    var (value, accesses) = witness.readSettled(object)
    guard !accesses.all.isEmpty || witness.array(in: value) != nil else {
      registration.report(ObservationIssue.nothingObservable)
      return inactive(registration)
    }
    // An array on its own has no key path that could capture anything either.
    if accesses.all.isEmpty || accesses.property(of: object, at: registration.keyPath) != nil {
      registration.knowProperty(of: object)
    } else {
      registration.noteChain(of: accesses, from: object)
    }
    guard !isDeallocating(object, reading: accesses) else { return inactive(registration) }
    let token = ObservationInfo(
      registration: registration, root: registration.root(for: object), kind: .array,
      handler: nil)
    let sink = ArraySink(
      token: token, of: object, witness, reading: accesses, keyPaths, handler: handler)
    let registered = add(token, of: object)
    guard registered.isNew else {
      withExtendedLifetime(sink.detachLocked(token)) {}  // no lock: no other reference
      return registered.info.returned
    }
    // Changes of other threads come after the initial delivery, those of its handler within.
    let isShared = witness.source == .values && accesses.areShared
    // The parts are on subjects of objects that may be held by nothing else.
    let initial = withExtendedLifetime(value) {
      sink.begin(of: object, with: value, reading: &accesses)
    }
    prepare?(token, initial)
    let leadsToArray = witness.array(in: exchange(&value, with: ValueBox(()))) != nil
    if !isShared { sink.state.withLock { $0.queue.end() } }
    if leadsToArray { sink.reportIfReleased() }
    if registration.options.contains(.initial) {
      initial.withAddress {
        ObservationDispatcher.deliverInitial($0, of: object, to: token, handler: handler)
      }
    }
    // As for a property: behind the initial delivery.
    if registration.options.contains(.distinct), let element = first(initial) {
      token.reportMissingEquality(of: element)
    }
    sink.deliver(through: isShared ? nil : 0)
    return token.returned
  }
}
