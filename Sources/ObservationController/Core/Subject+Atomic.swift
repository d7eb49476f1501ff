/// A property that several threads may change, whatever its type.
protocol AtomicProperty: AnyObject {
  /// Runs `body` while nobody can change the property.
  ///
  /// - Parameter body: Calls no code of a user's. May take the lock of a store.
  /// - Returns: The value at that moment.
  func boxed(_ body: () -> Void) -> ValueBox
}

/// What a property needs that several threads may change. Called under its lock, but for `deliver`.
extension Subject {
  /// Whether all who act before a store have done so for a change.
  func isAnnounced(_ transition: Transition?) -> Bool {
    guard needsWillChange else { return true }
    guard let transition else { return false }
    let transaction = transition.isHeld ? ObservationTransaction.current : nil
    return latestInfos.all.allSatisfy { info in
      !info.actsBeforeStore || transition.paths.contains(info)
        || transaction?.paths.contains(info) ?? false
    }
  }

  /// Leaves out the prior delivery of the first change that waits, or that a transaction holds back: the
  /// thread that has the turn to deliver has made it, and has been overtaken since.
  func omitNextPrior() {
    _ = ifDeferred { waiting in
      if !waiting.queue.omitFirstPrior() { waiting.held?.needsPrior = false }
    }
  }

  /// Delivers a change, and ends the delivery. The caller has begun it.
  func deliver<Value>(from old: Value?, to new: Value, of object: AnyObject, id: UInt64) {
    withUnsafePointer(to: new) { new in
      guard let old else { return deliver(oldAt: nil, newAt: new, of: object, id: id) }
      withUnsafePointer(to: old) { deliver(oldAt: $0, newAt: new, of: object, id: id) }
    }
  }

  /// The same with the values where they are.
  func deliver(
    oldAt old: UnsafeRawPointer?, newAt new: UnsafeRawPointer, of object: AnyObject, id: UInt64
  ) {
    ObservationDispatcher.deliver(
      ObservationDelivery(old: old, new: new, kind: .change), of: object, toEach: infos,
      through: id)
    endDelivery(of: object)
  }
}
