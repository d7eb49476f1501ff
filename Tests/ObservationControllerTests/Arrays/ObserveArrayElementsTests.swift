import ObservationController
import TestSupport
import XCTest

/// Changes of elements' properties: their contents, and the key paths that can be followed.
final class ObserveArrayElementsTests: TestCase {
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  // MARK: Contents

  func test_elementChange_hasIndex_keyPath_oldAndNewValue() {
    let school = School(students("ab"))
    let changes = Recorder<ArrayChange<Student>>()
    observations.observeArray(
      school, \.students, elements: [\.age], context: "list"
    ) { changes.append($2) }
    school.students[1].age = 30
    guard let change = changes.events.first else { return XCTFail("not delivered") }
    XCTAssertEqual(changes.events.count, 1)
    XCTAssertEqual(change.kind, .element)
    XCTAssertEqual(change.entries.count, 1)
    XCTAssertIdentical(change.entries.first?.element, school.students[1])
    XCTAssertEqual(change.entries.first?.oldIndex, 1)
    XCTAssertEqual(change.entries.first?.newIndex, 1)
    XCTAssertEqual(change.elements.map(\.name), ["a", "b"])
    XCTAssertNil(change.oldElements)
    XCTAssertEqual(change.elementKeyPath, \Student.age)
    XCTAssertEqual(change.elementChange?.oldValue as? Int, 20)
    XCTAssertEqual(change.elementChange?.newValue as? Int, 30)
    XCTAssertEqual(change.elementChange?.keyPath, \Student.age)
    XCTAssertEqual(change.elementChange?.context, "list")
    XCTAssertEqual(change.elementChange?.isInitial, false)
    XCTAssertEqual(change.elementChange?.isPrior, false)
    XCTAssertFalse(change.isAtTail)
    XCTAssertTrue(change.difference.isEmpty)
    XCTAssertEqual(change.applying(to: school.students.elements).map(\.name), ["a", "b"])
  }

  func test_otherChanges_nameNoElementKeyPath() {
    let array = ObservableArray(students("a"))
    observations.observeArray(array, elements: [\.age], options: .initial) { recorder, _, change in
      XCTAssertNil(change.elementKeyPath)
      XCTAssertNil(change.elementChange)
      recorder.write(change.kind)
    }
    array.append(Student("b"))
    array.swapAt(0, 1)
    array.setElements([])
    XCTAssertEqual(recorder.events, ["initial", "insertion", "move", "setting"])
  }

  func test_elementThatOccursSeveralTimes_isDeliveredOnce_withAllIndices() {
    let array = ObservableArray(students("aba"))
    observations.observeArray(array, elements: [\.age]) { $0.write($2) }
    array[0].age = 1
    array.insert(array[1], at: 0)
    array[0].age = 2
    array.removeSubrange(1...2)
    array[0].age = 3
    XCTAssertEqual(
      recorder.events,
      [
        "element a@0 a@2: a b a 20 → 1", "insertion +b0: b a b a",
        "element b@0 b@2: b a b a 20 → 2", "removal -a1 -b2: b a", "element b@0: b a 2 → 3",
      ])
  }

  func test_severalKeyPaths_areDeliveredSeparately() {
    let array = ObservableArray(students("a"))
    let keyPaths: [PartialKeyPath<Student>] = [\.name, \.address?.city, \.label]
    observations.observeArray(array, elements: keyPaths) { recorder, _, change in
      let index = change.elementKeyPath.flatMap { keyPaths.firstIndex(of: $0) }
      recorder.write("\(index ?? -1) \(change.elementChange.map { "\($0)" } ?? "")")
    }
    array[0].age = 21
    array[0].address?.city = "Paris"
    array[0].name = "b"
    let left = array.removeLast()
    left.name = "c"
    left.address?.city = "Rome"
    XCTAssertEqual(
      recorder.events,
      [
        "2 a20 → a21", #"1 Optional("A") → Optional("Paris")"#, "0 a → b", "2 a21 → b21", "-1 ",
      ])
  }

  func test_repeatedKeyPath_isDeliveredOnce() {
    let array = ObservableArray(students("a"))
    observations.observeArray(array, elements: [\.age, \.age]) { $0.write($2) }
    array[0].age = 1
    XCTAssertEqual(recorder.events, ["element a@0: a 20 → 1"])
  }

  func test_distinct_appliesToTheElementProperties() {
    let array = ObservableArray(students("a"))
    observations.observeArray(array, elements: [\.age, \.address?.city], options: .distinct) {
      $0.write($2)
    }
    array[0].age = 20
    array[0].address?.city = "A"
    array[0].address = Address("A")
    XCTAssertEqual(recorder.events, [])
    array[0].age = 21
    array[0].address?.city = "B"
    XCTAssertEqual(
      recorder.events,
      ["element a@0: a 20 → 21", #"element a@0: a Optional("A") → Optional("B")"#])
  }

  func test_inPlaceMutation_isOneChange() {
    let people = ObservableArray([Person("Ada")])
    observations.observeArray(people, elements: [\.tags]) { recorder, _, change in
      recorder.write(change.elementChange!)
    }
    people[0].tags.append("x")
    XCTAssertEqual(recorder.events, [#"[] → ["x"]"#])
  }

  // MARK: Nested and computed key paths

  func test_nestedKeyPath_followsItsLinks_perElement() {
    let array = ObservableArray(students("ab"))
    observations.observeArray(array, elements: [\.address?.city]) { recorder, _, change in
      let city = change.elementChange.map { $0.newValue as? String ?? "nowhere" } ?? ""
      recorder.write("\(change.kind) \(change.entries.compactMap(\.newIndex)) \(city)")
    }
    let (first, second) = (array[0], array[1])
    let old = first.address
    first.address = Address("Rome")
    old?.city = "Nice"
    first.address?.city = "Oslo"
    second.address = nil
    second.address = Address("Bern")
    array.swapAt(0, 1)
    second.address?.city = "Cork"
    XCTAssertEqual(
      recorder.events,
      [
        "element [0] Rome", "element [0] Oslo", "element [1] nowhere", "element [1] Bern",
        "move [1, 0] ", "element [0] Cork",
      ])
  }

  func test_derivedProperty_thatStaysEqual_isNotDelivered() {
    let branches = ObservableArray([Branch("a"), Branch("b")])
    observations.observeArray(branches, elements: [\.count]) { recorder, _, change in
      let places = change.entries.compactMap(\.newIndex)
      recorder.write("\(change.kind) \(places) \(change.elementChange.map { "\($0)" } ?? "")")
    }
    branches.append(Branch("c"))
    for branch in branches {
      branch.leaves = []
      branch.leaves.append(Leaf("x"))
      branch.leaves[0] = Leaf("y")
    }
    XCTAssertEqual(
      recorder.events,
      ["insertion [2] ", "element [0] 0 → 1", "element [1] 0 → 1", "element [2] 0 → 1"])
  }

  func test_linkSharedByTwoElements_isDeliveredForEach() {
    let array = ObservableArray(students("ab"))
    let shared = Address("Rome")
    for student in array { student.address = shared }
    observations.observeArray(array, elements: [\.address?.city]) { $0.write($2) }
    shared.city = "Oslo"
    XCTAssertEqual(
      recorder.events,
      [
        #"element a@0: a b Optional("Rome") → Optional("Oslo")"#,
        #"element b@1: a b Optional("Rome") → Optional("Oslo")"#,
      ])
  }

  func test_elementsOfElements_byAComputedPath() {
    let schools = ObservableArray([School(students("a")), School()])
    observations.observeArray(schools, elements: [\.students.count]) { recorder, _, change in
      recorder.write("\(change.entries.first?.newIndex ?? -1): \(change.elementChange!)")
    }
    schools[1].students.append(Student("b"))
    schools[0].students = []
    schools[0].students.append(Student("c"))
    XCTAssertEqual(recorder.events, ["1: 0 → 1", "0: 1 → 0", "0: 0 → 1"])
  }

  func test_elementsThatReadTheirOwnArray_areDeliveredAfterItsEdit() {
    final class Node: CustomStringConvertible {
      @Observed var name: String
      weak var list: ObservableArray<Node>?
      var siblings: Int { list?.count ?? 0 }
      var description: String { name }
      init(_ name: String, in list: ObservableArray<Node>) { (self.name, self.list) = (name, list) }
    }
    let list = ObservableArray<Node>()
    observations.observeArray(list, elements: [\.siblings]) { $0.write($2) }
    list.append(Node("a", in: list))
    list.append(Node("b", in: list))
    list.removeFirst()
    list.performBatchUpdates { for name in ["c", "d"] { list.append(Node(name, in: list)) } }
    XCTAssertEqual(
      recorder.events,
      [
        "insertion +a0: a", "insertion +b1: a b", "element a@0: a b 1 → 2",
        "removal -a0: b", "element b@0: b 2 → 1",
        "batch +c1 +d2: b c d", "element b@0: b c d 1 → 3",
      ])
  }
}
