import ObservationController
import TestSupport
import XCTest

/// Sources of `observeArray`: properties, constants, optional paths, arrays on their own; its
/// options; and the identity of its registrations.
final class ObserveArrayTests: TestCase {
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)
  private let dispatcher = ObservationDispatcher.shared

  // MARK: Paths

  func test_property_replaced_isASetting_andTheOldArrayIsNotFollowedAnyMore() {
    let school = School(students("ab"))
    observations.observeArray(school, \.students, elements: [\.age]) {
      recorder, delivered, change in
      XCTAssertIdentical(delivered, school)
      recorder.write(change)
    }
    let old = school.students
    let left = old[0]
    school.students = ObservableArray([old[1], Student("c")])
    XCTAssertEqual(recorder.takeEvents(), ["setting -a0 +b0 -b1 +c1: b c"])
    old.append(Student("d"))
    left.age = 1
    XCTAssertEqual(recorder.takeEvents(), [])
    school.students[0].age = 2
    school.students.append(left)
    left.age = 3
    XCTAssertEqual(
      recorder.events,
      ["element b@0: b c 20 → 2", "insertion +a2: b c a", "element a@2: b c a 1 → 3"])
  }

  func test_property_replaced_releasesTheOldArrayAndItsElements() {
    let school = School()
    observations.observeArray(school, \.students, elements: [\.age, \.label]) { $0.write($2) }
    weak var array: ObservableArray<Student>?
    weak var student: Student?
    scoped {
      school.students = ObservableArray(students("a"))
      (array, student) = (school.students, school.students[0])
      student?.age = 30
    }
    XCTAssertNotNil(array)
    school.students = []
    XCTAssertNil(array)
    XCTAssertNil(student)
  }

  func test_property_setToTheArrayThatItHolds_isASetting() {
    let school = School(students("a"))
    observations.observeArray(school, \.students, elements: [\.age]) { $0.write($2) }
    let same = school.students
    school.students = same
    same[0].age = 21
    XCTAssertEqual(recorder.events, ["setting -a0 +a0: a", "element a@0: a 20 → 21"])
  }

  func test_constant_isObservedByItsPath() {
    let school = School()
    let token = observations.observeArray(school, \.teachers, elements: [\.age]) { $0.write($2) }
    school.teachers.append(Student("t"))
    school.teachers[0].age = 50
    token.invalidate()
    school.teachers.removeAll()
    XCTAssertEqual(recorder.events, ["insertion +t0: t", "element t@0: t 20 → 50"])
  }

  func test_nestedOptionalPath_followsItsLinks() {
    let (first, second) = (School(students("a")), School(students("b")))
    let town = Town(first)
    observations.observeArray(
      town, \.school?.students, elements: [\.age], options: [.initial, .old]
    ) { $0.write($2) }
    first.students.append(Student("c"))
    town.school = second
    first.students[0].age = 1
    first.students.removeAll()
    second.students[0].age = 2
    town.school = nil
    second.students[0].age = 3
    town.school = first
    first.students = ObservableArray(students("d"))
    first.students[0].age = 4
    XCTAssertEqual(
      recorder.events,
      [
        "initial +a0: a", "insertion +c1: a c (was a)",
        "setting -a0 +b0 -c1: b (was a c)", "element b@0: b (was b) 20 → 2",
        "setting -b0:  (was b)", "setting:  (was )",
        "setting +d0: d (was )", "element d@0: d (was d) 20 → 4",
      ])
  }

  func test_optionalProperty_thatIsNil_isAnEmptyArray() {
    let school = School()
    observations.observeArray(school, \.guests, options: .initial) { $0.write($2) }
    school.guests = ObservableArray(students("g"))
    school.guests?.removeAll()
    school.guests = nil
    XCTAssertEqual(recorder.events, ["initial: ", "setting +g0: g", "removal -g0: ", "setting: "])
  }

  func test_computedPath_followsTheArrayThatItReturns() {
    final class Choice {
      @Observed var showsGuests = false
      @Observed var version = 0
      let (students, guests) = (ObservableArray(["s"]), ObservableArray(["g"]))
      var shown: ObservableArray<String> { showsGuests ? guests : students }
    }
    let choice = Choice()
    observations.observeArray(choice, \.shown) { $0.write($2) }
    choice.students.append("t")
    choice.showsGuests = true
    choice.students.append("u")
    choice.guests.append("h")
    choice.version += 1
    XCTAssertEqual(
      recorder.events, ["insertion +t1: s t", "setting -s0 +g0 -t1: g", "insertion +h1: g h"])
  }

  // The element shown decides which array the path reads.
  private final class Search {
    let (found, all) = (ObservableArray(["f"]), ObservableArray(["a"]))
    var shown: ObservableArray<String> { found.isEmpty ? all : found }
  }

  func test_C10_pathThatReadsTheArray_andStaysEqual_isNotifiedOncePerEdit() {
    let search = Search()
    observations.observeArray(search, \.shown, options: .old) { $0.write($2) }
    search.found.append("g")
    search.found[0] = "h"
    XCTAssertEqual(
      recorder.events, ["insertion +g1: f g (was f)", "replacement -f0 +h0: h g (was f g)"])
  }

  func test_C10_pathThatReadsTheArray_andChangesWithAnEdit_isNotifiedOnce() {
    let search = Search()
    observations.observeArray(search, \.shown, options: .old) { $0.write($2) }
    search.found.removeAll()
    search.all.append("b")
    search.found.append("g")
    XCTAssertEqual(
      recorder.events,
      [
        "setting -f0 +a0: a (was f)", "insertion +b1: a b (was a)",
        "setting -a0 +g0 -b1: g (was a b)",
      ])
  }

  func test_C10_pathThatChangesWithAnEdit_withoutOld_listsRemovedElements() {
    let search = Search()
    search.found.append("g")
    observations.observeArray(search, \.shown) { $0.write($2) }
    search.found.removeLast()
    search.found.remove(at: 0)
    XCTAssertEqual(recorder.events, ["removal -g1: f", "setting -f0 +a0: a"])
  }

  func test_standaloneArray_isTheObservedObject() {
    let array = ObservableArray(students("a"))
    observations.observeArray(array, elements: [\.age]) { recorder, delivered, change in
      XCTAssertIdentical(delivered, array)
      recorder.write(change)
    }
    array.append(Student("b"))
    array[1].age = 3
    XCTAssertEqual(recorder.events, ["insertion +b1: a b", "element b@1: a b 20 → 3"])
    XCTAssertEqual(dispatcher.observedKeyPaths(of: array), [\ObservableArray<Student>.elements])
  }

  // MARK: Options

  func test_options_selectTheDeliveries() {
    func delivered(_ options: ObservationOptions) -> [String] {
      let array: ObservableArray = [1, 2]
      observations.observeArray(array, options: options) { $0.write($2) }
      array.append(3)
      array.setElements([1, 2, 3])
      return recorder.takeEvents()
    }
    let plain = ["insertion +32: 1 2 3", "setting -10 +10 -21 +21 -32 +32: 1 2 3"]
    XCTAssertEqual(delivered([]), plain)
    XCTAssertEqual(delivered(.prior), plain)
    XCTAssertEqual(delivered(.initial), ["initial +10 +21: 1 2"] + plain)
    XCTAssertEqual(delivered(.old), ["\(plain[0]) (was 1 2)", "\(plain[1]) (was 1 2 3)"])
    XCTAssertEqual(delivered(.distinct), [plain[0]])
    XCTAssertEqual(
      delivered([.initial, .old, .prior, .distinct]),
      ["initial +10 +21: 1 2", "\(plain[0]) (was 1 2)"])
  }

  func test_distinct_skipsAnEqualArray_andFollowsIt() {
    let array = ObservableArray(students("ab"))
    observations.observeArray(array, elements: [\.age], options: .distinct) { $0.write($2) }
    let (first, second) = (array[0], array[1])
    array[0] = first
    array.setElements([first, second])
    array.performBatchUpdates {
      array.append(array.removeFirst())
      array.swapAt(0, 1)
    }
    first.age = 20
    XCTAssertEqual(recorder.takeEvents(), [])
    second.age = 21
    array.swapAt(0, 1)
    first.age = 22
    XCTAssertEqual(
      recorder.events,
      ["element b@1: a b 20 → 21", "move a0→1 b1→0: b a", "element a@1: b a 20 → 22"])
  }

  func test_distinct_leavesOutAnEqualArray_andFollowsThatFromThenOn() {
    let school = School(students("ab"))
    observations.observeArray(school, \.students, elements: [\.age], options: .distinct) {
      $0.write($2)
    }
    let old = school.students
    school.students = ObservableArray(old.elements)
    old.removeAll()
    school.students[0].age = 1
    school.students.removeLast()
    XCTAssertEqual(recorder.events, ["element a@0: a b 20 → 1", "removal -b1: a"])
  }

  func test_distinct_ofElementsWithoutEquality_isReported_andDelivers() {
    let array = ObservableArray([Opaque()])
    let line: UInt = #line + 2
    let issues = collectingIssues {
      observations.observeArray(array, options: .distinct) { $0.write($2.kind) }
      array.setElements([Opaque()])
    }
    XCTAssertEqual(recorder.events, ["setting"])
    guard
      case .distinctNeedsEquatable(\ObservableArray<Opaque>.elements, #fileID, line)? = issues.first,
      issues.count == 1
    else { return XCTFail("\(issues)") }
  }

  // MARK: Identity

  func test_C17_observedAgain_returnsTheFirstToken_unlessTheContextDiffers() {
    let school = School(students("a"))
    func observe(_ context: ObservationContext? = nil) -> ObservationToken {
      observations.observeArray(
        school, \.students, elements: [\.age], context: context
      ) { recorder, _, change in
        XCTAssertTrue(change.elementChange == nil || change.elementChange?.context == context)
        recorder.write(change)
      }
    }
    let first = observe()
    XCTAssertIdentical(first, observe())
    XCTAssertIdentical(
      first, observations.observeArray(school, \.students, options: .initial) { $0.write($2) })
    let named = observe("a")
    XCTAssertNotIdentical(first, named)
    XCTAssertIdentical(named, observe("a"))
    school.students[0].age = 1
    XCTAssertEqual(recorder.events, Array(repeating: "element a@0: a 20 → 1", count: 2))
    first.invalidate()
    XCTAssertNotIdentical(first, observe())
  }

  @available(*, deprecated, message: "observes the property alone")
  func test_C17_observeAndObserveArray_areSeparate_andUnobservedTogether() {
    let school = School()
    let value = observations.observe(school, \.students) { $0.write($2) }
    let array = observations.observeArray(school, \.students) { $0.write($2) }
    XCTAssertNotIdentical(value, array)
    school.students.append(Student("a"))
    XCTAssertEqual(recorder.takeEvents(), ["insertion +a0: a"])
    school.students = []
    XCTAssertEqual(recorder.takeEvents(), ["[a] → []", "setting -a0: "])
    XCTAssertEqual(dispatcher.observedKeyPaths(of: school), [\School.students])
    XCTAssertEqual(observations.observations.count, 2)
    observations.unobserve(school, \.students)
    XCTAssertFalse(value.isActive || array.isActive)

    let list: ObservableArray = [1]
    observations.observe(list, \.elements) { $0.write($2) }
    observations.observeArray(list) { $0.write($2) }
    list.append(2)
    XCTAssertEqual(recorder.events, ["[1] → [1, 2]", "insertion +21: 1 2"])
  }

  func test_C24_pathThatReadsNothing_isReported_andNotRegistered() {
    final class Mute {
      var list: [Int] = []
      var none: ObservableArray<Int>? { nil }
    }
    let mute = Mute()
    var tokens: [ObservationToken] = []
    let line: UInt = #line + 2
    let issues = collectingIssues {
      tokens.append(observations.observeArray(mute, \.list, options: .initial) { $0.write($2) })
      tokens.append(observations.observeArray(mute, \.none) { $0.write($2) })
    }
    XCTAssertEqual(issues.map(\.keyPath), [\Mute.list, \Mute.none])
    XCTAssertEqual(issues.map(\.line), [line, line + 1])
    for issue in issues {
      guard case .nothingObservable = issue else { return XCTFail("\(issue)") }
    }
    XCTAssertFalse(tokens.contains(where: \.isActive))
    XCTAssertFalse(observations.isObserving(mute, \.list))
    XCTAssertEqual(recorder.events, [])
  }
}
