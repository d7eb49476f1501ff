/// What to do with a change: apply it to an array of one's own, or hand it to a table view.
extension ArrayChange {
  /// The array that this change makes of the array before it.
  ///
  /// - Parameter elements: What the array was before the change. Stops the program if it has not as
  ///   many elements.
  /// - Complexity: O(n).
  public func applying(to elements: [Element]) -> [Element] {
    guard !details.isOfEverything else { return self.elements }
    guard kind != .element else { return elements }
    var result = elements
    result.apply(entries)
    return result
  }

  /// The change as the standard library has it: removals by their offset before the change,
  /// insertions by their offset after it, and both of them, associated, for elements that moved.
  ///
  /// Everything is inserted by ``Kind/initial``, nothing by ``Kind/element``.
  ///
  /// - Complexity: O(n log n) in the number of entries.
  public var difference: CollectionDifference<Element> {
    var changes: [CollectionDifference<Element>.Change] = []
    for entry in entries where kind != .element {
      if let old = entry.oldIndex {
        changes.append(
          .remove(offset: old, element: entry.element, associatedWith: entry.newIndex))
      }
      if let new = entry.newIndex {
        changes.append(
          .insert(offset: new, element: entry.element, associatedWith: entry.oldIndex))
      }
    }
    // Never `nil`: each index stands in one entry, and an entry associates its own two.
    return CollectionDifference(changes)!
  }

  /// Whether elements were inserted or removed at the end, and nothing else.
  ///
  /// - Complexity: O(n) in the number of entries.
  public var isAtTail: Bool {
    switch kind {
    case .insertion:
      entries.first?.newIndex == elements.count - entries.count
    case .removal:
      entries.first?.oldIndex == elements.count
    default:
      false
    }
  }
}

extension Array {
  /// Removes what left, by the index where it was, and inserts what came, by the index where it is.
  ///
  /// - Parameter entries: Indices ascending where elements only leave, or only come, or come where
  ///   others left; moves in any order.
  /// - Complexity: O(n + k log k) in the entries.
  @inlinable
  mutating func apply(_ entries: [ArrayChange<Element>.Entry]) {
    // A few edits in place: that moves no more than they have to.
    if entries.count <= 16 {
      for entry in entries.sorted(by: { $0.oldIndex ?? -1 > $1.oldIndex ?? -1 }) {
        if let index = entry.oldIndex { remove(at: index) }
      }
      for entry in entries.sorted(by: { $0.newIndex ?? -1 < $1.newIndex ?? -1 }) {
        if let index = entry.newIndex { insert(entry.element, at: index) }
      }
      return
    }
    let edit = IndexEdit(entries)
    precondition(
      edit.removed.last ?? -1 < count,
      "The change does not belong to this array: it removes an element at \(edit.removed.last ?? 0), "
        + "but there are only \(count)")
    // Indices of entries, since a copy of an element counts a reference.
    var inserted = entries.indices.filter { entries[$0].newIndex != nil }[...]
    inserted.sort { entries[$0].newIndex! < entries[$1].newIndex! }
    var removed = edit.removed[...]
    var result: [Element] = []
    result.reserveCapacity(count - removed.count + inserted.count)
    for index in 0...count {
      while let next = inserted.first, entries[next].newIndex == result.count {
        result.append(entries[next].element)
        inserted.removeFirst()
      }
      if removed.first == index {
        removed.removeFirst()
      } else if index < count {
        result.append(self[index])
      }
    }
    precondition(
      inserted.isEmpty,
      "The change does not belong to this array: it inserts an element behind its end")
    self = result
  }
}
