/// An edit of an array as indices alone: which elements left, and where new ones are.
///
/// What neither left nor came keeps its order and fills the rest.
struct IndexEdit {
  /// Indices before the edit, ascending.
  let removed: [Int]

  /// Indices after the edit, ascending.
  let inserted: [Int]

  init<Element>(_ entries: [ArrayChange<Element>.Entry]) {
    // Mostly in order already.
    removed = entries.compactMap(\.oldIndex).sortedIfNeeded()
    inserted = entries.compactMap(\.newIndex).sortedIfNeeded()
  }
}

extension IndexEdit {
  /// Elements that stand next to each other and left or came together.
  struct Run {
    let start: Int
    var count: Int
    var end: Int { start + count }
  }

  /// From where on indices may mean something else.
  var start: Int { min(removed.first ?? .max, inserted.first ?? .max) }

  /// Whether what stays has the indices that it had.
  var isInPlace: Bool { removed == inserted }

  static func runs(of indices: [Int]) -> [Run] {
    var runs: [Run] = []
    for index in indices {
      if let last = runs.last, last.end == index {
        runs[runs.count - 1].count += 1
      } else {
        runs.append(Run(start: index, count: 1))
      }
    }
    return runs
  }

  /// Where the elements that stay are after the edit, for ascending indices of such elements.
  struct Survivors {
    private let edit: IndexEdit
    private var removedBefore = 0
    private var insertedBefore = 0

    init(of edit: IndexEdit) {
      self.edit = edit
    }

    /// The index after the edit; `nil` if the element at `index` left.
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

  /// Where an element that stays is after the edit.
  ///
  /// - Complexity: O(log k) in the elements that left or came; see `Survivors` for many.
  func index(after index: Int) -> Int {
    inserted.index(ofOther: index - removed.partitioningIndex { $0 >= index })
  }
}

extension [Int] {
  /// The `position`-th index that is none of these, which are ascending.
  ///
  /// - Complexity: O(log k).
  func index(ofOther position: Int) -> Int {
    // The n-th of these has as many others before it as it is greater than n.
    position + indices.partitioningIndex { self[$0] - $0 > position }
  }

  fileprivate func sortedIfNeeded() -> [Int] {
    zip(self, dropFirst()).allSatisfy { $0 < $1 } ? self : sorted()
  }
}
