/// A view of the elements of a source in sorted order. Inlinable as `FilteredView` is.
@usableFromInline
final class SortedView<Element> {
  @usableFromInline typealias Entry = ArrayChange<Element>.Entry

  @usableFromInline let areInIncreasingOrder: (Element, Element) -> Bool

  /// The elements of the source in sorted order, and back; they are each other's inverse.
  @usableFromInline var order = SortedOrder([])

  @inlinable
  init(_ areInIncreasingOrder: @escaping (Element, Element) -> Bool) {
    self.areInIncreasingOrder = areInIncreasingOrder
  }

  /// Begins with the elements of the source, and returns them in sorted order.
  ///
  /// - Complexity: O(n log n).
  @inlinable
  func begin(with elements: [Element]) -> [Element] {
    order = SortedOrder(elements.stableOrder(by: areInIncreasingOrder))
    return order.sources.map { elements[$0] }
  }

  @inlinable
  func follow(_ change: ArrayChange<Element>, in view: ObservableArray<Element>) {
    if change.kind == .element, case let source = change.details.edit.index, source >= 0 {
      update(change, at: source, in: view)
    } else {
      view.apply(edit(change, in: view))
    }
  }

  /// Whether an element stands before another: equal ones in the order of their source.
  @inlinable
  func isBefore(_ left: Element, _ leftSource: Int, _ right: Element, _ rightSource: Int) -> Bool {
    if areInIncreasingOrder(left, right) { return true }
    return leftSource < rightSource && !areInIncreasingOrder(right, left)
  }

  /// Whether the element at `index` of the view stands before another element.
  @inlinable
  func isBefore(
    _ index: Int, _ element: Element, _ source: Int, in view: ObservableArray<Element>
  ) -> Bool {
    isBefore(view.storage[index], order.sources[index], element, source)
  }

  // MARK: - Changes of one element

  // Several elements may have changed before the view is notified of the first: in a batch, by a
  // property that they share, or in a handler. A binary search among them may then end at a wrong
  // place. But each comes between two that it is in order with; and those that stood around it are
  // compared when it leaves. So when all changes have been delivered, each element is in order with
  // the next one.

  /// Moves an element that has changed, or sorts everything anew if those around it are not in
  /// order.
  ///
  /// - Complexity: O(log n) calls of the closure; what stands between the old and the new place
  ///   moves by one.
  @inlinable
  func update(_ change: ArrayChange<Element>, at source: Int, in view: ObservableArray<Element>) {
    let element = change.elements[source]
    let (old, count) = (order.places[source], view.storage.count)
    let isBehindPrevious = old == 0 || isBefore(old - 1, element, source, in: view)
    let isBeforeNext = old == count - 1 || !isBefore(old + 1, element, source, in: view)
    if isBehindPrevious && isBeforeNext { return }
    guard old == 0 || old == count - 1 || isInOrder(old - 1, old + 1, in: view) else {
      return view.apply(resort(after: change, in: view))
    }
    let others = isBehindPrevious ? old + 1..<count : 0..<old
    let place = others.partitioningIndex { !isBefore($0, element, source, in: view) }
    let new = isBehindPrevious ? place - 1 : place
    order.move(from: old, to: new)
    view.edit(isByView: true) {
      view.storage.move(from: old, to: new)
      return ArrayEdit(.move, at: new, from: old)
    }
  }

  // MARK: - Edits

  /// Follows an edit of the source, or changes of many elements.
  ///
  /// - Complexity: O(k log n) calls of the closure for k elements that come, leave or move; what
  ///   stands behind the edit is numbered anew.
  @inlinable
  func edit(_ change: ArrayChange<Element>, in view: ObservableArray<Element>) -> [Entry] {
    let entries = change.entries
    let edit = IndexEdit(entries)
    let left = edit.removed.map { order.places[$0] }.sorted()
    guard isSorted(around: left, in: view) else { return resort(after: change, in: view) }

    var shown: [Entry] = []
    shown.reserveCapacity(entries.count)
    for entry in entries where entry.newIndex == nil {
      guard let oldIndex = entry.oldIndex else { continue }
      shown.append(Entry(entry.element, removedAt: order.places[oldIndex]))
    }
    var arriving = shown.isEmpty ? entries : entries.filter { $0.newIndex != nil }
    arriving.sort { isBefore($0.element, $0.newIndex!, $1.element, $1.newIndex!) }

    var places: [(source: Int, place: Int)] = []
    places.reserveCapacity(arriving.count)
    // Ascending, so that each is looked for behind the one before.
    var before = 0
    for (count, next) in arriving.enumerated() {
      guard let source = next.newIndex else { continue }
      before = (before..<view.storage.count - left.count).partitioningIndex { staying in
        let index = left.index(ofOther: staying)
        return !isBefore(
          view.storage[index], edit.index(after: order.sources[index])!, next.element, source)
      }
      places.append((source, before + count))
      let oldIndex = next.oldIndex.map { order.places[$0] }
      shown.append(Entry(element: next.element, oldIndex: oldIndex, newIndex: before + count))
    }
    order.apply(edit, places: places)
    shown.sort { $0.sortKey < $1.sortKey }
    return shown
  }

  /// Whether the other elements are in order around the places of those that leave, which are
  /// ascending.
  @inlinable
  func isSorted(around left: [Int], in view: ObservableArray<Element>) -> Bool {
    left.enumerated().allSatisfy { number, place in
      let next = place - number
      guard next > 0, next < view.storage.count - left.count else { return true }
      // Once for neighbours, between which nothing stays.
      if number > 0, left[number - 1] == place - 1 { return true }
      return isInOrder(left.index(ofOther: next - 1), left.index(ofOther: next), in: view)
    }
  }

  /// Whether the element at one index of the view is in order with that at a later one.
  @inlinable
  func isInOrder(_ first: Int, _ second: Int, in view: ObservableArray<Element>) -> Bool {
    !isBefore(second, view.storage[first], order.sources[first], in: view)
  }

  /// Sorts everything anew.
  ///
  /// - Complexity: O(n log n).
  @inlinable
  func resort(
    after change: ArrayChange<Element>, in view: ObservableArray<Element>
  ) -> [Entry] {
    var origins = order.places
    origins.follow(change.entries)
    let elements = begin(with: change.elements)
    return Entry.leading(
      oldCount: view.storage.count, new: elements, origins: order.sources.map { origins[$0] }
    ) { view.storage[$0] }
  }
}

/// A permutation: which element of a source stands where in sorted order.
@usableFromInline
struct SortedOrder {
  /// For each place its element's index in the source.
  @usableFromInline var sources: [Int]

  /// For each index in the source the place of its element.
  @usableFromInline var places: [Int]
}

extension SortedOrder {
  @usableFromInline
  init(_ sources: [Int]) {
    self.sources = sources
    places = [Int](repeating: 0, count: sources.count)
    for (place, source) in sources.enumerated() { places[source] = place }
  }

  /// Moves the element at one place to another.
  ///
  /// - Complexity: O(d), d being the distance.
  @usableFromInline
  mutating func move(from old: Int, to new: Int) {
    sources.move(from: old, to: new)
    places.withUnsafeMutableBufferPointer { places in
      for place in min(old, new)...max(old, new) { places[sources[place]] = place }
    }
  }

  /// Follows an edit of the source.
  ///
  /// - Parameter places: For what came, index in the source and place, ascending by place.
  /// - Complexity: O(n log k) for an edit of k elements.
  @usableFromInline
  mutating func apply(_ edit: IndexEdit, places new: [(source: Int, place: Int)]) {
    if edit.removed.count <= 1, new.count <= 1 {
      // Over the numbers from end to end: much faster than one by one in the order of the other.
      if let source = edit.removed.first { remove(source) }
      if let (source, place) = new.first { insert(source, at: place) }
      return
    }
    var order = sources.compactMap { edit.index(after: $0) }
    order.apply(new.map { ArrayChange.Entry($0.source, insertedAt: $0.place) })
    self = SortedOrder(order)
  }

  private mutating func remove(_ source: Int) {
    let place = places.remove(at: source)
    sources.remove(at: place)
    sources.shift(from: source, by: -1)
    places.shift(from: place, by: -1)
  }

  private mutating func insert(_ source: Int, at place: Int) {
    sources.shift(from: source, by: 1)
    places.shift(from: place, by: 1)
    sources.insert(source, at: place)
    places.insert(place, at: source)
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

extension [Int] {
  /// Adds `distance` to all numbers that are at least `start`, of which none is more than the
  /// count.
  fileprivate mutating func shift(from start: Int, by distance: Int) {
    // Nothing to do for an element at the end of the source.
    guard start < count else { return }
    // Four at a time, as the compiler does without checks of the places.
    withUnsafeMutableBufferPointer { numbers in
      for index in numbers.indices {
        numbers[index] &+= numbers[index] >= start ? distance : 0
      }
    }
  }
}
