import ObservationController
import TestSupport
import XCTest

/// Live views: their changes when the source changes. Refusals and lifetimes are in
/// `ArrayViewUseTests`.
final class ArrayViewTests: TestCase {
  private let source = ObservableArray<Student>()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  /// Appends a student for each letter: a lower-case one is 20 years old, an upper-case one 10.
  private func fill(_ letters: String) {
    source.append(contentsOf: letters.map(student))
  }

  private func student(_ letter: Character) -> Student {
    let student = Student(String(letter))
    if letter.isUppercase { student.age = 10 }
    return student
  }

  /// The students of at least 18 years.
  private func adults() -> ObservableArray<Student> {
    source.filtered(on: [\.age]) { $0.age >= 18 }
  }

  private func byAge() -> ObservableArray<Student> {
    source.sorted(on: [\.age]) { $0.age < $1.age }
  }

  /// Checks the deliveries of `view` while `edit` runs.
  private func check<Element>(
    _ view: ObservableArray<Element>, delivers lines: [String],
    file: StaticString = #filePath, line: UInt = #line, when edit: () -> Void
  ) {
    let token = observations.observeArray(view, options: .old) { $0.write($2) }
    edit()
    token.invalidate()
    XCTAssertEqual(recorder.takeEvents(), lines, file: file, line: line)
  }

  // MARK: Filtered

  func test_filtered_editsOfTheSource_areTheSmallestChangeOfTheView() {
    fill("aBcD")
    let view = adults()
    XCTAssertEqual(view.map(\.name), ["a", "c"])
    check(view, delivers: ["insertion +e2: a c e (was a c)"]) { source.append(student("e")) }
    check(view, delivers: []) { source.append(student("F")) }
    check(view, delivers: ["insertion +g1: a g c e (was a c e)"]) {
      source.insert(contentsOf: [student("g"), student("H")], at: 1)
    }
    check(view, delivers: []) { source.remove(at: 2) }
    check(view, delivers: ["removal -a0: g c e (was a g c e)"]) { source.removeFirst() }
    check(view, delivers: ["replacement -g0 +i0: i c e (was g c e)"]) { source[0] = student("i") }
    check(view, delivers: ["removal -i0: c e (was i c e)"]) { source[0] = student("J") }
    check(view, delivers: []) { source[0] = student("K") }
    check(view, delivers: ["insertion +l0: l c e (was c e)"]) { source[0] = student("l") }
    XCTAssertEqual(source.map(\.name), ["l", "B", "c", "D", "e", "F"])
    check(view, delivers: ["move l0→1: c l e (was l c e)"]) { source.swapAt(0, 2) }
    check(view, delivers: []) { source.swapAt(0, 1) }
    check(view, delivers: []) { source.swapAt(3, 5) }
    check(view, delivers: ["move c0→2: l e c (was c l e)"]) { source.move(from: 1, to: 5) }
    check(view, delivers: ["removal -l0 -e1: c (was l e c)"]) { source.removeSubrange(..<4) }
    check(view, delivers: ["setting -c0 +m0: m (was c)"]) {
      source.setElements([student("m"), student("N")])
    }
    check(view, delivers: ["removal -m0:  (was m)"]) { source.removeAll() }
    check(view, delivers: ["setting:  (was )"]) { source.setElements([]) }
  }

  func test_filtered_elementThatChanges_isInsertedOrRemoved_orKept() {
    fill("aBcDe")
    let view = adults()
    check(view, delivers: ["insertion +B1: a B c e (was a c e)"]) { source[1].age = 18 }
    check(view, delivers: ["insertion +D3: a B c D e (was a B c e)"]) { source[3].age = 19 }
    check(view, delivers: []) { source[3].age = 20 }
    check(view, delivers: []) { source[3].name = "d" }
    check(view, delivers: ["removal -a0: B c d e (was a B c d e)"]) { source[0].age = 1 }
    check(view, delivers: []) { source[0].age = 2 }
    check(view, delivers: ["removal -e3: B c d (was B c d e)"]) { source[4].age = 3 }
  }

  func test_filtered_elementThatOccursTwice_isInsertedAndRemovedInOneChange() {
    source.append(contentsOf: students("aba"))
    let view = adults()
    check(view, delivers: ["removal -a0 -a2: b (was a b a)"]) { source[0].age = 1 }
    check(view, delivers: []) { source[0].age = 2 }
    check(view, delivers: ["insertion +a0 +a2: a b a (was b)"]) { source[0].age = 30 }
    check(view, delivers: ["removal -a2: a b (was a b a)"]) { source.removeLast() }
  }

  func test_filtered_onNoProperty_evaluatesEachElementOnce() {
    fill("aB")
    let asked = LineRecorder()
    let view = source.filtered(on: []) {
      asked.write($0.name)
      return $0.age >= 18
    }
    source[1].age = 30
    XCTAssertEqual(view.map(\.name), ["a"])
    source.append(student("c"))
    source.removeFirst()
    source.swapAt(0, 1)
    XCTAssertEqual(asked.events, ["a", "B", "c"])
  }

  func test_filtered_elementsThatMovePastHiddenOnes_deliverNothing() {
    for letters in ["abDC", "abCDE", "aCbDE"] {
      source.setElements([])
      fill(letters)
      let view = adults()
      XCTAssertEqual(view.map(\.name), ["a", "b"])
      check(view, delivers: []) { source.sort { $0.age < $1.age } }
      XCTAssertEqual(source.suffix(2).map(\.name), ["a", "b"])
      check(view, delivers: []) {
        source.performBatchUpdates { source.move(from: 0, to: source.count - 1) }
      }
    }
  }

  // MARK: Sorted

  private func fill(_ ages: KeyValuePairs<String, Int>) {
    for (name, age) in ages {
      source.append(Student(name))
      source.last?.age = age
    }
  }

  func test_sorted_editsOfTheSource_areMadeAtSortedIndices() {
    fill(["a": 30, "b": 10, "c": 20])
    let view = byAge()
    XCTAssertEqual(view.map(\.name), ["b", "c", "a"])
    check(view, delivers: ["insertion +d1: b d c a (was b c a)"]) {
      let student = Student("d")
      student.age = 15
      source.append(student)
    }
    check(view, delivers: ["removal -c2: b d a (was b d c a)"]) { source.remove(at: 2) }
    check(view, delivers: []) { source.swapAt(0, 2) }
    check(view, delivers: []) { source.sort { $0.name < $1.name } }
    check(view, delivers: ["replacement -a2 +e2: b d e (was b d a)"]) {
      let student = Student("e")
      student.age = 40
      source[0] = student
    }
    check(view, delivers: ["setting -b0 +x0 -d1 -e2: x (was b d e)"]) {
      source.setElements([Student("x")])
    }
  }

  func test_sorted_elementThatChanges_moves_ifItsOrderChanges() {
    fill(["a": 10, "b": 20, "c": 30])
    let view = byAge()
    check(view, delivers: ["move a0→1: b a c (was a b c)"]) { source[0].age = 25 }
    check(view, delivers: []) { source[0].age = 22 }
    check(view, delivers: []) { source[0].name = "A" }
    check(view, delivers: ["move c2→0: c b A (was b A c)"]) { source[2].age = 1 }
    check(view, delivers: ["move c0→2: b A c (was c b A)"]) { source[2].age = 99 }
  }

  func test_sorted_ties_keepTheOrderOfTheSource() {
    fill(["a": 20, "b": 20, "c": 20, "d": 10])
    let view = byAge()
    XCTAssertEqual(view.map(\.name), ["d", "a", "b", "c"])
    check(view, delivers: ["insertion +e2: d a e b c (was d a b c)"]) {
      source.insert(Student("e"), at: 1)
    }
    check(view, delivers: ["move d0→4: a e b c d (was d a e b c)"]) { source[4].age = 20 }
    check(view, delivers: ["move e1→0: e a b c d (was a e b c d)"]) { source[1].age = 1 }
    check(view, delivers: ["move e0→1: a e b c d (was e a b c d)"]) { source[1].age = 20 }
    check(view, delivers: ["move a0→4 d4→0: d e b c a (was a e b c d)"]) { source.swapAt(0, 4) }
    check(view, delivers: ["move d0→4: e b c a d (was d e b c a)"]) { source.move(from: 0, to: 4) }
  }

  func test_sorted_elementThatOccursTwice_movesInOneChange() {
    source.append(contentsOf: students("aba"))
    source[1].age = 10
    let view = source.sorted(on: [\.age, \.name]) { $0.age < $1.age }
    XCTAssertEqual(view.map(\.name), ["b", "a", "a"])
    check(view, delivers: []) { source[0].age = 30 }
    check(view, delivers: []) { source[0].name = "x" }
    check(view, delivers: ["move x1→0 x2→1: x x b (was b x x)"]) { source[0].age = 1 }
  }

  // MARK: Mapped

  func test_mapped_editsOfTheSource_transformOnlyNewElements() {
    fill("ab")
    let made = LineRecorder()
    let view = source.mapped(on: [\.name]) { student -> String in
      made.write(student.name)
      return student.name.uppercased()
    }
    check(view, delivers: ["insertion +C1: A C B (was A B)"]) { source.insert(student("c"), at: 1) }
    check(view, delivers: ["move A0→2 B2→0: B C A (was A C B)"]) { source.swapAt(0, 2) }
    check(view, delivers: ["removal -B0: C A (was B C A)"]) { source.removeFirst() }
    check(view, delivers: ["replacement -A1 +D1: C D (was C A)"]) { source[1] = student("d") }
    XCTAssertEqual(made.events, ["a", "b", "c", "d"])
    check(view, delivers: ["setting -C0 +E0 -D1: E (was C D)"]) {
      source.setElements([student("e")])
    }
  }

  func test_mapped_elementThatChanges_isReplaced_unlessItsImageIsEqual() {
    source.append(contentsOf: students("aba"))
    let view = source.mapped(on: [\.name, \.age]) { $0.name.uppercased() }
    check(view, delivers: ["replacement -B1 +X1: A X A (was A B A)"]) { source[1].name = "x" }
    check(view, delivers: []) { source[1].name = "X" }
    check(view, delivers: []) { source[0].age = 1 }
    check(view, delivers: ["replacement -A0 +C0 -A2 +C2: C X C (was A X A)"]) {
      source[0].name = "c"
    }
  }

  func test_mapped_imageThatIsEqualAndDiffers_isReplaced() {
    struct Row: Hashable {
      let id: Int
      let title: String
      static func == (left: Row, right: Row) -> Bool { left.id == right.id }
      func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }
    func check<Image>(
      _ image: @escaping (Student) -> Image, _ title: (Image) -> String, line: UInt = #line
    ) {
      source.setElements(students("ab"))
      let view = source.mapped(on: [\.name], image)
      let longer = view.mapped(on: []) { $0 }
      source[1].name = "c"
      source[0].name = "d"
      XCTAssertEqual(view.map(title), ["d", "c"], line: line)
      XCTAssertEqual(longer.map(title), ["d", "c"], line: line)
    }
    check({ Row(id: 1, title: $0.name) }, { $0.title })
    check({ Row(id: 1, title: $0.name) as Row? }, { $0!.title })
    check({ [Row(id: 1, title: $0.name)] }, { $0[0].title })
    check({ [1: Row(id: 1, title: $0.name)] }, { $0[1]!.title })
    check({ Set([Row(id: 1, title: $0.name)]) }, { $0.first!.title })
    check({ Row(id: 1, title: $0.name) as any Hashable }, { ($0 as! Row).title })
  }

  func test_mapped_toValuesWithoutEquality_isReplacedEachTime() {
    fill("a")
    let view = source.mapped(on: [\.age]) { _ in Opaque() }
    check(view, delivers: ["replacement -Opaque()0 +Opaque()0: Opaque() (was Opaque())"]) {
      source[0].age = 20
    }
  }

  // MARK: Chains and batches

  func test_chain_followsFromLinkToLink() {
    fill("dBac")
    let view = adults().sorted(on: [\.name]) { $0.name < $1.name }.mapped(on: [\.name]) { $0.name }
    XCTAssertEqual(view.elements, ["a", "c", "d"])
    check(view, delivers: ["insertion +B0: B a c d (was a c d)"]) { source[1].age = 30 }
    // Each link follows the name by itself: the new place first, then the new image.
    check(
      view,
      delivers: ["move B0→3: a c d B (was B a c d)", "replacement -B3 +e3: a c d e (was a c d B)"]
    ) { source[1].name = "e" }
    check(view, delivers: ["removal -a0: c d e (was a c d e)"]) { source.remove(at: 2) }
    check(view, delivers: ["setting -c0 -d1 -e2:  (was c d e)"]) { source.setElements([]) }
  }

  func test_batchOfTheSource_isOneChangeOfTheView() {
    fill("aBc")
    let (filtered, sorted) = (adults(), source.sorted(on: [\.name]) { $0.name > $1.name })
    observations.observeArray(filtered) { $0.write("filtered \($2.line)") }
    observations.observeArray(sorted) { $0.write("sorted \($2.line)") }
    source.performBatchUpdates {
      source.removeFirst()
      source.append(student("d"))
      source.append(student("E"))
      XCTAssertEqual(filtered.map(\.name), ["a", "c"])
    }
    XCTAssertEqual(
      recorder.takeEvents(),
      ["filtered batch -a0 +d1: c d", "sorted batch +d0 -a1 +E2: d c E B"])
    source.performBatchUpdates {
      source.append(student("F"))
      source.swapAt(0, 1)
    }
    XCTAssertEqual(recorder.events, ["sorted insertion +F2: d c F E B"])
  }

  func test_elementsThatChangeInABatch_standWhereTheyBelongAfterIt() {
    for (changed, age, new) in [(0, 100, 25), (2, 1, 15), (1, 100, 25), (3, 0, 5)] {
      source.setElements([])
      fill(["a": 10, "b": 20, "c": 30, "d": 40])
      let (view, filtered) = (byAge(), adults())
      source.performBatchUpdates {
        source[changed].age = age
        source.append(Student("e"))
        source.last?.age = new
      }
      XCTAssertEqual(view.map(\.age), source.map(\.age).sorted(), "\(changed) to \(age)")
      XCTAssertEqual(filtered.map(\.age), source.map(\.age).filter { $0 >= 18 })
    }
  }

  /// The second change of the property waits for its turn while the source is edited.
  func test_C7_elementChangedByItsHandler_whichEditsTheSource_isInOrder() {
    fill(["a": 10, "b": 20, "c": 30, "d": 40])
    let view = byAge()
    let replay = ArrayReplay(view.map(\.name))
    let names = view.mapped(on: []) { $0.name }
    observations.observeArray(names) { replay.receive($2) }
    observations.observe(source[2], \.age) { [source] _, student, change in
      guard change.newValue == 31 else { return }
      student.age = 1
      source.append(Student("e"))
      source.last?.age = 15
    }
    source[2].age = 31
    XCTAssertEqual(view.map(\.age), [1, 10, 15, 20, 40])
    XCTAssertEqual(replay.elements, ["c", "a", "e", "b", "d"])
    XCTAssertEqual(replay.flaws, [])
  }
}
