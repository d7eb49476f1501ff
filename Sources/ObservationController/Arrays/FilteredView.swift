/// A view of those elements of a source that satisfy a closure.
///
/// Inlinable, as everything that a live view does for a change: code that is not compiled for the
/// type of the elements looks generic types up each time, which takes twenty times as long.
@usableFromInline
final class FilteredView<Element> {
  @usableFromInline typealias Entry = ArrayChange<Element>.Entry

  @usableFromInline let isIncluded: (Element) -> Bool

  /// For each element of the view, its index in the source; ascending.
  @usableFromInline var sources: [Int] = []

  @inlinable
  init(_ isIncluded: @escaping (Element) -> Bool) {
    self.isIncluded = isIncluded
  }

  /// Begins with the elements of the source, and returns those of the view.
  @inlinable
  func begin(with elements: [Element]) -> [Element] {
    sources = elements.indices.filter { isIncluded(elements[$0]) }
    return sources.map { elements[$0] }
  }

  @inlinable
  func follow(_ change: ArrayChange<Element>, in view: ObservableArray<Element>) {
    view.apply(change.kind == .element ? update(change.entries) : edit(change.entries))
  }

  /// Shows or hides elements that have changed.
  ///
  /// - Parameter entries: Ascending.
  /// - Complexity: O(k log n) for k elements; the elements behind the first one that comes or
  ///   leaves move.
  @inlinable
  func update(_ entries: [Entry]) -> [Entry] {
    var shown: [Entry] = []
    var moved: [ArrayChange<Int>.Entry] = []
    /// By how much the elements behind have moved.
    var shift = 0
    for entry in entries {
      guard let source = entry.newIndex else { continue }
      let (index, wasIncluded) = place(of: source)
      guard wasIncluded != isIncluded(entry.element) else { continue }
      let (old, new) = wasIncluded ? (index, nil) : (nil, index + shift)
      shown.append(Entry(element: entry.element, oldIndex: old, newIndex: new))
      moved.append(ArrayChange.Entry(element: source, oldIndex: old, newIndex: new))
      shift += wasIncluded ? -1 : 1
    }
    sources.apply(moved)
    return shown
  }

  /// Follows an edit of the source.
  ///
  /// - Complexity: O(k) calls of the closure for k new elements; the elements behind the edit are
  ///   numbered anew.
  @inlinable
  func edit(_ entries: [Entry]) -> [Entry] {
    var shown: [Entry] = []
    /// Elements that are in the view after the edit, by their index in the source.
    var arriving: [(source: Int, element: Element, old: Int?)] = []
    for entry in entries {
      let old = entry.oldIndex.flatMap { index -> Int? in
        let (place, isShown) = place(of: index)
        return isShown ? place : nil
      }
      let isArriving = entry.oldIndex == nil ? isIncluded(entry.element) : old != nil
      if isArriving, let source = entry.newIndex {
        arriving.append((source, entry.element, old))
      } else if let old {
        shown.append(Entry(entry.element, removedAt: old))
      }
    }
    arriving.sort { $0.source < $1.source }
    let places = IndexEdit(entries).renumber(&sources, arriving: arriving.map { $0.source })
    for (next, place) in zip(arriving, places) {
      shown.append(Entry(element: next.element, oldIndex: next.old, newIndex: place))
    }
    shown.sort { $0.sortKey < $1.sortKey }
    return shown
  }

  /// Index in the view at which an element of the source is shown, or would be.
  @inlinable
  func place(of source: Int) -> (index: Int, isShown: Bool) {
    let index = sources.partitioningIndex { $0 >= source }
    return (index, index < sources.count && sources[index] == source)
  }
}

extension ObservableArray {
  /// Has this view, of what `transform` makes of the elements of a source, follow a change that
  /// does not set all elements. Inlinable as `FilteredView` is.
  ///
  /// - Parameter areEqual: `nil` if elements can't be compared.
  @inlinable
  func follow<Source>(
    _ change: ArrayChange<Source>, areEqual: ((Element, Element) -> Bool)?,
    _ transform: (Source) -> Element
  ) {
    var shown: [Entry] = []
    for entry in change.entries {
      // Elements that leave or move have been made before.
      let old = entry.oldIndex.map { storage[$0] }
      guard change.kind == .element, let index = entry.newIndex, let old else {
        let element = old ?? transform(entry.element)
        shown.append(Entry(element: element, oldIndex: entry.oldIndex, newIndex: entry.newIndex))
        continue
      }
      let new = transform(entry.element)
      if let areEqual, areEqual(old, new) { continue }
      shown.append(Entry(old, removedAt: index))
      shown.append(Entry(new, insertedAt: index))
    }
    apply(shown)
  }
}
