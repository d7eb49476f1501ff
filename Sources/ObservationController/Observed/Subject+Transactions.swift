/// What a transaction holds back: a change of a property, from the first store to the end.
///
/// Those who are notified are held apart by when they began: an observation that begins inside of the
/// transaction is notified of what changes after that.
extension Subject {
  /// Whether a transaction holds back a change already, and nobody has begun to observe since.
  var isHeldUnchanged: Bool {
    ifDeferred { $0.queue.isHolding && $0.heldFor.isIdentical(to: $0.infos ?? infos) } ?? false
  }

  /// Whether a transaction holds back a change.
  var isHeld: Bool {
    ifDeferred { $0.queue.isHolding } ?? false
  }

  /// Has the transaction of this thread hold back a change that has been stored.
  ///
  /// - Returns: Whether it does; not for an object that is being deallocated, which nobody can hold.
  func hold(
    of object: AnyObject, in transaction: ObservationTransaction, old: UnsafeRawPointer?,
    new: UnsafeRawPointer, boxing box: (UnsafeRawPointer) -> ValueBox
  ) -> Bool {
    guard !updateHeld(to: new) else { return true }
    let infos = latestInfos
    // Else the order of deliveries would depend on whether somebody has observed this long ago.
    guard !infos.isEmpty else { return true }
    if isHeld {
      _ = hold { old.map(box) }
    } else {
      let holder = holder(of: object, among: infos)
      guard holder.object != nil else { return false }
      let value = box(new)
      _ = hold(keeping: value.isTrivial ? value : nil, holder) { old.map(box) }
      transaction.add(self)
    }
    if infos.hasViews { transaction.addToNote(self) }
    return true
  }

  /// Keeps the last value that was stored, if that is trivial: others are read at the end, since a copy
  /// would have a collection copy itself when it is mutated.
  ///
  /// - Returns: Whether a transaction holds back a change, and nobody has begun to observe since.
  private func updateHeld(to new: UnsafeRawPointer) -> Bool {
    ifDeferred { waiting in
      guard waiting.queue.isHolding else { return false }
      waiting.lastHeld?.setTrivial(to: new)
      return waiting.heldFor.isIdentical(to: waiting.infos ?? infos)
    } ?? false
  }

  /// Holds back a change that has been stored.
  ///
  /// - Parameters:
  ///   - value: The one that was stored, if it is kept.
  ///   - holder: Holds the object until then.
  ///   - old: The value before, asked if somebody needs it.
  /// - Returns: Whether it is the first one.
  func hold(
    keeping value: ValueBox? = nil, _ holder: ObservationInfo.Root = .released,
    old: () -> ValueBox?
  ) -> Bool {
    deferred.withLock { deferred in
      phase.bitwiseOr(Phase.hasDeferred, ordering: .relaxed)
      return edit(&deferred) { waiting in
        let latest = waiting.infos ?? infos
        var new = latest
        let isFirst = !waiting.queue.isHolding
        if isFirst {
          (waiting.holder, waiting.lastHeld) = (holder, value)
        } else {
          guard !waiting.heldFor.isIdentical(to: latest) else { return false }
          waiting.queue.visitHeld { new = new.subtracting($0.infos) }
        }
        waiting.heldFor = latest
        guard isFirst || !new.isEmpty else { return false }
        let change = PendingChange(id: .max, old: new.needsValueBefore ? old() : nil)
        change.needsPrior = true
        change.infos = new
        waiting.queue.hold(change)
        return isFirst
      }
    }
  }

  /// Has what derives from the property wait with a change that is held back.
  ///
  /// - Returns: `false` if there is none.
  func hold(_ derived: [Subject]) -> Bool {
    ifDeferred { waiting in
      var isHeld = false
      waiting.queue.visitHeld { change in
        if !isHeld { change.derived += derived }
        isHeld = true
      }
      return isHeld
    } ?? false
  }

  /// What keeps the object or knows it weakly until the end of the transaction: as somebody who
  /// observes it does already, since a weak reference makes counting its references slow for good.
  private func holder(of object: AnyObject, among infos: InfoList) -> ObservationInfo.Root {
    if let info = infos.first(where: { $0.sink == nil }) {
      let root = info.site.registry.root(of: info)
      if root.object === object { return root }
    }
    return .unretained(WeakReference(object))
  }

  /// Takes out what is held back for the elements of live views, which follow before all others.
  private func takeHeldChangesOfViews() -> [PendingChange] {
    guard latestInfos.hasViews else { return [] }
    return ifDeferred { waiting in
      var taken: [PendingChange] = []
      waiting.queue.visitHeld { part in
        let ofViews = PendingChange(old: part.old)
        ofViews.infos = part.infos.filter(\.isOfView)
        part.infos = part.infos.filter { !$0.isOfView }
        if !ofViews.infos.isEmpty { taken.append(ofViews) }
      }
      // Notified of what changes after this as others are who have come later.
      if !taken.isEmpty { waiting.heldFor = .none }
      return taken
    } ?? []
  }

  /// Has what was held back wait for its turn.
  ///
  /// - Returns: Whether this has begun a delivery, for which `deliverQueued` has to be called.
  func release(id: UInt64, new: ValueBox) -> Bool {
    let cause = Tracer.causeInTransaction(of: self)
    return deferred.withLock { deferred in
      let isHeld = edit(&deferred) { waiting in
        guard waiting.queue.isHolding else { return false }
        (waiting.heldFor, waiting.holder, waiting.lastHeld) = (.none, .released, nil)
        waiting.queue.release(id: id, new: new, cause: cause)
        return true
      }
      return isHeld && beginDeliveryOfDeferred()
    }
  }
}

extension Subject: ChangedInTransaction {
  func updateViews(id: UInt64) {
    let parts = takeHeldChangesOfViews()
    guard let object = ifDeferred({ $0.holder.object }),
      let new = parts.first?.infos.first?.read(object)
    else { return }
    var recipient = ObservationRecipient()
    for part in parts {
      withExtendedLifetime((part.old, new)) {
        let delivery = ObservationDelivery(
          old: part.old?.address, new: new.address, kind: .change)
        part.infos.visit { info in
          info.sink?.deliver(info, delivery, of: object, through: id, to: &recipient)
        }
      }
    }
  }

  func enqueue(id: UInt64) -> AnyObject? {
    var reader: ObservationInfo?
    var value: ValueBox?
    let object = ifDeferred { waiting in
      value = waiting.lastHeld
      if value == nil {
        waiting.queue.visitHeld { if reader == nil { reader = $0.infos.first { $0.path == nil } } }
      }
      return waiting.holder.object
    }
    guard let object else { return nil }
    // Without a reader there are paths alone, which have values of their own.
    guard let value = value ?? (reader.map { $0.read(object) } ?? ValueBox(())) else { return nil }
    // The object is kept from here on: a subject must not be deallocated while it is being delivered.
    return release(id: id, new: value) ? object : nil
  }

  func deliver(of object: AnyObject) {
    deliverQueued(of: object)
  }
}

extension ObservationInfo {
  /// Reads the observed property of `object`; `nil` if it is not a property of this object.
  fileprivate func read(_ object: AnyObject) -> ValueBox? {
    guard traits.contains(.part) else { return site.read?(site, object) }
    // Safe: the infos of properties of elements have these as their handlers.
    return handler.map { unsafeDowncast($0, to: ElementProperty.self).read(object) }
  }
}

extension InfoList {
  /// Whether there are live views, which follow inside of a transaction.
  fileprivate var hasViews: Bool { contains { $0.isOfView && $0.path == nil } }

  /// Whether somebody is told of the value before; paths have values of their own.
  fileprivate var needsValueBefore: Bool {
    contains { info in
      !info.actsBeforeStore && !info.traits.isDisjoint(with: [.old, .prior, .distinct])
    }
  }
}
