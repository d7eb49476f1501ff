/// The smallest change from sections to other ones, put together from what happened to each.
struct SectionDifference<Key, Element> {
  typealias Index = SectionChange<Key, Element>.Index
  typealias Entry = ArrayChange<Element>.Entry

  /// What happened to the rows of a section that was there and is.
  private struct Rows {
    /// Indices of the section before and after.
    let old: Int
    let new: Int

    var entries: [Entry]

    /// Indices after of rows of which a property may have changed.
    var changed: [Int]
  }

  private let followsElements: Bool
  private var removedSections: [Int] = []
  private var insertedSections: [Int] = []
  private var staying: Set<Int>?
  private var rows: [Rows] = []
  private var movedRows: [(from: Index, to: Index)] = []
  private var changedRows: [Index] = []

  /// Elements of which a property has changed, with those that have come.
  private var changedElements: [Index] = []

  init(followsElements: Bool) { self.followsElements = followsElements }
}

extension SectionDifference {
  /// Finds the sections that have come and gone: one that has changed its place among others that
  /// stay has done both.
  ///
  /// - Parameters:
  ///   - origins: For each section its index before; negative for one that is new.
  ///   - count: Number of sections before.
  mutating func compare(_ origins: [Int], before count: Int) {
    let kept = origins.longestIncrease()
    let (stays, stayed) = (Set(kept), Set(kept.map { origins[$0] }))
    insertedSections = origins.indices.filter { !stays.contains($0) }
    removedSections = (0..<count).filter { !stayed.contains($0) }
    staying = stayed
  }

  /// Adds what happened to the rows of a section; nothing is listed of one that has come or gone.
  mutating func add(_ change: ArrayChange<Element>, from old: Int, to new: Int) {
    guard staying?.contains(old) ?? true else { return }
    guard change.kind == .setting else {
      let entries = change.kind == .element ? [] : change.entries
      return rows.append(
        Rows(old: old, new: new, entries: entries, changed: change.changedIndices))
    }
    let before = change.oldElements ?? []
    let origins =
      ElementIdentity.origins(of: change.elements, in: before)
      ?? Array(repeating: -1, count: change.elements.count)
    rows.append(
      Rows(
        old: old, new: new,
        entries: Entry.leading(from: before, to: change.elements, origins: origins),
        // What has changed before all rows were set is not known.
        changed: followsElements ? origins.indices.filter { origins[$0] >= 0 } : []))
  }

  /// Adds that a property of an element has changed, when all edits of the rows are added; nothing
  /// is listed of one that has come.
  ///
  /// - Parameters:
  ///   - row: Where it may be.
  ///   - elements: Those after the change.
  mutating func addChange(
    of element: AnyObject, near row: Int, in elements: [Element], from old: Int, to new: Int
  ) {
    guard staying?.contains(old) ?? true else { return }
    func isThere(_ row: Int) -> Bool { ElementIdentity.isElement(of: elements, at: row, element) }
    // Behind edits another occurrence of the element may stand at that row.
    let isKnown =
      elements.indices.contains(row) && isThere(row) && !rows.contains { $0.old == old }
    let places = isKnown ? [row] : elements.indices.filter(isThere)
    changedElements += places.map { Index(section: new, row: $0) }
  }

  /// Finds objects that have left one place and come to another one, when all rows are added: they
  /// have moved.
  mutating func finish() {
    for index in rows.indices { joinMoves(in: index) }
    if rows.count > 1 { joinMovesBetweenSections() }
    for rows in rows {
      for entry in rows.entries {
        if let from = entry.oldIndex, let to = entry.newIndex {
          movedRows.append((Index(section: rows.old, row: from), Index(section: rows.new, row: to)))
        }
      }
      changedRows += rows.changed.map { Index(section: rows.new, row: $0) }
    }
    if !changedElements.isEmpty {
      let came = Set(
        rows.flatMap { rows in
          rows.entries.compactMap { entry in
            guard entry.oldIndex == nil, let row = entry.newIndex else { return nil }
            return Index(section: rows.new, row: row)
          }
        } as [Index])
      changedRows += changedElements.filter { !came.contains($0) }
    }
    movedRows.sort { $0.to < $1.to }
    // A row may have changed in two ways.
    changedRows = Set(changedRows).sorted()
  }

  /// Finds objects that were removed from a section and came to it again.
  private mutating func joinMoves(in index: Int) {
    let entries = rows[index].entries
    guard entries.contains(where: { $0.newIndex == nil }),
      entries.contains(where: { $0.oldIndex == nil })
    else { return }
    var left: [ObjectIdentifier: [Int]] = [:]
    for (number, entry) in entries.enumerated().reversed() where entry.newIndex == nil {
      if let object = entry.object { left[object, default: []].append(number) }
    }
    guard !left.isEmpty else { return }
    var isJoined: Set<Int> = []
    var joined: [Entry] = []
    for entry in entries where entry.newIndex != nil {
      guard entry.oldIndex == nil, let row = entry.newIndex, let object = entry.object,
        let number = left[object]?.popLast()
      else {
        joined.append(entry)
        continue
      }
      isJoined.insert(number)
      joined.append(
        Entry(element: entry.element, oldIndex: entries[number].oldIndex, newIndex: row))
      noteArrival(at: row, in: index)
    }
    guard !isJoined.isEmpty else { return }
    joined += entries.indices.filter { entries[$0].newIndex == nil && !isJoined.contains($0) }
      .map { entries[$0] }
    // What was removed stands before what came in its place.
    joined.sort { ($0.sortKey, $0.newIndex ?? -1) < ($1.sortKey, $1.newIndex ?? -1) }
    rows[index].entries = Entry.withoutIdleMoves(joined)
  }

  private mutating func joinMovesBetweenSections() {
    var left: [ObjectIdentifier: [(index: Int, row: Int)]] = [:]
    for (index, rows) in rows.enumerated().reversed() {
      for entry in rows.entries.reversed() where entry.newIndex == nil {
        if let object = entry.object, let row = entry.oldIndex {
          left[object, default: []].append((index, row))
        }
      }
    }
    guard !left.isEmpty else { return }
    var moved: [Set<Int>] = Array(repeating: [], count: rows.count)
    for index in rows.indices {
      let new = rows[index].new
      rows[index].entries = rows[index].entries.filter { entry in
        guard entry.oldIndex == nil, let row = entry.newIndex, let object = entry.object,
          let origin = left[object]?.popLast()
        else { return true }
        moved[origin.index].insert(origin.row)
        let to = Index(section: new, row: row)
        movedRows.append((Index(section: rows[origin.index].old, row: origin.row), to))
        if followsElements { changedRows.append(to) }
        return false
      }
    }
    for index in rows.indices where !moved[index].isEmpty {
      rows[index].entries.removeAll { entry in
        entry.newIndex == nil && moved[index].contains(entry.oldIndex ?? -1)
      }
    }
  }

  /// What has changed of an element on its way to another row is not known.
  private mutating func noteArrival(at row: Int, in index: Int) {
    if followsElements { rows[index].changed.append(row) }
  }

  /// - Returns: `nil` if nothing differs.
  func change(to sections: [(key: Key, elements: [Element])]) -> SectionChange<Key, Element>? {
    var removed: [Index] = []
    var inserted: [Index] = []
    for rows in rows {
      for entry in rows.entries {
        switch (entry.oldIndex, entry.newIndex) {
        case (let row?, nil): removed.append(Index(section: rows.old, row: row))
        case (nil, let row?): inserted.append(Index(section: rows.new, row: row))
        default: break
        }
      }
    }
    let change = SectionChange(
      removedSections: removedSections, insertedSections: insertedSections,
      removedRows: removed.sorted(), insertedRows: inserted.sorted(), changedRows: changedRows,
      movedRows: movedRows, sections: sections)
    return change.isEmpty ? nil : change
  }
}

extension ArrayChange.Entry {
  fileprivate var object: ObjectIdentifier? {
    ElementIdentity.object(of: element).map { ObjectIdentifier($0) }
  }
}

extension SectionChange {
  /// Whether nothing is listed.
  fileprivate var isEmpty: Bool {
    removedSections.isEmpty && insertedSections.isEmpty && removedRows.isEmpty
      && insertedRows.isEmpty && changedRows.isEmpty && movedRows.isEmpty
  }
}
