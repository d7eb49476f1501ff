import ObservationController
import TestSupport
import XCTest

/// Kinds of elements: objects are followed, by any static type; others are reported.
final class ObserveArrayElementKindsTests: TestCase {
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  func test_elementsOfASubclass_areFollowed() {
    let array = ObservableArray<Student>([Pupil("p"), Student("s")])
    observations.observeArray(array, elements: [\.age, \.label]) { $0.write($2) }
    array[0].age = 6
    array[1].age = 7
    let left = array.removeFirst()
    left.age = 8
    XCTAssertEqual(
      recorder.events,
      [
        "element p@0: p s 20 → 6", "element p@0: p s p20 → p6",
        "element s@1: p s 20 → 7", "element s@1: p s s20 → s7", "removal -p0: s",
      ])
  }

  private protocol Named: AnyObject {
    var title: String { get set }
  }
  private final class Book: Named {
    @Observed var title = "book"
  }
  private final class Film: Named {
    @Observed var title = "film"
  }

  func test_elementsOfAProtocolType_areFollowed() {
    let works: ObservableArray<any Named> = [Book(), Film()]
    observations.observeArray(works, elements: [\.title]) { recorder, _, change in
      let place = change.entries.first.flatMap { $0.newIndex ?? $0.oldIndex } ?? -1
      recorder.write("\(change.kind) \(place) \(change.elementChange?.newValue ?? "")")
    }
    works[1].title = "Metropolis"
    let film = works.removeLast()
    film.title = "M"
    works[0].title = "Emma"
    XCTAssertEqual(recorder.events, ["element 1 Metropolis", "removal 1 ", "element 0 Emma"])
  }

  func test_optionalElements_areFollowed_whereThereAreAny() {
    let array = ObservableArray<Student?>([Student("a"), nil])
    observations.observeArray(array, elements: [\.?.age]) { recorder, _, change in
      recorder.write("\(change.kind) \(change.entries.map { "\($0.newIndex ?? -1)" })")
    }
    let student = array[0]
    student?.age = 1
    array[0] = nil
    student?.age = 2
    array[1] = student
    student?.age = 3
    XCTAssertEqual(
      recorder.events,
      [
        #"element ["0"]"#, #"replacement ["-1", "0"]"#, #"replacement ["-1", "1"]"#,
        #"element ["1"]"#,
      ])
  }

  func test_elementsThatAreArraysThemselves_areFollowed() {
    let rows: ObservableArray<ObservableArray<Int>> = [[1], [2, 3]]
    observations.observeArray(rows, elements: [\.count]) { recorder, _, change in
      recorder.write("\(change.kind) \(change.elements) \(change.elementChange?.description ?? "")")
    }
    rows[1].append(4)
    let left = rows.removeFirst()
    left.append(1)
    rows[0].removeAll()
    XCTAssertEqual(
      recorder.events,
      ["element [[1], [2, 3, 4]] 2 → 3", "removal [[2, 3, 4]] ", "element [[]] 3 → 0"])
  }

  func test_structElements_areObservedAsAnArray_andTheKeyPathIsReportedOnce() {
    struct Row {
      var title = "row"
    }
    let rows = ObservableArray<Row>()
    let line: UInt = #line + 2
    let issues = collectingIssues {
      observations.observeArray(rows, elements: [\.title]) { $0.write($2.kind) }
      XCTAssertEqual(recorder.events, [])
      rows.append(Row())
      rows.append(Row())
      rows[0].title = "changed"
      rows.setElements([Row()])
    }
    XCTAssertEqual(recorder.events, ["insertion", "insertion", "replacement", "setting"])
    checkNothingObservable(issues, \Row.title, line)
  }

  func test_keyPathThatReadsNothing_isReportedOnce_othersAreFollowed() {
    let school = School()
    let line: UInt = #line + 2
    let issues = collectingIssues {
      observations.observeArray(school, \.students, elements: [\.doubled, \.age]) { $0.write($2) }
      school.students.append(Student("a"))
      school.students.append(Student("b"))
      school.students[1].age = 1
    }
    XCTAssertEqual(
      recorder.events, ["insertion +a0: a", "insertion +b1: a b", "element b@1: a b 20 → 1"])
    checkNothingObservable(issues, \Student.doubled, line)
  }

  func test_elementWithNothingObservableAtOneKeyPath_keepsTheOthers() {
    final class Pet {
      @Observed var name: String
      let owner: Person?
      init(_ name: String, owner: Person? = nil) { (self.name, self.owner) = (name, owner) }
    }
    let (stray, pet) = (Pet("a"), Pet("b", owner: Person()))
    let array = ObservableArray([stray, pet])
    let line: UInt = #line + 2
    let issues = collectingIssues {
      observations.observeArray(array, elements: [\.name, \.owner?.name]) {
        $0.write("\($2.kind) \($2.entries.compactMap(\.newIndex))")
      }
      array.swapAt(0, 1)
      stray.name = "c"
      array.append(stray)
      array.removeLast()
      stray.name = "d"
      pet.owner?.name = "e"
    }
    XCTAssertEqual(
      recorder.events,
      [
        "move [1, 0]", "element [1]", "insertion [2]", "removal []", "element [1]", "element [0]",
      ])
    checkNothingObservable(issues, \Pet.owner?.name, line)
  }

  func test_observeArray_keyPathOfAValue_isReportedWithTheAdviceToLeaveItOut() {
    let rows = ObservableArray([0...1, 2...3])
    let issues = collectingIssues {
      observations.observeArray(rows, elements: [\.lowerBound]) { _, _, _ in }
    }
    XCTAssertEqual(issues.count, 1)
    XCTAssertTrue(issues.allSatisfy { $0.description.contains("leave `elements:` out") })
    let person = Person()
    let others = collectingIssues { observations.observe(person, \.note) { _, _, _ in } }
    XCTAssertTrue(others[0].description.hasSuffix("mark the properties it reads @Observed"))
  }

  private func checkNothingObservable(
    _ issues: [ObservationIssue], _ keyPath: AnyKeyPath, _ line: UInt,
    at place: UInt = #line
  ) {
    XCTAssertEqual(issues.count, 1, "\(issues)", line: place)
    guard case .nothingObservable(keyPath, #fileID, line)? = issues.first else {
      return XCTFail("\(issues)", line: place)
    }
  }
}
