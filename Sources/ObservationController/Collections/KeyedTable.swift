/// What an observable dictionary and an observable set have in common: items by their keys. Those
/// of a set are their own keys.
///
/// Inlinable, as everything that an edit of one key does: code that is not compiled for the types
/// takes twenty times as long.
@usableFromInline
protocol KeyedTable {
  associatedtype Key: Hashable
  associatedtype Item

  init()

  var count: Int { get }

  func item(for key: Key) -> Item?

  /// Sets an item, or removes it.
  ///
  /// - Returns: The item before.
  mutating func setItem(_ item: Item?, for key: Key) -> Item?

  mutating func reserveCapacity(_ count: Int)

  var allItems: [(key: Key, item: Item)] { get }
}

extension Dictionary: KeyedTable {
  @usableFromInline typealias Item = Value

  @inlinable
  func item(for key: Key) -> Value? { self[key] }

  @inlinable
  mutating func setItem(_ item: Value?, for key: Key) -> Value? {
    if let item { updateValue(item, forKey: key) } else { removeValue(forKey: key) }
  }

  @inlinable
  var allItems: [(key: Key, item: Value)] { map { ($0.key, $0.value) } }
}

extension Set: KeyedTable {
  @usableFromInline typealias Key = Element
  @usableFromInline typealias Item = Element

  @inlinable
  func item(for key: Element) -> Element? { firstIndex(of: key).map { self[$0] } }

  @inlinable
  mutating func setItem(_ item: Element?, for key: Element) -> Element? {
    if let item { update(with: item) } else { remove(key) }
  }

  @inlinable
  var allItems: [(key: Element, item: Element)] { map { ($0, $0) } }
}

/// What a change did to one key.
@usableFromInline
struct KeyedEntry<Table: KeyedTable> {
  @usableFromInline let key: Table.Key

  /// The item before; `nil` if there was none.
  @usableFromInline let old: Table.Item?

  /// The item after; `nil` if there is none.
  @usableFromInline let new: Table.Item?

  @inlinable
  init(_ key: Table.Key, from old: Table.Item?, to new: Table.Item?) {
    (self.key, self.old, self.new) = (key, old, new)
  }
}

/// Kind of a change of a keyed table.
@usableFromInline
enum KeyedKind: Sendable { case initial, setting, insertion, removal, update, batch, item }

extension KeyedKind {
  /// Kind of a change of one key.
  @inlinable
  init<Item>(from old: Item?, to new: Item?) {
    self = old == nil ? .insertion : new == nil ? .removal : .update
  }

  /// Kind of a change that was made at once: what only inserts is an insertion, and so on.
  @inlinable
  init<Table>(of entries: [KeyedEntry<Table>]) {
    let inserted = entries.count { $0.old == nil }
    let removed = entries.count { $0.new == nil }
    self =
      switch (inserted, removed) {
      case _ where entries.isEmpty: .batch
      case (entries.count, _): .insertion
      case (_, entries.count): .removal
      case (0, 0): .update
      default: .batch
      }
  }
}

extension KeyedTable {
  /// Entries that lead from another table to this one, for the keys of both.
  ///
  /// - Parameter areSame: Whether an item may stay in place of another one, which has no entry
  ///   then.
  /// - Complexity: O(n).
  func entries(from old: Self, leavingOut areSame: (Item, Item) -> Bool) -> [KeyedEntry<Self>] {
    var entries: [KeyedEntry<Self>] = []
    for (key, item) in old.allItems where self.item(for: key) == nil {
      entries.append(KeyedEntry(key, from: item, to: nil))
    }
    for (key, item) in allItems {
      let before = old.item(for: key)
      if let before, areSame(before, item) { continue }
      entries.append(KeyedEntry(key, from: before, to: item))
    }
    return entries
  }

  mutating func apply(_ entries: [KeyedEntry<Self>]) {
    for entry in entries { _ = setItem(entry.new, for: entry.key) }
  }
}
