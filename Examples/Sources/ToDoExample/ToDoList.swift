import ObservationController

/// Something to do.
final class ToDo {
  @Observed var title: String
  @Observed var isDone = false

  /// 1 comes first.
  @Observed var priority: Int

  init(_ title: String, priority: Int) {
    self.title = title
    self.priority = priority
  }
}

/// Everything to do, and the part of it that is shown.
final class ToDoList {
  enum Filter {
    case everything, open
  }

  let items: ObservableArray<ToDo> = []

  /// A live view of `items`, in the order of their priorities.
  @Observed private(set) var shown: ObservableArray<ToDo> = []

  @Derived({ (list: ToDoList) in list.items.count { !$0.isDone } }) var openCount: Int

  init() {
    show(.open)
  }

  /// Another filter is another view, and releases the one before.
  func show(_ filter: Filter) {
    let filtered =
      switch filter {
      case .everything: items
      case .open: items.filtered(on: [\.isDone]) { !$0.isDone }
      }
    shown = filtered.sorted(on: [\.priority]) { $0.priority < $1.priority }
  }

  /// Takes what is done out of the list, which is one change.
  func removeDone() {
    items.removeAll(where: \.isDone)
  }
}
