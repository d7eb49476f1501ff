import ObservationController
import TestSupport
import XCTest

/// Ends of observations of arrays: by deallocation, inside handlers, in deinits.
final class ArrayLifetimeEndTests: TestCase {
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)
  private lazy var weakly = ObservationController(observer: recorder, retainsObserved: false)
  private let keyPaths: [PartialKeyPath<Student>] = [\.age, \.label, \.address?.city]

  // MARK: C12 to C14

  func test_C12_observerDeallocated_alsoDuringADelivery_isNotNotified() {
    let array = ObservableArray(students("a"))
    var observer: SilentObserver? = SilentObserver()
    let observations = ObservationController(observer: observer!)
    for name in ["1", "2"] {
      observations.observeArray(
        array, elements: [\.age], context: ObservationContext(name)
      ) { [recorder] _, array, change in
        recorder.write("\(name) \(change.line)")
        array.removeLast()
        if array.isEmpty { observer = nil }
      }
    }
    array.append(Student("b"))
    XCTAssertEqual(
      recorder.events, ["1 insertion +b1: a b", "2 insertion +b1: a b"])
    array.append(Student("c"))
    XCTAssertEqual(recorder.events.count, 2)
  }

  func test_C13_retainingController_keepsTheObject_andNeitherArrayNorElements() {
    weak var (weakSchool, weakArray): (School?, ObservableArray<Student>?)
    weak var weakStudent: Student?
    scoped {
      let school = School(students("a"))
      (weakSchool, weakArray, weakStudent) = (school, school.students, school.students[0])
      observations.observeArray(school, \.students, elements: keyPaths) { $0.write($2) }
    }
    XCTAssertNotNil(weakSchool)
    weakSchool?.students = []
    XCTAssertNil(weakArray)
    XCTAssertNil(weakStudent)
    observations.unobserve(weakSchool!, \.students)
    XCTAssertNil(weakSchool)
  }

  func test_C13_observerThatObservesItsOwnArray_isNotKept() {
    final class List {
      @Observed var students: ObservableArray<Student> = []
      private(set) lazy var observations = ObservationController(observer: self)
    }
    for isOfProperty in [true, false] {
      assertLeavesNoObservations {
        assertReleased { () -> List in
          let list = List()
          if isOfProperty {
            list.observations.observeArray(list, \.students, elements: keyPaths) { _, _, _ in }
          } else {
            list.observations.observeArray(list.students, elements: keyPaths) { _, _, _ in }
          }
          list.students.append(Student("a"))
          return list
        }
      }
    }
  }

  func test_C14_unretainedOwnerDeallocated_endsItsObservationAtOnce() {
    let array = ObservableArray(students("a"))
    let plain = array.elements
    final class Owner {
      @Observed var array: ObservableArray<Student>
      @Observed var plain: [Student]
      @Observed var school: School?
      init(_ array: ObservableArray<Student>) {
        (self.array, plain, school) = (array, array.elements, School(array.elements))
      }
    }
    var owner: Owner? = Owner(array)
    let school = owner?.school
    let tokens = [
      weakly.observeArray(owner!, \.array, elements: keyPaths) { $0.write($2) },
      weakly.observeArray(owner!, \.plain, elements: keyPaths) { $0.write($2) },
      weakly.observeArray(owner!, \.school?.students, elements: keyPaths) { $0.write($2) },
    ]
    owner = nil
    XCTAssertEqual(tokens.map(\.isActive), [false, false, false])
    array.append(Student("b"))
    school?.students.append(Student("b"))
    plain[0].age = 1
    XCTAssertEqual(recorder.events, [])
  }

  func test_C14_unretainedArrayDeallocated_endsItsObservationAtOnce() {
    let student = Student("a")
    var array: ObservableArray? = [student]
    let tokens = [
      weakly.observeArray(array!, elements: keyPaths) { $0.write($2) },
      weakly.observe(array!, \.count) { $0.write($2) },
    ]
    array = nil
    XCTAssertEqual(tokens[0].isActive, false)
    student.age = 1
    XCTAssertEqual(weakly.observations.count, 0)
    XCTAssertEqual(tokens.map(\.isActive), [false, false])
    XCTAssertEqual(recorder.events, [])
  }

  func test_C14_unretainedOwnerDeallocated_endsPathsOfElements() {
    final class Owner {
      @Observed var students: ObservableArray<Student> = []
      @Derived({ (owner: Owner) in owner.students }) var derived: ObservableArray<Student>
    }
    var owner: Owner? = Owner()
    owner?.students.append(Student("a"))
    let tokens = [[], keyPaths].map {
      weakly.observeArray(owner!, \.derived, elements: $0, context: ObservationContext()) {
        $0.write($2)
      }
    }
    owner = nil
    XCTAssertEqual(tokens.map(\.isActive), [false, false])
    XCTAssertEqual(weakly.observations.count, 0)
  }

  func test_C14_ownerOfAConstantArray_leavesTheTables() {
    let before = ObservationDispatcher.shared.activeObservationCount
    let student = Student("a")
    scoped {
      let school = School()
      school.teachers.append(student)
      weakly.observeArray(school, \.teachers, elements: keyPaths) { $0.write($2) }
    }
    student.age = 1
    XCTAssertEqual(ObservationDispatcher.shared.activeObservationCount, before)
    XCTAssertEqual(recorder.events, [])
  }

  // MARK: C16, C18, C19

  func test_C16_closureEndedInATransaction_afterEdits_isReleasedAtOnce() {
    let array = ObservableArray(students("a"))
    weak var weakHeld: Student?
    let token = scoped {
      let held = Student("held")
      weakHeld = held
      return observations.observeArray(array) { _, _, _ in _ = held }
    }
    withObservationTransaction {
      array.append(Student("b"))
      observations.observeArray(array, context: "later") { recorder, _, change in
        recorder.write(change.line)
      }
      token.invalidate()
      XCTAssertNil(weakHeld)
      array.append(Student("c"))
    }
    XCTAssertEqual(recorder.events, ["batch +c2: a b c"])
  }

  func test_C16_handler_isReleasedWhenItsObservationEnds_howeverItIsEnded() {
    let handlers = LifetimeCounter()
    let school = School(students("a"))
    let ends: [(ObservationToken) -> Void] = [
      { $0.invalidate() }, { [self] _ in weakly.unobserve(school, \.students) },
      { [self] _ in weakly.unobserveAll() },
      { _ in ObservationDispatcher.shared.removeObservations(of: school) },
    ]
    for end in ends {
      let token = weakly.observeArray(
        school, \.students, elements: keyPaths
      ) { [ticket = handlers.makeTicket()] recorder, _, change in
        withExtendedLifetime(ticket) { recorder.write(change) }
      }
      school.students[0].age += 1
      XCTAssertEqual(handlers.count, 1)
      end(token)
      XCTAssertEqual(handlers.count, 0)
    }
  }

  func test_C16_handlerEndedInsideItsOwnDelivery_isReleasedAfterIt() {
    let handlers = LifetimeCounter()
    let array = ObservableArray(students("a"))
    for edit in [{ array.append(Student("b")) }, { array[0].age += 1 }, { array[0].name += "!" }] {
      observations.observeArray(
        array, elements: [\.age, \.label]
      ) { [observations, ticket = handlers.makeTicket()] _, _, _ in
        observations.unobserveAll()
        withExtendedLifetime(ticket) { XCTAssertEqual(handlers.count, 1, "it is running") }
      }
      edit()
      XCTAssertEqual(handlers.count, 0)
    }
  }

  func test_C19_tokenInvalidatedInItsHandler_dropsWaitingChanges() {
    let array = ObservableArray(students("a"))
    var token: ObservationToken?
    token = observations.observeArray(array, elements: [\.age, \.label]) {
      recorder, array, change in
      recorder.write(change)
      array.append(Student("c"))
      array[0].age += 1
      array.performBatchUpdates { array.removeAll() }
      token?.invalidate()
    }
    array.append(Student("b"))
    array.append(Student("d"))
    XCTAssertEqual(recorder.events, ["insertion +b1: a b"])
  }

  func test_C19_controllerDroppedInAHandler_endsAllOfIt() {
    let school = School(students("a"))
    for edit in [
      { school.students.append(Student("b")) }, { school.students[0].age += 1 },
      { school.students = [] },
    ] {
      var own: ObservationController? = ObservationController(observer: recorder)
      for name in ["1", "2"] {
        own?.observeArray(
          school, \.students, elements: [\.age, \.label], context: ObservationContext(name)
        ) { recorder, _, change in
          recorder.write("\(name) \(change.kind)")
          own = nil
        }
      }
      edit()
      XCTAssertNil(own)
    }
    XCTAssertEqual(recorder.events, ["1 insertion", "1 element", "1 setting"])
  }

  // MARK: Deinits

  /// Calls a closure in its `deinit`.
  private final class Mortal: CustomStringConvertible {
    @Observed var age = 0
    let description: String
    var onDeinit: (() -> Void)?

    init(_ name: String, _ onDeinit: (() -> Void)? = nil) {
      description = name
      self.onDeinit = onDeinit
    }

    var label: String { "\(description)\(age)" }

    deinit { onDeinit?() }
  }

  func test_elementThatEditsTheArrayInItsDeinit() {
    for keyPaths: [PartialKeyPath<Mortal>] in [[], [\.age], [\.label]] {
      let array = ObservableArray<Mortal>()
      observations.observeArray(array, elements: keyPaths) { $0.write($2) }
      let edits: [() -> Void] = [
        { array.removeLast() }, { array.remove(at: 0) }, { array[0] = Mortal("n") },
        { array.setElements([]) }, { array.removeAll() }, { array.removeAll { _ in true } },
        { array.performBatchUpdates { array.removeFirst() } },
      ]
      for (index, edit) in edits.enumerated() {
        array.setElements([])
        array.append(Mortal("m") { [unowned array] in array.append(Mortal("late")) })
        recorder.clear()
        edit()
        XCTAssertEqual(array.last?.description, "late", "edit \(index)")
        XCTAssertEqual(
          recorder.events.map { $0.hasPrefix("insertion +late") }, [false, true],
          "edit \(index): \(recorder.events)")
      }
      observations.unobserveAll()
    }
  }

  func test_elementThatReadsTheUnobservedArrayInItsDeinit() {
    let edits: [(ObservableArray<Mortal>) -> Void] = [
      { $0.removeSubrange(0..<1) }, { $0.replaceSubrange(0..<1, with: []) },
      { $0.remove(at: 0) }, { $0.removeFirst() }, { $0.removeAll { $0.description == "m" } },
    ]
    for (index, edit) in edits.enumerated() {
      let array = ObservableArray<Mortal>()
      var count: Int?
      array.append(Mortal("m") { [unowned array] in count = array.count })
      array.append(Mortal("n"))
      edit(array)
      XCTAssertEqual(count, 1, "edit \(index)")
    }
  }

  /// In a build with optimisation, where an edit is freed after its last use.
  func test_C27_elementThatReadsADerivedValueInItsDeinit_findsItUpToDate() {
    final class Part {
      let number: Int
      var atEnd: () -> Void = {}
      init(_ number: Int) { self.number = number }
      deinit { atEnd() }
    }
    final class Crate {
      @Observed var parts: ObservableArray<Part> = []
      @Derived({ (crate: Crate) in crate.parts.reduce(0) { $0 + $1.number } }) var total: Int
    }
    let crate = Crate()
    for edit in [{ crate.parts.setElements([Part(1)]) }, { crate.parts[0] = Part(2) }] {
      scoped {
        let part = Part(3)
        crate.parts = [part]
        XCTAssertEqual(crate.total, 3)
        part.atEnd = { [recorder, unowned crate] in recorder.write("\(crate.total)") }
      }
      edit()
    }
    XCTAssertEqual(recorder.events, ["1", "2"])
  }

  func test_elementDeallocatedByABatch_thatEditsTheArray_deliversInOrder() {
    let array = ObservableArray<Mortal>()
    array.append(Mortal("m") { [unowned array] in array.append(Mortal("late")) })
    observations.observe(array, \.count) { $0.write("count \($2)") }
    observations.observeArray(array) { $0.write($2) }
    array.performBatchUpdates { array.removeFirst() }
    XCTAssertEqual(
      recorder.takeEvents(),
      ["count 1 → 0", "batch -m0: ", "count 0 → 1", "insertion +late0: late"])
    array.append(Mortal("n"))
    XCTAssertEqual(recorder.events, ["count 1 → 2", "insertion +n1: late n"])
  }

  func test_derivedValueThatEditsTheArrayInItsDeinit_deliversInOrder() {
    final class List {
      let items: ObservableArray = [1, 2]
      @Derived({ (list: List) in
        let (items, count) = (list.items, list.items.count)
        return Sentinel { items.append(count) }
      }) var sentinel: Sentinel
    }
    let list = List()
    _ = list.sentinel
    let other = LineRecorder()
    observations.observeArray(list.items, context: "1") { $0.write($2) }
    observations.observeArray(list.items, context: "2") { _, _, change in
      other.write(change)
    }
    list.items.insert(7, at: 0)
    for recorder in [recorder, other] {
      XCTAssertEqual(recorder.events, ["insertion +70: 7 1 2", "insertion +23: 7 1 2 2"])
    }
  }

  func test_elementThatUnobservesInItsDeinit() {
    let array = ObservableArray<Mortal>()
    array.append(Mortal("m") { [unowned self] in observations.unobserveAll() })
    let token = observations.observeArray(array, elements: [\.age, \.label]) { $0.write($2) }
    array.removeAll()
    XCTAssertFalse(token.isActive)
    array.append(Mortal("n"))
    XCTAssertEqual(recorder.events, ["removal -m0: "])
  }

  func test_ownerThatEditsAndUnobservesInItsDeinit_notifiesNoObserver() {
    final class Owner {
      @Observed var students = ObservableArray(students("ab"))
      let observations: ObservationController<LineRecorder>
      init(_ observations: ObservationController<LineRecorder>) { self.observations = observations }
      deinit {
        students.removeFirst()
        students[0].age = 1
        observations.unobserve(self)
        students = []
      }
      private static func students(_ names: String) -> [Student] { names.map { Student("\($0)") } }
    }
    scoped {
      let owner = Owner(weakly)
      weakly.observeArray(owner, \.students, elements: keyPaths) { $0.write($2) }
      owner.students.removeLast()
      owner.students.append(Student("c"))
    }
    XCTAssertEqual(recorder.events, ["removal -b1: a", "insertion +c1: a c"])
    XCTAssertEqual(weakly.observations.count, 0)
  }
}
