/// Change that a transaction holds back, from the first store to the end: of a property, or, as a
/// `CollectionBatch`, of an array, a dictionary or a set. Used by the thread of the transaction;
/// that of an atomic property, which is also `Subject.Deferred.held`, under the lock of the
/// subject.
@usableFromInline
class HeldChange: SubjectChange {
  /// Subject of the property; `nil` for an array.
  final let subject: Subject?

  /// Reference to the object; released where only derived properties depend on the change. Set
  /// without running user code, as `later` is: a check of exclusivity would find no overlap.
  @exclusivity(unchecked) final var holder: ObservationInfo.Root

  /// Changes for infos that were added inside of the transaction, with the value by then: they are
  /// notified of what changes after that.
  @exclusivity(unchecked) final var later: [SubjectChange] = []

  /// The list as it was at the last change.
  private(set) final var latest: InfoList

  /// How many tokens had been made by then.
  private final var lastNumber = ObservationInfo.lastNumber

  /// Whether arrays have joined changes of their elements, and may be the only ones that it is for.
  final var isJoined = false

  /// Whether the transaction has to deliver it at the end: not if another thread or frame does.
  final var isDue = false

  init(
    of subject: Subject? = nil, holder: ObservationInfo.Root = .released, old: ValueBox? = nil,
    for infos: InfoList = .none
  ) {
    (self.subject, self.holder, latest) = (subject, holder, infos)
    super.init(old: old)
    self.infos = infos
  }

  /// Number of arrays that a live view follows, one by the other; 0 for everything else.
  var viewDepth: Int { 0 }

  /// Has sinks record the change that record changes as soon as they are stored.
  func note(id: UInt64) {}

  /// Updates live views, when all changes of their sources have been recorded.
  func updateViews(id: UInt64) {
    guard subject?.latestInfos.hasViews ?? false, let object = holder.object else { return }
    // Later changes are noted for the live views as for infos that were added later.
    latest = latest.filter { !$0.isOfView }
    for group in groups {
      group.infos.visit { if $0.isOfView { $0.sink?.gather(object) } }
      group.infos = group.infos.filter { !$0.isOfView }
    }
  }

  /// Takes the turn for the change, or queues it after those that are already being delivered.
  ///
  /// - Returns: Whether to deliver it; `false` if another thread or frame does.
  func enqueue(in transaction: ObservationTransaction) -> Bool {
    guard let subject else { return false }
    if transaction.hasIndexed(subject) { subject.heldIndex.store(0, ordering: .relaxed) }
    if let property = atomicProperty {
      // A subject must not be deallocated during its delivery.
      holder = .retained(property)
      return property.lock.withLock {
        // Not that of another transaction, if this one is there for paths alone.
        _ = subject.ifDeferred { if $0.held === self { $0.held = nil } }
        close(in: transaction, subject)
        new = property.boxedLocked()
        return enqueue(groups, on: subject, in: transaction)
      }
    }
    close(in: transaction, subject)
    guard !isOfDerived, new != nil && holder.isRetained || takeValue() else {
      // Only live views observed the property, or the deinit of the object has begun; then the
      // transaction delivers the paths.
      (infos, later, dependents.paths) = (.none, [], .none)
      return !dependents.isEmpty
    }
    hasTurn = later.isEmpty && subject.beginDeliveryAtOnce()
    return hasTurn || enqueue(groups, on: subject, in: transaction)
  }

  /// Whether at most derived properties are to be notified.
  private var isOfDerived: Bool { infos.isEmpty && later.isEmpty && dependents.paths.isEmpty }

  /// Retains the object, since a subject must not be deallocated during its delivery, and takes the
  /// value.
  ///
  /// - Returns: `false` if the deinit of the object has begun.
  private func takeValue() -> Bool {
    guard let object = holder.object else { return false }
    holder = .retained(object)
    // Without a reader there are only dependents, which have values of their own.
    if new == nil { new = reader.map { $0.box(object) } ?? ValueBox(()) }
    return true
  }

  /// Ends holding back, before the change is queued: another thread may deliver it then.
  @inline(__always)
  private func close(in transaction: ObservationTransaction, _ subject: Subject) {
    id = transaction.id
    cause = transaction.cause(of: isOfDerived ? dependents.derived.last ?? subject : subject)
    if !dependents.derived.isEmpty { dependents.derived.countHolds(by: -1) }
  }

  /// Delivers what has been queued.
  func deliver() {
    guard let subject else { return }
    if let property = atomicProperty { return subject.deliverQueued(of: property) }
    if isOfDerived, !isJoined {
      return DeliveryProbe.resume(cause) { dependents.deliver(of: subject, through: id) }
    }
    guard let object = holder.object else { return }
    guard hasTurn else { return subject.deliverQueued(of: object) }
    subject.deliver(self, of: object)
    subject.endDelivery(of: object)
  }
}

extension HeldChange {
  /// Adds what depends on the change; the transaction evaluates the paths. One that began inside of
  /// the transaction is delivered with the infos that were added by then.
  final func hold(_ new: Dependents) {
    dependents.derived += new.derived
    new.derived.countHolds(by: 1)
    let group = later.last ?? self
    new.paths.subtracting(dependents.paths).visit { _ = group.dependents.paths.insertIfNew($0) }
  }

  /// Notes another change. May be called under a lock: the infos of the replaced list are in the
  /// groups too, and are not freed.
  ///
  /// - Parameter old: The value before it, if it is needed.
  /// - Returns: Whether the list has changed.
  final func add(_ old: () -> ValueBox?, for infos: InfoList) -> Bool {
    guard !latest.isIdentical(to: infos) else { return false }
    let new = infos.filter { info in
      info.number > lastNumber
        || !latest.contains(info) && !groups.contains { $0.infos.contains(info) }
    }
    (latest, lastNumber) = (infos, ObservationInfo.lastNumber)
    if !new.isEmpty {
      let change = SubjectChange(old: old())
      change.infos = new
      later.append(change)
    }
    return true
  }

  /// One change for each group of infos, with the value that it begins with.
  final var groups: [SubjectChange] { [self] + later }

  /// Queues changes that were held back.
  ///
  /// - Returns: Whether this has begun a delivery, for which `deliverQueued` has to be called.
  final func enqueue(
    _ changes: [SubjectChange], on subject: Subject, in transaction: ObservationTransaction
  ) -> Bool {
    var begins = false
    // Another thread may deliver this one as soon as it is queued, and then takes its value.
    let new = new
    for change in changes {
      (change.id, change.new, change.cause) = (id, new ?? change.new, cause)
      if subject.enqueue(change) {
        begins = true
      } else {
        transaction.leave(change.dependents.paths)
      }
    }
    return begins
  }

  /// The property, if several threads may change it.
  private final var atomicProperty: (any AtomicProperty)? {
    subject?.isAtomic ?? false ? holder.object as? any AtomicProperty : nil
  }

  /// Access of an info that can read the property.
  private final var reader: KeyPathAccess? {
    let info = infos.first ?? later.lazy.compactMap(\.infos.first).first
    return info?.registration.request.access
  }
}

extension [Subject] {
  /// See `DerivedTurn.countHolds`. Retains none of them: the array does.
  func countHolds(by count: Int) {
    withUnsafeBufferPointer {
      $0.visit { $0.turn?._withUnsafeGuaranteedRef { $0.countHolds(by: count) } }
    }
  }
}
