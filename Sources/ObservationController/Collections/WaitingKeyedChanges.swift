/// Changes of a dictionary or a set on their way to another thread; see `WaitingArrayChanges`.
final class WaitingKeyedChanges<Table: KeyedTable>: WaitingChanges {
  typealias Change = KeyedChange<Table>
  typealias Entry = KeyedEntry<Table>

  /// One change as it was made.
  struct Edit {
    let kind: KeyedKind
    let entries: [Entry]

    /// The table that was set, if all of it was.
    let table: Table?

    /// For a change of an item.
    let item: KeyedItemChange?
  }

  private(set) var edits: [Edit]

  init(_ change: KeyedChange<Table>) {
    let isOfEverything = change.isOfEverything
    edits = [
      Edit(
        kind: change.kind, entries: change.stored, table: isOfEverything ? change.table : nil,
        item: change.item)
    ]
  }

  private init(_ edits: [Edit]) { self.edits = edits }
}

extension WaitingKeyedChanges {
  var isInitial: Bool { edits.first?.kind == .initial }

  /// Adds later changes. They are joined when they are taken: keys are hashed, which is the user's
  /// code.
  ///
  /// - Returns: What is no longer used, to be released outside of every lock.
  /// - Complexity: O(1) amortised.
  func append(_ other: WaitingKeyedChanges) -> AnyObject? {
    guard let first = other.edits.first, let table = first.table else {
      edits += other.edits
      return nil
    }
    // Everything is set: what was before does not matter. An initial delivery stays one.
    let replaced = WaitingKeyedChanges(edits)
    let kind = isInitial ? .initial : first.kind
    edits = [Edit(kind: kind, entries: [], table: table, item: nil)] + other.edits.dropFirst()
    return replaced
  }
}
