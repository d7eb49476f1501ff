/// The fast path of a change, from the setter to the dispatcher:
///
///     Observed (setter)  ──▶ SubjectReference.didChange  ──▶ Subject.didChange
///     store                  lends the values by address     takes the turn, delivers, ends it
///       ──▶ ObservationDispatcher.deliver  ──▶ ObservationHandler.invocation  ──▶ user's handler
///           finds the observer                 lends the change, with its types
///
/// It serves a subject that is idle, while no thread is tracking, tracing or in a transaction.
/// Everything else takes the slow path, `Subject.finishChange`.
extension SubjectReference {
  /// Lends the addresses of the values to a change before which no info had to act.
  ///
  /// Out of line, so that the setter of an unobserved property needs no stack frame.
  @inlinable @inline(never)
  func didChange<Value>(of owner: AnyObject, from old: Value, to new: Value) {
    withUnsafePointer(to: new) { new in
      withUnsafePointer(to: old) { old in
        subject._withUnsafeGuaranteedRef {
          $0.didChange(of: owner, old: old, new: new, with: ValueBox.Copier(Value.self))
        }
      }
    }
  }
}

extension Subject {
  /// Delivers a change that has been stored, and before which no info had to act.
  ///
  /// - Parameters:
  ///   - old: `nil` if it was not needed.
  ///   - copier: Copies a value, for a change that has to wait.
  /// - Complexity: O(n) in the infos of the property. On the fast path without allocation, lock or
  ///   reference counting of its own: one compare-and-swap before and one after.
  @usableFromInline
  func didChange(
    of object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer,
    with copier: ValueBox.Copier
  ) {
    guard knownOwner == ObjectIdentifier(object),
      ThreadActivity.isNone || !isRead && isThreadIdle,
      beginDeliveryAtOnce(unless: Phase.busy | Phase.isRead)
    else { return finishChange(of: object, old: old, new: new, after: nil, with: copier) }
    deliverAtOnce(of: object, old: old, new: new)
  }

  /// Delivers a change for which the caller has begun a delivery, and ends that.
  @inline(__always)
  func deliverAtOnce(of object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer) {
    let delivery = ObservationDelivery(old: old, new: new, kind: .change)
    if let info = infos.single {
      ObservationDispatcher.deliver(delivery, of: object, toOnly: info)
    } else {
      ObservationDispatcher.deliver(delivery, of: object, toEach: infos, through: 0)
    }
    endDelivery(of: object)
  }

  /// Whether this thread neither tracks nor is in a transaction or an access in place, and no trace
  /// records: other threads do, or this one did.
  var isThreadIdle: Bool { !ThreadActivity.hasTransactions && ThreadCell.isIdle }

  /// Takes the turn to deliver, if nothing is deferred.
  ///
  /// - Parameter obstacles: Bits that must not be set.
  /// - Returns: `false` if a delivery is under way, or another thread edits the list just now.
  @inline(__always)
  func beginDeliveryAtOnce(unless obstacles: Phase.RawValue = Phase.busy) -> Bool {
    // The exchange fails where one of them is set.
    let idle = phase.load(ordering: .relaxed) & ~obstacles
    return phase.compareExchange(
      expected: idle, desired: idle | Phase.delivering, ordering: .acquiring
    ).exchanged
  }

  /// Gives the turn back, after everything that waited for it has been delivered.
  @inline(__always)
  func endDelivery(of object: AnyObject) {
    let idle = phase.load(ordering: .relaxed) & ~Phase.busy
    let hasEnded = phase.compareExchange(
      expected: idle | Phase.delivering, desired: idle, ordering: .releasing
    ).exchanged
    if !hasEnded { deliverPending(of: object) }
  }
}
