/// A view of the elements of all inner arrays of a source, one after the other.
///
///     view ─▶ link ─▶ controller ─▶ source, inner arrays        strong
///
/// Each inner array is observed once, however often it occurs. What the view shows of it is what
/// its observation has delivered: changes that wait for their turn come later, for each occurrence.
final class FlattenedView<Element> {
  typealias Inner = ObservableArray<Element>
  typealias Entry = ArrayChange<Element>.Entry

  // No user code runs during an access.

  /// The inner arrays in the order of the source, and how many elements each of them shows.
  private var inners: [Inner] = []
  private var counts: [Int] = []

  private var known: [ObjectIdentifier: Known] = [:]

  private struct Known {
    var token: ObservationToken?
    var occurrences = 0

    /// The elements, as its observation has delivered them, until the array is shown.
    var elements: [Element]?
  }

  /// The number of arrays that the source follows, one by the other.
  private let sourceDepth: () -> Int
  private let file: String
  private let line: UInt

  init(depth: @escaping () -> Int, _ file: String, _ line: UInt) {
    (sourceDepth, self.file, self.line) = (depth, file, line)
  }
}

extension FlattenedView {
  /// Index of the first element of each inner array, and at the end the count of all.
  private func starts(of counts: [Int]) -> [Int] {
    var starts = [0]
    starts.reserveCapacity(counts.count + 1)
    for count in counts { starts.append(starts[starts.count - 1] + count) }
    return starts
  }

  /// - Complexity: O(m) in the number of inner arrays.
  func sourceIndex(at index: Int) -> Int {
    starts(of: counts).partitioningIndex { $0 > index } - 1
  }

  /// Begins anew with the inner arrays, in the place of others.
  ///
  /// - Parameter view: Empty if this is the beginning.
  func begin(_ new: [Inner], in view: ObservableArray<Element>) -> [Element] {
    observe(new, in: view)
    let contents = contents(of: new, in: view)
    count(new, by: 1)
    count(inners, by: -1)
    (inners, counts) = (new, contents.map { $0.count })
    setDepth(of: view)
    return contents.flatMap { $0 }
  }

  func follow(_ change: ArrayChange<Inner>, in view: ObservableArray<Element>) {
    let entries = change.entries
    let arriving = entries.filter { $0.oldIndex == nil }.map { $0.element }
    // Before the old indices are computed: changes may be delivered meanwhile.
    observe(arriving, in: view)
    var arrived = contents(of: arriving, in: view)[...]
    let oldCounts = counts
    let oldStarts = starts(of: oldCounts)
    var contents: [Int: [Element]] = [:]
    for entry in entries {
      guard let new = entry.newIndex else { continue }
      contents[new] =
        entry.oldIndex.map { Array(view.storage[oldStarts[$0]..<oldStarts[$0 + 1]]) }
        ?? arrived.removeFirst()
    }
    inners.apply(entries)
    counts.apply(
      entries.map { entry in
        entry.with(entry.newIndex.flatMap { contents[$0]?.count } ?? 0)
      })
    let newStarts = starts(of: counts)
    var shown: [Entry] = []
    for entry in entries {
      let (old, new) = (entry.oldIndex.map { oldStarts[$0] }, entry.newIndex.map { newStarts[$0] })
      if let old, new == nil, let index = entry.oldIndex {
        for place in old..<old + oldCounts[index] {
          shown.append(Entry(view.storage[place], removedAt: place))
        }
      } else if let new, let index = entry.newIndex {
        for (offset, element) in (contents[index] ?? []).enumerated() {
          shown.append(
            Entry(element: element, oldIndex: old.map { $0 + offset }, newIndex: new + offset))
        }
      }
    }
    count(arriving, by: 1)
    count(entries.filter { $0.newIndex == nil }.map { $0.element }, by: -1)
    shown.sort { $0.sortKey < $1.sortKey }
    setDepth(of: view)
    view.apply(shown)
  }

  /// Follows a change of an inner array at each of its occurrences.
  private func follow(
    _ change: ArrayChange<Element>, of inner: Inner, in view: ObservableArray<Element>
  ) {
    let identity = ObjectIdentifier(inner)
    guard let occurrences = known[identity]?.occurrences else { return }
    guard occurrences > 0 else {
      known[identity]?.elements = change.elements
      return
    }
    let oldStarts = starts(of: counts)
    let indices = inners.indices.filter { inners[$0] === inner }
    for index in indices { counts[index] = change.elements.count }
    let newStarts = starts(of: counts)
    let entries = change.kind == .setting ? nil : change.entries
    var shown: [Entry] = []
    for index in indices {
      let (old, new) = (oldStarts[index], newStarts[index])
      let before = Array(view.storage[old..<oldStarts[index + 1]])
      for entry in entries ?? Self.entries(from: before, to: change.elements) {
        shown.append(
          Entry(
            element: entry.element, oldIndex: entry.oldIndex.map { $0 + old },
            newIndex: entry.newIndex.map { $0 + new }))
      }
    }
    shown.sort { $0.sortKey < $1.sortKey }
    view.apply(shown)
  }
}

extension FlattenedView {
  /// The smallest change from the elements before to those that were set, where they can be
  /// compared.
  private static func entries(from old: [Element], to new: [Element]) -> [Entry] {
    ElementIdentity.origins(of: new, in: old).map {
      Entry.leading(from: old, to: new, origins: $0)
    } ?? Entry.replacing(old, with: new)
  }
}

// MARK: - Inner arrays

extension FlattenedView {
  /// Observes inner arrays that have come. They are shown as soon as they are counted.
  private func observe(_ arriving: [Inner], in view: ObservableArray<Element>) {
    let controller =
      view.link?.observations as? ObservationController<ObservableArray<Element>>
    for inner in arriving where known[ObjectIdentifier(inner)] == nil {
      let identity = ObjectIdentifier(inner)
      known[identity] = Known(elements: [])
      let token = controller?.observeArray(
        inner, \Inner.elements, .array(itself: Inner.self), [],
        .initial, nil, nil, file, line, isEarly: true
      ) { [self] view, inner, change in follow(change, of: inner, in: view) }
      known[identity]?.token = token
    }
  }

  /// The elements of inner arrays: of those that are shown, what is in the view.
  private func contents(of arriving: [Inner], in view: ObservableArray<Element>) -> [[Element]] {
    let starts = starts(of: counts)
    let places = Dictionary(
      inners.indices.map { (ObjectIdentifier(inners[$0]), $0) },
      uniquingKeysWith: { first, _ in first })
    return arriving.map { inner in
      let identity = ObjectIdentifier(inner)
      if let new = known[identity]?.elements { return new }
      return places[identity].map { Array(view.storage[starts[$0]..<starts[$0 + 1]]) } ?? []
    }
  }

  private func count(_ inners: [Inner], by change: Int) {
    for inner in inners {
      known[ObjectIdentifier(inner)]?.occurrences += change
      known[ObjectIdentifier(inner)]?.elements = nil
    }
  }

  /// Ends the observations of inner arrays that have left. When the view has followed that: with
  /// the last reference to one, deinits of the user's run.
  func endUnused() {
    let unused = known.filter { $0.value.occurrences == 0 }
    for identity in unused.keys { known[identity] = nil }
    for known in unused.values { known.token?.invalidate() }
  }

  /// Has the view come after all that it follows at the end of a transaction.
  private func setDepth(of view: ObservableArray<Element>) {
    guard let link = view.link else { return }
    if link.leastDepth == nil {
      link.leastDepth = { [self] in
        inners.reduce(sourceDepth()) { max($0, $1.link?.depth ?? 0) } + 1
      }
    }
    view.setDepth(0)
  }
}

extension ObservableArray {
  /// A live view of the elements of all inner arrays, one after the other.
  ///
  ///     let students = classes.mapped(on: []) { $0.students }.flattened()
  ///
  /// Follows the edits of each inner array as long as it is in this one, and inner arrays that come
  /// and go. One that occurs twice is shown twice. The view retains this array, and the inner
  /// arrays as long as they are in it; it is kept alive as a view by
  /// ``filtered(on:file:line:_:)`` is.
  ///
  /// - Parameters:
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  /// - Complexity: O(n + m) for n elements in m arrays. An edit of k elements is O(k log k + m),
  ///   and moves the elements behind in the view.
  public func flattened<Inner>(
    file: String = #fileID, line: UInt = #line
  ) -> ObservableArray<Inner> where Element == ObservableArray<Inner> {
    // No edit of a batch is delivered in the midst of the beginning.
    for _ in 0..<ThreadContext.maximumRounds {
      guard flushBatch() || storage.contains(where: { $0.flushBatch() }) else { break }
    }
    let flattened = FlattenedView<Inner>(
      depth: { [unowned self] in link?.depth ?? 0 }, file, line)
    return view(
      on: [], file, line, begin: flattened.begin, follow: flattened.follow,
      sourceIndex: flattened.sourceIndex, finish: flattened.endUnused)
  }
}
