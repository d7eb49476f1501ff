/// An edit of an array as indices alone: which elements left, and where new ones are.
///
/// What neither left nor came keeps its order and fills the rest.
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

  /// Where the elements that stay are after the edit, for ascending indices of such elements.
  @usableFromInline
  struct Survivors {
    private let edit: IndexEdit
    private var removedBefore = 0
    private var insertedBefore = 0

    @usableFromInline
    init(of edit: IndexEdit) {
      self.edit = edit
    }

    /// The index after the edit; `nil` if the element at `index` left.
    @usableFromInline
    mutating func index(after index: Int) -> Int? {
      while removedBefore < edit.removed.count, edit.removed[removedBefore] < index {
        removedBefore += 1
      }
      if removedBefore < edit.removed.count, edit.removed[removedBefore] == index { return nil }
      while insertedBefore < edit.inserted.count,
        edit.inserted[insertedBefore] <= index - removedBefore + insertedBefore
      {
        insertedBefore += 1
      }
      return index - removedBefore + insertedBefore
    }
  }

  /// Numbers a selection of the elements anew.
  ///
  /// - Parameters:
  ///   - selection: Ascending indices before the edit; receives those after it.
  ///   - arriving: Ascending indices after the edit, of elements that have come or moved, and are selected.
  /// - Returns: For each of these its place in the selection.
  /// - Complexity: O(log n + m), m being what stands behind the edit.
  @usableFromInline
  func renumber(_ selection: inout [Int], arriving: [Int]) -> [Int] {
    let start = selection.partitioningIndex { $0 >= self.start }
    var survivors = Survivors(of: self)
    var staying = selection[start...].compactMap { survivors.index(after: $0) }[...]
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

  /// Where an element that stays is after the edit.
  ///
  /// - Complexity: O(log k) in the elements that left or came; see `Survivors` for many.
  @usableFromInline
  func index(after index: Int) -> Int {
    inserted.index(ofOther: index - removed.partitioningIndex { $0 >= index })
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
