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
    let order = elements.stableOrder(by: areInIncreasingOrder)
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
}
