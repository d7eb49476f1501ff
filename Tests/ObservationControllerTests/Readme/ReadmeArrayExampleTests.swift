import ObservationController
import TestSupport
import XCTest

/// An observed array and its live views, in the words of the README.
final class ReadmeArrayExampleTests: TestCase {
  func test_example_deliversEachChangeOnce() {
    let (school, list, ada) = (Example.School(), Example.List(), Example.Student("Ada"))
    let observations = ObservationController(observer: list)

    observations.observeArray(school, \.students, elements: [\.name]) { list, _, change in
      switch change.kind {
      case .initial, .setting: list.reload(change.elements)
      case .element: list.redraw(change.entries.compactMap(\.newIndex))
      default: list.animate(change.difference)
      }
    }

    school.students.append(ada)
    ada.name = "Ada Lovelace"
    school.students.performBatchUpdates {
      school.students.removeAll { $0.hasLeft }
      school.students.append(Example.Student("Grace"))
      school.students.sort { $0.name < $1.name }
    }
    school.students = [Example.Student("Alan")]

    XCTAssertEqual(list.calls, ["animate +0", "redraw [0]", "animate +1", "reload 1"])
  }

  func test_exampleOfViews_followsTheSource() {
    let people: ObservableArray<Example.Person> = [
      Example.Person("Zoe", 30), Example.Person("Ada", 17), Example.Person("Max", 40),
    ]

    let adults = people.filtered(on: [\.age]) { $0.age >= 18 }
    let names = adults.sorted(on: [\.name]) { $0.name < $1.name }.mapped(on: [\.name]) { $0.name }

    XCTAssertEqual(names.elements, ["Max", "Zoe"])
    people[1].age = 18
    XCTAssertEqual(names.elements, ["Ada", "Max", "Zoe"])
    people[1].name = "Pia"
    XCTAssertEqual(names.elements, ["Max", "Pia", "Zoe"])
    people.removeLast()
    XCTAssertEqual(names.elements, ["Pia", "Zoe"])
  }
}

private enum Example {
  final class School {
    @Observed var students: ObservableArray<Student> = []
  }

  final class Student {
    @Observed var name: String
    let hasLeft = false

    init(_ name: String) {
      self.name = name
    }
  }

  final class Person {
    @Observed var name: String
    @Observed var age: Int

    init(_ name: String, _ age: Int) {
      self.name = name
      self.age = age
    }
  }

  /// The work of a list view.
  final class List {
    private(set) var calls: [String] = []

    func reload(_ students: [Student]) {
      calls.append("reload \(students.count)")
    }

    func redraw(_ rows: [Int]) {
      calls.append("redraw \(rows)")
    }

    func animate(_ difference: CollectionDifference<Student>) {
      let steps = difference.map { step in
        switch step {
        case .insert(let offset, _, _): "+\(offset)"
        case .remove(let offset, _, _): "-\(offset)"
        }
      }
      calls.append("animate \(steps.joined(separator: " "))")
    }
  }
}
