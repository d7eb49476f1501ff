/// Elements that leave groups, come to them, and move in them.
extension GroupedView {
  /// An element that has come, left, moved, or has another group.
  @usableFromInline
  struct Mover {
    @usableFromInline let entry: Entry

    /// The group where it is after the change; `nil` if it is in none.
    @usableFromInline let group: Group?

    @inlinable
    init(_ entry: Entry, to group: Group?) { (self.entry, self.group) = (entry, group) }
  }

  /// What a change does to one group.
  @usableFromInline
  struct GroupEdit {
    @usableFromInline let group: Group

    /// Elements that leave it.
    @usableFromInline var left: [(place: Int, element: Element)] = []

    /// Elements that come to it, or may have another place in it.
    @usableFromInline var came: [(source: Int, oldPlace: Int?, element: Element)] = []

    @inlinable
    init(of group: Group) { self.group = group }

    /// The places before of all of them, ascending.
    @inlinable var places: [Int] {
      (left.map { $0.place } + came.compactMap { $0.oldPlace }).sorted()
    }
  }

  /// Has elements leave their groups and come to others.
  ///
  /// - Parameters:
  ///   - arrived: Groups that are new.
  ///   - shift: Edit of the source by which other elements get other indices, if it is one.
  ///   - body: See `show`.
  @inlinable
  func regroup(
    _ movers: [Mover], _ arrived: [Group], in elements: [Element],
    shifting shift: IndexEdit? = nil, and body: (() -> Void)?
  ) {
    guard !movers.isEmpty else { return body?() ?? () }
    let edits = edits(for: movers)
    let places = edits.map { $0.places }
    for (edit, places) in zip(edits, places) {
      edit.group.sources.apply(removing: places, inserting: [])
    }
    if let shift {
      renumber(shift)
      groups.apply(movers.map { $0.entry.with($0.group) })
    } else {
      for mover in movers {
        if let index = mover.entry.newIndex { groups[index] = mover.group }
      }
    }
    let shown = zip(edits, places).map { edit, places in
      (edit.group, insert(edit, places, in: elements))
    }
    show(shown, arrived, in: elements, and: body)
  }

  @inlinable
  func edits(for movers: [Mover]) -> [GroupEdit] {
    var edits: [GroupEdit] = []
    var numbers: [ObjectIdentifier: Int] = [:]
    func number(of group: Group) -> Int {
      if let number = numbers[ObjectIdentifier(group)] { return number }
      numbers[ObjectIdentifier(group)] = edits.count
      edits.append(GroupEdit(of: group))
      return edits.count - 1
    }
    for mover in movers {
      let entry = mover.entry
      var oldPlace: Int?
      if let index = entry.oldIndex, let old = groups[index] {
        let place = place(of: index, in: old)
        if old === mover.group {
          oldPlace = place
        } else {
          edits[number(of: old)].left.append((place, entry.element))
        }
      }
      if let group = mover.group, let source = entry.newIndex {
        edits[number(of: group)].came.append((source, oldPlace, entry.element))
      }
    }
    return edits
  }

  /// Numbers anew what has stayed where it was.
  @inlinable
  func renumber(_ shift: IndexEdit) {
    // Nothing has, where all that stands behind has left.
    guard shift.start + shift.removed.count < groups.count else { return }
    for group in table.values {
      let start = isSorted ? 0 : place(of: shift.start, in: group)
      for place in start..<group.sources.count {
        // What has left or moved has been removed.
        group.sources[place] = shift.index(after: group.sources[place]) ?? 0
      }
    }
  }

  /// Inserts what comes to a group.
  ///
  /// - Parameter places: Those of what has been removed.
  /// - Returns: The entries of the whole edit.
  @inlinable
  func insert(_ edit: GroupEdit, _ places: [Int], in elements: [Element]) -> [Entry] {
    let group = edit.group
    // Several elements may have changed before the view is notified of the first; see
    // `ArrangedView`.
    if isSorted {
      for (number, place) in places.enumerated() {
        guard isInOrder(place - number - 1, place - number, of: group.sources, in: elements) else {
          return resort(edit, places, in: elements)
        }
      }
    }
    let came = edit.came.sorted { isBefore($0.source, $1.source, in: elements) }
    var entries = edit.left.map { Entry($0.element, removedAt: $0.place) }
    let inserted = insertions(of: came.map { $0.source }, into: group.sources, in: elements)
    for (next, new) in zip(came, inserted) {
      entries.append(Entry(element: next.element, oldIndex: next.oldPlace, newIndex: new.place))
    }
    group.sources.apply(removing: [], inserting: inserted)
    // Stable, so that what was removed stands before what came in its place.
    entries.sort { $0.sortKey < $1.sortKey }
    return entries
  }

  /// Sorts a group anew.
  ///
  /// - Complexity: O(s log s).
  @usableFromInline
  func resort(_ edit: GroupEdit, _ places: [Int], in elements: [Element]) -> [Entry] {
    let group = edit.group
    var origins: [Int: Int] = [:]
    var (place, removed) = (0, places[...])
    for source in group.sources {
      while removed.first == place {
        removed.removeFirst()
        place += 1
      }
      origins[source] = place
      place += 1
    }
    for next in edit.came { origins[next.source] = next.oldPlace }
    group.sources = sorted(group.sources + edit.came.map { $0.source }, in: elements)
    return Entry.leading(
      to: group.sources.map { elements[$0] }, origins: group.sources.map { origins[$0] ?? -1 },
      removing: edit.left.map { Entry($0.element, removedAt: $0.place) })
  }
}
