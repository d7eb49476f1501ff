/// One change of a list of sections, as `observeSections` delivers it: what a list view with
/// sections takes, in its order.
///
///     observations.observeSections(sections, elements: [\.title]) { list, _, change in
///       list.beginUpdates()
///       list.deleteSections(change.removedSections)
///       list.deleteRows(change.removedRows)
///       list.insertSections(change.insertedSections)
///       list.insertRows(change.insertedRows)
///       for move in change.movedRows { list.moveRow(from: move.from, to: move.to) }
///       list.endUpdates()
///       list.redraw(change.changedRows)
///     }
///
/// What was removed, and where rows have moved from, counts in the sections before the change;
/// everything else in those after it. A section that comes or goes does so with its rows, none of
/// which is listed. So a row that moves into a new section is removed, and comes with that.
public struct SectionChange<Key, Element> {
  /// Place of a row.
  public struct Index: Hashable, Sendable {
    /// Index of the section.
    public let section: Int

    /// Index of the row in its section.
    public let row: Int

    /// Makes an index.
    public init(section: Int, row: Int) { (self.section, self.row) = (section, row) }
  }

  /// Indices before the change of sections that are gone, ascending.
  public let removedSections: [Int]

  /// Indices after the change of sections that are new, ascending.
  public let insertedSections: [Int]

  /// Places before the change of rows that are gone from sections that stay, ascending.
  public let removedRows: [Index]

  /// Places after the change of rows that are new in sections that stay, ascending.
  public let insertedRows: [Index]

  /// Places after the change, ascending, of rows that were there before, and of which a followed
  /// property may have changed.
  public let changedRows: [Index]

  /// Rows that have moved, in their section or from one that stays to another one that does,
  /// ascending by where they are.
  public let movedRows: [(from: Index, to: Index)]

  /// Whether this is the delivery that ``ObservationOptions/initial`` asks for: nothing has
  /// changed, and no index is listed.
  public let isInitial: Bool

  /// The sections after the change.
  public let sections: [(key: Key, elements: [Element])]

  /// Makes a change by hand, for a test that calls a handler.
  ///
  /// Nothing is checked: a change that contradicts itself is of no use to a test.
  ///
  /// - Complexity: O(1).
  public init(
    removedSections: [Int] = [], insertedSections: [Int] = [], removedRows: [Index] = [],
    insertedRows: [Index] = [], changedRows: [Index] = [],
    movedRows: [(from: Index, to: Index)] = [], isInitial: Bool = false,
    sections: [(key: Key, elements: [Element])]
  ) {
    (self.removedSections, self.insertedSections) = (removedSections, insertedSections)
    (self.removedRows, self.insertedRows) = (removedRows, insertedRows)
    (self.changedRows, self.movedRows) = (changedRows, movedRows)
    (self.isInitial, self.sections) = (isInitial, sections)
  }
}

extension SectionChange {
  /// The sections that this change makes of those before it.
  ///
  /// - Parameter sections: The sections before the change; any for an initial delivery. Traps if
  ///   these have not as many sections and rows as there were before the change.
  /// - Complexity: O(n).
  public func applying(
    to sections: [(key: Key, elements: [Element])]
  ) -> [(key: Key, elements: [Element])] {
    guard !isInitial else { return self.sections }
    var result = sections
    for index in (removedRows + movedRows.map { $0.from }).sorted(by: >) {
      result[index.section].elements.remove(at: index.row)
    }
    for index in removedSections.reversed() { result.remove(at: index) }
    for index in insertedSections { result.insert(self.sections[index], at: index) }
    var coming = insertedRows.map { (to: $0, element: self.sections[$0.section].elements[$0.row]) }
    coming += movedRows.map { ($0.to, sections[$0.from.section].elements[$0.from.row]) }
    coming.sort { $0.to < $1.to }
    for (index, element) in coming {
      result[index.section].elements.insert(element, at: index.row)
    }
    precondition(
      result.map(\.elements.count) == self.sections.map(\.elements.count),
      "The change does not belong to these sections, of which there are \(sections.count)")
    return result
  }
}

extension SectionChange.Index: Comparable {
  /// By section, then by row.
  public static func < (left: Self, right: Self) -> Bool {
    (left.section, left.row) < (right.section, right.row)
  }
}

extension SectionChange.Index: CustomStringConvertible {
  /// Section and row, as in `0.2`.
  public var description: String { "\(section).\(row)" }
}

extension SectionChange: CustomStringConvertible {
  /// What has changed where, as in `removed rows 0.1, inserted sections 2`.
  ///
  /// - Complexity: O(k) in what is listed.
  public var description: String {
    if isInitial { return "initial" }
    func part(_ name: String, _ items: [some Any]) -> String? {
      items.isEmpty ? nil : "\(name) \(items.map { "\($0)" }.joined(separator: " "))"
    }
    return [
      part("removed sections", removedSections), part("removed rows", removedRows),
      part("inserted sections", insertedSections), part("inserted rows", insertedRows),
      part("moved rows", movedRows.map { "\($0.from)→\($0.to)" }),
      part("changed rows", changedRows),
    ].compactMap { $0 }.joined(separator: ", ")
  }
}

extension SectionChange: Sendable where Key: Sendable, Element: Sendable {}
