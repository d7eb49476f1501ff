import ObservationController

/// Shows sections as a list view does that knows nothing but their changes, and records each that
/// does not fit.
///
/// It deletes by old indices, inserts by new ones, has rows move beside that, and then draws again
/// the rows that are listed: a row shows the number of its element as it was when it was last
/// drawn.
///
/// Deliberately without a lock, as `ArrayReplay`: deliveries come one at a time.
final class SectionReplay<Key: Hashable & Comparable, Element: AnyObject>: @unchecked Sendable {
  typealias Change = SectionChange<Key, Element>
  typealias Content = (key: Key, elements: [Element])
  typealias List = ObservableArray<ObservableSection<Key, Element>>

  private struct Row {
    let element: Element
    var number: Int
  }

  private struct Shown {
    let key: Key
    var rows: [Row]
  }

  private let number: (Element) -> Int
  private var shown: [Shown]
  private(set) var flaws: [String] = []
  private(set) var deliveries = 0

  /// - Parameter number: What a row shows of its element.
  init(of list: List, showing number: @escaping (Element) -> Int = { _ in 0 }) {
    self.number = number
    shown = list.map { section in
      Shown(key: section.key, rows: section.elements.map { Row(element: $0, number: number($0)) })
    }
  }

  /// What is shown now, to be compared with the sections.
  var sections: [Content] { shown.map { ($0.key, $0.rows.map(\.element)) } }

  /// Whether each row shows the number that its element has now.
  var isDrawn: Bool { shown.allSatisfy { $0.rows.allSatisfy { $0.number == number($0.element) } } }

  func receive(_ change: Change) {
    deliveries += 1
    guard !change.isInitial else {
      shown = change.sections.map(show)
      return
    }
    let before = sections
    check(isEmpty(change), "an empty change")
    guard hasValidPlaces(change) else { return flaws.append("wrong places: \(change)") }
    check(listsObjectsTwice(change, before), "removed and inserted: \(change)")
    apply(change)
    check(!areEqual(sections, change.sections), "\(change) leads from \(text(before))")
    check(!areEqual(change.applying(to: before), change.sections), "applying \(change)")
  }

  // MARK: - Applying

  private func apply(_ change: Change) {
    let old = shown
    for index in (change.removedRows + change.movedRows.map(\.from)).sorted(by: >) {
      shown[index.section].rows.remove(at: index.row)
    }
    for section in change.removedSections.reversed() { shown.remove(at: section) }
    for section in change.insertedSections {
      shown.insert(show(change.sections[section]), at: section)
    }
    var coming = change.insertedRows.map { index in
      (index, row(change.sections[index.section].elements[index.row]))
    }
    coming += change.movedRows.map { ($0.to, old[$0.from.section].rows[$0.from.row]) }
    for (index, row) in coming.sorted(by: { $0.0 < $1.0 }) {
      shown[index.section].rows.insert(row, at: index.row)
    }
    for index in change.changedRows {
      shown[index.section].rows[index.row].number = number(
        shown[index.section].rows[index.row].element)
    }
  }

  private func show(_ content: Content) -> Shown {
    Shown(key: content.key, rows: content.elements.map(row))
  }

  private func row(_ element: Element) -> Row { Row(element: element, number: number(element)) }

  // MARK: - Checking

  private func check(_ isWrong: Bool, _ flaw: @autoclosure () -> String) {
    if isWrong { flaws.append(flaw()) }
  }

  private func isEmpty(_ change: Change) -> Bool {
    change.removedSections.isEmpty && change.insertedSections.isEmpty
      && change.removedRows.isEmpty && change.insertedRows.isEmpty && change.changedRows.isEmpty
      && change.movedRows.isEmpty
  }

  private func hasValidPlaces(_ change: Change) -> Bool {
    func ascend<Place: Comparable>(_ places: [Place]) -> Bool {
      zip(places, places.dropFirst()).allSatisfy { $0 < $1 }
    }
    func are(_ rows: [Change.Index], in counts: [Int], but gone: [Int]) -> Bool {
      rows.allSatisfy { index in
        counts.indices.contains(index.section) && (0..<counts[index.section]).contains(index.row)
          && !gone.contains(index.section)
      }
    }
    let (old, new) = (shown.map(\.rows.count), change.sections.map(\.elements.count))
    let left = change.removedRows + change.movedRows.map(\.from)
    let came = change.insertedRows + change.movedRows.map(\.to)
    return ascend(change.removedSections) && ascend(change.insertedSections)
      && ascend(change.removedRows) && ascend(change.insertedRows) && ascend(change.changedRows)
      && ascend(change.movedRows.map(\.to)) && Set(left).count == left.count
      && Set(came).count == came.count
      && change.removedSections.allSatisfy(old.indices.contains)
      && change.insertedSections.allSatisfy(new.indices.contains)
      && are(left, in: old, but: change.removedSections)
      && are(came + change.changedRows, in: new, but: change.insertedSections)
      && Set(change.changedRows).isDisjoint(with: change.insertedRows)
  }

  /// Whether an element that only moved is not listed as such.
  private func listsObjectsTwice(_ change: Change, _ before: [Content]) -> Bool {
    func object(_ sections: [Content], _ index: Change.Index) -> ObjectIdentifier {
      ObjectIdentifier(sections[index.section].elements[index.row])
    }
    let removed = Set(change.removedRows.map { object(before, $0) })
    return change.insertedRows.contains { removed.contains(object(change.sections, $0)) }
  }

  private func areEqual(_ left: [Content], _ right: [Content]) -> Bool {
    left.map(\.key) == right.map(\.key)
      && zip(left, right).allSatisfy { $0.elements.elementsEqual($1.elements, by: ===) }
  }

  private func text(_ sections: [Content]) -> String {
    sections.map { "\($0.key): \($0.elements)" }.joined(separator: "; ")
  }
}
