/// What one edit did to an array.
///
/// Of references and numbers alone: where generic types are not known, as in a deinit, everything
/// else is slow.
@usableFromInline
struct ArrayEdit<Element> {
  @usableFromInline typealias Entry = ArrayChange<Element>.Entry

  @usableFromInline let kind: ArrayChange<Element>.Kind

  /// Where the only element is that the edit is about, if it is there; -1 if there are others, or it
  /// is not.
  @usableFromInline let index: Int

  /// Where that element was before; -1 if it was not there.
  @usableFromInline let oldIndex: Int

  /// What it is about, if not that.
  @usableFromInline let stored: [Entry]

  /// Where all elements are new: those that were there before. The entries are only made for those
  /// who read them.
  @usableFromInline let replaced: [Element]?

  @inlinable
  init(
    _ kind: ArrayChange<Element>.Kind, at index: Int, from oldIndex: Int, stored: [Entry] = [],
    replaced: [Element]? = nil
  ) {
    self.kind = kind
    self.index = index
    self.oldIndex = oldIndex
    self.stored = stored
    self.replaced = replaced
  }
}

extension ArrayEdit {
  /// - Parameter entries: As ``ArrayChange/entries``.
  @inlinable
  init(_ kind: ArrayChange<Element>.Kind, _ entries: [Entry]) {
    self.init(kind, at: -1, from: -1, stored: entries)
  }

  @inlinable
  static func insertion(at index: Int) -> ArrayEdit {
    ArrayEdit(.insertion, at: index, from: -1)
  }

  @inlinable
  static func setting(replacing replaced: [Element]) -> ArrayEdit {
    ArrayEdit(.setting, at: -1, from: -1, replaced: replaced)
  }

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
