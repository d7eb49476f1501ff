import ObservationController
import TestSupport
import XCTest

/// The cases of the helpers for Objective-C arrays: each edit is delivered once, and afterwards
/// each element of the array is observed, at all of its indices, and no other.
///
/// Each case runs without element key paths, with one of a property, with a computed one, and with
/// a property and a nested one.
final class ArrayHelperCasesTests: TestCase {
  private let variants: [[PartialKeyPath<Student>]] = [
    [], [\.age], [\.label], [\.age, \.address?.city],
  ]

  /// - Parameters:
  ///   - names: The initial students; a repeated letter is one student.
  ///   - result: The final students.
  ///   - lines: The deliveries of the edit.
  private func check(
    _ names: String, to result: String, delivering lines: [String],
    file: StaticString = #filePath, line: UInt = #line,
    _ edit: (School, [Character: Student]) -> Void
  ) {
    let countBefore = ObservationDispatcher.shared.activeObservationCount
    for keyPaths in variants {
      let students = Dictionary(
        uniqueKeysWithValues: "abcdef".map { ($0, Student(String($0), city: "London")) })
      let school = School(names.map { students[$0]! })
      let recorder = LineRecorder()
      let observations = ObservationController(observer: recorder)
      var places: [[Int?]] = []
      observations.observeArray(school, \.students, elements: keyPaths) { recorder, _, change in
        if change.kind == .element {
          places.append(change.entries.map(\.newIndex))
        } else {
          recorder.write(change)
        }
      }

      func checkThatElementsFire(_ present: String) {
        for (name, student) in students.sorted(by: { $0.key < $1.key }) {
          places = []
          student.age += 1
          student.address?.city += "!"
          let own = present.enumerated().filter { $0.element == name }.map(\.offset)
          let expected = own.isEmpty ? [] : Array(repeating: own, count: keyPaths.count)
          XCTAssertEqual(places, expected, "\(name) of \(present)", file: file, line: line)
        }
      }
      checkThatElementsFire(names)
      XCTAssertEqual(recorder.events, [], file: file, line: line)
      edit(school, students)
      XCTAssertEqual(recorder.takeEvents(), lines, file: file, line: line)
      XCTAssertEqual(school.students.map(\.name).joined(), result, file: file, line: line)
      checkThatElementsFire(result)
      XCTAssertEqual(recorder.events, [], file: file, line: line)

      observations.unobserveAll()
      checkThatElementsFire("")
    }
    XCTAssertEqual(
      ObservationDispatcher.shared.activeObservationCount, countBefore, file: file, line: line)
  }

  // MARK: Setting

  func test_property_setToAnEmptyArray_isASetting() {
    check("abc", to: "", delivering: ["setting -a0 -b1 -c2: "]) { school, _ in school.students = []
    }
  }

  func test_property_setToAnArrayWithSharedElements_isASetting() {
    check("abc", to: "cd", delivering: ["setting -a0 +c0 -b1 +d1 -c2: c d"]) { school, students in
      school.students = [students["c"]!, students["d"]!]
    }
  }

  func test_setElements_toNone_isASetting() {
    check("abc", to: "", delivering: ["setting -a0 -b1 -c2: "]) { school, _ in
      school.students.setElements([])
    }
  }

  func test_setElements_ofAnEmptyArray_isASetting() {
    check("", to: "aba", delivering: ["setting +a0 +b1 +a2: a b a"]) { school, students in
      school.students.setElements("aba".map { students[$0]! })
    }
  }

  // MARK: Inserting

  func test_append_isAnInsertion() {
    check("", to: "a", delivering: ["insertion +a0: a"]) { $0.students.append($1["a"]!) }
    check("ab", to: "abc", delivering: ["insertion +c2: a b c"]) { $0.students.append($1["c"]!) }
  }

  func test_append_ofAnElementOfTheArray_isAnInsertion() {
    check("ab", to: "aba", delivering: ["insertion +a2: a b a"]) { $0.students.append($1["a"]!) }
  }

  func test_append_ofSeveral_isOneInsertion() {
    check("ab", to: "abcd", delivering: ["insertion +c2 +d3: a b c d"]) { school, students in
      school.students.append(contentsOf: [students["c"]!, students["d"]!])
    }
  }

  func test_insert_atTheBeginning_middleAndEnd_isAnInsertion() {
    let expected = [("cab", "+c0: c a b"), ("acb", "+c1: a c b"), ("abc", "+c2: a b c")]
    for (index, (result, line)) in expected.enumerated() {
      check("ab", to: result, delivering: ["insertion \(line)"]) { school, students in
        school.students.insert(students["c"]!, at: index)
      }
    }
  }

  func test_insert_ofSeveral_isOneInsertion() {
    check("ab", to: "acdb", delivering: ["insertion +c1 +d2: a c d b"]) { school, students in
      school.students.insert(contentsOf: [students["c"]!, students["d"]!], at: 1)
    }
  }

  // MARK: Removing

  func test_removeLast_andFirst_areRemovals() {
    check("abc", to: "ab", delivering: ["removal -c2: a b"]) { school, students in
      XCTAssertIdentical(school.students.removeLast(), students["c"])
    }
    check("abc", to: "bc", delivering: ["removal -a0: b c"]) { school, students in
      XCTAssertIdentical(school.students.removeFirst(), students["a"])
    }
  }

  func test_removeAt_isARemoval() {
    check("abc", to: "ac", delivering: ["removal -b1: a c"]) { school, students in
      XCTAssertIdentical(school.students.remove(at: 1), students["b"])
    }
  }

  func test_removeAll_isOneRemoval() {
    check("abc", to: "", delivering: ["removal -a0 -b1 -c2: "]) { school, _ in
      school.students.removeAll()
    }
  }

  func test_remove_ofARepeatedObject_removesEveryOccurrence() {
    check("abcb", to: "ac", delivering: ["removal -b1 -b3: a c"]) { $0.students.remove($1["b"]!) }
  }

  func test_removeAt_ofARepeatedObject_isFollowedUntilTheLastRemoval() {
    check("abcb", to: "acb", delivering: ["removal -b1: a c b"]) { school, _ in
      school.students.remove(at: 1)
    }
    check("abcb", to: "abc", delivering: ["removal -b3: a b c"]) { school, _ in
      school.students.removeLast()
    }
    check("bb", to: "", delivering: ["removal -b0: b", "removal -b0: "]) { school, _ in
      school.students.removeFirst()
      school.students.removeFirst()
    }
  }

  // MARK: Replacing and exchanging

  func test_replace_isAReplacement() {
    check("abc", to: "adc", delivering: ["replacement -b1 +d1: a d c"]) { school, students in
      school.students[1] = students["d"]!
    }
  }

  func test_replace_byItself_andByANeighbour_isAReplacement() {
    check("abc", to: "abc", delivering: ["replacement -b1 +b1: a b c"]) { school, students in
      school.students[1] = students["b"]!
    }
    check("abc", to: "acc", delivering: ["replacement -b1 +c1: a c c"]) { school, students in
      school.students[1] = students["c"]!
    }
  }

  func test_replace_ofSeveral_isOneReplacement() {
    check("abcd", to: "aed", delivering: ["replacement -b1 +e1 -c2: a e d"]) { school, students in
      school.students.replaceSubrange(1...2, with: [students["e"]!])
    }
  }

  func test_exchange_isAMove() {
    check("abcd", to: "dbca", delivering: ["move a0→3 d3→0: d b c a"]) { school, _ in
      school.students.swapAt(0, 3)
    }
    check("abab", to: "aabb", delivering: ["move b1→2 a2→1: a a b b"]) { school, _ in
      school.students.swapAt(2, 1)
    }
  }

  func test_move_isAMove() {
    check("abcd", to: "bcad", delivering: ["move a0→2: b c a d"]) { school, _ in
      school.students.move(from: 0, to: 2)
    }
  }

  // MARK: Sharing

  func test_twoObjectsThatShareOneArray_deliverOnceEach() {
    let shared = ObservableArray(students("ab"))
    let (first, second) = (School(), School())
    first.students = shared
    second.students = shared
    let recorder = LineRecorder()
    let observations = ObservationController(observer: recorder)
    for school in [first, second] {
      observations.observeArray(school, \.students, elements: [\.age]) {
        recorder, observed, change in
        XCTAssertIdentical(observed, school)
        recorder.write("\(school === first ? "first" : "second") \(change.line)")
      }
    }
    shared.removeLast()
    first.students.append(Student("c"))
    second.students[1].age = 30
    XCTAssertEqual(
      recorder.takeEvents(),
      [
        "first removal -b1: a", "second removal -b1: a",
        "first insertion +c1: a c", "second insertion +c1: a c",
        "first element c@1: a c 20 → 30", "second element c@1: a c 20 → 30",
      ])

    // One takes another array: from here on each has its own.
    first.students = []
    shared.removeAll()
    XCTAssertEqual(recorder.events, ["first setting -a0 -c1: ", "second removal -a0 -c1: "])
  }
}
