import ObservationController
import TestSupport
import XCTest

/// Ending observations of arrays, their introspection, and the order of their deliveries.
final class ObserveArrayOrderTests: TestCase {
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)
  private let dispatcher = ObservationDispatcher.shared

  // MARK: Ending and introspection

  func test_ending_byTokenKeyPathContextObjectAndDispatcher() {
    let school = School(students("a"))
    let array = school.students
    let student = array[0]
    func ends(_ end: (ObservationToken) -> Void, file: StaticString = #filePath, line: UInt = #line)
    {
      let countBefore = dispatcher.activeObservationCount
      let token = observations.observeArray(school, \.students, elements: [\.age, \.label]) {
        $0.write($2)
      }
      XCTAssertTrue(observations.isObserving(school, \.students), file: file, line: line)
      XCTAssertEqual(dispatcher.activeObservationCount, countBefore + 1, file: file, line: line)
      end(token)
      XCTAssertFalse(token.isActive, file: file, line: line)
      XCTAssertFalse(observations.isObserving(school, \.students), file: file, line: line)
      XCTAssertEqual(dispatcher.activeObservationCount, countBefore, file: file, line: line)
      array.append(Student("b"))
      array.removeLast()
      student.age += 1
      school.students = array
      XCTAssertEqual(recorder.events, [], file: file, line: line)
    }
    ends { $0.invalidate() }
    ends { _ in observations.unobserve(school, \.students) }
    ends { _ in observations.unobserve(school, \.students, context: nil) }
    ends { _ in observations.unobserve(school) }
    ends { _ in observations.unobserveAll() }
    ends { _ in dispatcher.removeObservations(of: school) }
    ends { _ in dispatcher.removeObservations(of: school, by: recorder) }
    ends { _ in dispatcher.removeObservations(of: school, \.students) }
  }

  func test_ending_ofAStandaloneArray_byItsKeyPath() {
    let array: ObservableArray = [1]
    let ends: [() -> Void] = [
      { [observations] in observations.unobserve(array, \.elements) },
      { [observations] in observations.unobserve(array) },
      { [dispatcher] in dispatcher.removeObservations(of: array, \.elements) },
      { [dispatcher] in dispatcher.removeObservations(of: array) },
    ]
    for end in ends {
      let token = observations.observeArray(array) { $0.write($2) }
      XCTAssertTrue(observations.isObserving(array, \.elements))
      end()
      XCTAssertFalse(token.isActive)
      array.append(2)
    }
    XCTAssertEqual(recorder.events, [])
  }

  func test_unobservingOneElement_orAnotherKeyPath_changesNothing() {
    let school = School(students("a"))
    observations.observeArray(school, \.students, elements: [\.age]) { $0.write($2) }
    observations.unobserve(school.students[0])
    observations.unobserve(school.students)
    observations.unobserve(school, \.guests)
    observations.unobserve(school, \.students, context: "other")
    dispatcher.removeObservations(of: school.students[0], \.age)
    school.students[0].age = 1
    XCTAssertEqual(recorder.events, ["element a@0: a 20 → 1"])
  }

  func test_introspection_listsTheRegistration_andNotItsParts() {
    let school = School(students("a"))
    let line: UInt = #line + 1
    observations.observeArray(
      school, \.students, elements: [\.age], options: .old, context: "list"
    ) { $0.write($2) }
    let description = observations.observations.first
    XCTAssertEqual(observations.observations.count, 1)
    XCTAssertIdentical(description?.object, school)
    XCTAssertIdentical(description?.observer, recorder)
    XCTAssertEqual(description?.keyPath, \School.students)
    XCTAssertEqual(description?.options, .old)
    XCTAssertEqual(description?.context, "list")
    XCTAssertEqual(description?.handlerKind, .block)
    XCTAssertEqual(description?.file, #fileID)
    XCTAssertEqual(description?.line, line)
    XCTAssertEqual(dispatcher.observedKeyPaths(of: school, by: recorder), [\School.students])
    XCTAssertIdentical(dispatcher.observers(of: school, \.students).first, recorder)
    XCTAssertEqual(dispatcher.observations(of: school.students).count, 0)
    XCTAssertEqual(dispatcher.observations(of: school.students[0]).count, 0)
  }

  // MARK: Order

  func test_C1_arrayEdits_areDeliveredInRegistrationOrder_amongOthers() {
    let array: ObservableArray = [1]
    observations.observe(array, \.count, context: "1") { $0.write("1 \($2)") }
    observations.observeArray(array, context: "2") { $0.write("2 \($2.line)") }
    observations.observe(array, \.first, context: "3") { recorder, _, _ in recorder.write("3") }
    let other = LineRecorder()
    let others = ObservationController(observer: other)
    others.observeArray(array) { [recorder] _, _, _ in recorder.write("4") }
    observations.observeArray(array, context: "5") { recorder, _, _ in recorder.write("5") }
    array.append(2)
    XCTAssertEqual(recorder.events, ["1 1 → 2", "2 insertion +21: 1 2", "3", "4", "5"])
  }

  func test_C1_elementChanges_areDeliveredInRegistrationOrder_amongOthers() {
    let school = School(students("a"))
    let student = school.students[0]
    observations.observe(student, \.age) { $0.write("1 \($2)") }
    observations.observeArray(school, \.students, elements: [\.age], context: "2") {
      $0.write("2 \($2.line)")
    }
    observations.observe(student, \.label) { $0.write("3 \($2)") }
    observations.observeArray(school, \.students, elements: [\.label], context: "4") {
      $0.write("4 \($2.line)")
    }
    observations.observe(student, \.age, context: "5") { recorder, _, _ in recorder.write("5") }
    let expected = [
      "1 20 → 21", "2 element a@0: a 20 → 21", "3 a20 → a21", "4 element a@0: a a20 → a21",
    ]
    student.age = 21
    XCTAssertEqual(recorder.takeEvents(), expected + ["5"])

    // Also when the element is removed and inserted again, behind later registrations.
    school.students.removeAll()
    school.students.append(student)
    student.age = 20
    recorder.clear()
    student.age = 21
    XCTAssertEqual(recorder.events, expected + ["5"])
  }

  @available(*, deprecated, message: "observes the property alone")
  func test_C1_replacedArray_isDeliveredInRegistrationOrder() {
    let school = School()
    observations.observe(school, \.students.count) { $0.write("1 \($2)") }
    observations.observeArray(school, \.students, context: "2") { $0.write("2 \($2.line)") }
    observations.observe(school, \.students) { $0.write("3 \($2)") }
    observations.observeArray(school, \.students, context: "4") { $0.write("4 \($2.line)") }
    school.students = ObservableArray(students("a"))
    XCTAssertEqual(
      recorder.takeEvents(), ["1 0 → 1", "2 setting +a0: a", "3 [] → [a]", "4 setting +a0: a"])
    school.students.append(Student("b"))
    XCTAssertEqual(
      recorder.events, ["1 1 → 2", "2 insertion +b1: a b", "4 insertion +b1: a b"])
  }

  func test_C2_duringDelivery_theArrayIsAsTheChangeSays() {
    let school = School(students("ab"))
    observations.observeArray(school, \.students) { recorder, school, change in
      recorder.write("\(change.elements) \(school.students.elements) \(school.students.count)")
    }
    school.students.removeFirst()
    school.students = []
    XCTAssertEqual(recorder.events, ["[b] [b] 1", "[] [] 0"])
  }

  func test_C3_observationEndedInItsInitialDelivery_isNotNotifiedAgain() {
    let school = School(students("a"))
    let recorder = LineRecorder()
    let observations = ObservationController(observer: recorder)
    let token = observations.observeArray(
      school, \.students, elements: [\.age], options: .initial
    ) { recorder, school, change in
      recorder.write(change)
      observations.unobserve(school, \.students)
    }
    XCTAssertFalse(token.isActive)
    school.students.append(Student("b"))
    school.students[0].age = 1
    XCTAssertEqual(recorder.events, ["initial +a0: a"])
  }

  func test_C9_observationAddedDuringADelivery_missesIt_oneRemovedIsSkipped() {
    let array = ObservableArray(students("a"))
    var last: ObservationToken?
    observations.observeArray(array, elements: [\.age], context: "1") {
      [observations] _, _, change in
      self.recorder.write("1 \(change.line)")
      last?.invalidate()
      observations.observeArray(array, elements: [\.age], context: "2") {
        $0.write("2 \($2.line)")
      }
    }
    last = observations.observeArray(array, elements: [\.age], context: "3") {
      $0.write("3 \($2.line)")
    }
    array.append(Student("b"))
    XCTAssertEqual(recorder.takeEvents(), ["1 insertion +b1: a b"])
    array[1].age = 1
    XCTAssertEqual(
      recorder.takeEvents(), ["1 element b@1: a b 20 → 1", "2 element b@1: a b 20 → 1"])

    // Also when an element changes.
    observations.unobserve(array, \.elements, context: "2")
    array[0].age = 2
    XCTAssertEqual(recorder.events, ["1 element a@0: a b 20 → 2"])
  }
}
