/// An edit of an array as indices alone: which elements left, and where new ones are.
///
/// All other elements keep their order and fill the rest.
@usableFromInline
struct IndexEdit {
  /// Indices before the edit, ascending.
  @usableFromInline let removed: [Int]

  /// Indices after the edit, ascending.
  @usableFromInline let inserted: [Int]

  @inlinable
  init<Element>(_ entries: [ArrayChange<Element>.Entry]) {
    // Closures, since a key path of a generic type is made anew each time. Mostly in order already.
    removed = entries.compactMap { $0.oldIndex }.sortedIfNeeded()
    inserted = entries.compactMap { $0.newIndex }.sortedIfNeeded()
  }
}

extension IndexEdit {
  /// From where on indices may mean something else.
  var start: Int { min(removed.first ?? .max, inserted.first ?? .max) }

  /// Whether what stays has the indices that it had.
  var isInPlace: Bool { removed == inserted }

  /// Numbers a selection of the elements anew.
  ///
  /// - Parameters:
  ///   - selection: Ascending indices before the edit; receives those after it.
  ///   - arriving: Ascending indices after the edit, of elements that have come or moved, and are
  ///     selected.
  /// - Returns: For each of these its place in the selection.
  /// - Complexity: O(log n + m log k), m being what stands behind an edit of k elements.
  @usableFromInline
  func renumber(_ selection: inout [Int], arriving: [Int]) -> [Int] {
    let start = selection.partitioningIndex { $0 >= self.start }
    var staying = selection[start...].compactMap { index(after: $0) }[...]
    selection.removeSubrange(start...)
    var places: [Int] = []
    places.reserveCapacity(arriving.count)
    for next in arriving {
      let before = staying.prefix { $0 < next }
      selection += before
      staying = staying.dropFirst(before.count)
      places.append(selection.count)
      selection.append(next)
    }
    selection += staying
    return places
  }

  /// The index of an element after the edit; `nil` if it left.
  ///
  /// - Complexity: O(log k) in the elements that left or came.
  @usableFromInline
  func index(after index: Int) -> Int? {
    let removedBefore = removed.partitioningIndex { $0 >= index }
    guard removedBefore == removed.count || removed[removedBefore] != index else { return nil }
    return inserted.index(ofOther: index - removedBefore)
  }
}

extension [Int] {
  /// The `position`-th index that is none of these, which are ascending.
  ///
  /// - Complexity: O(log k).
  @usableFromInline
  func index(ofOther position: Int) -> Int {
    // The n-th of these has as many others before it as it is greater than n.
    position + indices.partitioningIndex { self[$0] - $0 > position }
  }

  @usableFromInline
  func sortedIfNeeded() -> [Int] {
    zip(self, dropFirst()).allSatisfy { $0 < $1 } ? self : sorted()
  }
}
