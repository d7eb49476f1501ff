/// Following elements, and changes of their properties.
extension ArraySink {
  /// Hooks the elements that have joined to the properties that their key paths read. Runs the
  /// user's getters, with no lock held.
  func hookJoined() {
    guard followsElements else { return }
    let (properties, joined) = state.withLock {
      ($0.elements.properties, $0.elements.takeJoined())
    }
    for (index, followed) in properties.enumerated() where !joined.isEmpty {
      for case let element? in joined {
        var value: ValueBox?
        let accesses = AccessTracker.track { value = followed.property.read(element) }
        hook(element, at: index, followed, value, reading: consume accesses)
      }
      if !witness.areOptional, joined.contains(where: { $0 == nil }) {
        reportOnce(ObservationIssue.nothingObservable, at: followed.property.registration)
      }
    }
  }

  private func hook(
    _ element: AnyObject, at index: Int,
    _ followed: (property: ElementProperty, info: ObservationInfo), _ value: ValueBox?,
    reading read: consuming PropertyAccesses
  ) {
    var accesses = consume read
    let property = followed.property
    if let subject = accesses.property(of: element, at: property.registration.keyPath),
      !subject.isAtomic, !subject.isDelivering
    {
      return set(.subject(Subject.Link(subject)), at: index, of: element) {
        subject.insert(followed.info)
      }
    }
    if accesses.all.isEmpty {
      reportOnce(ObservationIssue.nothingObservable, at: property.registration)
    }
    let path = ElementProperty.Path(of: element, at: property)
    let info = part(
      property.registration, root: .unretained(WeakReference(element)), sink: path, kind: .path,
      handler: property)
    var isSet = false
    set(.path(info), at: index, of: element) { isSet = true }
    guard isSet else { return }
    let isShared = accesses.areShared
    _ = path.attach(info, to: &accesses, at: value, rereadingFrom: isShared ? element : nil)
    if isShared { path.open(info) }
  }

  private func set(
    _ hook: ArraySink.FollowedElements.Hook, at index: Int, of element: AnyObject,
    inserting insert: () -> Void
  ) {
    state.withLock { state in
      if state.isActive { state.elements.set(hook, at: index, of: element, inserting: insert) }
    }
  }

  /// Forgets an element that is deallocated while it is in the array, and so with the array.
  func elementWillGo(_ element: ObjectIdentifier) {
    store.endParts(state.withLock { $0.elements.forget(element) })
  }
}

// MARK: - Changes of elements

extension ArraySink {
  /// Delivers a change of the property of an element, with all places where the element is.
  ///
  /// While a batch is under way, that waits until the array is delivered.
  ///
  /// - Parameter info: That of the property, if the change reached that.
  func elementDidChange(
    _ element: AnyObject, at property: ElementProperty, _ delivery: ObservationDelivery,
    by info: ObservationInfo? = nil, recipient: inout ObservationRecipient
  ) {
    if token.isOfView, ObservationTransaction.current != nil { return gather(element) }
    // A plain array can't be read while it is being changed.
    if witness.source == .values, state.withLock({ $0.path?.path })?.isChanging ?? false {
      let change = WaitingChange(property.change(of: delivery), of: element, in: self)
      return state.withLock { $0.waiting.append(change) }
    }
    let hasBegun: Bool
    do {
      // Released before the changes that have waited: this may be the last reference to the object,
      // or to the array.
      guard
        let (change, object, begins) = change(
          of: element, by: info, beginsDelivery: true, { property.change(of: delivery) })
      else { return }
      hasBegun = begins
      if let change {
        if hasBegun {
          notify(change, of: object, recipient: &recipient)
        } else {
          let id = Subject.nextChangeID()
          queue(change, id: id)
          deliver(through: id, recipient: &recipient)
        }
      }
    }
    guard hasBegun, !state.withLock({ $0.queue.endIfEmpty() }) else { return }
    deliver(through: nil, recipient: &recipient)
  }

  /// Queues a change of a property of elements, except of those that have left.
  ///
  /// - Parameter elements: Several for a live view alone. Few changes are queued one after the
  ///   other, since each moves little; many as one, since a view then takes as long as it takes to
  ///   make it anew, and not that for each.
  func queue(_ change: ElementChange, of elements: [AnyObject], id: UInt64) {
    if elements.count > 16, let array = viewedArray, !array.isInBatch {
      let objects = Set(elements.map { ObjectIdentifier($0) })
      return queue(witness.elementsChange(array, objects), id: id)
    }
    for element in elements { queue(self.change(of: element, { change })?.change, id: id) }
  }

  func gather(_ element: AnyObject) { viewedArray?.hold(element, for: self) }

  private var viewedArray: (any AnyObservableArray)? {
    state.withLock { $0.root.object } as? any AnyObservableArray
  }

  private func queue(_ change: AnyObject?, id: UInt64) {
    state.withLock { state in
      if let change, state.isActive { enqueue(change, id: id, &state) }
    }
  }

  /// Makes a change of the array from a change of the property of an element.
  ///
  /// - Parameters:
  ///   - info: The shared info that the change has reached.
  ///   - beginsDelivery: Whether to begin to deliver, if nothing comes before.
  /// - Returns: `nil` if the element is not followed, or is in another way by now. `hasBegun`:
  ///   whether the delivery has begun; then it has to be ended, also without a change.
  private func change(
    of element: AnyObject, by info: ObservationInfo? = nil, beginsDelivery: Bool = false,
    _ change: () -> ElementChange
  ) -> (change: AnyObject?, object: AnyObject, hasBegun: Bool)? {
    var (place, array): (ArrayWitness.Hint?, AnyObject?)
    var hasBegun = false
    let object = state.withLock { state -> AnyObject? in
      place = witness.source == .values ? nil : state.elements.guess
      if place == nil { place = state.elements.hint(for: element) }
      guard place != nil, info.map({ !state.elements.hasPath(element, $0) }) ?? true,
        let object = state.root.object
      else { return nil }
      if witness.source == .array { array = state.array }
      hasBegun = beginsDelivery && !state.isOutOfStep && state.queue.beginAlone()
      return object
    }
    guard let object, let place else { return nil }
    guard witness.source != .array || array != nil else { return (nil, object, hasBegun) }
    func make(_ hint: inout ArrayWitness.Hint) -> AnyObject? {
      // Two calls: either object would be retained where one is chosen from both.
      if let array { return witness.elementChange(element, array, &hint, change) }
      return witness.elementChange(element, object, &hint, change)
    }
    var (known, hint) = (place, place)
    var result = make(&hint)
    if hint.isGuess {
      guard let found = state.withLock({ $0.elements.hint(for: element) }) else {
        return (nil, object, hasBegun)
      }
      (known, hint) = (found, found)
      result = make(&hint)
    }
    if hint.index != known.index {
      state.withLock { $0.elements.note(element, at: hint.index, near: known) }
    }
    return (result, object, hasBegun)
  }
}
