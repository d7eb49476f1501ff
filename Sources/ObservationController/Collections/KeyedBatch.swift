/// Batches of a dictionary or a set: many edits as one change.
extension KeyedCollection {
  /// Runs `body`, and delivers all edits that it makes as one change.
  @usableFromInline
  func performBatchOfKeys(_ body: () throws -> Void) rethrows {
    let wasPlain = isPlain
    isPlain = false
    defer { isPlain = wasPlain && subject == nil && batch == nil }
    try performBatch(body)
  }

  @usableFromInline
  var isDependedOn: Bool {
    guard let subject else { return false }
    return subject.isObserved || places != nil || subject.isRead && !subject.directPaths.isEmpty
  }

  @usableFromInline var openBatch: CollectionBatch? { batch }

  @usableFromInline
  func beginBatch(isOfTransaction: Bool) -> CollectionBatch {
    let new = KeyedBatch(of: self, isOfTransaction: isOfTransaction)
    batch = new
    return new
  }

  @usableFromInline
  func endBatch() { batch = nil }

  @usableFromInline
  func checkIsWhole() {
    if lent != nil { failAsLent(for: .reading) }
  }
}

/// The batch of a dictionary or a set, which records the items that keys had.
@usableFromInline
final class KeyedBatch<Collection: KeyedCollection>: CollectionBatch {
  private let table: Collection

  private var recordings: [Recording] = []

  init(of collection: Collection, isOfTransaction: Bool = false) {
    table = collection
    super.init(of: collection, isOfTransaction: isOfTransaction)
  }

  override func addRecording(on subject: Subject) {
    recordings.append(Recording(subject.needsOld ? table.storage : nil))
  }

  override func change(ofRecording index: Int) -> ValueBox? {
    recordings[index].change(leadingTo: table.storage)
  }

  func record(_ entries: [KeyedEntry<Collection.Table>]) {
    for index in recordings.indices { recordings[index].record(entries) }
  }
}

extension KeyedBatch {
  /// Items since the first edit.
  struct Recording {
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
