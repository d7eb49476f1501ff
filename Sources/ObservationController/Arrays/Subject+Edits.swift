/// Changes of an `ObservableArray`, which has a subject as a property has one.
extension Subject {
  /// Delivers an edit that has been stored; nothing happens if there was none, and nothing waits.
  ///
  /// - Parameters:
  ///   - edit: An `ArrayChange`; `nil` if the array was not edited, and nothing else is notified
  ///     of it than paths that have noted a change.
  ///   - waiting: Changes of elements to deliver after it.
  @usableFromInline
  func didEdit(
    _ array: AnyObject, _ edit: ValueBox?, after change: SubjectChange?,
    with waiting: [WaitingChange] = []
  ) {
    didEdit(array, edit, after: change, with: waiting, collected: Dependents())
  }

  /// - Parameters:
  ///   - isUnrecorded: Whether there was an edit, and nothing observes it.
  ///   - collected: What depends on parts of a collection alone, which have been marked.
  func didEdit(
    _ array: AnyObject, _ edit: ValueBox?, isUnrecorded: Bool = false,
    after change: SubjectChange?, with waiting: [WaitingChange] = [], collected: Dependents
  ) {
    let isChanged = edit != nil || change != nil || isUnrecorded
    guard isChanged || !waiting.isEmpty else { return }
    // Before sinks record it, so that they know its cause.
    let cause =
      isChanged
      ? DeliveryProbe.set(self, of: array, isNotified: change != nil) : DeliveryProbe.current
    DeliveryProbe.within(cause) {
      // Before getters of new elements run. Each edit of a batch has marked what depends on it.
      let isMarked = edit == nil && !isUnrecorded || change is HeldChange
      var dependents = isRead && !isMarked ? markAndCollect() : Dependents()
      if !collected.isEmpty { dependents.add(collected) }
      defer { if isRead || !collected.isEmpty { ThreadCell.releasePending() } }
      if !isObserved, waiting.isEmpty,
        change == nil && dependents.paths.isEmpty || ObservationTransaction.current != nil
      {
        return finish(dependents, afterChangeOf: array)
      }
      let id = change?.id ?? Self.nextChangeID()
      let infos = latestInfos
      if let edit { note(edit, to: infos, id: id) }
      for change in waiting { change.note() }
      if edit != nil { infos.visit { $0.arraySink?.hookJoined() } }
      let all = dependents
      // Sinks have recorded the value, and paths read it.
      withUnsafePointer(to: ()) { new in
        if change == nil, all.isEmpty, ThreadActivity.isNone || isThreadIdle,
          beginDeliveryAtOnce()
        {
          ObservationDispatcher.deliver(
            ObservationDelivery(old: nil, new: new, kind: .change), of: array, toEach: infos,
            through: id)
          return endDelivery(of: array)
        }
        deliver(
          of: array, old: nil, new: new,
          after: change ?? SubjectChange(id: id, hasTurn: beginDelivery()), with: all,
          ValueBox.Copier(Void.self), cause: cause)
      }
      for change in waiting { change.deliver() }
    }
  }

  /// Has the sinks of an array record an edit.
  ///
  /// All of them, and changes of elements that have waited for it, before `hookJoined` runs the
  /// first getter of the user's: that may edit the array or change an element again, and each sink
  /// records the changes in their order.
  func note(_ change: ValueBox, to infos: InfoList, id: UInt64) {
    infos.visit { $0.arraySink?.note(change, id: id, isEdit: true) }
  }
}

/// A change of an element that was made inside of a batch, or while a plain array was being
/// changed, and waits until the change of the array is delivered.
@usableFromInline
class WaitingChange: PendingChange {
  /// `nil` for several elements.
  final let property: ElementProperty?
  private final let change: ElementChange

  /// Several for a live view alone, and none for a parameter of one.
  final var elements: [AnyObject]

  final let sink: ArraySink

  init(
    _ change: ElementChange, of elements: [AnyObject], at property: ElementProperty?,
    in sink: ArraySink
  ) {
    (self.change, self.property, self.elements, self.sink) = (change, property, elements, sink)
    super.init(cause: DeliveryProbe.cause(for: sink.token))
  }

  convenience init(
    _ change: ElementChange, of element: AnyObject, at property: ElementProperty?,
    in sink: ArraySink
  ) {
    self.init(change, of: [element], at: property, in: sink)
  }

  /// Queues the change behind that of the array, with the places that the elements have then;
  /// except of those that have left.
  ///
  /// Few are queued one after the other, since each moves little; many as one change, since a view
  /// then takes as long as it takes to make it anew, and not that for each.
  ///
  /// - Parameters:
  ///   - id: The number of the change that it is delivered with; a new one if it is not.
  ///   - edits: See `ArraySink.note`.
  func note(id: UInt64 = Subject.nextChangeID(), after edits: Int? = nil) {
    self.id = id
    func queue(_ change: UnsafeRawPointer) {
      sink.note(sink.witness.copier.box(change), id: id, isOfElements: true, after: edits)
    }
    DeliveryProbe.resume(cause) {
      if elements.count > 16, let array = sink.viewedArray {
        let objects = Set(elements.map { ObjectIdentifier($0) })
        let anywhere = ArrayWitness.Hint(index: -1, start: 0)
        _ = sink.witness.elementChange(
          elements[0], objects, array, anywhere, property, change
        ) { new, _ in queue(new) }
        return
      }
      for element in elements {
        _ = sink.withChange(change, of: element, at: property) { new, _, _ in queue(new) }
      }
    }
  }

  final func deliver() { sink.deliver(through: id) }
}
