/// Batches of a dictionary or a set: many edits as one change. See `ArrayBatch`.
extension KeyedCollection {
  /// Runs `body`, and delivers all edits that it makes as one change.
  @usableFromInline
  func performBatch(_ body: () throws -> Void) rethrows {
    // A transaction holds its edits back from the first on.
    guard batch == nil, ObservationTransaction.current == nil else { return try body() }
    let wasPlain = isPlain
    isPlain = false
    batch = KeyedBatch(of: self)
    defer {
      deliverBatch()
      isPlain = wasPlain && subject == nil && batch == nil
    }
    try body()
  }

  /// Begins a batch that lasts as long as the transaction of this thread, if there is one; nothing
  /// happens if the collection has a batch, or no observers.
  @usableFromInline
  func joinTransaction() {
    guard batch == nil, let subject, let transaction = ObservationTransaction.current,
      subject.isObserved || places != nil || subject.isRead && !subject.directPaths.isEmpty
    else { return }
    let batch = KeyedBatch(of: self, isOfTransaction: true)
    self.batch = batch
    transaction.add(batch)
  }

  /// Delivers the edits of the batch so far; see `ObservableArray.flushBatch`.
  ///
  /// - Returns: Whether there was something.
  @discardableResult
  func flushBatch() -> Bool {
    if lent != nil { failAsLent(for: .reading) }
    guard let batch, batch.hasUndelivered else { return false }
    if batch.isOfTransaction {
      batch.split()
    } else {
      deliverBatch()
      self.batch = KeyedBatch(of: self)
    }
    return true
  }

  /// Has a change of an item wait for the end of the batch.
  func hold(_ change: ElementChange, of element: AnyObject, at property: ElementProperty?) {
    guard let property else { return }
    batch?.waiting.append(WaitingChange(change, of: element, at: property, in: property.sink))
  }

  private func deliverBatch() {
    guard let batch else { return }
    // Numbered now: after changes that were stored, and delivered, in the middle of the batch.
    batch.id = Subject.nextChangeID()
    if let transaction = ObservationTransaction.current { return batch.join(transaction) }
    self.batch = nil
    // Without a subject no item is followed, whose changes might wait.
    guard let subject else { return }
    let edit = batch.recordings.last?.change(leadingTo: storage)
    let isChanged = edit != nil || !batch.dependents.isEmpty
    subject.didEdit(self, edit, after: isChanged ? batch : nil, with: batch.waiting)
  }
}

/// Edits of `performBatchUpdates`, or of a transaction, which holds back their delivery from the
/// first edit to the end.
@usableFromInline
final class KeyedBatch<Collection: KeyedCollection>: HeldChange {
  private let collection: Collection

  /// Recordings that begin at different edits, for observers that came at different times.
  private(set) var recordings: [Recording] = []

  /// Changes of items, which wait until the edits are delivered.
  var waiting: [WaitingChange] = []

  /// Whether it is delivered at the end of a transaction.
  let isOfTransaction: Bool

  init(of collection: Collection, isOfTransaction: Bool = false) {
    (self.collection, self.isOfTransaction) = (collection, isOfTransaction)
    super.init()
  }

  private var isRecording: Bool { recordings.last.map { $0.observers == nil } ?? false }

  /// Whether there are changes that an observation which begins now must not receive.
  var hasUndelivered: Bool { isRecording || !waiting.isEmpty && !isOfTransaction }

  /// Ends the recording, which is for those who observe the collection now.
  func split() {
    guard isRecording, let infos = collection.subject?.latestInfos else { return }
    recordings[recordings.count - 1].observers = Set(infos.all.map(\.order))
  }

  /// Has the next edit recorded, if anything depends on the collection.
  func beginRecording() {
    guard !isRecording, let subject = collection.subject, subject.isFollowedUp else { return }
    recordings.append(Recording(subject.needsOld ? collection.storage : nil))
  }

  func record(_ entries: [KeyedEntry<Collection.Table>]) {
    for index in recordings.indices { recordings[index].record(entries) }
  }

  /// Adds what depends on an edit, to be evaluated when the batch ends.
  func collect(_ new: Dependents) {
    add(new)
    new.paths.visit { hold($0) }
  }

  // MARK: - The end of a transaction

  override var viewDepth: Int { collection.link?.depth ?? 0 }

  /// Ends the batch, and has all observations record its edits; nothing happens if it has ended.
  override func note(id: UInt64) {
    guard collection.batch === self else { return }
    collection.batch = nil
    guard let subject = collection.subject else { return }
    cause = recordings.isEmpty ? 0 : DeliveryProbe.set(subject, of: collection, waits: true)
    // Also the cause of what it has held back.
    if let transaction = ObservationTransaction.current {
      for case let held? in [self, transaction.change(of: subject)] {
        transaction.noteCause(cause, of: held.dependents)
      }
    }
    split()
    var rest = subject.latestInfos
    for recording in recordings {
      guard let observers = recording.observers else { continue }
      let infos = rest.filter { observers.contains($0.order) }
      rest = rest.subtracting(infos)
      guard let edits = recording.change(leadingTo: collection.storage) else { continue }
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

  override func updateViews(id: UInt64) {
    for change in later {
      change.infos.visit { if $0.isOfView { $0.arraySink?.deliver(through: id) } }
    }
    for change in waiting where change.sink.token.isOfView { change.deliver() }
  }

  override func enqueue(in transaction: ObservationTransaction) -> Bool {
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

  override func deliver() {
    if hasTurn { collection.subject?.deliverQueued(of: collection) }
    for change in waiting { change.deliver() }
  }

  /// Has a transaction that began inside of the batch deliver it.
  fileprivate func join(_ transaction: ObservationTransaction) {
    let id = transaction.id > 0 ? transaction.id : id
    note(id: id)
    transaction.hold(dependents.paths)
    endHolds()
    hold(Dependents(derived: exchange(&dependents.derived, with: [])))
    transaction.add(self)
  }
}

extension KeyedBatch {
  /// Items since the first edit.
  struct Recording {
    /// The observers that it is for, but for those of earlier ones; `nil` in the last one, which is
    /// for all others. Not the infos, which would keep handlers.
    var observers: Set<UInt128>?

    /// The table before the first edit, if an observation asked for it.
    private let old: Collection.Table?

    /// For each key that was edited its item before; `nil` if there was none.
    private var origins: [Collection.Table.Key: Collection.Table.Item?] = [:]

    /// The keys, in the order in which they were first edited.
    private var keys: [Collection.Table.Key] = []

    init(_ old: Collection.Table?) { self.old = old }
  }
}

extension KeyedBatch.Recording {
  /// - Complexity: O(k) in the entries.
  mutating func record(_ entries: [KeyedEntry<Collection.Table>]) {
    for entry in entries where origins.index(forKey: entry.key) == nil {
      origins.updateValue(entry.old, forKey: entry.key)
      keys.append(entry.key)
    }
  }

  /// All edits as one change; `nil` if nothing can be told apart from what it was.
  func change(leadingTo table: Collection.Table) -> ValueBox? {
    let areSame = ElementIdentity<Collection.Table.Item>.areSame
    let entries = keys.compactMap { key -> KeyedEntry<Collection.Table>? in
      let (before, after) = (origins[key] ?? nil, table.item(for: key))
      switch (before, after) {
      case (nil, nil): return nil
      case (let before?, let after?) where areSame(before, after): return nil
      default: return KeyedEntry(key, from: before, to: after)
      }
    }
    guard !entries.isEmpty else { return nil }
    return ValueBox(KeyedChange<Collection.Table>(.batch, entries, table: table, before: old))
  }
}
