/// Changes by hand, for tests that call a handler.
extension ArrayChange {
  /// Makes a change by hand.
  ///
  ///     list.studentsDidChange(
  ///       ArrayChange(
  ///         .insertion, [.init(element: ada, oldIndex: nil, newIndex: 0)], elements: [ada]))
  ///
  /// - Parameters:
  ///   - kind: The kind that the handler finds; for ``Kind/element`` use the other initialiser,
  ///     which names the property.
  ///   - entries: What was inserted, removed or moved, ascending by the index where it was or else
  ///     is. Not used for ``Kind/initial`` and ``Kind/setting``, whose entries follow from the
  ///     elements.
  ///   - elements: The elements after the change.
  ///   - oldElements: The elements before the change; `nil` for an observation without
  ///     ``ObservationOptions/old``.
  /// - Complexity: O(1).
  public init(
    _ kind: Kind, _ entries: [Entry] = [], elements: [Element], oldElements: [Element]? = nil
  ) {
    let edit =
      switch kind {
      case .initial: ArrayEdit<Element>(.initial, replaced: [])
      case .setting: ArrayEdit<Element>(.setting, replaced: oldElements ?? [])
      default: ArrayEdit<Element>(kind, entries)
      }
    self.init(edit, elements: elements, before: oldElements)
  }

  /// Makes a change of a property of one element by hand.
  ///
  ///     list.studentsDidChange(
  ///       ArrayChange(elementAt: 0, \Student.name, from: "Ada", to: "Grace", elements: [ada]))
  ///
  /// - Parameters:
  ///   - index: The place of the element. Traps if there is none.
  ///   - keyPath: The property that the handler finds.
  ///   - oldValue: The value before the change.
  ///   - newValue: The value after the change.
  ///   - elements: The elements of the array.
  ///   - file: File of the call, for descriptions.
  ///   - line: Line of the call, for descriptions.
  /// - Complexity: O(1).
  public init<Value>(
    elementAt index: Int, _ keyPath: KeyPath<Element, Value>, from oldValue: Value,
    to newValue: Value, elements: [Element], file: String = #fileID, line: UInt = #line
  ) {
    precondition(elements.indices.contains(index), "There is no element at \(index)")
    self.init(
      ArrayEdit(.element, at: index, from: index), elements: elements,
      of: ElementProperty(
        ObservationRegistration(byHand: keyPath, nil, file, line), keepsOld: false),
      ElementChange(from: oldValue, to: newValue))
  }
}
