/// Editing the array.
///
/// Each of these is one change, delivered before it returns, or part of the one change of
/// ``performBatchUpdates(_:)``; one that does nothing, as appending no elements or moving an
/// element to where it is, delivers nothing. An index that is not that of an element traps, as with
/// an array; so does one whose element was removed by code that runs before the edit: a handler of
/// a path with ``ObservationOptions/prior``, or a getter. A live view is not edited: that reports
/// ``ObservationIssue/readOnlyArray(file:line:)``.
extension ObservableArray {
  /// Adds an element at the end: one ``ArrayChange/Kind/insertion``.
  ///
  /// - Complexity: O(1) amortised, observed or not.
  @inlinable
  public func append(_ newElement: Element) {
    if isPlain {
      storage.append(newElement)
    } else {
      replaceElements(at: nil, with: CollectionOfOne(newElement))
    }
  }

  /// Adds elements at the end: one ``ArrayChange/Kind/insertion``; nothing happens if there is
  /// none.
  ///
  /// - Complexity: O(k) amortised, in the number of new elements.
  @inlinable
  public func append(contentsOf newElements: some Sequence<Element>) {
    // Before the access: the sequence may read this array, or be it.
    replaceElements(at: nil, with: Array(newElements))
  }

  /// Adds elements at the end, as ``append(contentsOf:)`` does: one ``ArrayChange/Kind/insertion``,
  /// also for an array in a property, which is not set by it. Nothing happens if there is no
  /// element.
  ///
  ///     people += [ada, grace]
  ///
  /// - Complexity: O(k) amortised, in the number of new elements.
  @inlinable
  public static func += (array: ObservableArray, newElements: some Sequence<Element>) {
    array.append(contentsOf: newElements)
  }

  /// Inserts an element before the one at `index`, or at the end if `index` is the count: one
  /// ``ArrayChange/Kind/insertion``.
  ///
  /// - Complexity: O(n) in the number of elements behind `index`.
  @inlinable
  public func insert(_ newElement: Element, at index: Int) {
    replaceElements(at: index..<index, with: CollectionOfOne(newElement))
  }

  /// Inserts elements before the one at `index`, or at the end if `index` is the count: one
  /// ``ArrayChange/Kind/insertion``. Nothing happens if there is no new element.
  ///
  /// - Complexity: O(n + k) in the number of elements behind `index` and of new ones.
  @inlinable
  public func insert(contentsOf newElements: some Collection<Element>, at index: Int) {
    replaceSubrange(index..<index, with: newElements)
  }

  /// Removes the element at `index`: one ``ArrayChange/Kind/removal``.
  ///
  /// - Returns: The removed element.
  /// - Complexity: O(n) in the number of elements behind `index`.
  @inlinable
  @discardableResult
  public func remove(at index: Int) -> Element {
    // A live view removes nothing.
    return replaceElements(at: index..<index &+ 1, with: EmptyCollection()).first ?? storage[index]
  }

  /// Removes the last element: one ``ArrayChange/Kind/removal``. Traps if there is none.
  ///
  /// - Returns: The removed element.
  /// - Complexity: O(1) amortised, observed or not.
  @inlinable
  @discardableResult
  public func removeLast() -> Element {
    precondition(elementCount > 0, "Can't remove last element from an empty collection")
    // A live view removes nothing.
    return popLast() ?? storage[storage.count - 1]
  }

  /// Removes the last element: one ``ArrayChange/Kind/removal``. Nothing happens if there is none.
  ///
  /// - Returns: The removed element; `nil` if there was none, or the array is a live view.
  /// - Complexity: O(1) amortised, observed or not.
  @inlinable
  @discardableResult
  public func popLast() -> Element? {
    guard !isPlain, elementCount > 0 else { return storage.popLast() }
    var removed: Element?
    edit {
      removed = storage.popLast()
      return removed.map { ArrayEdit(.removal, [Entry($0, removedAt: storage.count)]) }
    }
    return removed
  }

  /// Removes the first element: one ``ArrayChange/Kind/removal``. Traps if there is none.
  ///
  /// - Returns: The removed element.
  /// - Complexity: O(n).
  @inlinable
  @discardableResult
  public func removeFirst() -> Element {
    precondition(elementCount > 0, "Can't remove first element from an empty collection")
    return remove(at: 0)
  }

  /// Removes the elements at `bounds`: one ``ArrayChange/Kind/removal``; nothing happens if there
  /// is none.
  ///
  /// - Complexity: O(n).
  @inlinable
  public func removeSubrange(_ bounds: some RangeExpression<Int>) {
    replaceSubrange(bounds, with: EmptyCollection())
  }

  /// Removes all elements: one ``ArrayChange/Kind/removal``; nothing happens if there is none.
  ///
  /// - Complexity: O(n).
  @inlinable
  public func removeAll() {
    guard elementCount > 0 else { return }
    edit { storage.isEmpty ? nil : setStorage([], as: .removal) }
  }

  /// Removes the elements at `bounds` and inserts others in their place.
  ///
  /// One ``ArrayChange/Kind/replacement``; an insertion if `bounds` is empty, and a removal if
  /// there are no new elements. Nothing happens if there are neither.
  ///
  /// - Complexity: O(n + k), k being the number of new elements.
  @inlinable
  public func replaceSubrange(
    _ bounds: some RangeExpression<Int>, with newElements: some Collection<Element>
  ) {
    // Before the access: the collection may read this array, or be it.
    replaceElements(at: bounds.relative(to: 0..<elementCount), with: Array(newElements))
  }

  /// Sets all elements at once: one ``ArrayChange/Kind/setting``, even if they are the same.
  ///
  /// - Complexity: O(n).
  @inlinable
  public func setElements(_ newElements: some Sequence<Element>) {
    let newElements = Array(newElements)
    edit { setStorage(newElements) }
  }
}

extension ObservableArray {
  /// Removes the elements that satisfy `shouldBeRemoved`: one ``ArrayChange/Kind/removal``; nothing
  /// happens if there is none.
  ///
  /// - Parameter shouldBeRemoved: Called once for each element, in order, before anything is
  ///   removed, with no lock held. If it throws, nothing is removed. Editing the array in it traps.
  /// - Complexity: O(n).
  public func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
    try editAsPlanned { before in
      let removed = try before.indices.filter { try shouldBeRemoved(before[$0]) }
      return removed.isEmpty
        ? nil : ArrayEdit(.removal, removed.map { Entry(before[$0], removedAt: $0) })
    }
  }

  /// Exchanges two elements: one ``ArrayChange/Kind/move`` with two entries.
  ///
  /// Nothing happens if both indices are the same.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func swapAt(_ first: Int, _ second: Int) {
    guard first != second else { return }
    edit(needing: Swift.max(first, second) &+ 1) {
      let (low, high) = (Swift.min(first, second), Swift.max(first, second))
      storage.swapAt(low, high)
      return ArrayEdit(
        .move,
        [
          Entry(element: storage[high], oldIndex: low, newIndex: high),
          Entry(element: storage[low], oldIndex: high, newIndex: low),
        ])
    }
  }

  /// Moves the element at `source`, so that it is at `destination` afterwards: one
  /// ``ArrayChange/Kind/move`` with one entry.
  ///
  /// Nothing happens if both indices are the same.
  ///
  /// - Complexity: O(n) in the number of elements in between.
  @inlinable
  public func move(from source: Int, to destination: Int) {
    guard source != destination else { return }
    edit(needing: Swift.max(source, destination) &+ 1) {
      storage.move(from: source, to: destination)
      return ArrayEdit(.move, at: destination, from: source)
    }
  }
}

extension ObservableArray where Element: Equatable {
  /// Removes every element that equals `element`, in one ``ArrayChange/Kind/removal``; nothing
  /// happens if there is none.
  ///
  /// - Complexity: O(n).
  public func remove(_ element: Element) {
    removeAll { $0 == element }
  }
}

extension ObservableArray where Element: AnyObject {
  /// Removes every occurrence of the object `element`, in one ``ArrayChange/Kind/removal``; nothing
  /// happens if there is none.
  ///
  /// - Complexity: O(n).
  public func remove(_ element: Element) {
    removeAll { $0 === element }
  }
}

extension ObservableArray where Element: AnyObject & Equatable {
  /// Removes every element that equals `element`, in one ``ArrayChange/Kind/removal``; nothing
  /// happens if there is none.
  ///
  /// - Complexity: O(n).
  public func remove(_ element: Element) {
    removeAll { $0 == element }
  }
}

/// Putting the elements into another order.
///
/// Each of these is one ``ArrayChange/Kind/move``, with entries for as few elements as have to
/// move. An order that the array has already delivers nothing. As all edits, they change no live
/// view.
extension ObservableArray {
  /// Sorts the elements. Elements that neither stands before the other keep their order.
  ///
  /// - Parameter areInIncreasingOrder: As with an array; called before anything is moved, with no
  ///   lock held. If it throws, nothing is moved. Editing the array in it traps.
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

  /// Moves the elements that satisfy `belongsInSecondPartition` behind all others, into the order
  /// in which an array would be.
  ///
  /// - Parameter belongsInSecondPartition: Called once for each element, before anything is moved,
  ///   with no lock held. If it throws, nothing is moved. Editing the array in it traps.
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

  /// - Parameter order: Receives the elements, and returns their indices in the new order. Called
  ///   again if a handler that runs before the edit edits the array.
  private func reorder(_ order: ([Element]) throws -> [Int]) rethrows {
    try editAsPlanned { before in
      let order = try order(before)
      let entries = Entry.leading(
        to: order.map { before[$0] }, origins: order, removing: [])
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
