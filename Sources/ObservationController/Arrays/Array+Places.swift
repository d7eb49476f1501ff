/// Edits of many places at once, by moving what is in between: no element is copied, and no
/// reference counted.
extension Array {
  /// Removes the elements at some places, then inserts others, so that each is at its place.
  ///
  /// The caller holds the removed elements: no deinit runs during the access.
  ///
  /// - Parameters:
  ///   - removed: Places before, ascending.
  ///   - inserted: Places after, ascending.
  /// - Complexity: O(n), as copying bytes; n is what stands behind the first place.
  @inlinable
  mutating func apply(removing removed: [Int], inserting inserted: [(place: Int, element: Element)])
  {
    if !removed.isEmpty {
      moveToEnd(removed)
      removeLast(removed.count)
    }
    guard !inserted.isEmpty else { return }
    append(contentsOf: inserted.lazy.map { $0.element })
    moveFromEnd(to: inserted)
  }

  @inlinable
  mutating func moveToEnd(_ places: [Int]) {
    withUnsafeMutableBufferPointer { elements in
      guard let start = elements.baseAddress, let first = places.first else { return }
      let spare = UnsafeMutablePointer<Element>.allocate(capacity: places.count)
      defer { spare.deallocate() }
      // Safe: each of the places is moved out once, since they ascend and are there; what stands
      // between two of them is moved into what has been moved out before.
      var gap = first
      for (number, place) in places.enumerated() {
        let end = number + 1 < places.count ? places[number + 1] : elements.count
        precondition(place < end && end <= elements.count && place >= 0, "Index out of range")
        (spare + number).moveInitialize(from: start + place, count: 1)
        (start + gap).moveInitialize(from: start + place + 1, count: end - place - 1)
        gap += end - place - 1
      }
      (start + gap).moveInitialize(from: spare, count: places.count)
    }
  }

  @inlinable
  mutating func moveFromEnd(to inserted: [(place: Int, element: Element)]) {
    withUnsafeMutableBufferPointer { elements in
      guard let start = elements.baseAddress else { return }
      let spare = UnsafeMutablePointer<Element>.allocate(capacity: inserted.count)
      defer { spare.deallocate() }
      // Safe: the elements at the end are moved out first; then, from behind, what stands behind
      // each place is moved up into what has been moved out, and the element to its place.
      var kept = elements.count - inserted.count
      spare.moveInitialize(from: start + kept, count: inserted.count)
      var end = elements.count
      for number in inserted.indices.reversed() {
        let place = inserted[number].place
        let behind = end - place - 1
        precondition(behind >= 0 && behind <= kept && place >= number, "Index out of range")
        kept -= behind
        (start + place + 1).moveInitialize(from: start + kept, count: behind)
        (start + place).moveInitialize(from: spare + number, count: 1)
        end = place
      }
    }
  }
}

extension Array {
  /// Moves an element, and those in between by one; no others, as removing and inserting it would.
  @inlinable
  mutating func move(from old: Int, to new: Int) {
    precondition(indices.contains(old) && indices.contains(new), "Index out of range")
    withUnsafeMutableBufferPointer { elements in
      // Safe: both places are there, and each element is moved out before another one is moved in.
      guard let start = elements.baseAddress else { return }
      let element = (start + old).move()
      if old < new {
        (start + old).moveInitialize(from: start + old + 1, count: new - old)
      } else {
        (start + new + 1).moveInitialize(from: start + new, count: old - new)
      }
      (start + new).initialize(to: element)
    }
  }
}

extension Array {
  /// Removes and inserts what the entries of a change say; see `apply(removing:inserting:)`.
  ///
  /// - Complexity: O(n + k log k), n being what stands behind the first of the k entries.
  @inlinable
  mutating func applyMoving(_ entries: [ArrayChange<Element>.Entry]) {
    var removed: [Int] = []
    var inserted: [(place: Int, element: Element)] = []
    var areAscending = true
    for entry in entries {
      if let old = entry.oldIndex {
        if let last = removed.last, last > old { areAscending = false }
        removed.append(old)
      }
      if let new = entry.newIndex {
        if let last = inserted.last, last.place > new { areAscending = false }
        inserted.append((new, entry.element))
      }
    }
    if !areAscending {
      removed.sort()
      inserted.sort { $0.place < $1.place }
    }
    apply(removing: removed, inserting: inserted)
  }
}

extension [Int] {
  /// The fewest elements that have to move to get into a new order, in the order of the old places.
  ///
  /// These numbers are the old place of each element in the new order: a permutation.
  ///
  /// - Complexity: O(n), plus O(log n) for each element that is not in its old order.
  @usableFromInline
  func leastMoves() -> [(old: Int, new: Int)] {
    let misplaced = indices.count { self[$0] != $0 }
    guard misplaced > 0 else { return [] }
    let kept = longestIncrease()
    // As in a difference: of two that were exchanged, both moved.
    let movesMisplaced = misplaced <= count - kept.count
    var newPlaces = [Int](repeating: -1, count: count)
    for (new, old) in enumerated() { newPlaces[old] = new }
    if movesMisplaced {
      return newPlaces.enumerated().compactMap { $0 == $1 ? nil : ($0, $1) }
    }
    for new in kept { newPlaces[self[new]] = -1 }
    return newPlaces.enumerated().compactMap { $1 < 0 ? nil : ($0, $1) }
  }
}
