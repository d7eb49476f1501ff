/// Recording and delivering changes.
extension ArraySink {
  /// Records a change of the array that is stored, and follows the elements that come and leave;
  /// none does with a change of elements.
  ///
  /// - Parameters:
  ///   - id: `nil` for what is there when the observation begins, which is not queued.
  ///   - edits: Number of edits of the plain array that have been recorded when its elements were
  ///     read: nothing happens, and the change goes on waiting, if that is out of date.
  func note(
    _ new: ValueBox, id: UInt64?, isEdit: Bool = false, isOfElements: Bool = false,
    after edits: Int? = nil
  ) {
    // Not under the lock: that of a dictionary hashes keys.
    let outline = followsElements && !isOfElements ? new.withAddress(witness.outline) : nil
    let left = state.withLock { state -> [ObservationInfo] in
      guard token.isActive else { return [] }
      if let edits {
        guard edits == state.edits, !state.isAhead else { return [] }
        _ = state.waiting.removeFirst(through: .max)
      }
      if !isOfElements { state.edits += 1 }
      if let id {
        if isEdit { state.lastEditID = id }
        let change = PendingChange(id: id, new: new, cause: DeliveryProbe.cause(for: token))
        if exchange(&state.isOutOfStep, with: false) {
          (change.new, change.isMerged) = (witness.change(nil, new).box, true)
        }
        state.queue.append(change)
      }
      return outline.map { state.elements.follow($0) } ?? []
    }
    store.endParts(left)
  }

  /// Delivers an edit of the array that `part` hangs on.
  func deliver(
    _ part: ObservationInfo, _ delivery: ObservationDelivery, of object: AnyObject,
    through id: UInt64, to recipient: inout ObservationRecipient
  ) {
    deliver(through: id, recipient: &recipient)
  }

  /// Delivers what is queued up to a change, as by `deliver(through:recipient:)`.
  func deliver(through id: UInt64?) {
    // A path may be being evaluated further up the stack, by a getter that ends a batch.
    AccessTracker.withoutTracking {
      var recipient = ObservationRecipient()
      deliver(through: id, recipient: &recipient)
    }
  }

  /// Delivers what is queued up to a change, oldest first, and ends the delivery.
  ///
  /// If it is being delivered already, by a frame below or by another thread, that one takes these
  /// too, after the current one: two changes never overlap and never overtake each other.
  ///
  /// - Parameter id: The number of the change; `nil` for what has been reached before, if the
  ///   caller has begun the delivery.
  func deliver(through id: UInt64?, recipient: inout ObservationRecipient) {
    // Moved, since a copy would hold the observer for as long.
    var drain = Reached.Drain(
      recipient: exchange(&recipient, with: ObservationRecipient()), id: id)
    defer { recipient = drain.recipient }
    Reached(sink: self).drain(&drain)
  }

  /// The changes that have been reached.
  private struct Reached: QueueOwner {
    let sink: ArraySink

    struct Drain {
      var recipient: ObservationRecipient

      /// The number of the change up to which the delivery is to begin; `nil` once it has.
      var id: UInt64?

      /// Whether it has ended though changes may wait.
      var hasEnded = false

      /// The observed object, of the change that was taken last.
      var object: AnyObject?
    }

    func takeNext(in drain: inout Drain, cutOff: inout [PendingChange]) -> PendingChange? {
      // Again: the change before may have held the observer, which a handler had dropped; and
      // before the next one is looked at, which holds the object, perhaps the same.
      drain.object = nil
      drain.recipient.releaseIfLast()
      return drain.hasEnded ? nil : sink.takeNext(in: &drain, &cutOff)
    }

    func deliver(_ change: PendingChange, in drain: inout Drain) {
      guard let new = change.new, let object = drain.object else { return }
      DeliveryProbe.resume(change.cause) {
        // Compared here: `==` is the user's, and may edit the array again before all sinks have
        // recorded the change. What replaces all elements after others have been dropped is always
        // wanted.
        if sink.token.traits.contains(.distinct), !change.isMerged, sink.witness.isSame(new) {
          DeliveryProbe.record(.skip(sink.token, .equal))
        } else {
          new.withAddress { sink.notify($0, of: object, recipient: &drain.recipient) }
        }
      }
    }

    func report(_ cutOff: [PendingChange], in _: inout Drain) {
      if cutOff.first?.noteReport() ?? false { ObservationDispatcher.reportCycle(of: sink.token) }
    }
  }

  /// Calls the handler. The caller has begun the delivery.
  func notify(
    _ change: UnsafeRawPointer, of object: AnyObject, recipient: inout ObservationRecipient
  ) {
    // Held while it runs: the observation may end meanwhile, or get another one.
    guard let handler = state.withLock(\.handler) else { return }
    recipient.receive(
      ObservationDelivery(old: nil, new: change, kind: .change), of: object, info: token,
      handler: .passUnretained(handler))
    withExtendedLifetime(handler) {}
  }

  /// Takes the next change. If there is none, or this is a cycle, ends the delivery.
  private func takeNext(in drain: inout Reached.Drain, _ cutOff: inout [PendingChange])
    -> PendingChange?
  {
    let id = drain.id.take()
    // Released outside of the lock: another thread may have released the other references.
    var unwanted: ContiguousArray<PendingChange?> = []
    let next = state.withLock { state -> PendingChange? in
      if state.isHooking {
        if let id { state.queue.reach(id) } else { state.queue.end() }
        return nil
      }
      if let id, !state.queue.begin(through: id) { return nil }
      drain.object = state.root.object
      let next = drain.object == nil ? nil : state.queue.next(cutOff: &cutOff)
      guard drain.object == nil || !cutOff.isEmpty else { return next }
      // Waiting changes have no recipient once the object is deallocated. A change that follows a
      // dropped one is of no use to an observer that lacks that.
      drain.hasEnded = true
      state.isOutOfStep = true
      unwanted = state.queue.removeAll()
      state.queue.end()
      return nil
    }
    withExtendedLifetime(unwanted) {}
    return next
  }

  func discard(through id: UInt64) {
    let dropped = state.withLock { state in
      if !state.queue.isEmpty { state.isOutOfStep = true }
      return state.queue.removeAll()
    }
    withExtendedLifetime(dropped) {}
  }
}
