import ObservationController

/// Draws a list, and draws again what has changed and nothing else.
final class ListView {
  private(set) var rows: [String] = []
  @Observed var title = "0 open"

  private lazy var observations = ObservationController(observer: self)

  init(of list: ToDoList) {
    observations.bindText(list.openCount, \.value, to: self, \.title, replacing: .number)
    observations.observe(self, \.title, options: .distinct) { view, _, change in
      print("    title: \(change.newValue)")
    }
    observations.observeArray(
      list.shown, elements: [\.title, \.isDone], options: .initial
    ) { view, _, change in view.follow(change) }
  }

  /// All rows, as they are on the screen.
  func printRows() {
    for (index, row) in rows.enumerated() { print("    \(index)  \(row)") }
  }

  private func follow(_ change: ArrayChange<ToDo>) {
    if change.kind == .initial || change.kind == .setting {
      rows = change.elements.map(row)
      print("    draws \(rows.count) rows")
      return
    }
    for step in change.difference { follow(step) }
    for index in change.changedIndices {
      rows[index] = row(of: change.elements[index])
      print("    row \(index) is now: \(rows[index])")
    }
  }

  private func follow(_ step: CollectionDifference<ToDo>.Change) {
    switch step {
    case .remove(let index, _, let newIndex):
      let row = rows.remove(at: index)
      // An element that moves is reported at its new index.
      if newIndex == nil { print("    row \(index) goes: \(row)") }
    case .insert(let index, let toDo, let oldIndex):
      rows.insert(row(of: toDo), at: index)
      let comes = oldIndex.map { "comes from \($0)" } ?? "comes"
      print("    row \(index) \(comes): \(rows[index])")
    }
  }

  private func row(of toDo: ToDo) -> String {
    "\(toDo.isDone ? "[x]" : "[ ]") \(toDo.title)"
  }
}
