/// Composition of several edits of an array to one, by their entries alone: elements are not
/// compared.
///
/// Each element is a number from the first edit on: one that was there its index then, until it is
/// moved; any other one the complement of its place in `held`.
struct ArrayComposition<Element> {
  typealias Entry = ArrayChange<Element>.Entry

  /// From where on indices may mean something else; elements before it are left out.
  private let start: Int

  /// The numbers of the elements from `start` on, in their order.
  private var numbers: [Int]

  /// Elements that came, and those that were moved, with their index before.
  private var held: [(element: Element, oldIndex: Int?)] = []

  /// Entries of elements that were there and left.
  private var removed: [Entry] = []

  /// Elements of which a property changed, by their index before all edits.
  private var changedNumbers: Set<Int> = []

  /// - Parameter count: Number of elements before the first edit.
  /// - Complexity: O(n + k), n being the elements behind the first place that an edit names, and
  ///   what the edits took, if each was of a few elements.
  init(of edits: some Collection<WaitingArrayChanges<Element>.Edit>, from count: Int) {
    var start = count
    for edit in edits where edit.kind != .element {
      for entry in edit.entries { start = Swift.min(start, entry.oldIndex ?? entry.newIndex ?? 0) }
      for entry in edit.entries { start = Swift.min(start, entry.newIndex ?? start) }
    }
    self.start = start
    numbers = Array(start..<count)
    for edit in edits {
      if edit.kind != .element, !edit.entries.isEmpty { apply(edit.entries) }
      for index in edit.changedIndices { noteChange(at: index) }
    }
  }

  private mutating func apply(_ entries: [Entry]) {
    let before = numbers
    let shifted = entries.map { entry -> ArrayChange<Int>.Entry in
      var number = entry.oldIndex.map { before[$0 - start] }
      if entry.newIndex == nil {
        if let oldIndex = number.flatMap(oldIndex) {
          removed.append(Entry(entry.element, removedAt: oldIndex))
        }
      } else if number ?? 0 >= 0 {
        held.append((entry.element, number))
        number = ~(held.count - 1)
      }
      return ArrayChange.Entry(
        element: number ?? 0, oldIndex: entry.oldIndex.map { $0 - start },
        newIndex: entry.newIndex.map { $0 - start })
    }
    numbers.apply(shifted)
  }

  /// The index of an element before all edits; `nil` if it came by one of them.
  private func oldIndex(of number: Int) -> Int? { number < 0 ? held[~number].oldIndex : number }

  private mutating func noteChange(at index: Int) {
    guard let number = index < start ? index : oldIndex(of: numbers[index - start]) else { return }
    changedNumbers.insert(number)
  }
}

extension ArrayComposition {
  /// Entries of all edits: each element that an edit has moved is moved, those in between keep
  /// their order.
  var entries: [Entry] {
    var entries = removed
    for (place, number) in numbers.enumerated() where number < 0 {
      let (element, oldIndex) = held[~number]
      entries.append(Entry(element: element, oldIndex: oldIndex, newIndex: place + start))
    }
    // Stable, so that what was removed stands before what came in its place.
    entries.sort { $0.sortKey < $1.sortKey }
    return entries
  }

  /// Indices after all edits of the elements that were there before them, and of which a property
  /// changed.
  var changed: [Int] {
    guard !changedNumbers.isEmpty else { return [] }
    let stayed = changedNumbers.filter { $0 < start }.sorted()
    let others = numbers.indices.filter { place in
      oldIndex(of: numbers[place]).map(changedNumbers.contains) ?? false
    }
    return stayed + others.map { $0 + start }
  }
}
