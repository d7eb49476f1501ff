/// Changes of properties of elements.
extension ArraySink {
  /// Delivers a change of the property of an element, with all places where the element is.
  ///
  /// While a batch is under way, that waits until the array is delivered.
  func elementDidChange(
    _ element: AnyObject, at property: ElementProperty, _ delivery: ObservationDelivery,
    recipient: inout ObservationRecipient
  ) {
    if token.isOfView, gather(element) { return }
    // A plain array can't be read while it is being changed.
    if witness.source == .values, state.withLock({ $0.path?.path })?.isChanging ?? false {
      let change = WaitingChange(delivery, of: element, at: property)
      return state.withLock { $0.waiting.append(change) }
    }
    var place = Place()
    state.withLock { find(element, &place, beginsDelivery: true, &$0) }
    if let change = change(of: element, at: property, delivery, place) {
      if let target = place.target {
        tell(change, to: target, recipient: &recipient)
      } else {
        let id = Subject.nextChangeID()
        queue(change, id: id)
        deliverQueue(through: id, recipient: &recipient)
      }
    }
    let hasBegun = place.target != nil
    // Released before what has waited: nobody else may hold the object any more, or the array.
    place = Place()
    if hasBegun { deliverReached(recipient: &recipient) }
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
  fileprivate func queue(
    _ delivery: ObservationDelivery, of element: AnyObject, at property: ElementProperty,
    id: UInt64
  ) {
    var place = Place()
    state.withLock { find(element, &place, beginsDelivery: false, &$0) }
    queue(change(of: element, at: property, delivery, place), id: id)
  }

  /// Has a view follow a change of an element with others of the same transaction.
  ///
  /// - Returns: `false` without one, and where the change waits for the end of a batch.
  func gather(_ element: AnyObject) -> Bool {
    guard let transaction = ObservationTransaction.current,
      let array = state.withLock({ $0.root.object }), !witness.isInBatch(array)
    else { return false }
    let isFirst = state.withLock { state in
      state.gathered.append(element)
      return state.gathered.count == 1
    }
    if isFirst { transaction.gathering.append(self) }
    return true
  }

  /// Delivers what has been gathered, when all edits of the transaction so far have been recorded.
  ///
  /// Few changes one after the other, since each moves little; many as one, since a view then takes as long
  /// as it takes to make it anew, and not that for each.
  ///
  /// - Returns: `false` where that has to wait, since a getter has edited the array again.
  func deliverGathered(id: UInt64) -> Bool {
    guard let array = state.withLock({ $0.root.object }) else { return true }
    guard !witness.isInBatch(array) else { return false }
    let elements = state.withLock { state in
      defer { state.gathered = [] }
      return state.gathered
    }
    var recipient = ObservationRecipient()
    for portion in elements.count > 16 ? [elements] : elements.map({ [$0] }) {
      var (places, scattered): ([Int], Set<ObjectIdentifier>) = ([], [])
      state.withLock { state in
        for element in portion {
          switch state.positions.place(of: element) {
          case .nowhere: break
          case .at(let place): places.append(place)
          case .somewhere: scattered.insert(ObjectIdentifier(element))
          }
        }
      }
      guard !places.isEmpty || !scattered.isEmpty else { continue }
      queue(witness.elementsChange(array, places, scattered), id: id)
      deliverQueue(through: id, recipient: &recipient)
    }
    return true
  }

  private func queue(_ change: AnyObject?, id: UInt64) {
    state.withLock { state in
      if let change, state.isActive { enqueue(change, id: id, &state) }
    }
  }

  private func change(
    of element: AnyObject, at property: ElementProperty, _ delivery: ObservationDelivery,
    _ place: Place
  ) -> AnyObject? {
    var position = place.position
    let change =
      if let container = place.container {
        witness.elementChange(element, container, &position, property, delivery)
      } else {
        place.target?.object._withUnsafeGuaranteedRef {
          witness.elementChange(element, $0, &position, property, delivery)
        }
      }
    if position != place.position {
      state.withLock { $0.positions.setPlace(of: element, to: position) }
    }
    return change
  }

  /// Where an element is; neither container nor target if it is not there.
  private struct Place {
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
    if witness.source == .array {
      guard let array = state.array else { return }
      place.container = array
    }
    if beginsDelivery, !state.isOutOfStep, let target = state.target, state.queue.beginAlone() {
      place.target = target
    } else if witness.source != .array {
      place.container = state.root.object
    }
  }
}

/// A change of an element that was made inside of a batch, or while a plain array was being changed,
/// and waits until the array is told.
@usableFromInline
final class WaitingChange {
  private let sink: ArraySink
  private let element: AnyObject
  private let property: ElementProperty
  private let old: ValueBox?
  private let new: ValueBox

  /// What traces have recorded that it is because of; 0 if they have not.
  private let cause: UInt64

  /// The number that the change has in the queue of the sink, once it has been noted.
  private var id: UInt64?

  init(
    _ delivery: ObservationDelivery, of element: AnyObject, at property: ElementProperty
  ) {
    sink = property.sink
    self.element = element
    self.property = property
    old = delivery.old.map(property.box)
    new = property.box(delivery.new)
    cause = DeliveryProbe.cause(for: property.sink.token)
  }

  /// Queues the change behind that of the array, with the places that the element has then.
  ///
  /// - Parameter id: The number of the change that it is delivered with; a new one if it is not.
  func note(id: UInt64 = Subject.nextChangeID()) {
    self.id = id
    withExtendedLifetime((old, new)) {
      DeliveryProbe.resume(cause) {
        sink.queue(
          ObservationDelivery(old: old?.address, new: new.address, kind: .change), of: element,
          at: property, id: id)
      }
    }
  }

  /// Whether it is told to a live view.
  var isOfView: Bool { sink.token.isOfView }

  func deliver() {
    guard let id else { return }
    var recipient = ObservationRecipient()
    sink.deliverQueue(through: id, recipient: &recipient)
  }
}
