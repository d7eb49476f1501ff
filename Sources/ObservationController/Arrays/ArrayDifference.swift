/// Differences of two arrays, as entries of a change.
extension ArrayChange.Entry {
  /// Entries that lead from `old` to `new`, with as few moves as possible.
  ///
  /// - Parameter origins: For each element of `new`, its index in `old`; -1 if it is new.
  /// - Complexity: O(n), plus O(log n) for each element that is not in its old order.
  @usableFromInline
  static func leading(from old: [Element], to new: [Element], origins: [Int]) -> [Self] {
    var isRemoved = [Bool](repeating: true, count: old.count)
    for origin in origins where origin >= 0 { isRemoved[origin] = false }
    let removed = old.indices.filter { isRemoved[$0] }.map { Self(old[$0], removedAt: $0) }
    return leading(to: new, origins: origins, removing: removed)
  }

  /// - Parameter removed: The entries of what is not in `new`, in any order.
  static func leading(to new: [Element], origins: [Int], removing removed: [Self]) -> [Self] {
    let isMoved = moved(among: origins)
    var entries = removed
    for (index, origin) in origins.enumerated() where origin < 0 || isMoved[index] {
      entries.append(
        Self(element: new[index], oldIndex: origin < 0 ? nil : origin, newIndex: index))
    }
    // Stable, so that what was removed stands before what came in its place.
    entries.sort { $0.sortKey < $1.sortKey }
    return entries
  }

  /// The entries without the moves of elements that keep their order.
  ///
  /// - Parameter entries: Ascending, as those of a change.
  /// - Complexity: O(k log k) in the entries.
  @inlinable
  static func withoutIdleMoves(_ entries: [Self]) -> [Self] {
    guard entries.contains(where: { $0.oldIndex != nil && $0.newIndex != nil }) else {
      return entries
    }
    let edit = IndexEdit(entries)
    // An element may stay if as many of those that stay are before it as were, and if it keeps its
    // order among others of that kind.
    let candidates = entries.map { entry -> Int in
      guard let old = entry.oldIndex, let new = entry.newIndex else { return -1 }
      let before = old - edit.removed.partitioningIndex { $0 >= old }
      return before == new - edit.inserted.partitioningIndex { $0 >= new } ? new : -1
    }
    let idle = Set(candidates.longestIncrease())
    guard !idle.isEmpty else { return entries }
    return entries.indices.filter { !idle.contains($0) }.map { entries[$0] }
  }

  /// Which elements have to be moved, so that all others keep their order.
  private static func moved(among origins: [Int]) -> [Bool] {
    let kept = origins.longestIncrease()
    // Those that are not where they were, if they are no more: two elements that were exchanged are
    // then two moves, whatever stands between them.
    var isMoved = origins.enumerated().map { $0.element != $0.offset }
    guard isMoved.count(where: \.self) > origins.count - kept.count else { return isMoved }
    isMoved = [Bool](repeating: true, count: origins.count)
    for index in kept { isMoved[index] = false }
    return isMoved
  }
}

extension ArrayChange.Kind {
  /// Kind of an edit with these entries.
  @inlinable
  init(of entries: [ArrayChange.Entry]) {
    let removed = entries.lazy.filter { $0.newIndex == nil }.map { $0.oldIndex }
    let inserted = entries.lazy.filter { $0.oldIndex == nil }.map { $0.newIndex }
    self =
      switch (removed.count, inserted.count) {
      case (0, 0): entries.isEmpty ? .batch : .move
      case (entries.count, 0): .removal
      case (0, entries.count): .insertion
      case (let count, _) where 2 * count == entries.count && removed.elementsEqual(inserted):
        .replacement
      default: .batch
      }
  }
}

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
    // Closures, since a key path of a generic type is made anew each time.
    removed = entries.compactMap { $0.oldIndex }.sorted()
    inserted = entries.compactMap { $0.newIndex }.sorted()
  }
}

extension IndexEdit {
  /// From where on indices may mean something else.
  @inlinable var start: Int { min(removed.first ?? .max, inserted.first ?? .max) }

  /// The index of an element after the edit; `nil` if it left.
  ///
  /// - Complexity: O(log k) in the elements that left or came.
  @usableFromInline
  func index(after index: Int) -> Int? {
    let removedBefore = removed.partitioningIndex { $0 >= index }
    guard removedBefore == removed.count || removed[removedBefore] != index else { return nil }
    // The n-th inserted one has as many others before it as it is greater than n.
    let position = index - removedBefore
    return position + inserted.indices.partitioningIndex { inserted[$0] - $0 > position }
  }
}

extension [Int] {
  /// Follows an edit of the elements that these numbers belong to; -1 for those that come.
  @inlinable
  mutating func follow<Value>(_ entries: [ArrayChange<Value>.Entry]) {
    let numbers = self
    apply(entries.map { entry in entry.with(entry.oldIndex.map { numbers[$0] } ?? -1) })
  }

  /// Indices, ascending, of a longest subsequence of these numbers that ascends; those below 0 are
  /// left out.
  ///
  /// By patience sorting (Schensted 1961, Fredman 1975).
  ///
  /// - Complexity: O(n), plus O(log n) for each number that is smaller than one before it.
  @usableFromInline
  func longestIncrease() -> [Int] {
    // `tails[k]` is where the best series of k + 1 numbers found so far ends.
    var tails: [Int] = []
    var predecessors = [Int](repeating: -1, count: count)
    for (index, value) in enumerated() where value >= 0 {
      guard let last = tails.last, self[last] >= value else {
        predecessors[index] = tails.last ?? -1
        tails.append(index)
        continue
      }
      let position = tails.partitioningIndex { self[$0] >= value }
      if position > 0 { predecessors[index] = tails[position - 1] }
      tails[position] = index
    }
    return sequence(first: tails.last ?? -1) { predecessors[$0] }.prefix { $0 >= 0 }.reversed()
  }
}
