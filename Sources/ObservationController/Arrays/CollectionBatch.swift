/// Edits of `performBatchUpdates`, or of a transaction, which holds back their delivery from the
/// first edit to the end: of an array, a dictionary or a set. A subclass for each says what is
/// recorded.
@usableFromInline
class CollectionBatch: HeldChange {
  /// The collection that is edited.
  fileprivate final let collection: any BatchedCollection

  /// Recordings begin at different edits, for observers that came at different times: those that
  /// each is for, but for those of earlier ones; `nil` in the last one, which is for all others.
  /// Not the infos: they would keep the handlers of observations that end before the transaction
  /// does. Pinned by ArrayLifetimeEndTests.
  private final var observers: [Set<UInt128>?] = []

  /// Changes of elements, which wait until the collection is delivered.
  @usableFromInline final var waiting: [WaitingChange] = []

  /// Whether it is delivered at the end of a transaction.
  final let isOfTransaction: Bool

  /// Whether it lasts as long as an element is being mutated in place: nothing reads the collection
  /// meanwhile.
  @usableFromInline final var isOfAccess = false

  init(of collection: any BatchedCollection, isOfTransaction: Bool) {
    (self.collection, self.isOfTransaction) = (collection, isOfTransaction)
    super.init()
  }

  /// Begins one more recording.
  func addRecording(on subject: Subject) {}

  /// All edits of a recording as one change; `nil` if there was none.
  func change(ofRecording index: Int) -> ValueBox? { nil }

  private final var isRecording: Bool { observers.last.map { $0 == nil } ?? false }

  /// Whether there are changes that an observation which begins now must not receive.
  final var hasUndelivered: Bool { isRecording || !waiting.isEmpty && !isOfTransaction }

  /// Ends the recording, which is for those who observe the collection now; others get the next
  /// one.
  final func split() {
    guard isRecording, let infos = collection.subject?.latestInfos else { return }
    observers[observers.count - 1] = Set(infos.all.map(\.order))
  }

  /// Has the next edit recorded, if anything depends on the collection.
  @usableFromInline
  final func beginRecording() {
    guard !isRecording, let subject = collection.subject, subject.isFollowedUp else { return }
    observers.append(nil)
    addRecording(on: subject)
  }

  /// Holds back what depends on an edit that has been recorded, and has been marked: until the
  /// batch ends, unless a transaction holds it.
  final func holdBack(_ new: Dependents, of subject: Subject) {
    var dependents = new
    if let transaction = ObservationTransaction.current {
      // Notified in the order of registration, with the observers of the collection.
      if isOfTransaction {
        transaction.hold(dependents.paths)
        hold(dependents)
        dependents = Dependents()
      }
      subject.finish(dependents, afterChangeOf: collection)
    } else {
      add(dependents)
      // Should another property change that they depend on.
      dependents.derived.countHolds(by: 1)
      dependents.paths.visit { hold($0) }
    }
    ThreadCell.releasePending()
  }

  // MARK: - The end of a transaction

  override final var viewDepth: Int { collection.link?.depth ?? 0 }

  /// Ends the batch, and has all observations of the collection record its edits; nothing happens
  /// if it has ended.
  override final func note(id: UInt64) {
    guard collection.openBatch === self else { return }
    collection.endBatch()
    guard let subject = collection.subject else { return }
    cause = observers.isEmpty ? 0 : DeliveryProbe.set(subject, of: collection, waits: true)
    // Also the cause of what it has held back.
    if let transaction = ObservationTransaction.current {
      for case let held? in [self, transaction.change(of: subject)] {
        transaction.noteCause(cause, of: held.dependents)
      }
    }
    split()
    var rest = subject.latestInfos
    for (index, observers) in observers.enumerated() {
      guard let observers else { continue }
      let infos = rest.filter { observers.contains($0.order) }
      rest = rest.subtracting(infos)
      guard let edits = change(ofRecording: index) else { continue }
      DeliveryProbe.resume(cause) { subject.note(edits, to: infos, id: id) }
      let change = SubjectChange(new: ValueBox(()))
      change.infos = infos
      later.append(change)
    }
    for change in waiting { change.note() }
    DeliveryProbe.resume(cause) {
      for change in later { change.infos.visit { $0.arraySink?.hookJoined() } }
    }
  }

  override final func updateViews(id: UInt64) {
    for change in later {
      change.infos.visit { if $0.isOfView { $0.arraySink?.deliver(through: id) } }
    }
    for change in waiting where change.sink.token.isOfView { change.deliver() }
  }

  override final func enqueue(in transaction: ObservationTransaction) -> Bool {
    guard let subject = collection.subject else { return false }
    id = transaction.id
    let latest = subject.latestInfos
    for change in later {
      // Not where the path leads to another one by now: that change includes the edit.
      change.infos = change.infos.filter(latest.contains)
    }
    // Where only keys are followed, and nothing is recorded.
    if later.isEmpty, !dependents.isEmpty { later.append(SubjectChange(new: ValueBox(()))) }
    later.first?.dependents = dependents
    dependents.derived.countHolds(by: -1)
    hasTurn = enqueue(later, on: subject, in: transaction)
    return true
  }

  override final func deliver() {
    if hasTurn { collection.subject?.deliverQueued(of: collection) }
    for change in waiting { change.deliver() }
  }

  /// Has a transaction that began inside of the batch deliver it. That holds back what the batch
  /// has noted before it too.
  fileprivate final func join(_ transaction: ObservationTransaction) {
    let id = transaction.id > 0 ? transaction.id : id
    note(id: id)
    transaction.hold(dependents.paths)
    endHolds()
    let derived = exchange(&dependents.derived, with: [])
    derived.countHolds(by: -1)
    hold(Dependents(derived: derived))
    transaction.add(self)
    endHeld()
  }

  /// Has aggregates follow the changes of elements that have waited.
  fileprivate final func endHeld() { for change in waiting { change.sink.held?.end() } }
}

/// A collection that has batches: an observable array, dictionary or set.
@usableFromInline
protocol BatchedCollection: AnyObject {
  /// Lists the observers of edits.
  var subject: Subject? { get }

  /// Link of a live view to its source; `nil` for a collection of its own.
  var link: ArrayViewLink? { get }

  /// The batch under way.
  var openBatch: CollectionBatch? { get }

  /// Begins a batch, where none is under way.
  func beginBatch(isOfTransaction: Bool) -> CollectionBatch

  /// Ends the batch under way, without a delivery.
  func endBatch()

  /// Whether something depends on it, so that a transaction holds its edits back.
  var isDependedOn: Bool { get }

  /// Traps if an element is being mutated in place, before all are read.
  func checkIsWhole()
}

extension BatchedCollection {
  var isInBatch: Bool { openBatch != nil }

  var isInTransactionBatch: Bool { openBatch?.isOfTransaction ?? false }

  /// Runs `body`, and delivers all edits that it makes as one change.
  @usableFromInline
  func performBatch(_ body: () throws -> Void) rethrows {
    // A transaction holds its edits back from the first on.
    guard openBatch == nil, ObservationTransaction.current == nil else { return try body() }
    _ = beginBatch(isOfTransaction: false)
    defer { deliverBatch() }
    try body()
  }

  /// Begins a batch that lasts as long as the transaction of this thread, if there is one; nothing
  /// happens if the collection has a batch, or nothing depends on it.
  @usableFromInline
  func joinTransaction() {
    guard openBatch == nil, isDependedOn, let transaction = ObservationTransaction.current else {
      return
    }
    transaction.add(beginBatch(isOfTransaction: true))
  }

  /// Delivers the edits of the batch so far; nothing happens if there is no batch.
  ///
  /// Those of a transaction are delivered at its end, once to each observation: then observations
  /// that exist now receive another batch than later ones.
  ///
  /// - Returns: Whether there was something.
  @discardableResult @usableFromInline
  func flushBatch() -> Bool {
    checkIsWhole()
    guard let batch = openBatch, batch.hasUndelivered else { return false }
    if batch.isOfTransaction {
      batch.split()
    } else {
      deliverBatch()
      _ = beginBatch(isOfTransaction: false)
    }
    return true
  }

  /// Has a change of an element wait for the end of the batch.
  @usableFromInline
  func hold(_ change: ElementChange, of element: AnyObject, at property: ElementProperty?) {
    guard let property, let batch = openBatch else { return }
    batch.waiting.append(WaitingChange(change, of: element, at: property, in: property.sink))
    if !batch.isOfAccess { property.sink.held?.begins(batch) }
  }

  /// Ends the batch and delivers it. A handler's edits are changes of their own, as are those of
  /// deinits of what was removed.
  private func deliverBatch() {
    guard let batch = openBatch else { return }
    // Numbered now: after changes that were stored, and delivered, in the middle of the batch.
    batch.id = Subject.nextChangeID()
    // Also if only changes of elements wait: a handler's edits would begin a batch of the
    // transaction, in place of this one.
    if let transaction = ObservationTransaction.current { return batch.join(transaction) }
    endBatch()
    batch.dependents.derived.countHolds(by: -1)
    // Without a subject no element is followed, whose changes might wait.
    guard let subject else { return }
    let edit = batch.lastChange
    let isChanged = edit != nil || !batch.dependents.isEmpty
    subject.didEdit(self, edit, after: isChanged ? batch : nil, with: batch.waiting)
    batch.endHeld()
  }
}

extension CollectionBatch {
  /// The edits of the last recording; `nil` if there was none.
  fileprivate final var lastChange: ValueBox? {
    observers.indices.last.flatMap { change(ofRecording: $0) }
  }
}
