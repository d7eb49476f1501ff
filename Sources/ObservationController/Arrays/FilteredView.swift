/// Follows a source with those of its elements that satisfy a closure.
///
/// Inlinable, as all that a live view does for a change: code that is not compiled for the type of the
/// elements looks generic types up each time, which takes twenty times as long.
@usableFromInline
final class FilteredView<Element> {
  @usableFromInline typealias Entry = ArrayChange<Element>.Entry

  @usableFromInline let isIncluded: (Element) -> Bool

  /// For each element of the view, its index in the source; ascending.
  @usableFromInline var sources: [Int] = []

  @inlinable
  init(_ elements: [Element], _ isIncluded: @escaping (Element) -> Bool) {
    self.isIncluded = isIncluded
    sources = included(of: elements)
  }

  @inlinable
  func visible(of elements: [Element]) -> [Element] {
    sources.map { elements[$0] }
  }

  @inlinable
  func follow(_ change: ArrayChange<Element>, in view: ObservableArray<Element>) {
    if change.details.isOfEverything {
      sources = included(of: change.elements)
      view.applySetting(visible(of: change.elements))
    } else if let (source, old) = change.details.onlyPlace {
      followOne(change.elements[source], at: source, isNew: old < 0, in: view)
    } else if change.kind == .element {
      view.apply(update(change.entries))
    } else {
      view.apply(edit(change.entries))
    }
  }

  @inlinable
  func included(of elements: [Element]) -> [Int] {
    elements.indices.filter { isIncluded(elements[$0]) }
  }

  /// Shows or hides one element that has changed or come.
  ///
  /// - Complexity: O(log n); where it comes or goes, what stands behind it moves.
  @inlinable
  func followOne(
    _ element: Element, at source: Int, isNew: Bool, in view: ObservableArray<Element>
  ) {
    let (index, isThere) = place(of: source)
    if isNew {
      // Nothing to do for an element at the end of the source.
      for later in index..<sources.count { sources[later] += 1 }
    }
    let wasIncluded = isThere && !isNew
    guard wasIncluded != isIncluded(element) else { return }
    if wasIncluded {
      sources.remove(at: index)
      view.editPermitted {
        ArrayEdit(.removal, [Entry(view.storage.remove(at: index), removedAt: index)])
      }
    } else {
      sources.insert(source, at: index)
      view.editPermitted {
        view.storage.insert(element, at: index)
        return .insertion(at: index)
      }
    }
  }

  /// Shows or hides elements that have changed.
  ///
  /// - Parameter entries: Ascending.
  /// - Complexity: O(k log n) for k elements; what stands behind the first one that comes or goes moves.
  @inlinable
  func update(_ entries: [Entry]) -> [Entry] {
    var shown: [Entry] = []
    var moved: [ArrayChange<Int>.Entry] = []
    /// By how much what stands behind has moved.
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
  /// - Complexity: O(k) calls of the closure for k new elements; what stands behind the edit is
  ///   numbered anew.
  @inlinable
  func edit(_ entries: [Entry]) -> [Entry] {
    let edit = IndexEdit(entries)
    var shown: [Entry] = []
    /// What is in the view after the edit, by its index in the source.
    var arriving: [(source: Int, entry: Entry)] = []
    for entry in entries {
      let oldIndex = entry.oldIndex.flatMap { old -> Int? in
        let (index, isShown) = place(of: old)
        return isShown ? index : nil
      }
      guard let source = entry.newIndex else {
        if let oldIndex { shown.append(Entry(entry.element, removedAt: oldIndex)) }
        continue
      }
      let isArriving = entry.oldIndex == nil ? isIncluded(entry.element) : oldIndex != nil
      if isArriving {
        arriving.append(
          (source, Entry(element: entry.element, oldIndex: oldIndex, newIndex: nil)))
      }
    }
    arriving.sort { $0.source < $1.source }
    let places = edit.renumber(&sources, arriving: arriving.map { $0.source })
    for (next, place) in zip(arriving, places) {
      shown.append(
        Entry(element: next.entry.element, oldIndex: next.entry.oldIndex, newIndex: place))
    }
    shown.sort { $0.sortKey < $1.sortKey }
    return shown
  }

  /// Where the view shows an element of the source, or would.
  @inlinable
  func place(of source: Int) -> (index: Int, isShown: Bool) {
    let index = sources.partitioningIndex { $0 >= source }
    return (index, index < sources.count && sources[index] == source)
  }
}
