/// An observable dictionary or set: stages of its edits, as those of an `ObservableArray`.
///
///     edit ─▶ prior deliveries of paths ─▶ storage ─▶ observations record the change ─▶ dispatcher
///
/// The conforming classes are final, and these functions compiled for them where they are used.
@usableFromInline
protocol KeyedCollection: BatchedCollection {
  associatedtype Table: KeyedTable

  /// Lists the observers of edits. Made when the collection is first read under an access tracker.
  var subject: Subject? { get set }

  var storage: Table { get set }

  /// The edits of `performBatchUpdates`, or of a transaction, so far; `nil` outside of them.
  var batch: KeyedBatch<Self>? { get set }

  /// Counts edits, to notice those that come at a wrong time.
  var version: UInt64 { get set }

  /// Whether an edit is that of a plain table: there is neither subject nor source.
  var isPlain: Bool { get set }

  /// Keys that were read; `nil` until the first.
  var places: KeyPlaces<Table.Key>? { get set }

  /// What is being mutated in place, and is not in `storage`.
  var lent: LentItem<Table.Key>? { get set }
}

/// A key whose item is being mutated in place.
@usableFromInline
struct LentItem<Key> {
  @usableFromInline let key: Key

  /// Whether there was an item.
  @usableFromInline let wasThere: Bool

  @inlinable
  init(_ key: Key, wasThere: Bool) { (self.key, self.wasThere) = (key, wasThere) }
}

// MARK: - Reading

extension KeyedCollection {
  /// Has the key path that is being evaluated follow the whole collection.
  @inlinable
  func noteAccess() {
    if ThreadActivity.isAnyTracking { noteTrackedAccess() }
  }

  @usableFromInline
  func noteTrackedAccess() {
    guard let cell = AccessTracking.beginNote(of: self) else { return }
    // Without a key path, as an array.
    if let subject = AccessTracking.note(
      self, in: cell, subject: subject.map { SubjectReference($0) }, keyPath: { nil })
    {
      self.subject = subject
      isPlain = false
      AccessTracking.endNote(of: self)
    }
  }

  /// Has the key path that is being evaluated follow one key.
  @inlinable
  func noteAccess(to key: Table.Key) {
    if ThreadActivity.isAnyTracking { noteTrackedAccess(to: key) }
  }

  /// Compiled for the types, and out of line.
  @inlinable @inline(never)
  func noteTrackedAccess(to key: Table.Key) {
    guard AccessTracking.isRecording else { return }
    let places = readPlaces ?? makePlaces()
    AccessTracking.note(places.subject(for: key, readBy: self), of: self)
  }

  /// The places, as one of several readers finds them.
  @inlinable var readPlaces: KeyPlaces<Table.Key>? {
    AccessTracking.lockPlaces(of: self)
    defer { AccessTracking.unlockPlaces(of: self) }
    return places
  }

  /// The places, which another reader may have made meanwhile.
  @usableFromInline
  func makePlaces() -> KeyPlaces<Table.Key> {
    AccessTracking.withLock(of: self) {
      if let places { return places }
      // Whose turn the changes of all keys have.
      if subject == nil { subject = Subject(owner: self) }
      isPlain = false
      let new = KeyPlaces<Table.Key>()
      places = new
      return new
    }
  }

  /// The item of a key, which is followed alone.
  @inlinable
  func item(for key: Table.Key) -> Table.Item? {
    noteAccess(to: key)
    if lent != nil { checkNotLent(key) }
    return storage.item(for: key)
  }

  /// The table, which is followed as a whole.
  @inlinable
  var table: Table {
    noteAccess()
    if lent != nil { failAsLent(for: .reading) }
    return storage
  }

  /// The number of items, one that is being mutated in place included.
  @inlinable
  var itemCount: Int {
    noteAccess()
    return storage.count + (lent.map { $0.wasThere ? 1 : 0 } ?? 0)
  }
}

// MARK: - Edits

extension KeyedCollection {
  @usableFromInline typealias Entry = KeyedEntry<Table>

  @inlinable var isFollowedUp: Bool { places != nil || subject?.isFollowedUp ?? false }

  /// Sets the item of a key, or removes it: one change, none if there is nothing to remove.
  ///
  /// - Returns: The item before; that which is there if the collection is a live view.
  @inlinable
  @discardableResult
  func setItem(_ new: Table.Item?, for key: Table.Key) -> Table.Item? {
    guard !isPlain else { return storage.setItem(new, for: key) }
    guard beginEdit() else { return storage.item(for: key) }
    defer { version &+= 1 }
    if batch != nil || places != nil || subject?.has(Subject.Phase.actsOnSet) ?? false {
      return setItemAtPlace(new, for: key)
    }
    guard let subject, subject.isFollowedUp else { return storage.setItem(new, for: key) }
    let before = subject.needsOld ? storage : nil
    let old = storage.setItem(new, for: key)
    guard old != nil || new != nil else { return nil }
    let change = KeyedChange(
      KeyedKind(from: old, to: new), [KeyedEntry(key, from: old, to: new)], table: storage,
      before: before)
    let isDelivered = withUnsafePointer(to: change) { subject.deliverAtOnce($0, of: self) }
    if !isDelivered { subject.didEdit(self, ValueBox(change), after: nil) }
    return old
  }

  /// Sets an item whose key may have been read, and notifies what has. Compiled for the types, and
  /// out of line.
  @inlinable @inline(never)
  func setItemAtPlace(_ new: Table.Item?, for key: Table.Key) -> Table.Item? {
    let place = places?.subject(for: key)
    guard batch == nil, let subject, !subject.actsBeforeEdit, !(place?.actsBeforeEdit ?? false)
    else { return setItemSlowly(new, for: key) }
    let before = subject.needsOld ? storage : nil
    let old = storage.setItem(new, for: key)
    guard old != nil || new != nil else { return nil }
    places?.sweep()
    guard subject.isObserved else {
      subject.didEdit(self, nil, at: place)
      return old
    }
    let change = KeyedChange(
      KeyedKind(from: old, to: new), [KeyedEntry(key, from: old, to: new)], table: storage,
      before: before)
    subject.didEdit(self, ValueBox(change), at: place)
    return old
  }

  @usableFromInline
  func setItemSlowly(_ new: Table.Item?, for key: Table.Key) -> Table.Item? {
    var old: Table.Item?
    editAsBegun { table in
      old = table.item(for: key)
      return old == nil && new == nil ? [] : [Entry(key, from: old, to: new)]
    }
    return old
  }

  /// Whether an edit may be made: not of a live view, which is reported.
  @inlinable
  func beginEdit() -> Bool {
    if let link {
      link.reportEdit()
      return false
    }
    if lent != nil { failAsLent(for: .edit) }
    if ThreadActivity.isAnyInTransaction { joinTransaction() }
    return true
  }

  /// Makes several edits as one change; nothing happens if there are none.
  ///
  /// - Parameters:
  ///   - kind: `nil` for that of the entries.
  ///   - plan: Receives the table, and returns the entries, each of another key. Called again if a
  ///     handler that runs before the edit edits the collection. Must not edit it.
  @usableFromInline
  func edit(
    _ kind: KeyedKind? = nil, isByView: Bool = false, plan: (Table) throws -> [Entry]
  ) rethrows {
    guard isByView || beginEdit() else { return }
    defer { version &+= 1 }
    try editAsBegun(kind, plan: plan)
  }

  func editAsBegun(_ kind: KeyedKind? = nil, plan: (Table) throws -> [Entry]) rethrows {
    func checkedPlan() throws -> [Entry] {
      let before = version
      let wasPlain = isPlain
      // Edits are counted meanwhile.
      isPlain = false
      defer { isPlain = wasPlain && subject == nil }
      let entries = try plan(storage)
      precondition(
        version == before,
        "An observable collection was edited by a closure passed to an edit of it")
      return entries
    }
    var entries = try checkedPlan()
    guard !entries.isEmpty else { return }
    guard isFollowedUp || batch != nil else { return storage.apply(entries) }
    let plannedVersion = version
    // No literal key paths, which generic code makes anew each time.
    let change = announce(entries.map { $0.key })
    if version != plannedVersion { entries = try checkedPlan() }
    store(entries, as: kind, after: change) { storage.apply(entries) }
  }

  /// Sets the whole table: one change.
  @usableFromInline
  func setTable(_ new: Table, as kind: KeyedKind = .setting, isByView: Bool = false) {
    guard isByView || beginEdit() else { return }
    defer { version &+= 1 }
    guard isFollowedUp || batch != nil else {
      storage = new
      return
    }
    let change = announce(nil)
    if batch != nil {
      let entries = new.entries(from: storage) { _, _ in false }
      return store(entries, as: nil, after: change) { storage = new }
    }
    guard let subject else {
      storage = new
      return
    }
    let (old, needsOld) = (storage, subject.needsOld)
    storage = new
    let entries = kind == .setting ? [] : new.entries(from: old) { _, _ in false }
    finish(
      KeyedChange(
        kind, entries, replaced: kind == .setting ? old : nil, table: new,
        before: needsOld ? old : nil), of: nil, after: change)
  }

  /// Stores an edit, and records it in the batch, or delivers it.
  func store(
    _ entries: [Entry], as kind: KeyedKind?, after change: SubjectChange?, _ body: () -> Void
  ) {
    if let batch {
      // Behind handlers, which may make edits that are part of the batch, and begin observations.
      batch.beginRecording()
      body()
      return recordInBatch(entries)
    }
    let before = subject?.needsOld ?? false ? storage : nil
    body()
    finish(
      KeyedChange(kind ?? KeyedKind(of: entries), entries, table: storage, before: before),
      of: entries.map { $0.key }, after: change)
  }

  /// Delivers an edit that has been stored.
  ///
  /// - Parameter keys: Those that it has changed; `nil` for all.
  func finish(
    _ edit: KeyedChange<Table>, of keys: [Table.Key]?, after change: SubjectChange?,
    with waiting: [WaitingChange] = []
  ) {
    let collected = markPlaces(keys)
    guard let subject else { return }
    subject.didEdit(
      self, ValueBox(edit), after: change, with: waiting, collected: collected)
  }

  /// Marks what depends on keys that have changed.
  func markPlaces(_ keys: [Table.Key]?) -> Dependents {
    guard let places else { return Dependents() }
    places.sweep()
    let subjects = places.subjects(for: keys)
    guard !subjects.isEmpty else { return Dependents() }
    let collector = SubjectChange()
    for subject in subjects { collector.add(subject.markAndCollect()) }
    return collector.dependents
  }

  /// Records an edit that has been stored, and holds back what depends on it.
  func recordInBatch(_ entries: [Entry]) {
    guard let batch else { return }
    // Removed items are freed when no reader is served a stale value any more.
    defer { withExtendedLifetime(entries) {} }
    batch.record(entries)
    guard let subject else { return }
    let collector = SubjectChange()
    collector.add(markPlaces(entries.map { $0.key }))
    if subject.isRead { collector.add(subject.markAndCollect()) }
    batch.holdBack(collector.dependents, of: subject)
  }

  /// Makes prior deliveries of paths before an edit, unless an earlier one of the batch has.
  ///
  /// - Parameter keys: Those that are going to change; `nil` for all.
  /// - Returns: The change; `nil` if no path had a prior delivery, or in a batch.
  func announce(_ keys: [Table.Key]?) -> SubjectChange? {
    guard let subject else { return nil }
    let all = [subject] + (places?.subjects(for: keys) ?? [])
    // Before every store, also in a batch or a transaction.
    for subject in all { subject.notifyObservation() }
    let prior = all.filter { $0.hasPriorPaths }
    guard !prior.isEmpty else { return nil }
    if let batch {
      guard ObservationTransaction.current == nil else { return nil }
      for subject in prior { subject.deliverPriorOfPaths(before: batch) }
      return nil
    }
    guard ObservationTransaction.current == nil else { return nil }
    let change = withUnsafePointer(to: ()) {
      subject.openChange(
        of: self, current: $0, next: nil, isEqual: false, hasTurn: subject.beginDelivery())
    }
    for place in prior where place !== subject { place.deliverPriorOfPaths(before: change) }
    // Changes by the handlers above are stored before this one.
    change.id = Subject.nextChangeID()
    return change
  }
}
