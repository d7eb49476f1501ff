/// The elements of a source in groups by a key: the engine of the views that `sections` and
/// `grouped` make.
///
///     user ─▶ outer collection ─▶ inner array ─▶ link ─┐                        strong
///                    └──────────▶ link ────────────────┴▶ driver ─▶ view ─▶ source
///                    ▲                    ▲                            ┊
///                    └┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┴┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┘   weak: its users keep each
///
/// The driver is a live view of the source that shows nothing: what follows the source for all of
/// the arrays, and lives as long as one of them.
///
/// Inlinable as `ArrangedView` is: a change of an element takes thirty times as long where the code
/// is not compiled for the type of the elements.
@usableFromInline
final class GroupedView<Key: Hashable, Element>: SourceOrder {
  @usableFromInline typealias Entry = ArrayChange<Element>.Entry
  @usableFromInline typealias Group = ElementGroup<Key, Element>

  /// Replaced with the value of a parameter; `nil` before that has one.
  @usableFromInline var key: ((Element) -> Key)?

  /// Whether the elements of a group are in sorted order; otherwise in that of the source.
  @usableFromInline let isSorted: Bool

  /// Replaced with the value of a parameter too.
  @usableFromInline var areInIncreasingOrder: (Element, Element) -> Bool

  /// Shows a change in the outer collection. Set when that has been made.
  @usableFromInline var show: ((GroupChange<Key, Element>) -> Void)?

  /// The groups before there is an outer collection.
  @usableFromInline var first = GroupChange<Key, Element>()

  /// The only keys that are shown, where they are given.
  @usableFromInline let fixedKeys: [Key]?

  @usableFromInline let file: String
  @usableFromInline let line: UInt
  @usableFromInline var hasBegun = false
  private var hasReported = false
  @usableFromInline weak var driver: ObservableArray<Int>?

  /// That of the driver, which the arrays have too; see `ObservableArray.setDepth`.
  @usableFromInline var depth = 0

  /// For each index in the source the group of its element; `nil` if that is left out.
  ///
  /// Without a check of exclusivity, as `table`: no closure runs during an access.
  @exclusivity(unchecked) @usableFromInline var groups: [Group?] = []

  @exclusivity(unchecked) @usableFromInline var table: [Key: Group] = [:]

  /// Passes on changes of elements.
  @usableFromInline let feed: ElementFeed

  /// A change that is followed together with the new value of a parameter.
  @usableFromInline var waiting: ArrayChange<Element>?

  /// - Parameters:
  ///   - keyPaths: The properties of elements that the closures read.
  ///   - areInIncreasingOrder: `nil` for the order of the source.
  @inlinable
  init(
    on keyPaths: [PartialKeyPath<Element>], keys: [Key]? = nil,
    by areInIncreasingOrder: ((Element, Element) -> Bool)? = nil, _ file: String, _ line: UInt
  ) {
    feed = ElementFeed(keyPaths)
    fixedKeys = keys
    isSorted = areInIncreasingOrder != nil
    self.areInIncreasingOrder = areInIncreasingOrder ?? { _, _ in false }
    (self.file, self.line) = (file, line)
  }
}

/// The elements with one key.
@usableFromInline
final class ElementGroup<Key: Hashable, Element> {
  @usableFromInline let key: Key

  /// Index in the source of each element, in the order of the group.
  @exclusivity(unchecked) @usableFromInline var sources: [Int] = []

  /// The array that shows the group; `nil` when its users have let go of it.
  @usableFromInline weak var inner: ObservableArray<Element>?

  @inlinable
  init(_ key: Key) { self.key = key }
}

/// Groups that come and go in the outer collection.
@usableFromInline
struct GroupChange<Key: Hashable, Element> {
  @usableFromInline var removed: [Key] = []
  @usableFromInline var inserted: [(key: Key, inner: ObservableArray<Element>)] = []

  @inlinable
  init() {}
}

extension GroupedView {
  /// Begins anew with the elements of the source, in the place of others.
  ///
  /// - Returns: What the driver shows: nothing.
  /// - Complexity: O(n), O(n log n) if they are sorted.
  @inlinable
  func begin(_ elements: [Element], by driver: ObservableArray<Int>) -> [Int] {
    // Before anything is changed: the closure is the user's.
    let keys = elements.map(requiredKey)
    self.driver = driver
    var change = GroupChange<Key, Element>()
    if !hasBegun {
      hasBegun = true
      for key in fixedKeys ?? [] where table[key] == nil { table[key] = Group(key) }
    }
    let known = table
    var arrived: [Group] = []
    for group in known.values { group.sources = [] }
    groups = []
    groups.reserveCapacity(keys.count)
    for (index, key) in keys.enumerated() {
      let group = group(for: key, adding: &arrived)
      group?.sources.append(index)
      groups.append(group)
    }
    if isSorted {
      for group in table.values { group.sources = sorted(group.sources, in: elements) }
    }
    var edits: [(inner: ObservableArray<Element>, body: () -> Void)] = []
    for group in known.values {
      if group.sources.isEmpty, fixedKeys == nil {
        table[group.key] = nil
        change.removed.append(group.key)
      }
      guard let inner = group.inner, !(inner.isEmpty && group.sources.isEmpty) else { continue }
      let shown = group.sources.map { elements[$0] }
      edits.append((inner, { inner.applySetting(shown) }))
    }
    if show == nil, let fixedKeys {
      arrived = []
      for key in fixedKeys {
        guard let group = table[key], !arrived.contains(where: { $0 === group }) else { continue }
        arrived.append(group)
      }
    }
    for group in arrived { change.inserted.append((group.key, makeInner(of: group, in: elements))) }
    perform(edits, change)
    return []
  }

  @inlinable
  func requiredKey(of element: Element) -> Key {
    // A parameter has set it before the view begins.
    key!(element)
  }

  /// The group of a key, which is made if it is new; `nil` if the key is not shown.
  @inlinable
  func group(for key: Key, adding arrived: inout [Group]) -> Group? {
    if let known = table[key] { return known }
    guard fixedKeys == nil else {
      reportOther(key)
      return nil
    }
    let new = Group(key)
    table[key] = new
    arrived.append(new)
    return new
  }

  @usableFromInline
  func reportOther(_ key: Key) {
    guard !exchange(&hasReported, with: true) else { return }
    ObservationDispatcher.report(.otherKey(key: "\(key)", file: file, line: line))
  }

  /// The indices of elements in sorted order; equal ones ascend.
  @inlinable
  func sorted(_ sources: [Int], in elements: [Element]) -> [Int] {
    sources.sorted { isBefore($0, $1, in: elements) }
  }

  /// The place of an element that is in a group.
  ///
  /// - Complexity: O(log s) for s elements of the group; O(s) in sorted order.
  @inlinable
  func place(of source: Int, in group: Group) -> Int {
    let sources = group.sources
    guard isSorted else { return sources.partitioningIndex { $0 >= source } }
    // It is there.
    return sources.firstIndex(of: source) ?? sources.count
  }
}
