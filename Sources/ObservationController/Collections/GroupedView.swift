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
final class GroupedView<Key: Hashable, Element> {
  typealias Entry = ArrayChange<Element>.Entry
  typealias Inner = ObservableArray<Element>

  /// The elements with one key.
  final class Group {
    let key: Key

    /// Index in the source of each element, ascending.
    fileprivate(set) var sources: [Int] = []

    /// The array that shows the group; `nil` when its users have let go of it.
    fileprivate(set) weak var inner: Inner?

    init(_ key: Key) { self.key = key }
  }

  /// The change of the outer collection.
  struct OuterChange {
    fileprivate(set) var gone: [Key] = []
    fileprivate(set) var came: [(key: Key, inner: Inner)] = []
  }

  /// Replaced with the value of a parameter; `nil` before that has one.
  var key: ((Element) -> Key)?

  /// Shows a change in the outer collection. Set when that has been made.
  var show: ((OuterChange) -> Void)?

  /// The groups before there is an outer collection.
  private(set) var first = OuterChange()

  /// The only keys that are shown, where they are given.
  private let fixedKeys: [Key]?

  private let file: String
  private let line: UInt
  private var hasBegun = false
  private var hasReported = false
  private weak var driver: ObservableArray<Int>?

  /// That of the driver, which the arrays have too; see `ObservableArray.setDepth`.
  private var depth = 0

  /// For each index in the source the group of its element; `nil` if that is left out.
  private var groups: [Group?] = []

  private var table: [Key: Group] = [:]

  /// A change that is followed together with the new value of a parameter.
  private var waiting: ArrayChange<Element>?

  init(keys: [Key]?, _ file: String, _ line: UInt) {
    fixedKeys = keys
    (self.file, self.line) = (file, line)
  }

  /// An element that has come, left, moved, or has another group.
  private struct Mover {
    let entry: Entry

    /// The group where it is after the change; `nil` if it is in none.
    let group: Group?
  }

  /// What a change does to one group.
  private struct GroupEdit {
    let group: Group
    var left: [(place: Int, element: Element)] = []
    var came: [(source: Int, oldPlace: Int?, element: Element)] = []
  }
}

extension GroupedView {
  /// Begins anew with the elements of the source, in the place of others.
  ///
  /// - Returns: What the driver shows: nothing.
  /// - Complexity: O(n).
  func begin(_ elements: [Element], by driver: ObservableArray<Int>) -> [Int] {
    // Before anything is changed: the closure is the user's.
    let keys = elements.map(requiredKey)
    self.driver = driver
    var change = OuterChange()
    if !exchange(&hasBegun, with: true) {
      for key in (fixedKeys ?? []).unique(by: { $0 }) { table[key] = Group(key) }
    }
    let known = table
    var arrived: [Group] = []
    for group in known.values { group.sources = [] }
    groups = keys.enumerated().map { index, key in
      let group = group(for: key, adding: &arrived)
      group?.sources.append(index)
      return group
    }
    var edits: [() -> Void] = []
    for group in known.values {
      if group.sources.isEmpty, fixedKeys == nil {
        table[group.key] = nil
        change.gone.append(group.key)
      }
      guard let inner = group.inner, !(inner.isEmpty && group.sources.isEmpty) else { continue }
      let shown = group.sources.map { elements[$0] }
      edits.append { inner.applySetting(shown) }
    }
    if show == nil, let fixedKeys {
      arrived = fixedKeys.unique(by: { $0 }).compactMap { table[$0] }
    }
    for group in arrived { change.came.append((group.key, inner(of: group, in: elements))) }
    perform(edits, change)
    return []
  }

  /// Follows a change of the source.
  ///
  /// - Complexity: A change of an element is O(log n); an edit of k elements O(k log n), and what
  ///   stands behind it is numbered anew. Both move the elements behind in the arrays.
  func follow(_ change: ArrayChange<Element>, by driver: ObservableArray<Int>) {
    // The value of a parameter has changed too, and is followed right after this.
    guard driver.batch == nil else {
      waiting = change
      return
    }
    follow(change)
  }

  /// Follows a new value of the parameter.
  ///
  /// - Complexity: O(n).
  func reevaluate(_ elements: [Element], by driver: ObservableArray<Int>) {
    withTransaction(if: waiting != nil) {
      if let change = waiting.take() { follow(change) }
      let keys = elements.map(requiredKey)
      var arrived: [Group] = []
      var movers: [Mover] = []
      for (index, key) in keys.enumerated() where groups[index]?.key != key {
        let group = group(for: key, adding: &arrived)
        guard group !== groups[index] else { continue }
        movers.append(
          Mover(
            entry: Entry(element: elements[index], oldIndex: index, newIndex: index), group: group))
      }
      regroup(movers, arrived, in: elements, as: .batch)
    }
  }

  private func follow(_ change: ArrayChange<Element>) {
    let elements = change.elements
    let entries = change.entries
    let isOfElements = change.kind == .element
    // Before anything is changed. Elements that only move keep their key.
    let keys = entries.map { entry -> Key? in
      let isNew = entry.newIndex != nil && (entry.oldIndex == nil || isOfElements)
      return isNew ? requiredKey(of: entry.element) : nil
    }
    var arrived: [Group] = []
    var movers: [Mover] = []
    for (entry, key) in zip(entries, keys) {
      let old = entry.oldIndex.flatMap { groups[$0] }
      let new =
        key.map { key in old?.key == key ? old : group(for: key, adding: &arrived) }
        ?? (entry.newIndex == nil ? nil : old)
      if isOfElements, old === new { continue }
      movers.append(Mover(entry: entry, group: new))
    }
    regroup(movers, arrived, in: elements, shifting: isOfElements ? nil : IndexEdit(entries))
  }

  private func requiredKey(of element: Element) -> Key {
    // A parameter has set it before the view begins.
    key!(element)
  }

  /// The group of a key, which is made if it is new; `nil` if the key is not shown.
  private func group(for key: Key, adding arrived: inout [Group]) -> Group? {
    if let known = table[key] { return known }
    guard fixedKeys == nil else {
      if !exchange(&hasReported, with: true) {
        ObservationDispatcher.report(.otherKey(key: "\(key)", file: file, line: line))
      }
      return nil
    }
    let new = Group(key)
    table[key] = new
    arrived.append(new)
    return new
  }
}

// MARK: - Edits

extension GroupedView {
  /// Has elements leave their groups and come to others.
  ///
  /// - Parameters:
  ///   - arrived: Groups that are new.
  ///   - shift: Edit of the source by which other elements get other indices, if it is one.
  ///   - kind: Kind of the changes of the arrays; `nil` for that of their entries.
  private func regroup(
    _ movers: [Mover], _ arrived: [Group], in elements: [Element], shifting shift: IndexEdit? = nil,
    as kind: ArrayChange<Element>.Kind? = nil
  ) {
    guard !movers.isEmpty else { return }
    var edits = edits(for: movers)
    for index in edits.indices {
      let group = edits[index].group
      edits[index].left.sort { $0.place < $1.place }
      edits[index].came.sort { $0.source < $1.source }
      let moved = edits[index].came.compactMap(\.oldPlace)
      let places = edits[index].left.map(\.place) + moved
      group.sources.apply(removing: places.sorted(), inserting: [])
    }
    if let shift { renumber(shift) }
    updateGroups(movers, isShifting: shift != nil)
    let isNew = Set(arrived.map { ObjectIdentifier($0) })
    var change = OuterChange()
    var shown: [() -> Void] = []
    for edit in edits {
      let entries = insert(edit)
      let group = edit.group
      if group.sources.isEmpty, fixedKeys == nil {
        table[group.key] = nil
        if !isNew.contains(ObjectIdentifier(group)) { change.gone.append(group.key) }
      }
      guard let inner = group.inner, !entries.isEmpty else { continue }
      shown.append { inner.apply(entries, as: kind) }
    }
    for group in arrived where !group.sources.isEmpty {
      change.came.append((group.key, inner(of: group, in: elements)))
    }
    perform(shown, change)
  }

  private func edits(for movers: [Mover]) -> [GroupEdit] {
    var edits: [GroupEdit] = []
    var numbers: [ObjectIdentifier: Int] = [:]
    func number(of group: Group) -> Int {
      if let number = numbers[ObjectIdentifier(group)] { return number }
      numbers[ObjectIdentifier(group)] = edits.count
      edits.append(GroupEdit(group: group))
      return edits.count - 1
    }
    for mover in movers {
      let entry = mover.entry
      let old = entry.oldIndex.flatMap { index in
        groups[index].map { (group: $0, place: place(of: index, in: $0)) }
      }
      if let old, old.group !== mover.group {
        edits[number(of: old.group)].left.append((old.place, entry.element))
      }
      if let group = mover.group, let source = entry.newIndex {
        let oldPlace = old.flatMap { $0.group === group ? $0.place : nil }
        edits[number(of: group)].came.append((source, oldPlace, entry.element))
      }
    }
    return edits
  }

  private func place(of source: Int, in group: Group) -> Int {
    group.sources.partitioningIndex { $0 >= source }
  }

  /// Numbers anew what has stayed where it was.
  private func renumber(_ shift: IndexEdit) {
    // Nothing has, where all that stands behind has left.
    guard shift.start + shift.removed.count < groups.count else { return }
    for group in table.values {
      let start = place(of: shift.start, in: group)
      for place in start..<group.sources.count {
        // What has left or moved has been removed.
        group.sources[place] = shift.index(after: group.sources[place]) ?? 0
      }
    }
  }

  private func updateGroups(_ movers: [Mover], isShifting: Bool) {
    if isShifting {
      groups.apply(movers.map { $0.entry.with($0.group) })
    } else {
      for mover in movers { mover.entry.newIndex.map { groups[$0] = mover.group } }
    }
  }

  /// Inserts what comes to a group.
  ///
  /// - Returns: The entries of the whole edit.
  private func insert(_ edit: GroupEdit) -> [Entry] {
    let group = edit.group
    var entries = edit.left.map { Entry($0.element, removedAt: $0.place) }
    var inserted: [(place: Int, element: Int)] = []
    var before = 0
    for (count, next) in edit.came.enumerated() {
      before = (before..<group.sources.count).partitioningIndex {
        group.sources[$0] >= next.source
      }
      inserted.append((before + count, next.source))
      entries.append(
        Entry(element: next.element, oldIndex: next.oldPlace, newIndex: before + count))
    }
    group.sources.apply(removing: [], inserting: inserted)
    entries.sort { $0.sortKey < $1.sortKey }
    return entries
  }

  // MARK: - Showing

  /// Makes the array of a group.
  private func inner(of group: Group, in elements: [Element]) -> Inner {
    let inner = ArrayViewLink.makeView(file, line) { link in
      link.sourceIndex = { [unowned group] in group.sources[$0] }
      begin(link)
      return Inner(group.sources.map { elements[$0] }, link: link)
    }
    group.inner = inner
    return inner
  }

  /// Has an array that follows the driver keep it alive.
  func begin(_ link: ArrayViewLink) {
    guard let driver else { return }
    link.observations = driver
    link.depth = driver.link?.depth ?? 1
    link.noteSource = { [weak driver] in driver?.link?.noteSource() }
  }

  /// Edits arrays, so that observers of each find all of them up to date: in a transaction, unless
  /// it is one array alone.
  private func perform(_ edits: [() -> Void], _ change: OuterChange) {
    let isOuter = !change.gone.isEmpty || !change.came.isEmpty
    guard let show else {
      first = change
      return
    }
    let newDepth = driver?.link?.depth ?? depth
    if exchange(&depth, with: newDepth) != newDepth {
      for group in table.values { group.inner?.setDepth(newDepth) }
    }
    withTransaction(if: edits.count + (isOuter ? 1 : 0) > 1) {
      for edit in edits { edit() }
      if isOuter { show(change) }
    }
  }

  private func withTransaction(if isNeeded: Bool, _ body: () -> Void) {
    if isNeeded { withObservationTransaction(body) } else { body() }
  }

  /// Lets go of the first groups, which the outer collection has.
  func takeFirst() -> [(key: Key, inner: Inner)] { exchange(&first, with: OuterChange()).came }
}
