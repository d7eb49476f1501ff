/// The edit of one key, of a collection or a place of it.
extension Subject {
  /// Whether something has to be done before an edit is stored: a prior delivery of a path, or a
  /// notification by Observation.
  @inlinable var actsBeforeEdit: Bool { has(Phase.actsOnSet) && actsBeforeStore }

  @usableFromInline var actsBeforeStore: Bool {
    guard let graph = vertex?.pointee.graph.load(ordering: .acquiring) else { return false }
    return graph.hasAwaitedNodes || graph.hasPriorPaths
  }

  /// Delivers an edit of one key that has been stored.
  ///
  /// - Parameters:
  ///   - edit: A change of the type of the collection; `nil` if nothing observes that.
  ///   - place: The subject of the key, if something has read it.
  @usableFromInline
  func didEdit(_ collection: AnyObject, _ edit: ValueBox?, at place: Subject?) {
    didEdit(
      collection, edit, isUnrecorded: edit == nil, after: nil,
      collected: place?.markAndCollect() ?? Dependents())
  }

  /// Delivers an edit that has been stored to the only observation of a dictionary or a set,
  /// without queueing it: while nothing waits, no key path or derived value has read the
  /// collection, and this thread neither tracks nor is in a transaction.
  ///
  /// - Parameter change: Address of a change of the type of the collection.
  /// - Returns: `false`, and nothing happens, if that is not the case.
  @usableFromInline
  func deliverAtOnce(_ change: UnsafeRawPointer, of collection: AnyObject) -> Bool {
    guard ThreadActivity.isNone || isThreadIdle,
      beginDeliveryAtOnce(unless: Phase.busy | Phase.isRead)
    else { return false }
    defer { endDelivery(of: collection) }
    // The list holds it, and is not edited until the delivery has ended.
    return infos.single?._withUnsafeGuaranteedRef { $0.arraySink?.deliverAtOnce(change) ?? false }
      ?? false
  }
}

extension ArraySink {
  /// Delivers an edit without queueing it.
  ///
  /// - Returns: `false`, and nothing happens, if something waits, elements are followed, or the
  ///   change has to be compared.
  fileprivate func deliverAtOnce(_ change: UnsafeRawPointer) -> Bool {
    guard !followsElements, !token.traits.contains(.distinct) else { return false }
    let object = state.withLock { state -> AnyObject? in
      guard token.isActive, !state.isOutOfStep, !state.isHooking,
        let object = state.root.object, state.queue.beginAlone()
      else { return nil }
      return object
    }
    guard let object else { return false }
    var recipient = ObservationRecipient()
    notify(change, of: object, recipient: &recipient)
    guard !state.withLock({ $0.queue.endIfEmpty() }) else { return true }
    deliver(through: nil, recipient: &recipient)
    return true
  }
}
