/// A view of elements of a source: of some in the order of the source, or of all in sorted order.
///
/// The engine of the views that `filtered`, `sorted`, `window` and `unique` make: it knows the
/// place of each element, and makes the entries of each change.
///
/// Inlinable, as everything that a live view does for a change: code that is not compiled for the
/// type of the elements looks generic types up each time, which takes twenty times as long.
@usableFromInline
final class ArrangedView<Element>: SourceOrder {
  @usableFromInline typealias Entry = ArrayChange<Element>.Entry

  /// Replaced with the value of a parameter, as the order is.
  @usableFromInline var isIncluded: (Element) -> Bool

  /// Chooses the elements in place of `isIncluded`, where that depends on more than the element.
  @usableFromInline let selection: IndexSelection<Element>?

  /// Whether the view is in sorted order; otherwise it is in the order of the source.
  @usableFromInline let isSorted: Bool

  /// Not an optional: that would be copied, and its references counted, for each comparison.
  @usableFromInline var areInIncreasingOrder: (Element, Element) -> Bool

  /// For each place of the view its element's index in the source: ascending in the order of the
  /// source, where they may be some of the elements; in sorted order they are all.
  ///
  /// Without a check of exclusivity for each comparison: no closure runs during an access.
  @exclusivity(unchecked) @usableFromInline var sources: [Int] = []

  /// In sorted order, for each index in the source the place of its element.
  @exclusivity(unchecked) @usableFromInline var places: [Int] = []

  @inlinable
  init(
    of isIncluded: @escaping (Element) -> Bool = { _ in true },
    selecting selection: IndexSelection<Element>? = nil,
    by areInIncreasingOrder: ((Element, Element) -> Bool)? = nil
  ) {
    (self.isIncluded, self.selection) = (isIncluded, selection)
    isSorted = areInIncreasingOrder != nil
    self.areInIncreasingOrder = areInIncreasingOrder ?? { _, _ in false }
  }

  /// Begins with the elements of the source, and returns those of the view.
  ///
  /// - Complexity: O(n), O(n log n) if they are sorted.
  @inlinable
  func begin(_ elements: [Element]) -> [Element] {
    sources =
      isSorted
      ? order(of: elements)
      : selection?.begin(elements) ?? elements.indices.filter { isIncluded(elements[$0]) }
    notePlaces()
    return sources.map { elements[$0] }
  }

  /// The indices of the elements in sorted order; equal ones keep theirs.
  ///
  /// The elements themselves are sorted, with their indices: to look up each by its index takes
  /// longer than most comparisons.
  @inlinable
  func order(of elements: [Element]) -> [Int] {
    let areInIncreasingOrder = self.areInIncreasingOrder
    var sorted: [(element: Element, index: Int)] = []
    sorted.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() { sorted.append((element, index)) }
    sorted.sort { areInIncreasingOrder($0.element, $1.element) }
    return sorted.map { $0.index }
  }

  @inlinable
  func follow(_ change: ArrayChange<Element>, in view: ObservableArray<Element>) {
    if selection == nil, change.kind == .element, case let source = change.edit.index, source >= 0 {
      update(change, at: source, in: view)
    } else {
      view.apply(edit(change, in: view))
    }
  }

  // MARK: - Places

  /// The place of an element of the source; `nil` if it is not in the view.
  ///
  /// - Complexity: O(log n).
  @inlinable
  func place(of source: Int) -> Int? {
    guard !isSorted else { return places[source] }
    let place = sources.partitioningIndex { $0 >= source }
    return place < sources.count && sources[place] == source ? place : nil
  }

  /// Notes the places of elements in sorted order.
  ///
  /// - Parameter moved: Where they have moved; `nil` for anywhere.
  @inlinable
  func notePlaces(_ moved: Range<Int>? = nil) {
    guard isSorted else { return }
    let sources = sources
    if moved == nil { places = sources }
    places.withUnsafeMutableBufferPointer { places in
      for place in moved ?? sources.indices { places[sources[place]] = place }
    }
  }

  // MARK: - Changes of one element

  // Several elements may have changed before the view is notified of the first: in a batch, by a
  // property that they share, or in a handler. A binary search among them may then end at a wrong
  // place. But each comes between two that it is in order with; and those that stood around it are
  // compared when it leaves. So when all changes have been delivered, each element is in order with
  // the next one.

  /// Shows, hides or moves an element that has changed; sorts everything anew if those around it
  /// are not in order.
  ///
  /// - Complexity: O(log n) calls of the closures; what stands between the old and the new place
  ///   moves by one.
  @inlinable
  func update(_ change: ArrayChange<Element>, at source: Int, in view: ObservableArray<Element>) {
    let elements = change.elements
    let isShown = isIncluded(elements[source])
    guard let old = place(of: source) else {
      guard isShown else { return }
      let place = sources.partitioningIndex { $0 > source }
      sources.insert(source, at: place)
      return view.apply([Entry(elements[source], insertedAt: place)])
    }
    guard isShown else {
      sources.remove(at: old)
      return view.apply([Entry(elements[source], removedAt: old)])
    }
    let isBehindPrevious = isInOrder(old - 1, old, of: sources, in: elements)
    if isBehindPrevious && isInOrder(old, old + 1, of: sources, in: elements) { return }
    guard isInOrder(old - 1, old + 1, of: sources, in: elements) else {
      return view.apply(resort(after: change, in: view))
    }
    let others = isBehindPrevious ? old + 1..<sources.count : 0..<old
    let place = others.partitioningIndex { !isBefore(sources[$0], source, in: elements) }
    let new = isBehindPrevious ? place - 1 : place
    sources.move(from: old, to: new)
    notePlaces(min(old, new)..<max(old, new) + 1)
    view.edit(isByView: true) {
      view.storage.move(from: old, to: new)
      return ArrayEdit(.move, at: new, from: old)
    }
  }

  // MARK: - Edits

  /// Follows an edit of the source, or changes of many elements.
  ///
  /// - Complexity: O(k log n) calls of the closures for k elements that come, leave or move; what
  ///   stands behind the edit is numbered anew.
  @inlinable
  func edit(_ change: ArrayChange<Element>, in view: ObservableArray<Element>) -> [Entry] {
    let elements = change.elements
    var moving: [Entry] = []
    var shown: [Entry] = []
    var arriving: [(source: Int, oldPlace: Int?)] = []
    let others = selection?.follow(change, sources)
    for entry in change.entries {
      let oldPlace = entry.oldIndex.flatMap { place(of: $0) }
      // An element that has only moved is shown if it was.
      let isKept = entry.oldIndex != nil && change.kind != .element
      let isShown =
        if let selection {
          entry.newIndex.map(selection.contains) ?? false
        } else {
          entry.newIndex != nil && (isKept ? oldPlace != nil : isIncluded(entry.element))
        }
      // In the order of the source, what has changed stays where it is.
      if !isSorted, change.kind == .element, isShown == (oldPlace != nil) {
        continue
      }
      moving.append(entry)
      if isShown, let source = entry.newIndex {
        arriving.append((source, oldPlace))
      } else if let oldPlace {
        shown.append(Entry(entry.element, removedAt: oldPlace))
      }
    }
    let edit = IndexEdit(moving)
    if let others {
      let places = others.leaving.compactMap { place(of: $0) }
      shown += places.map { Entry(view.storage[$0], removedAt: $0) }
      arriving += others.coming.map { ($0, nil) }
      sources.apply(removing: places, inserting: [])
    }
    let left = edit.removed.compactMap { place(of: $0) }.sorted()
    remove(edit)
    // Whether those that stay are in order around the places of those that have left.
    let isRestSorted = left.enumerated().allSatisfy { number, place in
      isInOrder(place - number - 1, place - number, of: sources, in: elements)
    }
    guard isRestSorted else { return resort(after: change, in: view) }
    arriving.sort { isBefore($0.source, $1.source, in: elements) }
    let new = insertions(of: arriving.map { $0.source }, into: sources, in: elements)
    for (next, new) in zip(arriving, new) {
      shown.append(
        Entry(element: elements[new.element], oldIndex: next.oldPlace, newIndex: new.place))
    }
    sources.apply(removing: [], inserting: new)
    notePlaces()
    shown.sort { $0.sortKey < $1.sortKey }
    return shown
  }

  /// Removes what an edit of the source has removed or moved, and numbers anew what stays. Leaves
  /// the places as they were, until what has come is inserted.
  ///
  /// - Complexity: O(n log k) for an edit of k elements; in the order of the source, n is what
  ///   stands behind the edit.
  @inlinable
  func remove(_ edit: IndexEdit) {
    let start =
      if isSorted {
        edit.start < sources.count ? 0 : sources.count
      } else {
        sources.partitioningIndex { $0 >= edit.start }
      }
    sources.replaceSubrange(start..., with: sources[start...].compactMap { edit.index(after: $0) })
  }

  /// Sorts everything anew.
  ///
  /// - Complexity: O(n log n).
  @inlinable
  func resort(
    after change: ArrayChange<Element>, in view: ObservableArray<Element>
  ) -> [Entry] {
    var origins = places
    origins.follow(change.entries)
    let elements = begin(change.elements)
    return Entry.leading(
      from: view.storage, to: elements, origins: sources.map { origins[$0] })
  }
}
