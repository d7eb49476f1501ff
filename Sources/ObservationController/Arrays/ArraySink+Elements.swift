/// Following elements, and changes of their properties.
extension ArraySink {
  /// Hooks the elements that have joined to the properties that their key paths read. Runs the
  /// user's getters, with no lock held.
  func hookJoined() {
    guard followsElements else { return }
    let (properties, joined) = state.withLock { state in
      let joined = state.elements.takeJoined(besides: state.mutated)
      if !joined.isEmpty { state.hookers += 1 }
      return (state.elements.properties, joined)
    }
    guard !joined.isEmpty else { return }
    for (index, followed) in properties.enumerated() {
      for case let element? in joined { hook(element, at: index, to: followed.property) }
      if !witness.areOptional, joined.contains(where: { $0 == nil }) {
        reportOnce(ObservationIssue.nothingObservable, at: followed.property.registration)
      }
    }
    // Not if the observation has ended.
    state.withLock { $0.hookers = max($0.hookers - 1, 0) }
    deliverHooked()
  }

  /// Delivers what has been reached while elements were hooked, or an element was mutated in place.
  func deliverHooked() {
    let begins = state.withLock { !$0.isHooking && $0.queue.begin(through: 0) }
    if begins { deliver(through: nil) }
  }

  private func hook(_ element: AnyObject, at index: Int, to property: ElementProperty) {
    @discardableResult func set(_ hook: FollowedElements.Hook) -> Bool {
      state.withLock { $0.elements.set(hook, at: index, of: element) }
    }
    var value: ValueBox?
    let areNamed = !property.registration.getters.isEmpty
    var accesses = AccessTracker.track(naming: !areNamed) { value = property.read(element) }
    if !areNamed, !accesses.all.isEmpty { property.registration.noteGetters(of: accesses) }
    if let subject = accesses.property(of: element, at: property.registration.keyPath)?.subject,
      !subject.isAtomic
    {
      // Its own while changes are being delivered, which may have been made before it is added.
      let info =
        subject.has(Subject.Phase.delivering)
        ? part(property.registration, sink: self, kind: .part, handler: property) : nil
      set(FollowedElements.Hook(link: SubjectReference(subject), info: info))
      return
    }
    if accesses.all.isEmpty {
      reportOnce(ObservationIssue.nothingObservable, at: property.registration)
    }
    let path = ElementProperty.Path(of: element, at: property)
    let info = part(
      property.registration, root: .unretained(WeakReference(element)), sink: path,
      kind: [.path, .part], handler: property)
    guard set(FollowedElements.Hook(info: info)) else { return }
    let isShared = accesses.areShared
    _ = path.attach(info, to: &accesses, at: value, rereadingFrom: isShared ? element : nil)
    if isShared { path.open(info) }
  }
}

// MARK: - Changes of elements

extension ArraySink {
  /// Delivers a change of the property of an element, with all places where the element is.
  ///
  /// While a batch is under way, that waits until the array is delivered.
  ///
  /// - Parameter receiver: The info of the property, if the change reached that; otherwise anything
  ///   else.
  func elementDidChange(
    _ element: AnyObject, at property: ElementProperty, _ delivery: ObservationDelivery,
    by receiver: AnyObject
  ) {
    if token.isOfView, ObservationTransaction.current != nil { return gather(element) }
    // There always is an old value: the options of the property include `.old`.
    let change = ElementChange(
      from: property.value(delivery.old ?? delivery.new), to: property.value(delivery.new))
    if isJoining.load(ordering: .relaxed), join(change, of: element, at: property, by: receiver) {
      return
    }
    if witness.source == .values {
      let waits = state.withLock { state in
        guard state.mayBeAhead || !state.waiting.isEmpty else { return false }
        if token.isActive, !state.elements.hasOwnInfo(element, receiver) {
          state.waiting.append(WaitingChange(change, of: element, at: property, in: self))
        }
        return true
      }
      if waits { return deliverWaiting() }
    }

    var recipient = ObservationRecipient()
    let hasBegun = withChange(change, of: element, at: property, by: receiver) {
      change, object, hasBegun in
      guard !hasBegun else { return notify(change, of: object, recipient: &recipient) }
      let id = Subject.nextChangeID()
      note(witness.copier.box(change), id: id, isOfElements: true)
      deliver(through: id, recipient: &recipient)
    }
    guard hasBegun, !state.withLock({ $0.queue.endIfEmpty() }) else { return }
    deliver(through: nil, recipient: &recipient)
  }

  /// Records the changes of elements that wait, and delivers them.
  func deliverWaiting() {
    let id = Subject.nextChangeID()
    if recordWaiting(id: id) { deliver(through: id) }
  }

  /// Records the changes of elements of a plain array in their order, each with the array as it was
  /// recorded last. While that is being changed they wait: for whoever ends the change.
  ///
  /// - Returns: Whether there were any. If not, another thread or frame may be recording them.
  func recordWaiting(id: UInt64) -> Bool {
    var attempt: (change: WaitingChange, edits: Int)?
    var attempts = 0
    while let next = state.withLock({ $0.nextWaiting(after: attempt) }) {
      attempts = next.change === attempt?.change ? attempts + 1 : 0
      attempt = next
      // A getter that changes the array each time that it is read would never be done.
      let isLast = attempts == ThreadContext.maximumRounds
      // Not if the observation has ended meanwhile.
      if isLast { _ = state.withLock { $0.waiting.removeFirst(through: .max) } }
      next.change.note(id: id, after: isLast ? nil : next.edits)
    }
    return attempt != nil
  }

  func gather(_ element: AnyObject) { viewedArray?.hold(element, for: self) }

  func noteHeld() { held?.begins(nil) }

  var viewedArray: (any AnyObservableArray)? {
    state.withLock { $0.root.object } as? any AnyObservableArray
  }

  /// Makes a change of the array from a change of the property of an element, and calls `body` with
  /// its address, with the observed object, and with whether the delivery has begun.
  ///
  /// `body` is not called if the element is not followed, or is in another way by now, has left, or
  /// is in a batch.
  ///
  /// - Parameters:
  ///   - receiver: What the change has reached, to begin to deliver if nothing comes before; `nil`
  ///     if it has been checked, and the change is queued.
  /// - Returns: Whether the delivery has begun, which has to be ended. What waits comes after that:
  ///   this may hold the last reference to the object, or to the array.
  func withChange(
    _ change: ElementChange, of element: AnyObject, at property: ElementProperty?,
    by receiver: AnyObject? = nil,
    _ body: (UnsafeRawPointer, _ object: AnyObject, _ hasBegun: Bool) -> Void
  ) -> Bool {
    var (hint, array): (ArrayWitness.Hint?, AnyObject?)
    var begins = false
    let object = state.withLock { state -> AnyObject? in
      hint = witness.source == .values ? nil : state.elements.guess
      if hint == nil { hint = state.elements.hint(for: element) }
      guard hint != nil, !state.elements.hasOwnInfo(element, receiver),
        let object = state.root.object
      else { return nil }
      if witness.source == .array { array = state.array }
      begins = receiver != nil && !state.isOutOfStep && !state.isHooking && state.queue.beginAlone()
      return object
    }
    guard let object, let hint, witness.source != .array || array != nil else { return begins }
    // A constant, since closures refer to variables in memory of their own.
    let hasBegun = begins
    // Chosen from what is not retained: choosing would retain.
    let container = array.map { .passUnretained($0) } ?? Unmanaged.passUnretained(object)
    defer { withExtendedLifetime(array) {} }
    func make(near hint: ArrayWitness.Hint) -> Bool {
      container._withUnsafeGuaranteedRef {
        witness.elementChange(element, nil, $0, hint, property, change) { new, index in
          if index != hint.index {
            state.withLock { $0.elements.note(element, at: index, near: hint) }
          }
          body(new, object, hasBegun)
        }
      }
    }
    if !make(near: hint), let hint = state.withLock({ $0.elements.hint(for: element) }) {
      _ = make(near: hint)
    }
    return hasBegun
  }
}

extension ArraySink.State {
  /// The next change of an element to record; the caller has to do so.
  ///
  /// - Parameter attempt: The last one, and the number of edits before: it is dropped if it was not
  ///   recorded though the array is the same, since the element has left; `nil` if the caller has
  ///   not begun to record.
  /// - Returns: `nil` if there is none, the array is being changed, or another one records.
  fileprivate mutating func nextWaiting(
    after attempt: (change: WaitingChange, edits: Int)?
  ) -> (change: WaitingChange, edits: Int)? {
    if attempt == nil, isRecording { return nil }
    if !isAhead, let attempt, waiting.first === attempt.change, attempt.edits == edits {
      _ = waiting.removeFirst(through: .max)
    }
    isRecording = !waiting.isEmpty && !isAhead
    return isRecording ? waiting.first.map { ($0, edits) } : nil
  }
}
