/// New closures of a view, after a change of its parameter.
extension ArrangedView {
  /// Shows, hides and moves the elements as the closures say now.
  ///
  /// - Parameter elements: Those of the source, of which the view has followed all changes.
  /// - Complexity: O(n), O(n log n) if they are sorted; O(w) in the elements of a window.
  @inlinable
  func reevaluate(_ elements: [Element], in view: ObservableArray<Element>) {
    if isSorted {
      reorder(elements, in: view)
    } else if selection != nil {
      let nothing = ArrayChange(ArrayEdit(.batch), elements: elements)
      view.apply(edit(nothing, in: view), as: .batch)
    } else {
      view.apply(refilter(elements, in: view), as: .batch)
    }
  }

  /// Goes through all elements once, beside those that are in the view.
  @inlinable
  func refilter(_ elements: [Element], in view: ObservableArray<Element>) -> [Entry] {
    var entries: [Entry] = []
    var removed: [Int] = []
    var inserted: [(place: Int, element: Int)] = []
    // Constants, for which nothing is checked or counted in the loop.
    let (sources, isIncluded) = (self.sources, self.isIncluded)
    let count = sources.count
    elements.withUnsafeBufferPointer { elements in
      sources.withUnsafeBufferPointer { sources in
        var place = 0
        var next = count > 0 ? sources[0] : -1
        for source in elements.indices {
          let isShown = isIncluded(elements[source])
          if source == next {
            if !isShown {
              entries.append(Entry(elements[source], removedAt: place))
              removed.append(place)
            }
            place += 1
            next = place < count ? sources[place] : -1
          } else if isShown {
            let new = place - removed.count + inserted.count
            entries.append(Entry(elements[source], insertedAt: new))
            inserted.append((new, source))
          }
        }
      }
    }
    self.sources.apply(removing: removed, inserting: inserted)
    if !removed.isEmpty, !inserted.isEmpty { entries.sort { $0.sortKey < $1.sortKey } }
    return entries
  }

  /// Sorts everything anew, where no element has come or left.
  @inlinable
  func reorder(_ elements: [Element], in view: ObservableArray<Element>) {
    let order =
      orderIfFewMove(sources, elements)
      ?? backwards(elements).flatMap { orderIfFewMove($0, elements) } ?? order(of: elements)
    let places = self.places
    let moves = order.map { places[$0] }.leastMoves()
    guard !moves.isEmpty else { return }
    sources = order
    notePlaces()
    let entries = moves.map { move in
      Entry(element: elements[order[move.new]], oldIndex: move.old, newIndex: move.new)
    }
    view.edit(isByView: true) {
      if moves.count > elements.count / 4 {
        view.storage = order.map { elements[$0] }
      } else {
        view.storage.applyMoving(entries)
      }
      return ArrayEdit(.batch, entries)
    }
  }

  /// The places in the opposite order, which often is the new one, but for elements that are equal
  /// by it.
  ///
  /// - Returns: `nil` if many elements are not in that order.
  /// - Complexity: O(n).
  @inlinable
  func backwards(_ elements: [Element]) -> [Int]? {
    var (order, start, flaws): ([Int], Int, Int) = ([], 0, 0)
    order.reserveCapacity(sources.count)
    for source in sources.reversed() {
      if let last = order.last {
        let (before, next) = (elements[last], elements[source])
        let isAscending = areInIncreasingOrder(before, next)
        if !isAscending, areInIncreasingOrder(next, before) { flaws += 1 }
        guard flaws <= sources.count / 16 else { return nil }
        if isAscending {
          order[start...].sort()
          start = order.count
        }
      }
      order.append(source)
    }
    order[start...].sort()
    return order
  }

  /// The new order, if most elements keep the one given: those between them are taken out, sorted,
  /// and put where they belong.
  ///
  /// - Returns: `nil` if many move.
  /// - Complexity: O(n + k log n), if k elements move.
  @inlinable
  func orderIfFewMove(_ sources: [Int], _ elements: [Element]) -> [Int]? {
    let limit = sources.count / 16
    var kept: [Int] = []
    kept.reserveCapacity(sources.count)
    var moving: [Int] = []
    for source in sources {
      guard let last = kept.last, isBefore(source, last, in: elements) else {
        kept.append(source)
        continue
      }
      // Which of both is in the wrong place is not known yet.
      moving.append(source)
      moving.append(kept.removeLast())
      if moving.count > limit { return nil }
    }
    moving.sort { isBefore($0, $1, in: elements) }
    let inserted = insertions(of: moving, into: kept, in: elements)
    kept.apply(removing: [], inserting: inserted)
    return kept
  }
}
