import TestSupport
import XCTest

@testable import ObservationController

/// Edits, changes and ends at unusual moments.
final class ArrayEdgeCasesTests: TestCase {
  private let (a, b, c, d) = (Student("a"), Student("b"), Student("c"), Student("d"))
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  // MARK: - Edits inside of prior deliveries

  func test_priorHandlerThatEdits_removeLast_takesTheCurrentLast() {
    let school = School([a, b, c])
    editOnce(before: school) { $0.students.remove(at: 0) }
    XCTAssertEqual(school.students.removeLast().name, "c")
    XCTAssertEqual(school.students.elements.map(\.name), ["b"])
  }

  func test_priorHandlerThatEdits_appendingSeveral_appendsAtTheEndThen() {
    let school = School([a, b])
    editOnce(before: school) { $0.students.remove(at: 0) }
    school.students.append(contentsOf: [c, d])
    XCTAssertEqual(school.students.elements.map(\.name), ["b", "c", "d"])
  }

  func test_priorHandlerThatEdits_removingAll_leavesNothing() {
    let school = School([a, b])
    editOnce(before: school) { [c] in $0.students.append(c) }
    school.students.removeAll()
    XCTAssertEqual(school.students.elements.map(\.name), [])
  }

  func test_priorHandlerThatEdits_removeAt_returnsTheRemovedElement() {
    let school = School([a, b, c])
    editOnce(before: school) { $0.students.swapAt(0, 1) }
    let removed = school.students.remove(at: 0)
    XCTAssertEqual(removed.name, "b")
    XCTAssertEqual(school.students.elements.map(\.name), ["a", "c"])
  }

  func test_priorHandlerThatEdits_removeAllWhereAndSort_useTheCurrentElements() {
    let school = School([a, b, c])
    editOnce(before: school) { [d] in $0.students.insert(d, at: 0) }
    school.students.removeAll { $0.name == "d" || $0.name == "a" }
    XCTAssertEqual(school.students.elements.map(\.name), ["b", "c"])
    editOnce(before: school, context: "again") { [a] in $0.students.append(a) }
    school.students.sort { $0.name > $1.name }
    XCTAssertEqual(school.students.elements.map(\.name), ["c", "b", "a"])
  }

  /// Edits the array of `school` before its next change.
  private func editOnce(
    before school: School, context: ObservationContext? = nil, _ edit: @escaping (School) -> Void
  ) {
    var isDone = false
    observations.observe(school, \.students.count, options: .prior, context: context) {
      _, school, change in
      guard change.isPrior, !isDone else { return }
      isDone = true
      edit(school)
    }
  }

  // MARK: - Another array in the middle of a batch

  func test_arraySetInABatch_andAgainAtItsEnd_followsTheLast() {
    let (first, second, third) = (
      ObservableArray([a]), ObservableArray([b]), ObservableArray([c])
    )
    let school = School()
    school.students = first
    var isDone = false
    observations.observeArray(first) { _, _, _ in
      guard !isDone else { return }
      isDone = true
      school.students = third
    }
    observations.observeArray(school, \.students) { recorder, _, change in recorder.write(change) }

    first.performBatchUpdates {
      first.append(d)
      school.students = second
    }
    XCTAssertTrue(school.students === third)
    XCTAssertEqual(
      recorder.takeEvents(),
      ["insertion +d1: a d", "setting -a0 +b0 -d1: b", "setting -b0 +c0: c"].withBatch)
    third.append(a)
    second.append(a)
    XCTAssertEqual(recorder.takeEvents(), ["insertion +a1: c a"])
  }

  // MARK: - Elements changed during a mutation of their plain array

  func test_elementsChangedInsideAMutationOfTheirArray_areDeliveredAfterIt() {
    let cart = Cart()
    cart.students = [a, b, c]
    observations.observeArray(cart, \.students, elements: [\.age]) { recorder, _, change in
      recorder.write(change)
    }
    cart.students.removeAll {
      $0.age += 1
      return $0.name == "a"
    }
    XCTAssertEqual(
      recorder.takeEvents(),
      ["removal -a0: b c", "element b@0: b c 20 → 21", "element c@1: b c 20 → 21"])
    b.age = 30
    XCTAssertEqual(recorder.takeEvents(), ["element b@0: b c 21 → 30"])
  }

  // MARK: - Deallocations without a notification

  func test_C15_arrayOfADeallocatedObject_retainsNoElements() {
    let observations = ObservationController(observer: recorder, retainsObserved: false)
    var school: School? = School()
    let teachers = school!.teachers
    observations.observeArray(school!, \.teachers) { recorder, _, change in recorder.write(change) }
    school = nil
    assertReleased {
      let teacher = Student("t")
      teachers.append(teacher)
      teachers.removeAll()
      return teacher
    }
    XCTAssertEqual(recorder.events, [])
  }

  func test_C15_arrayOfADeallocatedObject_retainsNoValuesOfItsElements() {
    let observations = ObservationController(observer: recorder, retainsObserved: false)
    var school: School? = School()
    let teachers = school!.teachers
    teachers.append(Student("t"))
    observations.observeArray(school!, \.teachers, elements: [\.address]) { $0.write($2) }
    school = nil
    assertReleased {
      let address = Address("Rome")
      teachers[0].address = address
      teachers[0].address = nil
      return address
    }
    assertReleased { teachers.removeLast() }
    XCTAssertEqual(recorder.events, [])
  }

  func test_storageOfOnePropertyReplaced_theOthersAreStillFollowed() {
    final class Tile {
      @Observed var rank = 0
      @Observed var isOpen = false

      func replaceRank() {
        _rank = Observed(wrappedValue: 7)
      }
    }
    let tile = Tile()
    let tiles = ObservableArray([tile])
    observations.observeArray(tiles, elements: [\.rank, \.isOpen]) { recorder, _, change in
      recorder.write("\(change.kind) \(change.elementChange.map { "\($0)" } ?? "")")
    }
    tile.replaceRank()
    tile.isOpen = true
    XCTAssertEqual(recorder.takeEvents(), ["element false → true"])
    tiles.remove(at: 0)
    tiles.append(tile)
    XCTAssertEqual(recorder.takeEvents(), ["removal ", "insertion "])
    tile.rank = 8
    XCTAssertEqual(recorder.takeEvents(), ["element 7 → 8"])
  }

  func test_endedObservation_leavesNothing() throws {
    let array = ObservableArray([a])
    let token = observations.observeArray(
      array, elements: [\.age, \.address?.city]
    ) { _, _, _ in }
    weak var sink: ArraySink?
    weak var property: ElementProperty?
    if let found = token.sink as? ArraySink {
      sink = found
      property = found.state.withLock { $0.elements.properties.first?.property }
    }
    XCTAssertNotNil(sink)
    XCTAssertNotNil(property)
    token.invalidate()
    XCTAssertNil(sink)
    XCTAssertNil(property)
  }
}

extension [String] {
  /// The first change as a batch of its own, in which the edits before the setting are delivered.
  fileprivate var withBatch: [String] {
    [self[0].replacingOccurrences(of: "insertion", with: "batch")] + dropFirst()
  }
}
