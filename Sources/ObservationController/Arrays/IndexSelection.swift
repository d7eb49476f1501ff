/// Which elements of a source a live view shows, where that depends on their indices or on other
/// elements: a window, or the first of each key.
@usableFromInline
struct IndexSelection<Element> {
  /// Receives all elements of the source; returns the indices of those that are shown, ascending.
  @usableFromInline let begin: ([Element]) -> [Int]

  /// Follows a change, and says what becomes of elements that the change does not name.
  ///
  /// - Parameter shown: Indices of those that were shown, before the change.
  /// - Returns: `leaving`: indices before the change, ascending; `coming`: indices after it.
  @usableFromInline let follow:
    (_ change: ArrayChange<Element>, _ shown: [Int]) -> (leaving: [Int], coming: [Int])

  /// Whether an element is shown, by its index after what was followed last.
  @usableFromInline let contains: (Int) -> Bool

  @inlinable
  init(
    begin: @escaping ([Element]) -> [Int],
    follow: @escaping (ArrayChange<Element>, [Int]) -> (leaving: [Int], coming: [Int]),
    contains: @escaping (Int) -> Bool
  ) {
    (self.begin, self.follow, self.contains) = (begin, follow, contains)
  }
}

/// Window of a source: the elements at a range of indices, as far as there are any.
@usableFromInline
final class WindowRange {
  /// The range that was asked for.
  @exclusivity(unchecked) @usableFromInline var range: Range<Int>

  /// The part of it where there are elements.
  @exclusivity(unchecked) private(set) var shown = 0..<0

  @usableFromInline
  init(_ range: Range<Int>) { self.range = range }

  @usableFromInline
  func begin(_ count: Int) -> [Int] {
    shown = range.clamped(to: 0..<count)
    return Array(shown)
  }

  /// - Complexity: O(w log k), for a window of w elements and an edit of k.
  @usableFromInline
  func follow(_ edit: IndexEdit, count: Int, _ shown: [Int]) -> (leaving: [Int], coming: [Int]) {
    let new = range.clamped(to: 0..<count)
    self.shown = new
    var isKnown = [Bool](repeating: false, count: new.count)
    for index in edit.inserted where new.contains(index) {
      isKnown[index - new.lowerBound] = true
    }
    var leaving: [Int] = []
    for old in shown {
      guard let index = edit.index(after: old) else { continue }
      if new.contains(index) {
        isKnown[index - new.lowerBound] = true
      } else {
        leaving.append(old)
      }
    }
    return (leaving, new.filter { !isKnown[$0 - new.lowerBound] })
  }
}

extension IndexSelection {
  @inlinable
  static func window(_ range: WindowRange) -> IndexSelection {
    IndexSelection(
      begin: { range.begin($0.count) },
      follow: { range.follow(IndexEdit($0.entries), count: $0.elements.count, $1) },
      contains: { range.contains($0) })
  }
}

extension WindowRange {
  @usableFromInline
  func contains(_ index: Int) -> Bool { shown.contains(index) }
}
