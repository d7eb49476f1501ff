/// What a transaction holds back: a change of a property, from the first store to the end.
///
/// Those who are notified are held apart by when they began: an observation that begins inside of the
/// transaction is notified of what changes after that.
extension Subject {
  /// Whether a transaction holds back a change already, and nobody has begun to observe since.
  var isHeldUnchanged: Bool {
    hasDeferred
      && deferred.withLock { deferred in
        guard let deferred, deferred.queue.isHolding else { return false }
        return deferred.heldFor.isIdentical(to: deferred.infos ?? infos)
      }
  }

  /// Whether a transaction holds back a change.
  var isHeld: Bool {
    hasDeferred && deferred.withLock { $0?.queue.isHolding ?? false }
  }

  /// Has the transaction of this thread hold back a change that has been stored.
  ///
  /// - Parameter old: The value before, asked if somebody needs it.
  /// - Returns: Whether it does; not for an object that is being deallocated, which nobody can hold.
  func hold(
    of object: AnyObject, in transaction: ObservationTransaction, old: () -> ValueBox?
  ) -> Bool {
    if isHeld {
      _ = hold(old)
      return true
    }
    let infos = latestInfos
    // Else the order of deliveries would depend on whether somebody has observed this long ago.
    guard infos.contains(where: { !$0.traits.contains(.cache) }) else { return true }
    let holder = holder(of: object, among: infos)
    guard holder.object != nil else { return false }
    _ = hold(old)
    transaction.add(ChangedProperty(subject: self, holder: holder))
    return true
  }

  /// Holds back a change that has been stored.
  ///
  /// - Returns: Whether it is the first one.
  func hold(_ old: () -> ValueBox?) -> Bool {
    guard !isHeldUnchanged else { return false }
    // Copied outside of the lock, as it calls a user's code.
    let needsOld = latestInfos.needsValueBefore
    var box = needsOld ? old() : nil
    return withDeferred { waiting in
      let latest = waiting.infos ?? infos
      let isFirst = !waiting.queue.isHolding
      waiting.heldFor = latest
      let new = isFirst ? latest : latest.subtracting(waiting.queue.held.map(\.values.infos))
      guard isFirst || !new.isEmpty else { return false }
      waiting.queue.hold(
        Change(old: new.needsValueBefore ? box.take() : nil, needsPrior: true, infos: new))
      return isFirst
    }
  }

  /// Makes a change that has been stored part of one that a transaction holds back.
  ///
  /// - Returns: Whether there is one.
  func joinHeldChange(_ old: () -> ValueBox?) -> Bool {
    guard isHeld else { return false }
    _ = hold(old)
    return true
  }

  /// What keeps the object or knows it weakly until the end of the transaction: as somebody who
  /// observes it does already, since a weak reference makes counting its references slow for good.
  private func holder(of object: AnyObject, among infos: InfoList) -> ObservationInfo.Root {
    let info = infos.all.first { $0.sink == nil }
    if let info {
      let root = info.site.registry.root(of: info)
      if root.object === object { return root }
    }
    return .unretained(WeakReference(object))
  }

  func takeHeldChanges() -> [Change] {
    deferred.withLock { deferred in
      defer { deferred?.heldFor = .none }
      return deferred?.queue.takeHeld().map(\.values) ?? []
    }
  }

  /// Takes out what is held back for the elements of live views, which follow before all others.
  func takeHeldChangesOfViews() -> [Change] {
    withDeferred { waiting in
      let taken = waiting.queue.withHeld { held in
        held.indices.compactMap { index -> Change? in
          var part = held[index].values
          held[index].values.infos = part.infos.filter { !$0.isOfView }
          part.infos = part.infos.filter(\.isOfView)
          return part.infos.isEmpty ? nil : part
        }
      }
      // Notified of what changes after this as others are who have come later.
      if !taken.isEmpty { waiting.heldFor = .none }
      return taken
    }
  }

  /// Queues what was held back.
  ///
  /// - Returns: Whether this has begun a delivery, for which `deliverQueued` has to be called.
  func enqueue(_ held: [Change], id: UInt64, new: ValueBox) -> Bool {
    let cause = Tracer.causeInTransaction(of: self)
    var begins = false
    for var change in held {
      change.new = new
      if enqueue(id: id, change, cause: cause) { begins = true }
    }
    return begins
  }
}

extension InfoList {
  /// Whether there are such of live views, which follow inside of a transaction.
  var hasViews: Bool { contains { $0.isOfView && $0.path == nil } }

  /// Whether somebody is told of the value before; paths have values of their own.
  fileprivate var needsValueBefore: Bool {
    contains { info in
      !info.actsBeforeStore && !info.traits.isDisjoint(with: [.old, .prior, .distinct])
    }
  }
}
