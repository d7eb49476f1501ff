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
    var (removed, added) = (0, 0)
    var (shown, moved): ([Entry], [ArrayChange<Int>.Entry]) = ([], [])
    for entry in entries {
      guard let source = entry.newIndex else { continue }
      let index = sources.partitioningIndex { $0 >= source }
      let wasIncluded = index < sources.count && sources[index] == source
      guard wasIncluded != isIncluded(entry.element) else { continue }
      if wasIncluded {
        shown.append(Entry(entry.element, removedAt: index))
        moved.append(ArrayChange.Entry(source, removedAt: index))
        removed += 1
      } else {
        shown.append(Entry(entry.element, insertedAt: index + added - removed))
        moved.append(ArrayChange.Entry(source, insertedAt: index + added - removed))
        added += 1
      }
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
      let oldIndex = entry.oldIndex.flatMap(index)
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

  /// Where the view shows an element of the source, if it does.
  private func index(of source: Int) -> Int? {
    let index = sources.partitioningIndex { $0 >= source }
    return index < sources.count && sources[index] == source ? index : nil
  }
}
