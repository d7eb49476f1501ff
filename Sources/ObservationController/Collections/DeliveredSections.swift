/// The sections as they were last delivered to an observation: edits that have waited are applied
/// to them, and delivered with them; see `DeliveredArray`.
struct DeliveredSections<Key, Element>: DeliveredCollection {
  typealias Waiting = WaitingSectionChanges<Key, Element>
  typealias Content = SectionEdit<Key, Element>.Content

  private var sections: [Content]
  private let followsElements: Bool

  init(followsElements: Bool) { self.init([], followsElements: followsElements) }

  init(_ sections: [Content], followsElements: Bool) {
    (self.sections, self.followsElements) = (sections, followsElements)
  }

  /// Applies edits that have waited, and makes one change of them.
  ///
  /// - Complexity: That of the edits; O(m) for m sections where some came, left or moved; O(s) for
  ///   s rows of a section with several edits.
  mutating func apply(_ changes: Waiting, options: ObservationOptions) -> Waiting.Change? {
    advance(by: changes.edits).map { change in
      ArrayChange(
        ArrayEdit(change.isInitial ? .initial : .setting, replaced: []),
        elements: [.change(change)])
    }
  }

  private mutating func advance(
    by edits: [SectionEdit<Key, Element>]
  ) -> SectionChange<Key, Element>? {
    if case .beginning(let all)? = edits.first {
      sections = all
      _ = advance(by: Array(edits.dropFirst()))
      return SectionChange(isInitial: true, sections: sections)
    }
    var difference = SectionDifference<Key, Element>(followsElements: followsElements)
    let hasList = edits.contains { if case .list = $0 { true } else { false } }
    if hasList {
      applyWithList(edits, to: &difference)
    } else {
      for case .rows(let section, let changes) in edits {
        if let change = Self.apply(changes, to: &sections[section].elements) {
          difference.add(change, from: section, to: section)
        }
      }
      for case .change(let section, let element, let row) in edits {
        difference.addChange(
          of: element, near: row, in: sections[section].elements, from: section, to: section)
      }
    }
    difference.finish()
    return difference.change(to: sections)
  }

  private mutating func applyWithList(
    _ edits: [SectionEdit<Key, Element>], to difference: inout SectionDifference<Key, Element>
  ) {
    // For each section by now its index before, or the complement of its index in `new`.
    var origins = Array(sections.indices)
    var new: [Content] = []
    var changes: [(section: Int, WaitingArrayChanges<Element>)] = []
    var places: [Int: Int] = [:]
    var changed: [(section: Int, element: AnyObject, row: Int)] = []
    for edit in edits {
      switch edit {
      case .beginning: break
      case .change(let index, let element, let row):
        if origins[index] >= 0 { changed.append((origins[index], element, row)) }
      case .rows(let index, let later):
        let section = origins[index]
        if section < 0 {
          _ = Self.apply(later, to: &new[~section].elements)
        } else if let place = places[section] {
          _ = changes[place].1.append(later)
        } else {
          places[section] = changes.count
          changes.append((section, later))
        }
      case .list(let entries):
        let before = origins
        origins.apply(
          entries.map { entry in
            if let old = entry.oldIndex { return entry.with(before[old]) }
            if let content = entry.element { new.append(content) }
            return entry.with(~(new.count - 1))
          })
      }
    }
    difference.compare(origins, before: sections.count)
    let indices = Dictionary(
      uniqueKeysWithValues: zip(origins, origins.indices).filter { $0.0 >= 0 })
    for (section, later) in changes {
      let change = Self.apply(later, to: &sections[section].elements)
      if let change, let index = indices[section] {
        difference.add(change, from: section, to: index)
      }
    }
    for (section, element, row) in changed {
      guard let index = indices[section] else { continue }
      difference.addChange(
        of: element, near: row, in: sections[section].elements, from: section, to: index)
    }
    sections = origins.map { $0 >= 0 ? sections[$0] : new[~$0] }
  }

  /// Applies edits that have waited to the rows of a section, and makes one of them.
  private static func apply(
    _ changes: WaitingArrayChanges<Element>, to elements: inout [Element]
  ) -> ArrayChange<Element>? {
    var rows = DeliveredArray(exchange(&elements, with: []))
    defer { elements = rows.elements }
    // Compared with those before where all were set.
    return rows.apply(changes, options: changes.edits.first?.elements == nil ? [] : .old)
  }
}
