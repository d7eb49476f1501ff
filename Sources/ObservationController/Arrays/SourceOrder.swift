/// Order of a live view's elements: that of the source, or sorted by a closure. The elements are
/// known by their indices in the source.
///
/// Inlinable as `ArrangedView` is.
@usableFromInline
protocol SourceOrder {
  associatedtype Element

  /// Whether the elements are sorted; otherwise they are in the order of the source.
  var isSorted: Bool { get }

  var areInIncreasingOrder: (Element, Element) -> Bool { get }
}

extension SourceOrder {
  /// Whether an element of the source stands before another one: equal ones in the order of the
  /// source.
  @inlinable
  func isBefore(_ left: Int, _ right: Int, in elements: [Element]) -> Bool {
    guard isSorted else { return left < right }
    let (first, second) = (elements[left], elements[right])
    return areInIncreasingOrder(first, second)
      || left < right && !areInIncreasingOrder(second, first)
  }

  /// Whether the element at a place is in order with the one at the next place given, if there are
  /// both.
  @inlinable
  func isInOrder(
    _ first: Int, _ second: Int, of sources: [Int], in elements: [Element]
  ) -> Bool {
    first < 0 || second >= sources.count || !isBefore(sources[second], sources[first], in: elements)
  }

  /// Where elements come among others.
  ///
  /// - Parameters:
  ///   - arriving: Those that come, in order.
  ///   - sources: The others, in order.
  /// - Returns: The places after all have come, ascending.
  @inlinable
  func insertions(
    of arriving: [Int], into sources: [Int], in elements: [Element]
  ) -> [(place: Int, element: Int)] {
    var inserted: [(place: Int, element: Int)] = []
    inserted.reserveCapacity(arriving.count)
    // Ascending, so that each is looked for behind the one before.
    var before = 0
    for (count, next) in arriving.enumerated() {
      before = (before..<sources.count).partitioningIndex {
        !isBefore(sources[$0], next, in: elements)
      }
      inserted.append((before + count, next))
    }
    return inserted
  }
}
