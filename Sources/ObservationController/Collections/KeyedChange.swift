/// One change of a dictionary or a set, as sinks deliver it; handlers receive it as a
/// `DictionaryChange` or a `SetChange`.
@usableFromInline
struct KeyedChange<Table: KeyedTable> {
  @usableFromInline typealias Entry = KeyedEntry<Table>

  @usableFromInline let kind: KeyedKind

  @usableFromInline let stored: [Entry]

  /// The table before the change, if that set everything: its entries are made when they are read.
  @usableFromInline let replaced: Table?

  /// The table after the change.
  @usableFromInline let table: Table

  /// The table before the change, if an observation asked for it.
  @usableFromInline let tableBefore: Table?

  /// For a change of an item. An object, so that a copy of any other change costs little.
  @usableFromInline let item: KeyedItemChange?

  @inlinable
  init(
    _ kind: KeyedKind, _ stored: [Entry] = [], replaced: Table? = nil, table: Table,
    before: Table? = nil, of item: KeyedItemChange? = nil
  ) {
    (self.kind, self.stored, self.replaced, self.table) = (kind, stored, replaced, table)
    (tableBefore, self.item) = (before, item)
  }
}

extension KeyedChange {
  /// Whether nothing of what was there before is taken to be there still.
  @inlinable var isOfEverything: Bool { kind == .setting || kind == .initial }

  /// - Complexity: O(1); O(n) where everything was set at once.
  var entries: [Entry] {
    guard isOfEverything else { return stored }
    return table.entries(from: replaced ?? Table()) { _, _ in false }
  }

  /// The table before, computed where no observation asked for it.
  var before: Table {
    if let tableBefore { return tableBefore }
    guard !isOfEverything else { return replaced ?? table }
    var before = table
    before.apply(stored.map { Entry($0.key, from: $0.new, to: $0.old) })
    return before
  }

  /// The table before, as observers that asked for it are given it. A change of an item leaves it
  /// as it is.
  var oldTable: Table? { item.map { $0.property.keepsOld ? table : nil } ?? tableBefore }

  /// The change for an observation that has not asked for the table before.
  @inlinable
  func withoutOld() -> KeyedChange {
    KeyedChange(kind, stored, replaced: replaced, table: table, of: item)
  }

  /// For a change of an item: the key path of its property.
  var keyPath: AnyKeyPath? { item?.property.registration.keyPath }

  /// For a change of an item: the old and the new value of its property.
  var valueChange: ObservedChange<Any>? {
    item.map {
      ObservedChange(
        oldValue: $0.values.old, newValue: $0.values.new, registration: $0.property.registration,
        kind: .change)
    }
  }

  func applying(to table: Table) -> Table {
    guard !isOfEverything else { return self.table }
    guard kind != .item else { return table }
    var result = table
    result.apply(stored)
    return result
  }
}

extension KeyedChange {
  /// Whether an item stays, of which a property has changed; of a change of items, or a batch.
  var hasChangedItems: Bool { stored.contains { $0.isOfSameInstance } }

  /// Joins changes of items, and an edit that was made before them, as `ArrayChange.joining` does.
  ///
  /// - Parameters:
  ///   - edit: `nil` if there was none.
  ///   - changes: Each of items.
  ///   - isSingle: Whether there is one, of one property of one item.
  ///   - keepsOld: Whether the table before is asked for.
  /// - Returns: `nil` if the edit includes the changes, or all items have left.
  /// - Complexity: O(k) in the entries.
  static func joining(
    _ edit: KeyedChange?, with changes: [KeyedChange], isSingle: Bool, keepsOld: Bool
  ) -> KeyedChange? {
    guard !(edit?.isOfEverything ?? false), let first = changes.first else { return nil }
    let entries = edit?.stored ?? []
    let edited = Set(entries.lazy.map { $0.key })
    let changed = changes.flatMap { $0.stored }.filter { !edited.contains($0.key) }
    guard !changed.isEmpty else { return nil }
    if isSingle, entries.isEmpty { return first }
    let table = edit?.table ?? first.table
    return KeyedChange(
      .batch, entries + changed, table: table,
      before: edit?.tableBefore ?? (keepsOld ? table : nil))
  }
}

/// The property of an item that changed, and its values.
@usableFromInline
final class KeyedItemChange {
  let property: ElementProperty
  let values: ElementChange

  init(of property: ElementProperty, _ values: ElementChange) {
    (self.property, self.values) = (property, values)
  }
}

/// Immutable. The values of a change of an item may be read in any isolation: they are those of a
/// property of a `Sendable` item. Key paths and registrations are immutable too.
extension KeyedChange: @unchecked Sendable where Table.Key: Sendable, Table.Item: Sendable {}
