/// Sections as they are at one time.
struct SectionState<Key, Element> {
  /// An element in a section.
  struct Row {
    /// The same as long as the element stays in the section.
    let id: Int

    /// Another one after each change of a followed property.
    var revision = 0

    let element: Element
  }

  /// A section.
  struct Part {
    let id: Int
    let key: Key

    /// Another one after each change of the rows.
    var version = 0

    var rows: [Row] = []
  }

  let parts: [Part]

  /// What the observation has delivered.
  let progress: SectionProgress<Key, Element>

  var sections: [(key: Key, elements: [Element])] {
    parts.map { ($0.key, $0.rows.map(\.element)) }
  }
}

/// What an observation of sections has delivered last.
final class SectionProgress<Key, Element> {
  typealias State = SectionState<Key, Element>

  private let followsElements: Bool
  private var delivered: [State.Part] = []

  init(followsElements: Bool) { self.followsElements = followsElements }

  func begin(with state: State) { delivered = state.parts }

  /// The change since the last delivery; `nil` if nothing differs.
  func advance(to state: State) -> SectionChange<Key, Element>? {
    let old = exchange(&delivered, with: state.parts)
    let difference = SectionDifference(from: old, to: state.parts, followsElements)
    return difference.isEmpty ? nil : difference.change(to: state)
  }
}

/// The smallest change from sections to other ones.
private struct SectionDifference<Key, Element> {
  typealias State = SectionState<Key, Element>
  typealias Index = SectionChange<Key, Element>.Index

  private var removedSections: [Int] = []
  private var insertedSections: [Int] = []
  private var removedRows: [Index] = []
  private var insertedRows: [Index] = []
  private var changedRows: [Index] = []
  private var movedRows: [(from: Index, to: Index)] = []

  /// - Complexity: O(m + n) for m sections, n being the rows of those that have changed; what is
  ///   equal at both ends of a section is compared, and nothing else done with it.
  init(from old: [State.Part], to new: [State.Part], _ followsElements: Bool) {
    let oldPlaces = Dictionary(
      old.indices.map { (old[$0].id, $0) }, uniquingKeysWith: { first, _ in first })
    let origins = new.map { oldPlaces[$0.id] ?? -1 }
    let kept = origins.longestIncrease()
    let (stays, stayed) = (Set(kept), Set(kept.map { origins[$0] }))
    insertedSections = new.indices.filter { !stays.contains($0) }
    removedSections = old.indices.filter { !stayed.contains($0) }
    let changed = kept.filter { new[$0].version != old[origins[$0]].version }
      .map { Pair(old: origins[$0], new: $0, from: old[origins[$0]].rows, to: new[$0].rows) }
    compareRows(of: changed, from: old, to: new, followsElements)
  }

  /// A section that stays, and the rows that differ in it.
  private struct Pair {
    let old: Int
    let new: Int
    let oldRows: Range<Int>
    let newRows: Range<Int>

    init(old: Int, new: Int, from before: [State.Row], to after: [State.Row]) {
      (self.old, self.new) = (old, new)
      func areSame(_ left: State.Row, _ right: State.Row) -> Bool {
        left.id == right.id && left.revision == right.revision
      }
      let shorter = min(before.count, after.count)
      var start = 0
      while start < shorter, areSame(before[start], after[start]) { start += 1 }
      var tail = 0
      while tail < shorter - start,
        areSame(before[before.count - 1 - tail], after[after.count - 1 - tail])
      {
        tail += 1
      }
      (oldRows, newRows) = (start..<before.count - tail, start..<after.count - tail)
    }
  }

  private mutating func compareRows(
    of pairs: [Pair], from old: [State.Part], to new: [State.Part], _ followsElements: Bool
  ) {
    var known: [Int: Index] = [:]
    for pair in pairs {
      for row in pair.oldRows {
        known[old[pair.old].rows[row].id] = Index(section: pair.old, row: row)
      }
    }
    // The same row, then the same object in another row: one that has come from another section.
    var origins = pairs.map { pair in
      pair.newRows.map { known.removeValue(forKey: new[pair.new].rows[$0].id) }
    }
    var objects: [ObjectIdentifier: [Index]] = [:]
    for index in known.values.sorted(by: >) {
      let element = old[index.section].rows[index.row].element
      if let object = ElementIdentity.object(of: element) {
        objects[ObjectIdentifier(object), default: []].append(index)
      }
    }
    for (number, pair) in pairs.enumerated() {
      for (offset, row) in pair.newRows.enumerated() where origins[number][offset] == nil {
        let element = new[pair.new].rows[row].element
        guard let object = ElementIdentity.object(of: element),
          let origin = objects[ObjectIdentifier(object)]?.popLast()
        else { continue }
        origins[number][offset] = origin
        known[old[origin.section].rows[origin.row].id] = nil
      }
    }
    for (pair, origins) in zip(pairs, origins) {
      note(pair, origins, from: old, to: new, followsElements)
    }
    removedRows = known.values.sorted()
  }

  private mutating func note(
    _ pair: Pair, _ origins: [Index?], from old: [State.Part], to new: [State.Part],
    _ followsElements: Bool
  ) {
    let staying = Set(
      origins.map { $0?.section == pair.old ? $0?.row ?? -1 : -1 }.longestIncrease())
    for (offset, row) in pair.newRows.enumerated() {
      let index = Index(section: pair.new, row: row)
      guard let origin = origins[offset] else {
        insertedRows.append(index)
        continue
      }
      if !staying.contains(offset) { movedRows.append((origin, index)) }
      let (before, after) = (old[origin.section].rows[origin.row], new[pair.new].rows[row])
      // What has changed of an element on its way to another row is not known.
      if before.id == after.id ? before.revision != after.revision : followsElements {
        changedRows.append(index)
      }
    }
  }

  var isEmpty: Bool {
    removedSections.isEmpty && insertedSections.isEmpty && removedRows.isEmpty
      && insertedRows.isEmpty && changedRows.isEmpty && movedRows.isEmpty
  }

  func change(to state: State) -> SectionChange<Key, Element> {
    SectionChange(
      removedSections: removedSections, insertedSections: insertedSections,
      removedRows: removedRows, insertedRows: insertedRows, changedRows: changedRows,
      movedRows: movedRows, sections: state.sections)
  }
}
