/// Follows a source with those of its elements that satisfy a closure.
final class FilteredView<Element> {
  private typealias Entry = ArrayChange<Element>.Entry

  private let isIncluded: (Element) -> Bool

  /// For each element of the view, its index in the source; ascending.
  private var sources: [Int] = []

  init(_ elements: [Element], _ isIncluded: @escaping (Element) -> Bool) {
    self.isIncluded = isIncluded
    sources = included(of: elements)
  }

  func visible(of elements: [Element]) -> [Element] {
    sources.map { elements[$0] }
  }

  func follow(_ change: ArrayChange<Element>, in view: ObservableArray<Element>) {
    if change.details.isOfEverything {
      sources = included(of: change.elements)
      view.applySetting(visible(of: change.elements))
    } else if change.kind == .element {
      view.apply(update(change.entries))
    } else {
      view.apply(edit(change.entries))
    }
  }

  private func included(of elements: [Element]) -> [Int] {
    elements.indices.filter { isIncluded(elements[$0]) }
  }

  /// Shows or hides elements that have changed.
  private func update(_ entries: [Entry]) -> [Entry] {
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
  private func edit(_ entries: [Entry]) -> [Entry] {
    let edit = IndexEdit(entries)
    var shown: [Entry] = []
    /// What is in the view after the edit, by its index in the source.
    var arriving: [(source: Int, element: Element, oldIndex: Int?)] = []
    for entry in entries {
      let oldIndex = entry.oldIndex.map(place).flatMap { $0.isShown ? $0.index : nil }
      guard let source = entry.newIndex else {
        if let oldIndex { shown.append(Entry(entry.element, removedAt: oldIndex)) }
        continue
      }
      let isArriving = entry.oldIndex == nil ? isIncluded(entry.element) : oldIndex != nil
      if isArriving { arriving.append((source, entry.element, oldIndex)) }
    }
    arriving.sort { $0.source < $1.source }

    let start = sources.partitioningIndex { $0 >= edit.start }
    var survivors = IndexEdit.Survivors(of: edit)
    var staying = sources[start...].compactMap { survivors.index(after: $0) }[...]
    sources.removeSubrange(start...)
    for next in arriving {
      let before = staying.prefix { $0 < next.source }
      sources += before
      staying = staying.dropFirst(before.count)
      shown.append(
        Entry(element: next.element, oldIndex: next.oldIndex, newIndex: sources.count))
      sources.append(next.source)
    }
    sources += staying
    shown.sort { $0.sortKey < $1.sortKey }
    return shown
  }

  /// Where the view shows an element of the source, or would.
  private func place(of source: Int) -> (index: Int, isShown: Bool) {
    let index = sources.partitioningIndex { $0 >= source }
    return (index, index < sources.count && sources[index] == source)
  }
}
