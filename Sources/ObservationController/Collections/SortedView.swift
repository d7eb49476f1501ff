/// Follows a source with its elements in sorted order.
final class SortedView<Element> {
  private typealias Entry = ArrayChange<Element>.Entry

  private let areInIncreasingOrder: (Element, Element) -> Bool

  /// The elements of the source in sorted order, and back; they are each other's inverse.
  private var order = SortedOrder()

  init(_ elements: [Element], _ areInIncreasingOrder: @escaping (Element, Element) -> Bool) {
    self.areInIncreasingOrder = areInIncreasingOrder
    sort(elements)
  }

  func visible(of elements: [Element]) -> [Element] {
    order.sources.map { elements[$0] }
  }

  func follow(_ change: ArrayChange<Element>, in view: ObservableArray<Element>) {
    if change.details.isOfEverything {
      sort(change.elements)
      view.applySetting(visible(of: change.elements))
    } else if change.kind == .element, change.entries.count == 1 {
      view.apply(update(change, in: view))
    } else {
      view.apply(edit(change, in: view))
    }
  }

  private func sort(_ elements: [Element]) {
    order = SortedOrder(elements.stableOrder(by: areInIncreasingOrder))
  }

  /// Whether an element stands before another: equal ones in the order of their source.
  private func isBefore(_ left: (Element, source: Int), _ right: (Element, source: Int)) -> Bool {
    if areInIncreasingOrder(left.0, right.0) { return true }
    return left.source < right.source && !areInIncreasingOrder(right.0, left.0)
  }

  // MARK: - Changes

  // Several elements may have changed before the view is told of the first: in a batch, by what they
  // share, or in a handler. A binary search among them may then end at a wrong place. But each comes
  // between two that it is in order with; and those that stood around it are compared when it leaves.
  // So when all changes have been told, each element is in order with the next one.

  /// Moves an element that has changed.
  ///
  /// - Complexity: O(log n) calls of the closure; what stands between the old and the new place moves
  ///   by one.
  private func update(_ change: ArrayChange<Element>, in view: ObservableArray<Element>) -> [Entry]
  {
    let (entry, elements) = (change.entries[0], view.storage)
    guard let source = entry.newIndex else { return [] }
    let item = (entry.element, source: source)
    let old = order.places[source]
    func isBefore(_ index: Int) -> Bool {
      self.isBefore((elements[index], source: order.sources[index]), item)
    }
    let isBehindPrevious = old == 0 || isBefore(old - 1)
    let isBeforeNext = old == elements.count - 1 || !isBefore(old + 1)
    if isBehindPrevious && isBeforeNext { return [] }
    guard isSorted(without: [old], elements) else { return resort(after: change, in: view) }
    let new =
      isBehindPrevious
      ? (old + 1..<elements.count).partitioningIndex { !isBefore($0) } - 1
      : (0..<old).partitioningIndex { !isBefore($0) }
    order.move(from: old, to: new)
    return [Entry(element: entry.element, oldIndex: old, newIndex: new)]
  }

  /// Follows an edit of the source, or a change of an element that is there several times.
  ///
  /// - Complexity: O(k log n) calls of the closure for k elements that come, leave or move; what
  ///   stands behind the edit is numbered anew.
  private func edit(_ change: ArrayChange<Element>, in view: ObservableArray<Element>) -> [Entry] {
    let (entries, elements) = (change.entries, view.storage)
    let edit = IndexEdit(entries)
    let left = edit.removed.map { order.places[$0] }.sorted()
    guard isSorted(without: left, elements) else { return resort(after: change, in: view) }

    var arriving: [(element: Element, source: Int, oldIndex: Int?)] = []
    var shown: [Entry] = []
    for entry in entries {
      let oldIndex = entry.oldIndex.map { order.places[$0] }
      if let source = entry.newIndex {
        arriving.append((entry.element, source, oldIndex))
      } else if let oldIndex {
        shown.append(Entry(entry.element, removedAt: oldIndex))
      }
    }
    arriving.sort { isBefore(($0.element, source: $0.source), ($1.element, source: $1.source)) }

    var places: [(source: Int, place: Int)] = []
    for (count, next) in arriving.enumerated() {
      let before = (0..<elements.count - left.count).partitioningIndex { staying in
        let index = left.index(ofOther: staying)
        let source = edit.index(after: order.sources[index])
        return !isBefore((elements[index], source: source), (next.element, source: next.source))
      }
      places.append((next.source, before + count))
      shown.append(
        Entry(element: next.element, oldIndex: next.oldIndex, newIndex: before + count))
    }
    order.apply(edit, places: places)
    shown.sort { $0.sortKey < $1.sortKey }
    return shown
  }

  /// Whether the elements around those that leave are in order.
  ///
  /// - Parameter places: Those that leave, ascending.
  private func isSorted(without places: [Int], _ elements: [Element]) -> Bool {
    IndexEdit.runs(of: places).allSatisfy { run in
      guard run.start > 0, run.end < elements.count else { return true }
      let (previous, next) = (run.start - 1, run.end)
      return !isBefore(
        (elements[next], source: order.sources[next]),
        (elements[previous], source: order.sources[previous]))
    }
  }

  /// Sorts everything anew.
  private func resort(
    after change: ArrayChange<Element>, in view: ObservableArray<Element>
  ) -> [Entry] {
    let edit = IndexEdit(change.entries)
    var origins = [Int](repeating: -1, count: change.elements.count)
    var survivors = IndexEdit.Survivors(of: edit)
    for (source, place) in order.places.enumerated() {
      if let index = survivors.index(after: source) { origins[index] = place }
    }
    for entry in change.entries {
      if let old = entry.oldIndex, let new = entry.newIndex { origins[new] = order.places[old] }
    }
    sort(change.elements)
    return Entry.leading(
      from: view.storage, to: visible(of: change.elements),
      origins: order.sources.map { origins[$0] })
  }
}
