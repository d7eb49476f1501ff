import ObservationController
import TestSupport
import XCTest

/// `performBatchUpdates`: many edits, one change. Observers added and removed in the middle of one
/// are in `ArrayBatchObserverTests`.
final class ArrayBatchTests: TestCase {
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  /// The deliveries of an array of these letters while `body` runs.
  private func deliveries(
    of letters: String, options: ObservationOptions = [],
    _ body: (ObservableArray<Character>) -> Void
  ) -> [String] {
    let array = ObservableArray(letters)
    let replay = ArrayReplay(Array(letters), hasOld: options.contains(.old))
    let token = observations.observeArray(array, options: options) {
      replay.receive($2)
      $0.write($2)
    }
    body(array)
    token.invalidate()
    XCTAssertEqual(replay.flaws, [])
    XCTAssertEqual(replay.elements, array.elements)
    return recorder.takeEvents()
  }

  // MARK: One change

  func test_edits_areOneBatch_fromBeforeToAfter() {
    XCTAssertEqual(
      deliveries(of: "abc", options: .old) { array in
        array.performBatchUpdates {
          array.remove(at: 1)
          array.append("d")
          array.insert("e", at: 0)
          array[1] = "f"
        }
      },
      ["batch -a0 +e0 -b1 +f1 +d3: e f c d (was a b c)"])
    XCTAssertEqual(
      deliveries(of: "abcd") { array in
        array.performBatchUpdates {
          array.swapAt(0, 3)
          array.move(from: 1, to: 2)
        }
      },
      ["batch b1→2 c2→1 d3→0: d c b a"])
    XCTAssertEqual(
      deliveries(of: "ba") { array in array.performBatchUpdates { array.sort() } },
      ["batch a1→0: a b"])
  }

  func test_oneEdit_isABatchToo() {
    XCTAssertEqual(
      deliveries(of: "a") { array in array.performBatchUpdates { array.append("b") } },
      ["batch +b1: a b"])
    XCTAssertEqual(
      deliveries(of: "a") { array in array.performBatchUpdates { array.setElements("bc") } },
      ["batch -a0 +b0 +c1: b c"])
  }

  func test_elementsAddedAndRemovedInside_areNotListed() {
    let lines = deliveries(of: "ab") { array in
      array.performBatchUpdates {
        array.append("c")
        array.insert("d", at: 0)
        array.remove("c")
        array.swapAt(0, 2)
        array.removeLast()
        XCTAssertEqual(String(array), "ba")
      }
    }
    XCTAssertEqual(lines, ["batch b1→0: b a"])
  }

  func test_nothingEdited_isNotDelivered_undone_isABatchWithoutEntries() {
    XCTAssertEqual(
      deliveries(of: "ab") { array in array.performBatchUpdates { _ = array.count } }, [])
    XCTAssertEqual(
      deliveries(of: "ab") { array in array.performBatchUpdates { array.append(contentsOf: "") } },
      [])
    func appendAndRemove(_ array: ObservableArray<Character>) {
      array.performBatchUpdates {
        array.append("c")
        array.removeLast()
      }
    }
    XCTAssertEqual(deliveries(of: "ab", appendAndRemove), ["batch: a b"])
    XCTAssertEqual(deliveries(of: "ab", options: .distinct, appendAndRemove), [])
  }

  func test_nestedBatches_arePartOfTheOuterOne() {
    let lines = deliveries(of: "a") { array in
      array.performBatchUpdates {
        array.append("b")
        array.performBatchUpdates {
          array.append("c")
          array.performBatchUpdates { array.removeFirst() }
        }
        XCTAssertEqual(recorder.events, [])
        array.append("d")
      }
    }
    XCTAssertEqual(lines, ["batch -a0 +b0 +c1 +d2: b c d"])
  }

  func test_bodyThatThrows_deliversTheEditsMade() {
    func edit(_ array: ObservableArray<Character>) throws {
      try array.performBatchUpdates {
        array.append("b")
        try array.performBatchUpdates {
          array.append("c")
          throw Failure()
        }
      }
    }
    func editTwice(_ array: ObservableArray<Character>) {
      XCTAssertThrowsError(try edit(array))
      array.append("d")
    }
    let lines = deliveries(of: "a", editTwice)
    XCTAssertEqual(lines, ["batch +b1 +c2: a b c", "insertion +d3: a b c d"])
  }

  func test_result_ofAnUnobservedArray_isThatOfTheEdits() {
    let array = ObservableArray("abc")
    array.performBatchUpdates {
      array.removeFirst()
      array.performBatchUpdates { array.append("d") }
    }
    XCTAssertEqual(String(array), "bcd")
    observations.observeArray(array) { $0.write($2) }
    array.append("e")
    XCTAssertEqual(recorder.events, ["insertion +e3: b c d e"])
  }

  func test_sharedArray_notifiesItsObserversOnceEach() {
    let (first, second) = (School(students("a")), School())
    second.students = first.students
    observations.observeArray(first, \.students) { $0.write($2) }
    observations.observeArray(second, \.students) { $0.write($2) }
    first.students.performBatchUpdates {
      first.students.append(Student("b"))
      second.students.append(Student("c"))
    }
    XCTAssertEqual(recorder.events, Array(repeating: "batch +b1 +c2: a b c", count: 2))
  }

  // MARK: Elements

  func test_elementChangesInside_areDeliveredAfterIt_withTheFinalIndices() {
    let array = ObservableArray(students("abc"))
    let (a, b, c) = (array[0], array[1], array[2])
    observations.observeArray(array, elements: [\.age, \.address?.city]) { $0.write($2) }
    array.performBatchUpdates {
      a.age = 1
      b.age = 2
      c.address?.city = "Rome"
      a.age = 3
      array.remove(b)
      array.swapAt(0, 1)
      array.append(a)
      XCTAssertEqual(recorder.events, [])
    }
    XCTAssertEqual(
      recorder.events.dropFirst(),
      [
        "element a@1 a@2: c a a 20 → 1",
        #"element c@0: c a a Optional("C") → Optional("Rome")"#,
        "element a@1 a@2: c a a 1 → 3",
      ])
    XCTAssertEqual(recorder.events.first?.hasPrefix("batch"), true)
  }

  func test_elementChangeAlone_isDeliveredAfterTheBody() {
    let array = ObservableArray(students("a"))
    observations.observeArray(array, elements: [\.age]) { $0.write($2) }
    array.performBatchUpdates {
      array[0].age = 1
      XCTAssertEqual(recorder.events, [])
    }
    XCTAssertEqual(recorder.events, ["element a@0: a 20 → 1"])
  }

  func test_elementRemovedAndInsertedAgain_isDelivered_oneAddedInsideIsNot() {
    let array = ObservableArray(students("ab"))
    let (a, new) = (array[0], Student("n"))
    observations.observeArray(array, elements: [\.age]) { $0.write($2) }
    array.performBatchUpdates {
      array.remove(a)
      a.age = 1
      array.append(a)
      array.append(new)
      new.age = 2
    }
    XCTAssertEqual(recorder.takeEvents().last, "element a@1: b a n 20 → 1")
    new.age = 3
    XCTAssertEqual(recorder.events, ["element n@2: b a n 2 → 3"])
  }

  func test_C7_handlerOfTheBatch_thatSetsTheElement_isDeliveredLast() {
    let array = ObservableArray(students("a"))
    observations.observeArray(array, elements: [\.age]) { recorder, array, change in
      recorder.write(change)
      if change.kind == .batch { array[0].age = 2 }
    }
    array.performBatchUpdates {
      array[0].age = 1
      array.append(Student("b"))
    }
    XCTAssertEqual(
      recorder.events,
      ["batch +b1: a b", "element a@0: a b 20 → 1", "element a@0: a b 1 → 2"])
  }

  // MARK: Others

  func test_computedPaths_areNotifiedOnce_withTheirValueBefore() {
    let school = School(students("ab"))
    observations.observe(school, \.students.count) { $0.write("count \($2)") }
    observations.observe(school, \.students[0].name) { $0.write("name \($2)") }
    observations.observeArray(school, \.students) { $0.write($2) }
    school.students.performBatchUpdates {
      school.students.removeFirst()
      school.students.append(Student("c"))
      school.students.append(Student("d"))
      XCTAssertEqual(school.students.count, 3)
    }
    XCTAssertEqual(
      recorder.events, ["count 2 → 3", "name a → b", "batch -a0 +c1 +d2: b c d"])
  }

  func test_handlersThatEdit_atTheBatchsDelivery_makeChangesOfTheirOwn() {
    let array = ObservableArray("a")
    observations.observeArray(array, context: "1") { recorder, array, change in
      recorder.write("1 \(change.line)")
      guard change.elements.count == 3 else { return }
      array.append("d")
      array.performBatchUpdates {
        array.removeFirst()
        array.removeFirst()
      }
    }
    observations.observeArray(array, context: "2") { $0.write("2 \($2.line)") }
    array.performBatchUpdates {
      array.append("b")
      array.append("c")
    }
    let lines = ["batch +b1 +c2: a b c", "insertion +d3: a b c d", "batch -a0 -b1: c d"]
    XCTAssertEqual(recorder.events, lines.flatMap { ["1 \($0)", "2 \($0)"] })
  }

  func test_twoArrays_eachHasABatchOfItsOwn() {
    let (first, second) = (ObservableArray("a"), ObservableArray("x"))
    observations.observeArray(first) { $0.write("first \($2.line)") }
    observations.observeArray(second) { $0.write("second \($2.line)") }
    first.performBatchUpdates {
      second.performBatchUpdates {
        first.append("b")
        second.append("y")
        first.append("c")
      }
      second.append("z")
    }
    XCTAssertEqual(
      recorder.events,
      ["second batch +y1: x y", "second insertion +z2: x y z", "first batch +b1 +c2: a b c"])
  }

  func test_derivedProperties_ofTwoArrays_areNotifiedAfterTheBatchOfEach() {
    let (first, second) = (Branch("first"), Branch("second"))
    for branch in [first, second] {
      observations.observe(branch, \.count) { $0.write("\(branch.name) \($2)") }
    }
    for isBatch in [false, true] {
      first.leaves.performBatchUpdates {
        first.leaves.append(Leaf("a"))
        if isBatch {
          second.leaves.performBatchUpdates { second.leaves.append(Leaf("b")) }
        } else {
          second.leaves.append(Leaf("b"))
        }
        first.leaves.append(Leaf("c"))
      }
    }
    XCTAssertEqual(
      recorder.events, ["second 0 → 1", "first 0 → 2", "second 1 → 2", "first 2 → 4"])
  }
}
