import Foundation
import ObservationController

/// A to-do list with live sections: searched, sorted, edited and refreshed by a script in place of
/// a user and a server.
@main
enum ToDoExample {
  static func main() {
    workThroughTheList()
    let left = ObservationDispatcher.shared.activeObservationCount
    print("Observations left: \(left)")
    exit(left == 0 ? 0 : 1)
  }

  private static func workThroughTheList() {
    let list = ToDoList()
    let view = ListView(of: list)
    var records = [
      ToDoRecord(id: 1, title: "Buy milk", due: .today, priority: 3),
      ToDoRecord(id: 2, title: "Do the taxes", due: .soon, priority: 1),
      ToDoRecord(id: 3, title: "Write to Grace", due: .today, priority: 2),
    ]
    step("Three things from the server, each in its section, by priority", view) {
      list.refresh(from: records)
    }
    let (milk, taxes, letter) = (list.items[0], list.items[1], list.items[2])
    step("Another title", view) { milk.title = "Buy oat milk" }
    step("Another priority", view) { milk.priority = 0 }
    step("Another day: the row moves to another section", view) { letter.due = .soon }
    step("What is done leaves the view", view) { taxes.isDone = true }
    step("Hidden things change unnoticed", view) { taxes.title = "Do the taxes of 2025" }
    step("All of them, please: only what comes is drawn", view) { list.search.includesDone = true }
    step("Typed into the search field: all of them have a t", view) { list.search.text = "t" }
    step("And one letter more", view) { list.search.text = "ta" }
    step("Cleared again", view) { list.search.text = "" }
    step("Many changes, drawn once each", view) {
      withObservationTransaction {
        milk.isDone = true
        milk.isDone = false
        letter.isDone = true
        list.items.append(ToDo(ToDoRecord(id: 4, title: "Sleep", due: .later, priority: 5)))
        list.items.append(ToDo(ToDoRecord(id: 5, title: "Dream", due: .later, priority: 6)))
      }
    }
    step("Refreshed: one thing moves, one is renamed, one goes, one comes", view) {
      records = [
        ToDoRecord(id: 1, title: "Buy oat milk", due: .later, priority: 7),
        ToDoRecord(id: 2, title: "Do the taxes of 2026", due: .soon, priority: 1),
        ToDoRecord(id: 3, title: "Write to Grace", due: .soon, priority: 2),
        ToDoRecord(id: 5, title: "Dream", due: .later, priority: 6),
        ToDoRecord(id: 6, title: "Wake up", due: .today, priority: 8),
      ]
      list.refresh(from: records)
    }
    step("Refreshed, and nothing differs: nothing is drawn", view) { list.refresh(from: records) }
    step("Tidied up", view) { list.removeDone() }
    step("What left the list is followed no more", view) { taxes.title = "Forgotten" }
  }

  private static func step(_ text: String, _ view: ListView, _ body: () -> Void) {
    print(text)
    body()
    view.printRows()
  }
}
