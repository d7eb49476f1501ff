/// The array as it was last delivered to an observation on another thread: changes that have waited
/// are applied to it, and delivered with it.
///
/// An array of its own, since the observed one belongs to another isolation. Edited in place,
/// unless a handler has kept the elements of a change.
struct DeliveredArray<Element>: DeliveredCollection {
  private(set) var elements: [Element] = []

  init(followsElements: Bool) {}

  init(_ elements: [Element]) { self.elements = elements }

  /// Applies changes that have waited, and makes one of them.
  ///
  /// - Parameter options: `.old` for the elements before; `.distinct` leaves out a change after
  ///   which the array equals what it was.
  /// - Returns: `nil` if they have cancelled each other out.
  mutating func apply(
    _ changes: WaitingArrayChanges<Element>, options: ObservationOptions
  ) -> ArrayChange<Element>? {
    let isDistinct = options.contains(.distinct)
    let before = options.contains(.old) || isDistinct ? elements : nil
    guard let edit = advance(by: changes.edits) else { return nil }
    // One change was compared when it was made.
    if changes.edits.count > 1, let property = edit.property, edit.values.isEqual(at: property) {
      return nil
    }
    let keepsOld = options.contains(.old) && edit.edit.kind != .initial
    let change = ArrayChange(
      edit.edit, elements: elements, before: keepsOld ? before : nil, of: edit.property,
      edit.values)
    if isDistinct, let before, edit.edit.kind != .initial, edit.property == nil,
      change.changedIndices.isEmpty, before.count == elements.count,
      before.elementsEqual(elements, by: ElementIdentity.areSame)
    {
      return nil
    }
    return change
  }

  private typealias Result = (
    edit: ArrayEdit<Element>, property: ElementProperty?, values: ElementChange
  )

  private mutating func advance(by edits: [WaitingArrayChanges<Element>.Edit]) -> Result? {
    guard let first = edits.first else { return nil }
    if let new = first.elements {
      let replaced = first.kind == .initial ? [] : elements
      elements = new
      for edit in edits.dropFirst() where edit.kind != .element { elements.apply(edit.entries) }
      return (ArrayEdit(first.kind, replaced: replaced), nil, ElementChange())
    }
    if edits.count == 1 {
      if first.kind != .element { elements.apply(first.entries) }
      return (
        ArrayEdit(first.kind, first.entries, changed: first.changed), first.property, first.values
      )
    }
    if let single = Self.changeOfOneElement(edits) { return single }
    let composition = ArrayComposition(of: edits, from: elements.count)
    let entries = ArrayChange.Entry.withoutIdleMoves(composition.entries)
    let changed = composition.changed
    elements.apply(entries)
    guard !entries.isEmpty || !changed.isEmpty else { return nil }
    return (ArrayEdit(.batch, entries, changed: changed), nil, ElementChange())
  }

  /// Joins changes of one property of one element to one, from the first old value to the last new
  /// one; `nil` if they are not of that kind.
  private static func changeOfOneElement(
    _ edits: [WaitingArrayChanges<Element>.Edit]
  ) -> Result? {
    guard let first = edits.first, let last = edits.last, let property = first.property,
      edits.allSatisfy({
        $0.property === property && $0.changedIndices == first.changedIndices
      })
    else { return nil }
    return (
      ArrayEdit(.element, last.entries), property,
      ElementChange(from: first.values.old, to: last.values.new)
    )
  }
}

extension ElementChange {
  /// Whether the observation leaves out equal values of the property, and these are.
  func isEqual(at property: ElementProperty) -> Bool {
    guard let areEqual = property.registration.areEqual else { return false }
    func areEqualOpened<Value>(_ type: Value.Type) -> Bool {
      guard let old = old as? Value, let new = new as? Value else { return false }
      return withUnsafePointer(to: old) { old in withUnsafePointer(to: new) { areEqual(old, $0) } }
    }
    // Both are values of the type of the property.
    let valueType = type(of: property.registration.keyPath).valueType
    return areEqualOpened(valueType)
  }
}
