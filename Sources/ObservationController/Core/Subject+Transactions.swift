// MARK: - Holding back

extension ObservationTransaction {
  /// Index of a property in `entries`; `nil` if this transaction does not hold it back.
  func index(of subject: Subject) -> Int? {
    let index = Int(subject.heldIndex.load(ordering: .relaxed))
    guard index > 0 else { return nil }
    if index <= entries.count, entries[index - 1].change === subject { return index - 1 }
    return entries.firstIndex { $0.change === subject }
  }
}

extension Subject {
  /// Whether a transaction holds back a change already, and no info has been added since.
  func isHeldUnchanged(in transaction: ObservationTransaction) -> Bool {
    let infos = latestInfos
    let latest =
      isAtomic
      ? ifDeferred { $0.held?.latest }
      : transaction.index(of: self).map { transaction.entries[$0].held.latest }
    return latest?.isIdentical(to: infos) ?? false
  }

  /// Has the transaction of this thread hold back a change that has been stored.
  ///
  /// - Returns: `false` for an object that is being deallocated, which can't be retained.
  func hold(
    of object: AnyObject, in transaction: ObservationTransaction, old: UnsafeRawPointer?,
    new: UnsafeRawPointer, with copier: ValueBox.Copier
  ) -> Bool {
    let infos = latestInfos
    if let index = transaction.index(of: self) {
      if copier.isTrivial { transaction.entries[index].new = HeldChange.Value(copier.box(new)) }
      let replaced = transaction.entries[index].held.add({ old.map(copier.box) }, for: infos)
      guard let replaced else { return true }
      withExtendedLifetime(replaced) {}
      // Until now of derived properties alone.
      if case .released = transaction.entries[index].holder {
        guard let holder = holder(of: object, among: infos) else { return false }
        transaction.entries[index].holder = holder
      }
    } else {
      // Otherwise the order of deliveries would depend on whether the property was ever observed.
      guard !infos.isEmpty else { return true }
      guard let holder = holder(of: object, among: infos) else { return false }
      transaction.entries.append(
        ObservationTransaction.Entry(
          change: self,
          held: HeldChange(infos.needsValueBefore ? old.map(copier.box) : nil, for: infos),
          new: HeldChange.Value(copier.isTrivial ? copier.box(new) : nil), holder: holder,
          isIndexed: takeIndex(in: transaction)))
    }
    if infos.hasViews { transaction.unnoted.append(self) }
    return true
  }

  /// Has the next entry of a transaction be found by `heldIndex`.
  ///
  /// - Returns: `false` if a transaction of another thread holds back a change.
  func takeIndex(in transaction: ObservationTransaction) -> Bool {
    let index = UInt32(transaction.entries.count + 1)
    return heldIndex.compareExchange(expected: 0, desired: index, ordering: .relaxed).exchanged
  }

  /// Reference to the object until the end of the transaction: that of a store which has one, since
  /// a new weak reference would slow down counting the object's references for good.
  ///
  /// - Returns: `nil` if the object is being deallocated.
  private func holder(of object: AnyObject, among infos: InfoList) -> ObservationInfo.Root? {
    if let info = infos.first(where: { $0.sink == nil }) {
      if info.traits.contains(.retaining) { return .retained(object) }
      let root = info.registration.store.root(of: info)
      if root.object === object { return root }
    }
    let reference = WeakReference(object)
    // Elements of a live view's source are mostly retained by it, and may be retained until the
    // end.
    if infos.hasViews { return reference.object.map { .retained($0) } }
    return reference.object.map { _ in .unretained(reference) }
  }
}

// MARK: - The end of the transaction

extension Subject: ChangedInTransaction {
  func updateViews(id: UInt64, in transaction: ObservationTransaction) {
    guard latestInfos.hasViews, let index = transaction.index(of: self),
      let object = transaction.entries[index].holder.object
    else { return }
    // The list without the views is swapped in, so that nothing is released inside of the edit.
    var held = transaction.entries[index].held
    guard let reader = held.reader else { return }
    let parts = held.takeViews()
    swap(&transaction.entries[index].held, &held)
    var recipient = ObservationRecipient()
    var value: ValueBox?
    for (old, infos) in parts {
      infos.visit { info in
        if info.sink?.gather(object) ?? false { return }
        value = value ?? reader.read(object)
        guard let new = value else { return }
        ObservationDelivery.withValues(old, new) {
          info.sink?.deliver(info, $0, of: object, through: id, to: &recipient)
        }
      }
    }
  }

  func enqueue(
    _ entry: inout ObservationTransaction.Entry, id: UInt64, in transaction: ObservationTransaction
  ) -> Bool {
    let isOfDerived = entry.held.infos.isEmpty && entry.held.later.isEmpty
    entry.cause = transaction.cause(of: isOfDerived ? entry.held.derived.last ?? self : self)
    if isAtomic, let property = entry.atomicProperty {
      return enqueueHeld(of: property, id: id, cause: entry.cause)
    }
    if entry.isIndexed { heldIndex.store(0, ordering: .relaxed) }
    // Nothing is left where only live views observed the property.
    if isOfDerived { return !entry.held.derived.isEmpty }
    if case .unretained(let reference) = entry.holder {
      // Retained from here on: a subject must not be deallocated during its delivery.
      guard let object = reference.object else { return false }
      entry.holder = .retained(object)
    }
    if entry.new.isEmpty, let object = entry.holder.object {
      // Without a reader there are only paths, which have values of their own.
      entry.new = HeldChange.Value(entry.held.reader.map { $0.read(object) } ?? ValueBox(()))
    }
    guard !entry.new.isEmpty else { return false }
    entry.hasTurn = entry.held.later.isEmpty && beginDeliveryAtOnce()
    if entry.hasTurn || queue(entry.held, id: id, new: entry.new.box, cause: entry.cause) { return true }
    for part in entry.held.parts { transaction.leavePaths(among: part.infos) }
    return false
  }

  /// Queues the change that was held back: one for each group of infos.
  ///
  /// - Returns: Whether this has begun a delivery, for which `deliverQueued` has to be called.
  func queue(_ held: HeldChange, id: UInt64, new: ValueBox?, cause: UInt64) -> Bool {
    var begins = false
    for (index, part) in held.parts.enumerated() {
      let change = PendingChange(id: id, old: part.old, new: new, cause: cause)
      change.infos = part.infos
      if !isAtomic { change.paths = part.infos.filter(\.isPath) }
      change.needsPrior = index > 0 || held.needsPrior
      if index == 0 { change.derived = DerivedDelivery(derived: held.derived, id: id) }
      if enqueue(change) { begins = true }
    }
    return begins
  }

  func deliver(_ entry: inout ObservationTransaction.Entry, id: UInt64) {
    if isAtomic, let property = entry.atomicProperty {
      property.lock.beginDelivering()
      deliverQueued(of: property)
      return property.lock.endDelivering()
    }
    if entry.held.infos.isEmpty, entry.held.later.isEmpty {
      return DeliveryProbe.resume(entry.cause) {
        DerivedDelivery(derived: entry.held.derived, id: id).deliver()
      }
    }
    guard let object = entry.holder.object else { return }
    guard entry.hasTurn else { return deliverQueued(of: object) }
    // In few frames: handlers may lead to further transactions.
    withUnsafePointer(to: &entry.held.old) { old in
      withUnsafePointer(to: &entry.new) { new in
        let (old, new) = (HeldChange.Value.address(of: old), HeldChange.Value.address(of: new))
        DeliveryProbe.resume(entry.cause) {
          guard let new else { return }
          deliver(
            ObservationDelivery(old: old, new: new, kind: .change), of: object,
            to: entry.held.infos, prior: entry.held.needsPrior ? nil : InfoList.none,
            with: DerivedDelivery(derived: entry.held.derived, id: id), through: id)
        }
      }
    }
    // Before queued changes are delivered, which may release other references to the values.
    (entry.held.old, entry.new) = (HeldChange.Value(nil), HeldChange.Value(nil))
    endDelivery(of: object)
  }
}

extension ObservationInfo {
  /// Reads the observed property of `object`; `nil` if it is not a property of this object.
  fileprivate func read(_ object: AnyObject) -> ValueBox? {
    traits.contains(.part) ? sink?.read(self, of: object) : registration.request.access.box(object)
  }
}

extension InfoList {
  /// Whether there are live views, which are updated inside of the transaction.
  fileprivate var hasViews: Bool { contains { $0.isOfView && !$0.isPath } }
}

extension ObservationTransaction.Entry {
  /// The property, if several threads may change it.
  fileprivate var atomicProperty: (any AtomicProperty)? { holder.object as? any AtomicProperty }
}
