/// A view of those elements of a source that satisfy a closure.
///
/// Inlinable, as everything that a live view does for a change: code that is not compiled for the type
/// of the elements looks generic types up each time, which takes twenty times as long.
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
    } else if change.kind == .element {
      let changed = change.entries.filter {
        isIncluded($0.element) != ($0.newIndex.flatMap { place(of: $0) } != nil)
      }
      if !changed.isEmpty { view.apply(edit(changed, areToggled: true)) }
    } else {
      view.apply(edit(change.entries, areToggled: false))
    }
  }

  @inlinable
  func included(of elements: [Element]) -> [Int] {
    elements.indices.filter { isIncluded(elements[$0]) }
  }

  /// Follows an edit of the source, or shows and hides elements that have changed.
  ///
  /// - Parameter areToggled: Whether each element has become included, or stopped to be; then its index
  ///   is what it was.
  /// - Complexity: O(k) calls of the closure for k new elements; what stands behind the first entry is
  ///   numbered anew.
  @inlinable
  func edit(_ entries: [Entry], areToggled: Bool) -> [Entry] {
    let edit = IndexEdit(entries)
    var shown: [Entry] = []
    /// Elements that are in the view after the edit, by their index in the source.
    var arriving: [(source: Int, entry: Entry)] = []
    for entry in entries {
      let old = entry.oldIndex.flatMap { place(of: $0) }
      let isArriving =
        areToggled || entry.oldIndex != nil
        ? areToggled == (old == nil) : isIncluded(entry.element)
      if isArriving, let source = entry.newIndex {
        arriving.append((source, Entry(element: entry.element, oldIndex: old, newIndex: nil)))
      } else if let old {
        shown.append(Entry(entry.element, removedAt: old))
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

  /// Where the view shows an element of the source; `nil` if it does not.
  @inlinable
  func place(of source: Int) -> Int? {
    let index = sources.partitioningIndex { $0 >= source }
    return index < sources.count && sources[index] == source ? index : nil
  }
}

/// A view of what a closure makes of the elements of a source. Inlinable as `FilteredView` is.
@usableFromInline
struct MappedView<Source, Element> {
  @usableFromInline typealias Entry = ArrayChange<Element>.Entry

  @usableFromInline let transform: (Source) -> Element

  /// `nil` if elements can't be compared.
  @usableFromInline let areEqual: ((Element, Element) -> Bool)?

  @inlinable
  init(_ transform: @escaping (Source) -> Element) {
    self.transform = transform
    areEqual = ElementIdentity<Element>.equality
  }

  @inlinable
  func follow(_ change: ArrayChange<Source>, in view: ObservableArray<Element>) {
    guard !change.details.isOfEverything else {
      return view.applySetting(change.elements.map(transform))
    }
    var entries: [Entry] = []
    for entry in change.entries {
      if change.kind == .element, let index = entry.newIndex {
        let (old, new) = (view.storage[index], transform(entry.element))
        if let areEqual, areEqual(old, new) { continue }
        entries += [Entry(old, removedAt: index), Entry(new, insertedAt: index)]
      } else {
        // What leaves or moves has been made before.
        let element = entry.oldIndex.map { view.storage[$0] } ?? transform(entry.element)
        entries.append(
          Entry(element: element, oldIndex: entry.oldIndex, newIndex: entry.newIndex))
      }
    }
    view.apply(entries)
  }
}
