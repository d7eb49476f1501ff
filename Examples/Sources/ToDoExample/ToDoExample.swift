import Foundation
import ObservationController

/// A to-do list with a live view: filtered, sorted and edited by a script in place of a user.
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
    let milk = ToDo("Buy milk", priority: 3)
    let taxes = ToDo("Do the taxes", priority: 1)
    let letter = ToDo("Write to Grace", priority: 2)

    step("Three things, each in its place by priority", view) {
      list.items.append(milk)
      list.items.append(taxes)
      list.items.append(letter)
    }
    step("Another title", view) { milk.title = "Buy oat milk" }
    step("Another priority", view) { milk.priority = 0 }
    step("What is done leaves the view", view) { taxes.isDone = true }
    step("Hidden things change unnoticed", view) { taxes.title = "Do the taxes of 2025" }
    step("All of them, please", view) { list.show(.everything) }
    step("Many changes, drawn once each", view) {
      withObservationTransaction {
        milk.isDone = true
        milk.isDone = false
        letter.isDone = true
        list.items.append(ToDo("Sleep", priority: 5))
        list.items.append(ToDo("Dream", priority: 6))
      }
    }
    step("Tidied up", view) { list.removeDone() }
    step("What left the list is followed no more", view) { taxes.title = "Forgotten" }
  }

  private static func step(_ text: String, _ view: ListView, _ body: () -> Void) {
    print(text)
    body()
    view.printRows()
  }
}
