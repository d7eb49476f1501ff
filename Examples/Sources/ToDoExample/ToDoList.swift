import ObservationController

/// When something is to be done; each is a section of the list.
enum Due: Int, Comparable {
  case today, soon, later

  static func < (left: Due, right: Due) -> Bool { left.rawValue < right.rawValue }
}

/// Something to do.
final class ToDo {
  let id: Int
  @Observed var title: String
  @Observed var due: Due
  @Observed var isDone = false

  /// 1 comes first.
  @Observed var priority: Int

  init(_ record: ToDoRecord) {
    (id, title, due, priority) = (record.id, record.title, record.due, record.priority)
  }
}

/// Something to do as the server has it.
struct ToDoRecord {
  let id: Int
  var title: String
  var due: Due
  var priority: Int
}

/// Everything to do, and the part of it that is shown.
final class ToDoList {
  /// What the user has asked for.
  struct Search {
    /// Contents of the search field.
    var text = ""
    var includesDone = false

    func finds(_ toDo: ToDo) -> Bool {
      (includesDone || !toDo.isDone) && (text.isEmpty || toDo.title.contains(text))
    }
  }

  let items: ObservableArray<ToDo> = []

  @Observed var search = Search()

  /// A live view of `items` that satisfy `search`: by their days, in the order of their priorities.
  private(set) lazy var sections =
    items
    .filtered(on: [\.isDone, \.title], with: self, \.search) { toDo, search in search.finds(toDo) }
    .sections(on: [\.due, \.priority], by: \.due, sortedBy: { $0.priority < $1.priority })

  /// Counted once, then kept up to date: a change costs the same in a list of any length.
  private(set) lazy var openCount = items.count(on: [\.isDone]) { !$0.isDone }

  /// Takes what is done out of the list, which is one change.
  func removeDone() {
    items.removeAll(where: \.isDone)
  }

  /// Makes the list that of the server, which is one change: what is there already stays the same
  /// object, done or not.
  func refresh(from records: [ToDoRecord]) {
    items.update(
      from: records, by: \.id, matching: \.id, make: { ToDo($0) },
      refresh: { toDo, record in
        if toDo.title != record.title { toDo.title = record.title }
        if toDo.due != record.due { toDo.due = record.due }
        if toDo.priority != record.priority { toDo.priority = record.priority }
      })
  }
}
