/// Follows a source with its elements in sorted order. Inlinable as `FilteredView` is.
@usableFromInline
final class SortedView<Element> {
  @usableFromInline typealias Entry = ArrayChange<Element>.Entry

  @usableFromInline let areInIncreasingOrder: (Element, Element) -> Bool

  /// The elements of the source in sorted order, and back; they are each other's inverse.
  @usableFromInline var order: SortedOrder

  @inlinable
  init(_ elements: [Element], _ areInIncreasingOrder: @escaping (Element, Element) -> Bool) {
    self.areInIncreasingOrder = areInIncreasingOrder
    order = SortedOrder(elements.stableOrder(by: areInIncreasingOrder))
  }

  @inlinable
  func visible(of elements: [Element]) -> [Element] {
    order.sources.map { elements[$0] }
  }

  @inlinable
  func follow(_ change: ArrayChange<Element>, in view: ObservableArray<Element>) {
    if change.details.isOfEverything {
      order = SortedOrder(change.elements.stableOrder(by: areInIncreasingOrder))
      view.applySetting(visible(of: change.elements))
    } else if let (source, old) = change.details.onlyPlace {
      let element = change.elements[source]
      if old < 0 {
        insert(element, at: source, in: view)
      } else if !update(element, at: source, in: view) {
        view.apply(resort(after: change, in: view))
      }
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

  /// Whether what the view shows at `index` stands before another element.
  @inlinable
  func isBefore(
    _ index: Int, _ element: Element, _ source: Int, in view: ObservableArray<Element>
  ) -> Bool {
    isBefore(view.storage[index], order.sources[index], element, source)
  }

  // MARK: - Changes of one element

  // Several elements may have changed before the view is told of the first: in a batch, by what they
  // share, or in a handler. A binary search among them may then end at a wrong place. But each comes
  // between two that it is in order with; and those that stood around it are compared when it leaves.
  // So when all changes have been told, each element is in order with the next one.

  /// Moves an element that has changed.
  ///
  /// - Returns: `false` if everything has to be sorted anew.
  /// - Complexity: O(log n) calls of the closure; what stands between the old and the new place moves
  ///   by one.
  @inlinable
  func update(_ element: Element, at source: Int, in view: ObservableArray<Element>) -> Bool {
    let (old, count) = (order.places[source], view.storage.count)
    let isBehindPrevious = old == 0 || isBefore(old - 1, element, source, in: view)
    let isBeforeNext = old == count - 1 || !isBefore(old + 1, element, source, in: view)
    if isBehindPrevious && isBeforeNext { return true }
    guard isSorted(around: old..<old + 1, in: view) else { return false }
    let others = isBehindPrevious ? old + 1..<count : 0..<old
    let place = others.partitioningIndex { !isBefore($0, element, source, in: view) }
    let new = isBehindPrevious ? place - 1 : place
    order.move(from: old, to: new)
    view.editPermitted {
      view.storage.move(from: old, to: new)
      return ArrayEdit(.move, at: new, from: old)
    }
    return true
  }

  /// Shows an element that has come.
  ///
  /// - Complexity: O(log n) calls of the closure; what stands behind it in the source is numbered anew.
  @inlinable
  func insert(_ element: Element, at source: Int, in view: ObservableArray<Element>) {
    let place = view.storage.indices.partitioningIndex { index in
      let other = order.sources[index]
      return !isBefore(view.storage[index], other < source ? other : other + 1, element, source)
    }
    order.insert(source, at: place)
    view.editPermitted {
      view.storage.insert(element, at: place)
      return .insertion(at: place)
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
    guard IndexEdit.runs(of: left).allSatisfy({ isSorted(around: $0.start..<$0.end, in: view) })
    else { return resort(after: change, in: view) }

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
          view.storage[index], edit.index(after: order.sources[index]), next.element, source)
      }
      places.append((source, before + count))
      let oldIndex = next.oldIndex.map { order.places[$0] }
      shown.append(Entry(element: next.element, oldIndex: oldIndex, newIndex: before + count))
    }
    order.apply(edit, places: places)
    shown.sort { $0.sortKey < $1.sortKey }
    return shown
  }

  /// Whether the elements around those that leave are in order.
  @inlinable
  func isSorted(around places: Range<Int>, in view: ObservableArray<Element>) -> Bool {
    guard places.lowerBound > 0, places.upperBound < view.storage.count else { return true }
    let previous = places.lowerBound - 1
    return !isBefore(
      places.upperBound, view.storage[previous], order.sources[previous], in: view)
  }

  /// Sorts everything anew.
  ///
  /// - Complexity: O(n log n).
  @inlinable
  func resort(
    after change: ArrayChange<Element>, in view: ObservableArray<Element>
  ) -> [Entry] {
    var origins = [Int](repeating: -1, count: change.elements.count)
    var survivors = IndexEdit.Survivors(of: IndexEdit(change.entries))
    for (source, place) in order.places.enumerated() {
      if let index = survivors.index(after: source) { origins[index] = place }
    }
    for entry in change.entries {
      if let old = entry.oldIndex, let new = entry.newIndex { origins[new] = order.places[old] }
    }
    order = SortedOrder(change.elements.stableOrder(by: areInIncreasingOrder))
    return Entry.leading(
      from: view.storage, to: visible(of: change.elements),
      origins: order.sources.map { origins[$0] })
  }
}
