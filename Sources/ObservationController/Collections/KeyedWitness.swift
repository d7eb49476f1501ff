/// Dictionaries and sets for the sink that arrays have: it knows changes by their addresses alone.
extension ArrayWitness {
  /// - Parameters:
  ///   - source: `.root` for a collection that is observed on its own.
  ///   - read: The collection; it is what the sink calls the array.
  @usableFromInline
  static func keyed<Collection: KeyedCollection>(
    _ source: Source = .array, _ read: @escaping (AnyObject) -> Collection?
  ) -> ArrayWitness {
    let keys = KeysOfItems<Collection.Table>()
    return ArrayWitness(
      of: Collection.Table.self, source, read: { ValueBox(read($0) as AnyObject?) },
      table: { box in
        // Safe: what has been read is such a collection.
        box.value(as: AnyObject?.self).map { unsafeDowncast($0, to: Collection.self).storage }
      },
      note: keys.note,
      itemChange: { element, elements, container, hint, property, change, receive in
        // The table of the sink knows how often an element is there.
        guard !hint.isGuess else { return false }
        // Safe: a sink of such a collection has no other container.
        let collection = unsafeDowncast(container, to: Collection.self)
        guard collection.batch == nil else {
          collection.hold(change, of: element, at: property)
          return true
        }
        let isSingle = hint.index >= 0 && elements == nil
        keys.receive(
          element, elements, isSingle: isSingle, in: collection.storage, property, change, receive)
        return true
      })
  }

  /// Those of a plain dictionary or set.
  @usableFromInline
  static func table<Table: KeyedTable>(_ read: @escaping (AnyObject) -> Table?) -> ArrayWitness {
    ArrayWitness(
      of: Table.self, .values, read: { ValueBox(read($0)) },
      table: { $0.value(as: Table?.self) }, note: { _ in },
      itemChange: { element, elements, container, hint, property, change, receive in
        guard !hint.isGuess else { return false }
        KeysOfItems<Table>().receive(
          element, elements, isSingle: false, in: read(container) ?? Table(), property, change,
          receive)
        return true
      })
  }

  /// - Parameters:
  ///   - table: What has been read.
  ///   - note: Notes the entries of a change.
  private init<Table: KeyedTable>(
    of type: Table.Type, _ source: Source, read: @escaping (AnyObject) -> ValueBox,
    table: @escaping (ValueBox) -> Table?, note: @escaping ([KeyedEntry<Table>]) -> Void,
    itemChange: @escaping ElementChanging
  ) {
    typealias Change = KeyedChange<Table>
    // Changes come from where tables are of this type.
    func typed(_ box: ValueBox) -> Change { box.value(as: Change.self) }
    let areSame = ElementIdentity<Table.Item>.areSame
    self.init(
      source: source, read: read,
      elements: { ValueBox(Change(.initial, table: table($0) ?? Table())) },
      change: { old, new in
        let (before, after) = (old.map { typed($0).before }, typed(new).table)
        guard source == .values, let before else {
          let change = Change(.setting, replaced: before, table: after, before: before)
          return (ValueBox(change), true)
        }
        let entries = after.entries(from: before, leavingOut: areSame)
        return (
          ValueBox(Change(KeyedKind(of: entries), entries, table: after, before: before)), false
        )
      },
      join: { edit, changes, isSingle, keepsOld in
        Change.joining(
          edit.map(typed), with: changes.map(typed), isSingle: isSingle, keepsOld: keepsOld
        ).map { ValueBox($0) }
      },
      isSame: { box in
        let change = typed(box)
        guard let old = change.tableBefore, change.kind != .batch || !change.hasChangedItems
        else { return false }
        return change.table.entries(from: old, leavingOut: areSame).isEmpty
      },
      areOptional: Table.Item.self is any OptionalValue.Type, copier: ValueBox.Copier(Change.self),
      outline: { address in
        let change = address.load(as: Change.self)
        let entries =
          change.isOfEverything
          ? change.table.entries(from: Table()) { _, _ in false } : change.stored
        note(entries)
        return (change.isOfEverything, entries.flatMap { Self.outline($0) })
      },
      elementChange: itemChange)
  }

  /// The old item as one that leaves, and the new one as one that comes. They have no index.
  private static func outline<Table>(
    _ entry: KeyedEntry<Table>
  ) -> [ArrayChange<AnyObject?>.Entry] {
    let old = entry.old.map {
      ArrayChange<AnyObject?>.Entry(ElementIdentity.object(of: $0), removedAt: 0)
    }
    let new = entry.new.map {
      ArrayChange<AnyObject?>.Entry(ElementIdentity.object(of: $0), insertedAt: 0)
    }
    return [old, new].compactMap { $0 }
  }
}

/// The keys of the items that one observation follows, to find that of an item which has changed.
private final class KeysOfItems<Table: KeyedTable> {
  /// The last key known of each item. Of an item that is there once, it is right.
  private var keys: [ObjectIdentifier: Table.Key] = [:]

  /// Notes where items are. With no lock held: keys are hashed, and released.
  func note(_ entries: [KeyedEntry<Table>]) {
    for entry in entries {
      let (old, new) = (
        entry.old.flatMap { Self.identity(of: $0) }, entry.new.flatMap { Self.identity(of: $0) }
      )
      if let old, old != new, keys[old] == entry.key { keys[old] = nil }
      if let new { keys[new] = entry.key }
    }
  }

  private static func identity(of item: Table.Item) -> ObjectIdentifier? {
    ElementIdentity.object(of: item).map { ObjectIdentifier($0) }
  }

  /// Makes a change from that of an item, and lends it; nothing happens if the item has left.
  ///
  /// - Complexity: O(1) for an item that is there once, O(n) for others.
  func receive(
    _ element: AnyObject, _ elements: Set<ObjectIdentifier>?, isSingle: Bool, in table: Table,
    _ property: ElementProperty?, _ change: ElementChange,
    _ receive: (UnsafeRawPointer, Int) -> Void
  ) {
    let sought = elements ?? [ObjectIdentifier(element)]
    func isSought(_ item: Table.Item) -> Bool {
      Self.identity(of: item).map(sought.contains) ?? false
    }
    var entries: [KeyedEntry<Table>] = []
    if isSingle, let key = keys[ObjectIdentifier(element)], let item = table.item(for: key),
      isSought(item)
    {
      entries = [KeyedEntry(key, from: item, to: item)]
    } else {
      for (key, item) in table.allItems where isSought(item) {
        entries.append(KeyedEntry(key, from: item, to: item))
      }
    }
    guard !entries.isEmpty else { return }
    let new = KeyedChange(
      .item, entries, table: table,
      of: property.map { KeyedItemChange(of: $0, change) })
    withUnsafePointer(to: new) { receive($0, isSingle ? 0 : -1) }
  }
}
