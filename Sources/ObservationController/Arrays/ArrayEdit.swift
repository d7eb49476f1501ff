/// Result of one edit of an array.
///
/// Of references and numbers alone: where generic types are not known, as in a deinit, everything
/// else is slow.
@usableFromInline
struct ArrayEdit<Element> {
  @usableFromInline typealias Entry = ArrayChange<Element>.Entry

  @usableFromInline let kind: ArrayChange<Element>.Kind

  /// Index of the only element that the edit inserted, moved or changed; -1 if it did anything
  /// else.
  @usableFromInline let index: Int

  /// Index of that element before; -1 if it was not there.
  @usableFromInline let oldIndex: Int

  /// Entries of all other edits.
  @usableFromInline let stored: [Entry]

  /// The elements before the edit, if it set or removed all of them; its entries are made when they
  /// are read.
  @usableFromInline let replaced: [Element]?

  /// Of a batch, the indices of elements that have changed; see ``ArrayChange/changedIndices``.
  @usableFromInline let changed: [Int]

  /// - Parameter stored: As ``ArrayChange/entries``; not needed if there is an index or `replaced`.
  @inlinable
  init(
    _ kind: ArrayChange<Element>.Kind, _ stored: [Entry] = [], at index: Int = -1,
    from oldIndex: Int = -1, replaced: [Element]? = nil, changed: [Int] = []
  ) {
    self.changed = changed
    self.kind = kind
    self.index = index
    self.oldIndex = oldIndex
    self.stored = stored
    self.replaced = replaced
  }
}

extension ArrayEdit {
  /// - Parameter elements: Those after the edit.
  @inlinable
  func entries(in elements: [Element]) -> [Entry] {
    if index >= 0 {
      return [
        Entry(element: elements[index], oldIndex: oldIndex < 0 ? nil : oldIndex, newIndex: index)
      ]
    }
    return replaced.map { Entry.replacing($0, with: elements) } ?? stored
  }
}

/// The values of a property of an element before and after a change; empty tuples for a change that
/// is of no property, or of several elements.
///
/// No tuple, which is copied and released by way of its metadata, and no optional, which costs ten
/// times as much to release.
@usableFromInline
struct ElementChange {
  @usableFromInline let old: Any
  @usableFromInline let new: Any

  @inlinable
  init(from old: Any = (), to new: Any = ()) {
    (self.old, self.new) = (old, new)
  }
}
