/// The change of a property that a transaction holds back, from the first store to the end.
final class HeldChange {
  /// The value before, if somebody needs it.
  fileprivate let old: ValueBox?

  /// Those who are notified.
  fileprivate(set) var infos: InfoList

  /// The same for those who began to observe inside of the transaction: they are notified of what changes
  /// after that.
  fileprivate var later: [(old: ValueBox?, infos: InfoList)] = []

  /// Whether the prior delivery to `infos` is still to be made.
  var needsPrior = true

  /// The list as it was at the last change.
  fileprivate var latest: InfoList

  /// The last value that was stored, if that is trivial. Others are read at the end, since a copy would have
  /// a collection copy itself when it is mutated.
  fileprivate var new: ValueBox?

  /// Holds the object.
  fileprivate let holder: ObservationInfo.Root

  /// The number of the transaction, and the object, once the property has the turn to deliver this.
  fileprivate var turn: (id: UInt64, object: AnyObject)?

  init(
    _ old: ValueBox?, _ new: ValueBox? = nil, for infos: InfoList,
    holder: ObservationInfo.Root = .released
  ) {
    (self.old, self.new, self.infos, latest) = (old, new, infos, infos)
    self.holder = holder
  }
}

extension HeldChange {
  /// Notes another change.
  ///
  /// - Parameter old: The value before it.
  func add(_ old: () -> ValueBox?, for infos: InfoList) {
    guard !latest.isIdentical(to: infos) else { return }
    latest = infos
    let new = later.reduce(infos.subtracting(self.infos)) { $0.subtracting($1.infos) }
    if !new.isEmpty { later.append((new.needsValueBefore ? old() : nil, new)) }
  }

  /// Takes out those of live views, which follow before all others.
  fileprivate func takeViews() -> [(old: ValueBox?, infos: InfoList)] {
    if later.isEmpty, !infos.contains(where: { !$0.isOfView }) {
      defer { (infos, latest) = (.none, .none) }
      return [(old, infos)]
    }
    let parts = [(old: old, infos: infos)] + later
    infos = infos.filter { !$0.isOfView }
    for index in later.indices { later[index].infos = later[index].infos.filter { !$0.isOfView } }
    // Notified of what changes after this as others are who have come later.
    latest = .none
    return parts.map { ($0.old, $0.infos.filter(\.isOfView)) }
  }

  /// Somebody who can read the property.
  fileprivate var reader: ObservationInfo? {
    infos.first { $0.path == nil }
      ?? later.lazy.compactMap { $0.infos.first { $0.path == nil } }.first
  }

  /// The same to wait for its turn.
  func pending(_ id: UInt64, _ new: ValueBox, cause: UInt64) -> [PendingChange] {
    let first = PendingChange(id: id, old: old, new: new, cause: cause)
    first.infos = infos
    first.needsPrior = needsPrior
    return [first]
      + later.map { part in
        let change = PendingChange(id: id, old: part.old, new: new, cause: cause)
        change.infos = part.infos
        change.needsPrior = true
        return change
      }
  }
}

// MARK: - Holding back

extension Subject {
  /// What a transaction holds back. Where most properties have nothing, so that a subject stays small.
  var held: HeldChange? { ifDeferred { $0.held } }

  private func setHeld(_ held: HeldChange) {
    deferred.withLock { deferred in
      phase.bitwiseOr(Phase.hasDeferred, ordering: .relaxed)
      edit(&deferred) { $0.held = held }
    }
  }

  /// - Returns: What a transaction has held back, which is the caller's now.
  func takeHeld() -> HeldChange? {
    ifDeferred { waiting in
      defer { waiting.held = nil }
      if waiting.isIdle { phase.bitwiseAnd(~Phase.hasDeferred, ordering: .relaxed) }
      return waiting.held
    }
  }

  /// Whether a transaction holds back a change already, and nobody has begun to observe since.
  var isHeldUnchanged: Bool {
    held?.latest.isIdentical(to: latestInfos) ?? false
  }

  /// Has the transaction of this thread hold back a change that has been stored.
  ///
  /// - Returns: Whether it does; not for an object that is being deallocated, which nobody can hold.
  func hold(
    of object: AnyObject, in transaction: ObservationTransaction, old: UnsafeRawPointer?,
    new: UnsafeRawPointer, boxing box: (UnsafeRawPointer) -> ValueBox
  ) -> Bool {
    let infos = latestInfos
    if let held {
      held.new?.setTrivial(to: new)
      guard !held.latest.isIdentical(to: infos) else { return true }
      held.add({ old.map(box) }, for: infos)
    } else {
      // Else the order of deliveries would depend on whether somebody has observed this long ago.
      guard infos.contains(where: { !$0.traits.contains(.cache) }) else { return true }
      let holder = holder(of: object, among: infos)
      guard holder.object != nil else { return false }
      let value = box(new)
      setHeld(
        HeldChange(
          infos.needsValueBefore ? old.map(box) : nil, value.isTrivial ? value : nil, for: infos,
          holder: holder))
      transaction.add(self)
    }
    if infos.hasViews { transaction.unnoted.append(self) }
    return true
  }

  /// The same for an atomic property, of which other threads may make changes part of it. Under its lock.
  ///
  /// - Returns: Whether it is the first change that is held back.
  func hold(_ old: () -> ValueBox?) -> Bool {
    let infos = latestInfos
    guard let held else {
      setHeld(HeldChange(infos.needsValueBefore ? old() : nil, for: infos))
      return true
    }
    held.add(old, for: infos)
    return false
  }

  /// What keeps the object or knows it weakly until the end of the transaction: as somebody who
  /// observes it does already, since a weak reference makes counting its references slow for good.
  private func holder(of object: AnyObject, among infos: InfoList) -> ObservationInfo.Root {
    if let info = infos.first(where: { $0.sink == nil }) {
      let root = info.site.registry.root(of: info)
      if root.object === object { return root }
    }
    // An element of a live view's source is held by that as a rule, and may be held until the end.
    if infos.hasViews { return .retained(object) }
    return .unretained(WeakReference(object))
  }

  /// Queues what was held back.
  ///
  /// - Returns: Whether this has begun a delivery, for which `deliverQueued` has to be called.
  func enqueue(_ held: HeldChange, id: UInt64, new: ValueBox) -> Bool {
    var begins = false
    for change in held.pending(id, new, cause: Tracer.causeInTransaction(of: self)) {
      if enqueue(change) { begins = true }
    }
    return begins
  }
}

// MARK: - The end of the transaction

extension Subject: ChangedInTransaction {
  func updateViews(id: UInt64) {
    guard let held, latestInfos.hasViews, let object = held.holder.object, let reader = held.reader
    else { return }
    var recipient = ObservationRecipient()
    var value: ValueBox?
    for (old, infos) in held.takeViews() {
      infos.visit { info in
        if let sink = info.sink as? ArraySink, sink.gather(object) { return }
        value = value ?? reader.read(object)
        guard let new = value else { return }
        withExtendedLifetime((old, new)) {
          let delivery = ObservationDelivery(old: old?.address, new: new.address, kind: .change)
          info.sink?.deliver(info, delivery, of: object, through: id, to: &recipient)
        }
      }
    }
  }

  func enqueue(id: UInt64) -> AnyObject? {
    // Nothing is left where live views alone have followed.
    guard let held = takeHeld(), !held.infos.isEmpty || !held.later.isEmpty,
      let object = held.holder.object
    else { return nil }
    if held.new == nil {
      // Without a reader there are paths alone, which have values of their own.
      held.new = held.reader.map { $0.read(object) } ?? ValueBox(())
    }
    guard let new = held.new else { return nil }
    // The object is kept from here on: a subject must not be deallocated while it is being delivered.
    if held.later.isEmpty, beginDeliveryAtOnce() {
      held.turn = (id, object)
      return held
    }
    return enqueue(held, id: id, new: new) ? object : nil
  }

  func deliver(_ queued: AnyObject) {
    guard let held = queued as? HeldChange, let (id, object) = held.turn, let new = held.new else {
      return deliverQueued(of: queued)
    }
    Tracer.resume(Tracer.causeInTransaction(of: self)) {
      deliver(
        old: held.old?.address, new: new.address, of: object, to: held.infos,
        prior: held.needsPrior ? held.infos : .none, through: id)
    }
    endDelivery(of: object)
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
