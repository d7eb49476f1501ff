import ObservationController

/// Draws a list with sections, and draws again what has changed and nothing else.
final class ListView {
  /// A section as it is on the screen.
  private struct Section {
    let due: Due
    var header = ""
    var rows: [String]

    /// The observation of the number in the header.
    let count: ObservationToken
  }

  private typealias Sections = ObservableArray<ObservableSection<Due, ToDo>>

  private var sections: [Section] = []
  @Observed var title = "0 open"

  private lazy var observations = ObservationController(observer: self)

  init(of list: ToDoList) {
    observations.bindText(list.openCount, \.value, to: self, \.title, replacing: .number)
    observations.observe(self, \.title, options: .distinct) { view, _, change in
      print("    title: \(change.newValue)")
    }
    observations.observeSections(list.sections, elements: [\.title, \.isDone]) {
      view, sections, change in view.follow(change, of: sections)
    }
  }

  /// All rows, as they are on the screen.
  func printRows() {
    for section in sections {
      print("    \(section.header)")
      for row in section.rows { print("      \(row)") }
    }
  }

  /// In the order of list views: what goes by where it was, then what comes by where it is.
  private func follow(_ change: SectionChange<Due, ToDo>, of list: Sections) {
    // Rows that move are not drawn again.
    let moved = change.movedRows.map { ($0.to, sections[$0.from.section].rows[$0.from.row]) }
    for index in change.removedRows { print("    row \(index) goes: \(row(at: index))") }
    for index in (change.removedRows + change.movedRows.map(\.from)).sorted(by: >) {
      sections[index.section].rows.remove(at: index.row)
    }
    for index in change.removedSections.reversed() {
      let section = sections.remove(at: index)
      section.count.invalidate()
      print("    section \(section.due) goes")
    }
    for index in change.insertedSections {
      sections.insert(begin(list[index]), at: index)
      for row in sections[index].rows { print("    \(sections[index].due) comes with: \(row)") }
      drawHeader(of: sections[index].due, list[index].elements.count { !$0.isDone })
    }
    let drawn = change.insertedRows.map { ($0, text(of: list[$0.section].elements[$0.row])) }
    for (index, row) in (moved + drawn).sorted(by: { $0.0 < $1.0 }) {
      sections[index.section].rows.insert(row, at: index.row)
    }
    for index in change.insertedRows { print("    row \(index) comes: \(row(at: index))") }
    for (from, to) in change.movedRows { print("    row \(to) comes from \(from)") }
    for index in change.changedRows {
      let new = text(of: list[index.section].elements[index.row])
      guard new != row(at: index) else { continue }
      sections[index.section].rows[index.row] = new
      print("    row \(index) is now: \(new)")
    }
  }

  /// Draws a section that comes, and follows the number of what is open in it.
  private func begin(_ section: ObservableSection<Due, ToDo>) -> Section {
    let due = section.key
    let count = section.elements.count(on: [\.isDone]) { !$0.isDone }
    let token = observations.observe(count, \.value) { view, _, change in
      view.drawHeader(of: due, change.newValue)
    }
    return Section(due: due, rows: section.elements.map(text), count: token)
  }

  private func drawHeader(of due: Due, _ count: Int) {
    guard let index = sections.firstIndex(where: { $0.due == due }) else { return }
    sections[index].header = "\(due), \(count) open"
    print("    header: \(sections[index].header)")
  }

  private func row(at index: SectionChange<Due, ToDo>.Index) -> String {
    sections[index.section].rows[index.row]
  }

  private func text(of toDo: ToDo) -> String {
    "\(toDo.isDone ? "[x]" : "[ ]") \(toDo.title)"
  }
}
