/// The table as it was last delivered to an observation on another thread; see `DeliveredArray`.
struct DeliveredTable<Table: KeyedTable>: DeliveredCollection {
  typealias Change = KeyedChange<Table>
  typealias Entry = KeyedEntry<Table>
  typealias Waiting = WaitingKeyedChanges<Table>

  private var table = Table()

  private let followsItems: Bool

  init(followsElements: Bool) { followsItems = followsElements }

  /// Applies changes that have waited, and makes one of them. With no lock held: keys are hashed.
  mutating func apply(_ changes: Waiting, options: ObservationOptions) -> Change? {
    let keepsOld = options.contains(.old)
    let before = keepsOld || options.contains(.distinct) ? table : nil
    guard let change = advance(by: changes.edits, keepingOld: keepsOld ? before : nil) else {
      return nil
    }
    guard options.contains(.distinct), let before, change.kind != .initial, change.item == nil
    else { return change }
    let areSame = ElementIdentity<Table.Item>.areSame
    let differs =
      change.isOfEverything
      ? !table.entries(from: before, leavingOut: areSame).isEmpty
      : change.stored.contains { !$0.leavesItem(areSame) || $0.isOfSameInstance }
    return differs ? change : nil
  }

  private mutating func advance(by edits: [Waiting.Edit], keepingOld old: Table?) -> Change? {
    guard let first = edits.first else { return nil }
    if let new = first.table {
      let replaced = first.kind == .initial ? nil : table
      table = new
      for edit in edits.dropFirst() where edit.item == nil { table.apply(edit.entries) }
      return Change(
        first.kind, replaced: replaced, table: table, before: first.kind == .initial ? nil : old)
    }
    if edits.count == 1 {
      if first.kind != .item { table.apply(first.entries) }
      return Change(first.kind, first.entries, table: table, before: old, of: first.item)
    }
    if let only = Self.changeOfOneItem(edits), let last = edits.last {
      // One change was compared when it was made.
      guard !only.values.isEqual(at: only.property) else { return nil }
      return Change(.item, last.entries, table: table, before: old, of: only)
    }
    let entries = join(edits)
    return entries.isEmpty ? nil : Change(.batch, entries, table: table, before: old)
  }

  /// Joins changes of one property of one item to one, from the first old value to the last new
  /// one; `nil` if they are not of that kind.
  private static func changeOfOneItem(_ edits: [Waiting.Edit]) -> KeyedItemChange? {
    func object(of edit: Waiting.Edit) -> AnyObject? {
      edit.entries.first?.new.flatMap { ElementIdentity.object(of: $0) }
    }
    guard let first = edits.first, let from = first.item, let to = edits.last?.item,
      edits.allSatisfy({
        $0.item?.property === from.property && object(of: $0) === object(of: first)
      })
    else { return nil }
    return KeyedItemChange(
      of: from.property, ElementChange(from: from.values.old, to: to.values.new))
  }

  /// Applies edits one after the other.
  ///
  /// - Returns: For each key that is not as it was: its item before the first and after the last
  ///   one. For one whose item is the same, and has changed: that item twice.
  /// - Complexity: O(k) in all entries.
  private mutating func join(_ edits: [Waiting.Edit]) -> [Entry] {
    var joined = JoinedEntries<Table>(followsItems: followsItems)
    for edit in edits {
      joined.add(edit.entries, as: edit.kind)
      if edit.kind != .item { table.apply(edit.entries) }
    }
    return joined.entries(leadingTo: table)
  }
}

/// What several changes did to each key, in the order in which they first did something to it.
struct JoinedEntries<Table: KeyedTable> {
  private struct Origin {
    /// The item before the first change; `nil` if there was none.
    let item: Table.Item?

    /// Whether the item is to be listed though it is the same: a property of it has changed, or may
    /// have changed while it was not there.
    var hasChangedItem = false
  }

  private var origins: [Table.Key: Origin] = [:]
  private var keys: [Table.Key] = []
  private let followsItems: Bool

  init(followsItems: Bool) { self.followsItems = followsItems }

  mutating func add(_ entries: [KeyedEntry<Table>], as kind: KeyedKind) {
    for entry in entries {
      if origins.index(forKey: entry.key) == nil {
        origins[entry.key] = Origin(item: entry.old)
        keys.append(entry.key)
      }
      let isOfItem = entry.isOfSameInstance
      if isOfItem ? kind == .item || kind == .batch : followsItems && isInstance(entry.old) {
        origins[entry.key]?.hasChangedItem = true
      }
    }
  }

  private func isInstance(_ item: Table.Item?) -> Bool {
    item.map { ElementIdentity.object(of: $0) != nil } ?? false
  }

  func entries(leadingTo table: Table) -> [KeyedEntry<Table>] {
    let areSame = ElementIdentity<Table.Item>.areSame
    return keys.compactMap { key in
      guard let origin = origins[key] else { return nil }
      let entry = KeyedEntry<Table>(key, from: origin.item, to: table.item(for: key))
      guard entry.old != nil || entry.new != nil else { return nil }
      return entry.leavesItem(areSame) && !origin.hasChangedItem ? nil : entry
    }
  }
}

extension KeyedEntry {
  /// Whether the key has the item that it had.
  func leavesItem(_ areSame: (Table.Item, Table.Item) -> Bool) -> Bool {
    switch (old, new) {
    case (nil, nil): true
    case (let old?, let new?): areSame(old, new)
    default: false
    }
  }

  /// Whether the item is the same instance, as where a property of it has changed.
  var isOfSameInstance: Bool {
    guard let old, let new, let object = ElementIdentity.object(of: old) else { return false }
    return object === ElementIdentity.object(of: new)
  }
}
