/// Immutable contents of a change.
@usableFromInline
final class ArrayChangeDetails<Element> {
  @usableFromInline let edit: ArrayEdit<Element>
  @usableFromInline let elements: [Element]
  @usableFromInline let oldElements: [Element]?

  @usableFromInline let elementChange: ElementChange

  @inlinable
  init(
    _ edit: ArrayEdit<Element>, elements: [Element], oldElements: [Element]? = nil,
    elementChange: ElementChange = .none
  ) {
    self.edit = edit
    self.elements = elements
    self.oldElements = oldElements
    self.elementChange = elementChange
  }
}

extension ArrayChangeDetails {
  /// Whether nothing of what was there before is taken to be there still.
  @inlinable var isOfEverything: Bool { edit.replaced != nil }

  /// The elements before the change, computed where no observation asked for them.
  var elementsBefore: [Element] {
    if let oldElements { return oldElements }
    if edit.kind == .initial { return elements }
    if let replaced = edit.replaced { return replaced }
    var elements = elements
    elements.apply(
      edit.entries(in: elements).map {
        ArrayChange.Entry(element: $0.element, oldIndex: $0.newIndex, newIndex: $0.oldIndex)
      })
    return elements
  }
}

/// Change of a property of an element, or none. No optional, which costs ten times as much to
/// release.
@usableFromInline
struct ElementChange {
  /// `nil` if there is no change, or there are several.
  @usableFromInline let property: ElementProperty?
  @usableFromInline let old: Any
  @usableFromInline let new: Any

  @inlinable
  init(_ property: ElementProperty?, old: Any, new: Any) {
    (self.property, self.old, self.new) = (property, old, new)
  }

  @inlinable static var none: ElementChange { ElementChange(nil, old: (), new: ()) }
}

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

  /// The elements before the edit, if it set all of them; its entries are made when they are read.
  @usableFromInline let replaced: [Element]?

  /// - Parameter stored: As ``ArrayChange/entries``; not needed if there is an index or `replaced`.
  @inlinable
  init(
    _ kind: ArrayChange<Element>.Kind, _ stored: [Entry] = [], at index: Int = -1,
    from oldIndex: Int = -1, replaced: [Element]? = nil
  ) {
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
