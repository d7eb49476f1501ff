/// What a change says; immutable.
@usableFromInline
final class ArrayChangeDetails<Element> {
  @usableFromInline let edit: ArrayEdit<Element>
  @usableFromInline let elements: [Element]
  @usableFromInline let oldElements: [Element]?
  @usableFromInline let elementValues: ElementValues?

  @inlinable
  init(
    _ edit: ArrayEdit<Element>, elements: [Element], oldElements: [Element]? = nil,
    elementValues: ElementValues? = nil
  ) {
    self.edit = edit
    self.elements = elements
    self.oldElements = oldElements
    self.elementValues = elementValues
  }
}

/// The old and the new value of a property of an element.
@usableFromInline
struct ElementValues {
  @usableFromInline let old: Any
  @usableFromInline let new: Any

  /// That of the property; names the key path.
  @usableFromInline let site: ObservationSite

  @inlinable
  init(old: Any, new: Any, site: ObservationSite) {
    self.old = old
    self.new = new
    self.site = site
  }
}

extension ArrayChangeDetails {
  /// Whether nothing of what was there before is taken to be there still.
  @inlinable var isOfEverything: Bool { edit.replaced != nil }

  /// Whether the change has the elements before it exactly if they were asked for.
  @inlinable
  func isAsAsked(for options: ObservationOptions) -> Bool {
    (oldElements != nil) == options.contains(.old) || edit.kind == .initial
  }

  /// The same with the elements before the change, or without. A change of an element leaves the
  /// array as it is.
  @inlinable
  func asAsked(for options: ObservationOptions) -> ArrayChangeDetails {
    ArrayChangeDetails(
      edit, elements: elements,
      oldElements: options.contains(.old) ? oldElements ?? elements : nil,
      elementValues: elementValues)
  }

  /// The elements before the change, whether somebody asked for them or not.
  var elementsBefore: [Element] {
    if let oldElements { return oldElements }
    if let replaced = edit.replaced { return replaced }
    var elements = elements
    elements.apply(
      edit.entries(in: elements).map {
        ArrayChange.Entry(element: $0.element, oldIndex: $0.newIndex, newIndex: $0.oldIndex)
      })
    return elements
  }

  /// The array as it is when it begins to be observed.
  static func initial(_ elements: [Element]) -> ArrayChangeDetails {
    ArrayChangeDetails(
      ArrayEdit(.initial, at: -1, from: -1, replaced: []), elements: elements)
  }

  /// All elements set at once.
  static func setting(
    _ elements: [Element], replacing replaced: [Element]
  ) -> ArrayChangeDetails {
    ArrayChangeDetails(
      .setting(replacing: replaced), elements: elements, oldElements: replaced)
  }
}
