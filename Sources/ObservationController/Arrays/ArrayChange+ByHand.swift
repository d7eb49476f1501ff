extension ArrayChange {
  /// Makes a change by hand, for a test that calls a handler.
  ///
  ///     list.studentsDidChange(
  ///       ArrayChange(
  ///         kind: .insertion, entries: [.init(element: ada, oldIndex: nil, newIndex: 0)],
  ///         elements: [ada]))
  ///
  /// Nothing is checked: a change that contradicts itself is of no use to a test.
  ///
  /// - Parameters:
  ///   - kind: Kind of the change.
  ///   - entries: The elements that it is about, ascending by index.
  ///   - elements: The elements after the change.
  ///   - oldElements: The elements before it; `nil` for an observation without
  ///     ``ObservationOptions/old``.
  ///   - changedIndices: For ``Kind/batch``; those of ``Kind/element`` are those of its entries.
  ///   - elementKeyPath: For ``Kind/element``, what changed on the element.
  ///   - elementChange: For ``Kind/element``, the old and the new value of that.
  /// - Complexity: O(1).
  public init(
    kind: Kind, entries: [Entry], elements: [Element], oldElements: [Element]? = nil,
    changedIndices: [Int] = [], elementKeyPath: PartialKeyPath<Element>? = nil,
    elementChange: ObservedChange<Any>? = nil
  ) {
    // Its key path is that of the element, whatever that of the given change is.
    let change = elementKeyPath.map {
      ObservedChange<Any>(
        oldValue: elementChange?.oldValue, newValue: elementChange?.newValue ?? (), keyPath: $0,
        context: elementChange?.context)
    }
    self.init(
      ArrayEdit(kind, entries, changed: kind == .batch ? changedIndices : []), elements: elements,
      before: oldElements,
      of: change.map { ElementProperty($0.registration, keepsOld: oldElements != nil) },
      change.map { ElementChange(from: $0.oldValue ?? (), to: $0.newValue) } ?? ElementChange())
  }
}
