/// What is noted, and how it is delivered.
extension ArrayFollower {
  /// Notes an edit of the array that is stored.
  func noteEdit(_ change: AnyObject, id: UInt64) {
    state.withLock { $0.lastEditID = id }
    note(change, id: id)
  }

  /// Notes a change of the array's elements that is stored.
  func note(_ change: AnyObject, id: UInt64) {
    // Both outside of the lock: the one may free the object, the other calls the user's `==`.
    guard !isRootGone else { return }
    let isWanted = !token.traits.contains(.distinct) || !isEqual(change)
    if !isWanted, Tracer.isOn { Tracer.skip(token, .equal) }
    let left = state.withLock { state -> [ObservationInfo] in
      guard state.isActive else { return [] }
      state.lastNotedID = id
      if isWanted || state.isOutOfStep { enqueue(change, id: id, &state) }
      return state.properties.isEmpty ? [] : follow(change, &state)
    }
    registry.endParts(left)
  }

  /// Queues a change.
  ///
  /// - Parameter isInOrder: Whether it belongs before those that have been noted since it was stored.
  func enqueue(_ details: AnyObject, id: UInt64, isInOrder: Bool = false, _ state: inout State) {
    let change = PendingChange(id: id, cause: Tracer.cause(for: token))
    change.origin = details
    change.details = details
    if !isInOrder, state.isOutOfStep {
      state.isOutOfStep = false
      change.details = setting(after: details)
    }
    state.queue.append(change, isInOrder: isInOrder)
  }

  /// Delivers a change of a subject that `part` hangs on.
  func deliver(
    _ part: ObservationInfo, _ delivery: ObservationDelivery, of object: AnyObject,
    through id: UInt64, to recipient: inout ObservationRecipient
  ) {
    let delivery = delivery.limited(to: part.traits)
    // Not retained: the part holds it, and a list the part.
    if let property = part.unretainedHandler {
      property._withUnsafeGuaranteedRef { property in
        // Safe: the infos of properties have these as their handlers, the one of the array has none.
        elementDidChange(
          object, at: unsafeDowncast(property, to: ElementProperty.self), delivery,
          recipient: &recipient)
      }
    } else {
      let change = delivery.new.assumingMemoryBound(to: AnyObject.self).pointee
      deliverQueue(recipient: &recipient) { $0.origin === change }
    }
  }

  /// Delivers what is queued up to the change numbered `id`, oldest first.
  func deliverQueue(through id: UInt64, recipient: inout ObservationRecipient) {
    deliverQueue(recipient: &recipient) { $0.id <= id }
  }

  /// Delivers what is queued up to the last change that has been reached, oldest first.
  ///
  /// If it is being delivered already, by a frame below or by another thread, that one takes these
  /// too, after the current one: two changes never overlap and never overtake each other.
  private func deliverQueue(
    recipient: inout ObservationRecipient,
    isReached: (PendingChange) -> Bool
  ) {
    let begins = state.withLock { state in
      state.queue.lastID(where: isReached).map { state.queue.begin(through: $0) } ?? false
    }
    if begins { deliverReached(recipient: &recipient) }
  }

  /// Delivers what has been reached, and ends the delivery. The caller has begun it.
  func deliverReached(recipient: inout ObservationRecipient) {
    while true {
      // Again: the change before may have held the observer, which a handler had dropped; and before the
      // next one is looked at, which holds the object, perhaps the same.
      recipient.releaseIfLast()
      guard let next = nextDelivery() else { break }
      Tracer.resume(next.cause) { tell(next.change, to: next.target, recipient: &recipient) }
    }
  }

  private func tell(
    _ change: AnyObject, to target: Target, recipient: inout ObservationRecipient
  ) {
    withExtendedLifetime(target) {
      withUnsafePointer(to: change) { change in
        target.object._withUnsafeGuaranteedRef { object in
          recipient.receive(
            ObservationDelivery(old: nil, new: change, kind: .change), of: object, info: token,
            handler: target.handler)
        }
      }
    }
  }

  /// The next change to deliver. If there is none, or this is a cycle, ends the delivery.
  private func nextDelivery() -> (change: AnyObject, target: Target, cause: UInt64)? {
    var dropped: [PendingChange] = []
    var lent: Lent?
    let delivery = state.withLock { state -> (AnyObject, Target, UInt64)? in
      if let target = state.target, let change = state.queue.next(dropped: &dropped) {
        if dropped.isEmpty, let details = change.details { return (details, target, change.cause) }
        // What follows a change that is dropped tells nothing to who lacks that.
        dropped.append(change)
      }
      if !dropped.isEmpty { state.isOutOfStep = true }
      state.queue.end()
      swap(&lent, &state.lent)
      return nil
    }
    withExtendedLifetime(lent) {}
    if let first = dropped.first {
      discard(through: .max)
      if first.noteReport() { ObservationDispatcher.reportCycle(of: token) }
    }
    return delivery
  }

  func discard(through id: UInt64) {
    let dropped = state.withLock { state in
      if !state.queue.isEmpty { state.isOutOfStep = true }
      return state.queue.removeAll()
    }
    withExtendedLifetime(dropped) {}
  }
}

extension ArrayFollower {
  /// Whom to tell.
  ///
  /// Neither is retained by this: the state holds both while a thread delivers, see `Lent`. Counting
  /// references is most of what a delivery costs.
  struct Target {
    let object: Unmanaged<AnyObject>
    let handler: Unmanaged<AnyObject>

    /// The object, where the observation holds it weakly.
    let held: AnyObject?
  }

  /// What an observation held that ended while a thread delivers: that thread may still be using it,
  /// and frees it.
  struct Lent {
    let root: ObservationInfo.Root
    let handler: AnyObject?
  }
}

extension ArrayFollower.State {
  /// For the thread that delivers; `nil` if the observation has ended, or its object.
  var target: ArrayFollower.Target? {
    guard let handler else { return nil }
    switch root {
    case .retained(let object):
      return ArrayFollower.Target(
        object: .passUnretained(object), handler: .passUnretained(handler), held: nil)
    case .unretained(let reference):
      return reference.object.map {
        ArrayFollower.Target(
          object: .passUnretained($0), handler: .passUnretained(handler), held: $0)
      }
    case .released:
      return nil
    }
  }
}

// MARK: - Changes of elements

extension ArrayFollower {
  /// Delivers a change of the property of an element, with all places where the element is.
  ///
  /// While a batch is under way, that waits until the array is told.
  func elementDidChange(
    _ element: AnyObject, at property: ElementProperty, _ delivery: ObservationDelivery,
    recipient: inout ObservationRecipient
  ) {
    // A plain array can't be read while it is being changed.
    if source == .values, isPathChanging {
      let change = WaitingChange(delivery, of: element, at: property, for: self)
      return state.withLock { $0.waiting.append(change) }
    }
    var place = Place()
    state.withLock { find(element, &place, beginsDelivery: true, &$0) }
    guard place.isThere else { return }
    switch change(of: element, at: property, delivery, place) {
    case .change(let change):
      if let target = place.target {
        tell(change, to: target, recipient: &recipient)
      } else {
        let id = Subject.nextChangeID()
        queue(change, id: id)
        deliverQueue(through: id, recipient: &recipient)
      }
    case .gone:
      break
    case .early(let array):
      wait(for: array, WaitingChange(delivery, of: element, at: property, for: self))
    }
    let hasBegun = place.target != nil
    // Let go of before what has waited: nobody else may hold the object any more, or the array.
    place = Place()
    if hasBegun { deliverReached(recipient: &recipient) }
  }

  private var isPathChanging: Bool {
    state.withLock { $0.path?.path }?.isChanging ?? false
  }

  /// Queues the changes of elements that were made while the plain array was changed by the change
  /// numbered `id`, and are delivered with it.
  func noteWaiting(id: UInt64) {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for change in waiting { change.note(id: id) }
  }

  /// Queues a change of the property of an element, unless that is not there any more.
  func queue(
    _ delivery: ObservationDelivery, of element: AnyObject, at property: ElementProperty,
    id: UInt64
  ) {
    var place = Place()
    state.withLock { find(element, &place, beginsDelivery: false, &$0) }
    guard place.isThere,
      case .change(let change) = change(of: element, at: property, delivery, place)
    else { return }
    queue(change, id: id)
  }

  private func queue(_ change: AnyObject, id: UInt64) {
    state.withLock { state in
      if state.isActive { enqueue(change, id: id, &state) }
    }
  }

  private enum Outcome {
    /// The details of an `ArrayChange`.
    case change(AnyObject)
    case gone
    case early(AnyObject)
  }

  private func change(
    of element: AnyObject, at property: ElementProperty, _ delivery: ObservationDelivery,
    _ place: Place
  ) -> Outcome {
    let outcome =
      if let container = place.container {
        calls.elementChange(element, container, place.position, property, delivery)
      } else if let target = place.target {
        target.object._withUnsafeGuaranteedRef {
          calls.elementChange(element, $0, place.position, property, delivery)
        }
      } else {
        ElementEvent.Outcome.gone
      }
    switch outcome {
    case .change(let change, let position):
      if position != place.position {
        state.withLock { $0.positions.setPlace(of: element, to: position) }
      }
      return .change(change)
    case .gone:
      return .gone
    case .early:
      let array = place.container ?? place.target?.object.takeUnretainedValue()
      return array.map { .early($0) } ?? .gone
    }
  }

  private struct Place {
    var isThere = false

    /// -1 if it has to be found.
    var position = -1

    /// The array, or for a plain one the observed object; `nil` if that is the target.
    var container: AnyObject?

    /// Set if there is nothing to deliver before; then the delivery has begun, and has to be ended.
    var target: Target?
  }

  /// Finds out where an element is.
  ///
  /// - Parameter beginsDelivery: Whether to begin to deliver, if nothing comes before.
  private func find(
    _ element: AnyObject, _ place: inout Place, beginsDelivery: Bool, _ state: inout State
  ) {
    switch state.positions.place(of: element) {
    case .nowhere: return
    case .somewhere: break
    case .at(let index): place.position = index
    }
    guard state.isActive else { return }
    if source == .array {
      guard let array = state.array else { return }
      place.container = array
    }
    if beginsDelivery, !state.isOutOfStep, let target = state.target, state.queue.beginAlone() {
      place.target = target
    } else if source != .array {
      guard let object = state.root.object else { return }
      place.container = object
    }
    place.isThere = true
  }
}
