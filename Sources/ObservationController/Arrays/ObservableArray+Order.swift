/// Putting the elements into another order.
///
/// Each of these is one ``ArrayChange/Kind/move``, with entries for as few elements as have to move. An order
/// that the array has already tells nobody. As all edits, they change no live view.
extension ObservableArray {
  /// Sorts the elements. Elements that neither stands before the other keep their order.
  ///
  /// - Parameter areInIncreasingOrder: As with an array; called before anything is moved, with no
  ///   lock held. If it throws, nothing is moved. Editing the array in it stops the program.
  /// - Complexity: O(n log n).
  public func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
    try reorder { try $0.stableOrder(by: areInIncreasingOrder) }
  }

  /// Reverses the order of the elements. Nothing happens if there are fewer than two.
  ///
  /// - Complexity: O(n).
  public func reverse() {
    reorder { $0.indices.reversed() }
  }

  /// Puts the elements into a random order.
  ///
  /// - Complexity: O(n log n).
  public func shuffle() {
    var generator = SystemRandomNumberGenerator()
    shuffle(using: &generator)
  }

  /// Puts the elements into an order that `generator` chooses: that in which an array would be.
  ///
  /// - Complexity: O(n log n).
  public func shuffle(using generator: inout some RandomNumberGenerator) {
    reorder { $0.indices.shuffled(using: &generator) }
  }

  /// Moves the elements that satisfy `belongsInSecondPartition` behind all others, into the order in which
  /// an array would be.
  ///
  /// - Parameter belongsInSecondPartition: Called once for each element, before anything is moved, with no
  ///   lock held. If it throws, nothing is moved. Editing the array in it stops the program.
  /// - Returns: The index of the first element that satisfies it; the count if there is none.
  /// - Complexity: O(n log n).
  @discardableResult
  public func partition(
    by belongsInSecondPartition: (Element) throws -> Bool
  ) rethrows -> Int {
    var start = 0
    try reorder { elements in
      var order = Array(elements.indices)
      start = try order.partition { try belongsInSecondPartition(elements[$0]) }
      return order
    }
    return start
  }

  /// - Parameter order: Receives the elements, and returns their indices in the new order. Called again if
  ///   what acts before the edit edits the array.
  private func reorder(_ order: ([Element]) throws -> [Int]) rethrows {
    try editAsPlanned { before in
      let order = try order(before)
      let entries = Entry.leading(from: before, to: order.map { before[$0] }, origins: order)
      return entries.isEmpty ? nil : ArrayEdit(.move, entries)
    }
  }
}

extension ObservableArray where Element: Comparable {
  /// Sorts the elements in ascending order, as ``sort(by:)`` does.
  ///
  /// - Complexity: O(n log n).
  public func sort() {
    sort(by: <)
  }
}

extension Array {
  /// The indices of the elements in sorted order; equal elements keep theirs.
  @inlinable
  func stableOrder(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows -> [Int] {
    try indices.sorted { try areInIncreasingOrder(self[$0], self[$1]) }
  }
}
