/// Edits of a list of sections and of their rows that have yet to be delivered to one observation.
///
/// The observation is one of an array that nobody else sees, whose only element is a mark in this
/// journal: so it has the order, the waiting and the joining that observations of arrays have.
/// Used by the thread that edits the sections.
final class SectionJournal<Key, Element> {
  typealias Edit = SectionEdit<Key, Element>

  private var edits: [Edit] = []

  /// Number of edits that have been taken.
  private var taken = 0

  /// The sections when the observation began, until its first change.
  private(set) var beginning: [Edit.Content] = []

  /// The sections as they were last delivered to an observation on this thread.
  private var delivered: DeliveredSections<Key, Element>?

  private let followsElements: Bool

  init(followsElements: Bool) { self.followsElements = followsElements }

  func begin(with sections: [Edit.Content]) { beginning = sections }

  /// Adds an edit.
  ///
  /// - Returns: The mark behind it.
  func append(_ edit: Edit) -> SectionMark<Key, Element> {
    edits.append(edit)
    return .place(taken + edits.count, in: self)
  }

  /// Takes all edits before a place.
  func take(through place: Int) -> [Edit] {
    beginning = []
    let count = place - taken
    taken = place
    if count == edits.count { return exchange(&edits, with: []) }
    defer { edits.removeFirst(count) }
    return Array(edits.prefix(count))
  }

  /// The change to deliver on this thread; `nil` if nothing differs.
  func deliver(
    _ change: ArrayChange<SectionMark<Key, Element>>
  ) -> SectionChange<Key, Element>? {
    if delivered == nil {
      delivered = DeliveredSections(beginning, followsElements: followsElements)
    }
    return delivered?.apply(WaitingSectionChanges(change), options: [])?.elements.first?.change
  }
}

/// One edit of a list of sections, or of the rows of one.
enum SectionEdit<Key, Element> {
  typealias Content = (key: Key, elements: [Element])

  /// The sections as they are when the observation begins.
  case beginning([Content])

  /// Sections that came, left and moved; without the contents of those that were there.
  case list([ArrayChange<Content?>.Entry])

  /// Rows of the section with this index by then.
  case rows(section: Int, WaitingArrayChanges<Element>)

  /// An element of the section with this index by then, of which a property has changed; it stands
  /// at a row when all edits are made that are delivered with this.
  case change(section: Int, AnyObject, row: Int)
}

/// Element of the array that stands for the sections where they are observed.
enum SectionMark<Key, Element> {
  /// As it is recorded: all edits before a place of the journal.
  case place(Int, in: SectionJournal<Key, Element>)

  /// As it is delivered: the change that they make.
  case change(SectionChange<Key, Element>)

  var change: SectionChange<Key, Element>? {
    if case .change(let change) = self { change } else { nil }
  }
}

/// What waits for another thread are edits and changes, which are values. Journals are used by the
/// thread that edits the sections alone: marks with one are never delivered.
extension SectionMark: @unchecked Sendable where Key: Sendable, Element: Sendable {}

/// Edits of sections on their way to another thread; see `WaitingArrayChanges`.
final class WaitingSectionChanges<Key, Element>: WaitingChanges {
  typealias Change = ArrayChange<SectionMark<Key, Element>>
  typealias Edit = SectionEdit<Key, Element>

  private(set) var edits: [Edit]

  /// Indices in `edits` of those of rows behind the last one of the list, by their section.
  private var places: [Int: Int] = [:]

  /// Changes of elements behind the last edit of the list.
  private var changed: Set<ChangedRow> = []

  init(_ change: Change) {
    guard case .place(let place, let journal)? = change.elements.first else {
      edits = []
      return
    }
    guard change.kind != .initial else {
      edits = [.beginning(journal.beginning)]
      return
    }
    edits = []
    for edit in journal.take(through: place) { _ = append(edit) }
  }

  var isInitial: Bool { if case .beginning? = edits.first { true } else { false } }

  /// Adds later edits.
  ///
  /// - Complexity: O(1) amortised for each edit.
  func append(_ other: WaitingSectionChanges) -> AnyObject? {
    let replaced = other.edits.compactMap(append)
    return replaced.isEmpty ? nil : Replaced(objects: replaced)
  }

  /// - Returns: What is no longer used, to be released outside of every lock.
  private func append(_ edit: Edit) -> AnyObject? {
    switch edit {
    case .beginning, .list: (places, changed) = ([:], [])
    case .change(let section, let element, let row):
      let row = ChangedRow(section: section, row: row, element: ObjectIdentifier(element))
      guard changed.insert(row).inserted else { return element }
    case .rows(let section, let changes):
      if let place = places[section], case .rows(_, let first) = edits[place] {
        return first.append(changes)
      }
      places[section] = edits.count
    }
    edits.append(edit)
    return nil
  }

  /// Identifies a change of an element, of which one is enough.
  private struct ChangedRow: Hashable {
    let section: Int
    let row: Int
    let element: ObjectIdentifier
  }

  private final class Replaced {
    let objects: [AnyObject]

    init(objects: [AnyObject]) { self.objects = objects }
  }
}
