import Foundation
import ObservationController
import TestSupport
import XCTest

/// The array itself: a collection by reference, and the key paths that read it.
final class ObservableArrayTests: TestCase {
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  // MARK: As a collection

  func test_inits_makeArraysOfTheirOwn() {
    let source = [1, 2]
    let arrays: [ObservableArray<Int>] = [
      [1, 2], ObservableArray(source), ObservableArray(1...2),
      ObservableArray(Set([1, 2]).sorted()),
    ]
    for array in arrays { XCTAssertEqual(array.elements, source) }
    XCTAssertTrue(ObservableArray<Int>().isEmpty)
    let copy = ObservableArray(arrays[0])
    copy.append(3)
    XCTAssertEqual(arrays[0].elements, source)
  }

  func test_elements_areASnapshot() {
    let array: ObservableArray = [1, 2, 3]
    let before = array.elements
    array.removeFirst()
    array[0] = 9
    XCTAssertEqual(before, [1, 2, 3])
    XCTAssertEqual(array.elements, [9, 3])
  }

  func test_iteration_visitsTheElementsAtItsStart_duringEdits() {
    let array: ObservableArray = [1, 2, 3]
    observations.observeArray(array) { $0.write($2) }
    var seen: [Int] = []
    for element in array {
      seen.append(element)
      array.removeAll()
      array.append(element * 10)
    }
    XCTAssertEqual(seen, [1, 2, 3])
    XCTAssertEqual(array.elements, [30])
    XCTAssertEqual(recorder.events.count, 6)
  }

  func test_collection_isReadAsAnArrayIs() {
    let array: ObservableArray = ["a", "b", "c", "d"]
    XCTAssertEqual(array.indices, 0..<4)
    XCTAssertEqual([array.first, array.last], ["a", "d"])
    XCTAssertEqual(Array(array[1...2]), ["b", "c"])
    XCTAssertEqual(array[1...].startIndex, 1)
    XCTAssertEqual(array.prefix(2).map { $0 }, ["a", "b"])
    XCTAssertEqual(array.reversed().joined(), "dcba")
    XCTAssertEqual(array.firstIndex(of: "c"), 2)
    XCTAssertEqual(array.index(1, offsetBy: 2, limitedBy: array.endIndex), 3)
    XCTAssertTrue(array.contains("b"))
    XCTAssertTrue(array.elementsEqual(["a", "b", "c", "d"]))
    XCTAssertEqual(array.withContiguousStorageIfAvailable { $0.count }, 4)
  }

  func test_slice_showsTheArrayThatItWasTakenOf() {
    let array: ObservableArray = [1, 2, 3, 4]
    let slice = array[1..<3]
    array[1] = 20
    XCTAssertEqual(Array(slice), [20, 3])
  }

  func test_equality_isByElements_andSoIsHashing() {
    let array: ObservableArray = [1, 2]
    XCTAssertEqual(array, [1, 2])
    XCTAssertNotEqual(array, [2, 1])
    XCTAssertNotEqual(array, [1])
    XCTAssertEqual(array.hashValue, ObservableArray([1, 2]).hashValue)
    XCTAssertEqual(Set([array, [1, 2], [1]]).count, 2)
    final class Holder: Equatable {
      @Observed var list: ObservableArray<Int> = [1]
      static func == (left: Holder, right: Holder) -> Bool { left._list == right._list }
    }
    let (left, right) = (Holder(), Holder())
    XCTAssertEqual(left, right)
    left.list.append(2)
    XCTAssertNotEqual(left, right)
  }

  func test_printing_isThatOfAnArray() {
    let array: ObservableArray = ["a", "b"]
    XCTAssertEqual("\(array)", #"["a", "b"]"#)
    XCTAssertEqual(String(reflecting: array), String(reflecting: ["a", "b"]))
    var (own, plain) = ("", "")
    dump(array, to: &own)
    dump(["a", "b"], to: &plain)
    XCTAssertEqual(own.split(separator: "\n").dropFirst(), plain.split(separator: "\n").dropFirst())
  }

  func test_coding_isThatOfAnArray_alsoAsAnObservedProperty() {
    final class Shelf: Codable {
      @Observed var books: ObservableArray<String> = ["a", "b"]
      @Observed var maps: ObservableArray<Int>?
      let pens: ObservableArray<Int>
      init() { pens = [1] }
    }
    func encode(_ value: some Encodable) -> String? {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      return try? String(decoding: encoder.encode(value), as: UTF8.self)
    }
    func decode<Value: Decodable>(_ text: String, as type: Value.Type) -> Value? {
      try? JSONDecoder().decode(type, from: Data(text.utf8))
    }
    XCTAssertEqual(encode(ObservableArray([1, 2])), "[1,2]")
    XCTAssertEqual(decode("[1,2]", as: ObservableArray<Int>.self), [1, 2])
    XCTAssertNil(decode(#"{"a":1}"#, as: ObservableArray<Int>.self))
    let shelf = Shelf()
    shelf.maps = [3]
    XCTAssertEqual(encode(shelf), #"{"books":["a","b"],"maps":[3],"pens":[1]}"#)
    let decoded = decode(#"{"books":["c"],"pens":[]}"#, as: Shelf.self)
    XCTAssertEqual(decoded?.books, ["c"])
    XCTAssertNotNil(decoded)
    XCTAssertNil(decoded?.maps)
  }

  // MARK: In key paths

  func test_computedPaths_followEdits() {
    let school = School(students("ab"))
    observations.observe(school, \.students.count) { $0.write("count \($2)") }
    observations.observe(school, \.students.elements) { $0.write("elements \($2)") }
    observations.observe(school, \.students[0].name) { $0.write("name \($2)") }
    observations.observe(school, \.students.isEmpty, options: .distinct) { $0.write("empty \($2)") }
    school.students.append(Student("c"))
    XCTAssertEqual(
      recorder.takeEvents(), ["count 2 → 3", "elements [a, b] → [a, b, c]", "name a → a"])
    school.students[0].name = "x"
    XCTAssertEqual(recorder.takeEvents(), ["name a → x"])
    school.students.swapAt(0, 2)
    XCTAssertEqual(
      recorder.takeEvents(), ["count 3 → 3", "elements [x, b, c] → [c, b, x]", "name x → c"])
    school.students[2].name = "y"
    XCTAssertEqual(recorder.takeEvents(), [])
    let replaced = school.students
    school.students = ObservableArray(students("z"))
    XCTAssertEqual(
      recorder.takeEvents(), ["count 3 → 1", "elements [c, b, y] → [z]", "name c → z"])
    replaced.removeAll()
    XCTAssertEqual(recorder.takeEvents(), [])
    observations.unobserve(school, \.students[0].name)
    school.students.removeAll()
    XCTAssertEqual(
      recorder.takeEvents(), ["count 1 → 0", "elements [z] → []", "empty → true"])
  }

  func test_standaloneArray_isObservedByItsKeyPaths() {
    let array: ObservableArray = [3, 1]
    observations.observe(array, \.count) { $0.write("count \($2)") }
    observations.observe(array, \.last) { $0.write("last \($2.newValue ?? 0)") }
    array.append(2)
    array.sort()
    XCTAssertEqual(
      recorder.events, ["count 2 → 3", "last 2", "count 3 → 3", "last 3"])
  }

  @available(*, deprecated, message: "observes the property alone")
  func test_property_isNotNotifiedOfEditsOfItsArray() {
    let school = School(students("a"))
    observations.observe(school, \.students) { $0.write($2) }
    school.students.append(Student("b"))
    school.students[0] = Student("c")
    XCTAssertEqual(recorder.takeEvents(), [])
    school.students = []
    XCTAssertEqual(recorder.events, ["[c, b] → []"])
  }

  @available(*, deprecated, message: "observes the property alone")
  func test_optionalPathToAnArray_isNotNotifiedOfItsEdits() {
    let desk = Desk()
    observations.observe(desk, \.school?.students) { $0.write("\($2.newValue?.count ?? -1)") }
    desk.school = School(students("a"))
    desk.school?.students.append(Student("b"))
    desk.school = nil
    XCTAssertEqual(recorder.events, ["1", "-1"])
  }

  private final class Desk {
    @Observed var school: School?
  }

  // MARK: Copies

  func test_edits_withoutOld_copyNothing() {
    func address(of array: ObservableArray<Int>) -> UnsafePointer<Int>? {
      array.withContiguousStorageIfAvailable { $0.baseAddress! }
    }
    let array = ObservableArray(0..<1_000)
    for _ in 0..<500 { array.removeLast() }
    let edits: [(ObservableArray<Int>) -> Void] = [
      { $0.append(1) }, { $0.append(contentsOf: [2, 3]) }, { $0.insert(4, at: 7) }, { $0[3] = 5 },
      { $0.removeLast() }, { $0.remove(at: 0) }, { $0.swapAt(1, 2) }, { $0.move(from: 0, to: 9) },
      { $0.removeSubrange(3..<5) },
    ]
    let before = address(of: array)
    for (index, edit) in edits.enumerated() {
      edit(array)
      XCTAssertEqual(address(of: array), before, "unobserved, edit \(index)")
    }
    observations.observeArray(array) { $0.write($2.kind == .setting ? "setting" : "delivered") }
    for (index, edit) in edits.enumerated() {
      edit(array)
      XCTAssertEqual(address(of: array), before, "observed, edit \(index)")
    }
    XCTAssertEqual(recorder.takeEvents().count, edits.count)
    array.performBatchUpdates { for edit in edits { edit(array) } }
    XCTAssertEqual(address(of: array), before, "in a batch")

    observations.observeArray(array, options: .old, context: "old") { _, _, _ in }
    array.append(1)
    XCTAssertNotEqual(address(of: array), before)
  }

  // MARK: Misuse

  #if os(Linux) || os(macOS)
    func test_sending_isRefusedByTheCompiler_withAReason() throws {
      let source = """
        import ObservationController
        func send(_ value: some Sendable) {}
        func use(_ array: ObservableArray<Int>) { send(array) }

        """
      let control = """
        import ObservationController
        func use(_ array: ObservableArray<Int>, _ send: ([Int]) -> Void) { send(array.elements) }

        """
      let errors = try Compiler().errors(in: ["source": source, "control": control])
      XCTAssertEqual(errors["control"], [])
      XCTAssertEqual(errors["source"]?.count, 1)
      XCTAssertTrue(errors["source"]?.first?.contains("send its elements") ?? false, "\(errors)")
    }

    /// The process ends, so that each case runs in another one: this test, run again with the case
    /// in an environment variable.
    func test_indexOutOfRange_traps_observedOrNot() {
      let variable = "OBSERVATION_ARRAY_INDEX"
      let edits: [(ObservableArray<Int>) -> Void] = [
        { _ = $0[2] }, { $0[2] = 0 }, { $0.insert(0, at: 3) }, { $0.remove(at: -1) },
        { $0.swapAt(0, 2) }, { $0.move(from: 0, to: 2) }, { $0.replaceSubrange(1..<3, with: []) },
        {
          $0.removeAll()
          $0.removeLast()
        },
      ]
      func array(isObserved: Bool) -> ObservableArray<Int> {
        let array: ObservableArray = [1, 2]
        if isObserved { observations.observeArray(array) { _, _, _ in } }
        return array
      }
      if let number = ProcessInfo.processInfo.environment[variable].flatMap({ Int($0) }) {
        return edits[number / 2](array(isObserved: number % 2 == 1))
      }
      DispatchQueue.concurrentPerform(iterations: edits.count * 2) { number in
        let status = Subprocess.runAgain(
          "ObservableArrayTests/test_indexOutOfRange_traps_observedOrNot",
          environment: [variable: "\(number)"]
        ).status
        XCTAssertNotEqual(status, 0, "edit \(number / 2), \(number % 2 == 1 ? "observed" : "not")")
      }
      let (status, output) = Subprocess.runAgain(
        "ObservableArrayTests/test_elements_areASnapshot", environment: [variable: "0"])
      XCTAssertEqual(status, 0, output)
    }
  #endif
}
