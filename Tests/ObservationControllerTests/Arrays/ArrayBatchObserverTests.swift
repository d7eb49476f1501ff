import ObservationController
import TestSupport
import XCTest

/// Observers added and removed in the middle of a batch: each receives the edits made while it
/// observes.
final class ArrayBatchObserverTests: TestCase {
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  func test_observerAddedInside_isNotifiedOfLaterEdits_afterTheOthers() {
    let array = ObservableArray("a")
    observations.observeArray(array) { $0.write("1 \($2.line)") }
    array.performBatchUpdates {
      array.append("b")
      observations.observeArray(array, options: [.initial, .old], context: "2") {
        $0.write("2 \($2.line)")
      }
      XCTAssertEqual(recorder.takeEvents(), ["1 batch +b1: a b", "2 initial +a0 +b1: a b"])
      array.removeFirst()
      array.append("c")
      XCTAssertEqual(recorder.events, [])
    }
    XCTAssertEqual(
      recorder.events, ["1 batch -a0 +c1: b c", "2 batch -a0 +c1: b c (was a b)"])
  }

  func test_firstObserverAddedInside_isNotifiedOfLaterEdits() {
    let array = ObservableArray("a")
    array.performBatchUpdates {
      array.append("b")
      observations.observeArray(array) { $0.write($2) }
      array.append("c")
      array.remove("a")
    }
    array.append("d")
    XCTAssertEqual(recorder.events, ["batch -a0 +c1: b c", "insertion +d2: b c d"])
  }

  func test_observerRemovedInside_isNotNotified() {
    let array = ObservableArray(students("a"))
    let token = observations.observeArray(array, elements: [\.age]) { $0.write("1 \($2.line)") }
    observations.observeArray(array, context: "2") { $0.write("2 \($2.line)") }
    array.performBatchUpdates {
      array.append(Student("b"))
      array[0].age = 1
      token.invalidate()
      array.append(Student("c"))
    }
    XCTAssertEqual(recorder.takeEvents(), ["2 batch +b1 +c2: a b c"])
    observations.unobserveAll()
    array.performBatchUpdates { array.removeAll() }
    XCTAssertEqual(recorder.events, [])
  }

  func test_computedPathObservedInside_isNotifiedOfLaterEdits() {
    let array = ObservableArray("a")
    observations.observeArray(array) { $0.write($2) }
    array.performBatchUpdates {
      array.append("b")
      observations.observe(array, \.count) { $0.write("count \($2)") }
      array.append("c")
    }
    XCTAssertTrue(recorder.events.contains("count 2 → 3"), "\(recorder.events)")
    XCTAssertFalse(recorder.events.contains("count 1 → 3"), "\(recorder.events)")
  }

  func test_computedPathThatReachesTheArrayInside_isNotifiedOfLaterEdits() {
    let (first, second) = (School(), School(students("a")))
    let town = Town(first)
    observations.observe(town, \.school?.students.count) { $0.write($2.newValue ?? -1) }
    observations.observeArray(second, \.students) { $0.write($2) }
    second.students.performBatchUpdates {
      second.students.append(Student("b"))
      town.school = second
      XCTAssertEqual(recorder.takeEvents(), ["2"])
      second.students.append(Student("c"))
    }
    XCTAssertEqual(Set(recorder.events), ["3", "batch +b1 +c2: a b c"])
  }

  func test_allObserversRemovedInside_andOthersAdded() {
    let array = ObservableArray("a")
    observations.observeArray(array, options: .old) { $0.write($2) }
    observations.observe(array, \.count) { $0.write("count \($2)") }
    array.performBatchUpdates {
      array.append("b")
      observations.unobserveAll()
      array.append("c")
      observations.observeArray(array, options: .old) { $0.write($2) }
      array.append("d")
    }
    XCTAssertEqual(recorder.events, ["batch +d3: a b c d (was a b c)"])
  }

  func test_pathThatLeadsToAnArrayInTheMiddleOfItsBatch() {
    let (old, new) = (ObservableArray(students("a")), ObservableArray(students("x")))
    let school = School()
    school.students = old
    observations.observeArray(school, \.students) { $0.write($2) }
    old.performBatchUpdates {
      new.performBatchUpdates {
        old.append(Student("b"))
        new.append(Student("y"))
        school.students = new
        XCTAssertEqual(
          recorder.takeEvents(), ["batch +b1: a b", "setting -a0 +x0 -b1 +y1: x y"])
        new.append(Student("z"))
        old.append(Student("c"))
      }
    }
    XCTAssertEqual(recorder.events, ["batch +z2: x y z"])
  }
}
