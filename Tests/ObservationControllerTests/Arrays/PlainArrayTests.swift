import ObservationController
import TestSupport
import XCTest

/// `observeArray` on plain arrays: changes are found by comparing elements.
final class PlainArrayTests: TestCase {
  private let cart = Cart()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  // MARK: Assignments

  func test_assignments_areDeliveredAsTheSmallestChange() {
    cart.numbers = [1, 2, 3]
    observations.observeArray(cart, \.numbers, options: .old) { recorder, delivered, change in
      XCTAssertEqual(delivered.numbers, change.elements)
      recorder.write(change)
    }
    cart.numbers = [1, 2, 3, 4]
    cart.numbers = [1, 3, 4]
    cart.numbers = [1, 5, 4]
    cart.numbers = [4, 5, 1]
    cart.numbers = [5, 1, 4]
    cart.numbers = [6, 5, 4]
    cart.numbers = []
    cart.numbers = [7, 7]
    XCTAssertEqual(
      recorder.events,
      [
        "insertion +43: 1 2 3 4 (was 1 2 3)", "removal -21: 1 3 4 (was 1 2 3 4)",
        "replacement -31 +51: 1 5 4 (was 1 3 4)", "move 10→2 42→0: 4 5 1 (was 1 5 4)",
        "move 40→2: 5 1 4 (was 4 5 1)", "batch +60 -11: 6 5 4 (was 5 1 4)",
        "removal -60 -51 -42:  (was 6 5 4)", "insertion +70 +71: 7 7 (was )",
      ])
  }

  func test_mutationsInPlace_areDeliveredAsTheirEdits() {
    cart.numbers = [1, 2, 3, 4]
    observations.observeArray(cart, \.numbers) { $0.write($2) }
    cart.numbers.append(5)
    cart.numbers.insert(9, at: 1)
    cart.numbers.removeFirst()
    cart.numbers[1] = 8
    cart.numbers.swapAt(0, 4)
    cart.numbers.sort()
    cart.numbers += [6, 7]
    cart.numbers.removeAll { $0.isMultiple(of: 2) }
    XCTAssertEqual(
      recorder.events,
      [
        "insertion +54: 1 2 3 4 5", "insertion +91: 1 9 2 3 4 5", "removal -10: 9 2 3 4 5",
        "replacement -21 +81: 9 8 3 4 5", "move 90→4 54→0: 5 8 3 4 9", "move 32→0 43→1: 3 4 5 8 9",
        "insertion +65 +76: 3 4 5 8 9 6 7", "removal -41 -83 -65: 3 5 9 7",
      ])
  }

  func test_C5_derivedArray_firstObservedWhileItsSourceIsMutated_isEdited() {
    let lines = Lines()
    XCTAssertEqual(lines.doubled, [2, 4])
    func append(to numbers: inout [Int]) {
      observations.observeArray(lines, \.doubled, options: [.initial, .old]) { $0.write($2) }
      XCTAssertEqual(recorder.takeEvents(), ["initial +20 +41: 2 4"])
      numbers.append(3)
    }
    append(to: &lines.numbers)
    XCTAssertEqual(recorder.takeEvents(), ["insertion +62: 2 4 6 (was 2 4)"])
    lines.numbers.append(4)
    XCTAssertEqual(recorder.takeEvents(), ["insertion +83: 2 4 6 8 (was 2 4 6)"])
  }

  func test_equalElements_areMatchedInTheirOrder() {
    cart.numbers = [1, 1, 2]
    observations.observeArray(cart, \.numbers) { $0.write($2) }
    cart.numbers = [1, 2]
    cart.numbers = [1, 1, 2, 1]
    XCTAssertEqual(recorder.events.count, 2)
    XCTAssertEqual(recorder.events.map { $0.prefix(7) }, ["removal", "inserti"])
  }

  func test_equalAssignment_isABatchWithoutEntries_unlessDistinct() {
    cart.numbers = [1, 2]
    observations.observeArray(cart, \.numbers) { $0.write($2) }
    observations.observeArray(cart, \.numbers, options: .distinct, context: "distinct") {
      $0.write("distinct \($2.line)")
    }
    cart.numbers = [1, 2]
    XCTAssertEqual(recorder.takeEvents(), ["batch: 1 2"])
    cart.numbers = [1]
    XCTAssertEqual(recorder.events, ["removal -21: 1", "distinct removal -21: 1"])
  }

  func test_objects_areComparedByIdentity_evenIfEqual() {
    final class Token: Equatable, CustomStringConvertible {
      let description = "t"
      static func == (left: Token, right: Token) -> Bool { true }
    }
    final class Box {
      @Observed var tokens: [Token] = []
    }
    let box = Box()
    let (first, second) = (Token(), Token())
    box.tokens = [first]
    observations.observeArray(box, \.tokens) { $0.write($2) }
    box.tokens = [first, second]
    box.tokens = [second, first]
    box.tokens = [second, Token()]
    box.tokens = [box.tokens[0], box.tokens[1]]
    XCTAssertEqual(
      recorder.events,
      ["insertion +t1: t t", "move t1→0: t t", "replacement -t1 +t1: t t", "batch: t t"])
  }

  func test_elementsThatAreNeither_areReportedOnce_andEachChangeIsASetting() {
    let line: UInt = #line + 2
    let issues = collectingIssues {
      observations.observeArray(cart, \.opaque, options: .initial) {
        $0.write("\($2.kind) \($2.entries.count)")
      }
      cart.opaque.append(Opaque())
      cart.opaque.append(Opaque())
      cart.opaque = []
    }
    XCTAssertEqual(recorder.events.dropFirst(), ["setting 1", "setting 3", "setting 2"])
    guard case .elementsNotHashable(\Cart.opaque, #fileID, line)? = issues.first, issues.count == 1
    else { return XCTFail("\(issues)") }
    let text = issues[0].description
    XCTAssertTrue(text.hasPrefix("\(#fileID):\(line): "), text)
    XCTAssertTrue(text.contains("make the type Hashable, or use an ObservableArray"), text)
  }

  // MARK: Elements

  func test_elementsOfAPlainArray_areFollowed() {
    let (a, b, c) = (Student("a", city: "A"), Student("b"), Student("c"))
    cart.students = [a, b]
    observations.observeArray(
      cart, \.students, elements: [\.age, \.label, \.address?.city], options: .initial
    ) { $0.write($2) }
    b.age = 1
    XCTAssertEqual(
      recorder.takeEvents(),
      ["initial +a0 +b1: a b", "element b@1: a b 20 → 1", "element b@1: a b b20 → b1"])
    cart.students = [b, c, a]
    a.address?.city = "B"
    cart.students.remove(at: 1)
    c.age = 2
    cart.students.append(b)
    b.name = "d"
    XCTAssertEqual(
      recorder.events,
      [
        "batch b1→0 +c1: b c a", #"element a@2: b c a Optional("A") → Optional("B")"#,
        "removal -c1: b a", "insertion +b2: b a b", "element d@0 d@2: d a d b1 → d1",
      ])
  }

  func test_positionsAreRight_alsoInsideHandlers() {
    let (a, b, c) = (Student("a"), Student("b"), Student("c"))
    cart.students = [a, b]
    observations.observeArray(cart, \.students, elements: [\.age]) { recorder, cart, change in
      recorder.write(change)
      XCTAssertEqual(change.elements.map(\.name), cart.students.map(\.name))
      if change.kind == .insertion, change.elements.count == 3 { a.age = 1 }
      if change.kind == .element, a.age == 1 { cart.students.removeFirst() }
      if change.kind == .removal { a.age = 2 }
    }
    cart.students.insert(c, at: 0)
    XCTAssertEqual(
      recorder.events,
      [
        "insertion +c0: c a b", "element a@1: c a b 20 → 1", "removal -c0: a b",
        "element a@0: a b 1 → 2",
      ])
  }

  /// Three changes that wait: each is delivered with the array at its moment.
  func test_assignmentsInsideAHandler_areDeliveredInTheirOrder() {
    cart.numbers = [1]
    observations.observeArray(cart, \.numbers, options: .old) { recorder, cart, change in
      if change.elements == [1, 2] {
        cart.numbers = [2]
        cart.numbers = [2, 3]
      }
      recorder.write("a \(change.line)")
    }
    observations.observeArray(cart, \.numbers, options: .old, context: "b") {
      $0.write("b \($2.line)")
    }
    cart.numbers.append(2)
    let lines = [
      "insertion +21: 1 2 (was 1)", "removal -10: 2 (was 1 2)", "insertion +31: 2 3 (was 2)",
    ]
    XCTAssertEqual(recorder.events, lines.flatMap { ["a \($0)", "b \($0)"] })
  }

  // MARK: Paths

  func test_optionalArray_countsAsEmptyWhereThereIsNone() {
    let (a, b) = (Student("a"), Student("b"))
    observations.observeArray(cart, \.guests, elements: [\.age], options: [.initial, .old]) {
      $0.write($2)
    }
    cart.guests = [a]
    cart.guests?.append(b)
    b.age = 1
    cart.guests = nil
    b.age = 2
    cart.guests = []
    XCTAssertEqual(
      recorder.events,
      [
        "initial: ", "insertion +a0: a (was )", "insertion +b1: a b (was a)",
        "element b@1: a b (was a b) 20 → 1", "removal -a0 -b1:  (was a b)", "batch:  (was )",
      ])
  }

  func test_computedArray_isComparedAsAWhole() {
    cart.numbers = [1, 2, 3]
    observations.observeArray(cart, \.shown) { $0.write($2) }
    cart.isReversed = true
    cart.numbers.append(4)
    cart.isReversed = true
    XCTAssertEqual(
      recorder.events, ["move 10→2 32→0: 3 2 1", "insertion +40: 4 3 2 1", "batch: 4 3 2 1"])
  }

  func test_derivedArray_whoseSourcesStayEqual_notifiesNoObserver() {
    let group = Group(students("ab"))
    observations.observeArray(group, \.adults) { $0.write($2) }
    group.months += 1
    XCTAssertEqual(recorder.takeEvents(), [])
    group.students[1].age = 17
    XCTAssertEqual(recorder.events, ["removal -b1: a"])
  }

  func test_elementChangedBeforeADerivedArrayThatStaysEqual_isDelivered() {
    let group = Group(students("ab"))
    observations.observeArray(group, \.adults, elements: [\.name]) { $0.write($2) }
    group.months += 1
    observations.observe(group, \.months.description, options: .prior) { _, group, change in
      if change.isPrior { group.students[0].name += "!" }
    }
    recorder.clear()
    group.months += 1
    XCTAssertEqual(recorder.events, ["element a!@0: a! b a → a!"])
  }

  func test_pathToObservableArrayElements_isAPlainArray() {
    let school = School(students("a"))
    observations.observeArray(school, \.students.elements, elements: [\.age]) { $0.write($2) }
    school.students.append(Student("b"))
    school.students[1].age = 1
    school.students = ObservableArray([school.students[1]])
    XCTAssertEqual(
      recorder.events, ["insertion +b1: a b", "element b@1: a b 20 → 1", "removal -a0: b"])
  }

  // MARK: At random

  func test_randomAssignments_replayToTheArray_asValuesAndAsObjects() {
    for seed in seeds(quick: 5, full: 100) {
      var generator = SeededGenerator(seed: seed)
      observations.unobserveAll()
      let shelf = TileShelf()
      let tiles = (0..<12).map { Tile("\($0)") }
      let numbers = ArrayReplay<Int>([], hasOld: true)
      let objects = ArrayReplay<Tile>([])
      observations.observeArray(shelf, \.numbers, options: .old) { numbers.receive($2) }
      observations.observeArray(shelf, \.spares, elements: [\.rank, \.weight]) {
        objects.receive($2)
      }
      for round in 0..<60 {
        var next = shelf.numbers
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: next.shuffle(using: &generator)
        case 1: next = (0..<Int.random(in: 0..<9, using: &generator)).map { $0 % 7 }
        case 2: next.removeAll { _ in Bool.random(using: &generator) }
        case 3 where !next.isEmpty:
          next.swapAt(next.indices.randomElement(using: &generator)!, 0)
        default:
          next.insert(
            Int.random(in: 0..<12, using: &generator),
            at: Int.random(in: 0...next.count, using: &generator))
        }
        shelf.numbers = next
        shelf.spares = next.map { tiles[$0] }
        let changed = tiles[Int.random(in: 0..<12, using: &generator)]
        changed.rank += 1
        XCTAssertEqual(numbers.elements, next)
        XCTAssertEqual(objects.elements, shelf.spares)
        XCTAssertEqual(numbers.takeChanges().count, 1)
        let isThere = shelf.spares.contains(changed)
        XCTAssertEqual(
          objects.takeChanges().map(\.kind).dropFirst(), isThere ? [.element, .element] : [])
        guard numbers.flaws.isEmpty, objects.flaws.isEmpty else {
          return XCTFail("round \(round): \(numbers.flaws + objects.flaws)")
        }
      }
    }
  }
}

/// Derives an array of a derived limit, which stays equal for most changes of its source.
private final class Group {
  @Observed var students: [Student]
  @Observed var months = 12 * 18
  @Derived({ (group: Group) in group.months / 12 }) var years: Int
  @Derived({ (group: Group) in group.students.filter { $0.age >= group.years } })
  var adults: [Student]

  init(_ students: [Student]) {
    self.students = students
  }
}

private final class Lines {
  @Observed var numbers = [1, 2]
  @Derived({ (lines: Lines) in lines.numbers.map { $0 * 2 } }) var doubled: [Int]
}
