import ObservationController
import TestSupport
import XCTest

/// The change of each edit: its kind, its entries, the elements before and after.
final class ObservableArrayEditingTests: TestCase {
  /// The deliveries of an edit of the array of these letters, with the elements before.
  private func deliveries(
    of letters: String, file: StaticString = #filePath, line: UInt = #line,
    _ edit: (ObservableArray<Character>) -> Void
  ) -> [String] {
    let array = ObservableArray(letters)
    let recorder = LineRecorder()
    let observations = ObservationController(observer: recorder)
    var mirror = Array(letters)
    observations.observeArray(array, options: .old) { recorder, observed, change in
      XCTAssertIdentical(observed, array, file: file, line: line)
      XCTAssertEqual(observed.elements, change.elements, file: file, line: line)
      XCTAssertEqual(change.oldElements, mirror, file: file, line: line)
      XCTAssertEqual(change.applying(to: mirror), change.elements, file: file, line: line)
      XCTAssertEqual(mirror.applying(change.difference), change.elements, file: file, line: line)
      mirror = change.elements
      recorder.write(change)
    }
    edit(array)
    return recorder.events
  }

  // MARK: Kinds and entries

  func test_insertions_listNewElements_ascending() {
    XCTAssertEqual(deliveries(of: "") { $0.append("a") }, ["insertion +a0: a (was )"])
    XCTAssertEqual(deliveries(of: "ab") { $0.append("c") }, ["insertion +c2: a b c (was a b)"])
    XCTAssertEqual(
      deliveries(of: "a") { $0.append(contentsOf: "bc") }, ["insertion +b1 +c2: a b c (was a)"])
    XCTAssertEqual(
      deliveries(of: "ab") { $0.insert("c", at: 0) }, ["insertion +c0: c a b (was a b)"])
    XCTAssertEqual(
      deliveries(of: "ab") { $0.insert("c", at: 2) }, ["insertion +c2: a b c (was a b)"])
    XCTAssertEqual(
      deliveries(of: "ab") { $0.insert(contentsOf: "cd", at: 1) },
      ["insertion +c1 +d2: a c d b (was a b)"])
    XCTAssertEqual(
      deliveries(of: "ab") { $0.replaceSubrange(1..<1, with: "cd") },
      ["insertion +c1 +d2: a c d b (was a b)"])
  }

  func test_removals_listRemovedElements_ascending() {
    XCTAssertEqual(deliveries(of: "abc") { $0.remove(at: 1) }, ["removal -b1: a c (was a b c)"])
    XCTAssertEqual(deliveries(of: "abc") { $0.removeFirst() }, ["removal -a0: b c (was a b c)"])
    XCTAssertEqual(deliveries(of: "abc") { $0.removeLast() }, ["removal -c2: a b (was a b c)"])
    XCTAssertEqual(deliveries(of: "ab") { $0.removeAll() }, ["removal -a0 -b1:  (was a b)"])
    XCTAssertEqual(
      deliveries(of: "abcd") { $0.removeSubrange(1...2) }, ["removal -b1 -c2: a d (was a b c d)"])
    XCTAssertEqual(
      deliveries(of: "abcd") { $0.removeSubrange(2...) }, ["removal -c2 -d3: a b (was a b c d)"])
    XCTAssertEqual(
      deliveries(of: "abcd") { $0.removeSubrange(..<1) }, ["removal -a0: b c d (was a b c d)"])
    XCTAssertEqual(
      deliveries(of: "abab") { $0.removeAll { $0 == "b" } }, ["removal -b1 -b3: a a (was a b a b)"])
    XCTAssertEqual(
      deliveries(of: "abab") { $0.remove("a") }, ["removal -a0 -a2: b b (was a b a b)"])
    XCTAssertEqual(
      deliveries(of: "abc") { $0.replaceSubrange(0..<2, with: "") },
      ["removal -a0 -b1: c (was a b c)"])
  }

  func test_removal_ofObjectsThatAreEqual_isByEquality_ofOthersByIdentity() {
    final class Token: Equatable {
      let name: String
      init(_ name: String) { self.name = name }
      static func == (left: Token, right: Token) -> Bool { left.name == right.name }
    }
    let equal = ObservableArray([Token("a"), Token("b"), Token("a")])
    equal.remove(Token("a"))
    XCTAssertEqual(equal.map(\.name), ["b"])
    let things = [Thing(), Thing()]
    let identical = ObservableArray([things[0], things[1], things[0]])
    identical.remove(Thing())
    XCTAssertEqual(identical.count, 3)
    identical.remove(things[0])
    XCTAssertEqual(identical.count, 1)
    XCTAssertIdentical(identical[0], things[1])
  }

  func test_replacements_listTheOldElementFirst() {
    XCTAssertEqual(
      deliveries(of: "abc") { $0[1] = "d" }, ["replacement -b1 +d1: a d c (was a b c)"])
    XCTAssertEqual(
      deliveries(of: "abc") { $0.replaceSubrange(0...1, with: "de") },
      ["replacement -a0 +d0 -b1 +e1: d e c (was a b c)"])
    XCTAssertEqual(
      deliveries(of: "abc") { $0.replaceSubrange(1...1, with: "def") },
      ["replacement -b1 +d1 +e2 +f3: a d e f c (was a b c)"])
    XCTAssertEqual(
      deliveries(of: "abcd") { $0.replaceSubrange(0..<3, with: "e") },
      ["replacement -a0 +e0 -b1 -c2: e d (was a b c d)"])
  }

  func test_moves_listMovedElements() {
    XCTAssertEqual(
      deliveries(of: "abcd") { $0.swapAt(3, 1) }, ["move b1→3 d3→1: a d c b (was a b c d)"])
    XCTAssertEqual(
      deliveries(of: "abcd") { $0.move(from: 0, to: 3) }, ["move a0→3: b c d a (was a b c d)"])
    XCTAssertEqual(
      deliveries(of: "abcd") { $0.move(from: 3, to: 1) }, ["move d3→1: a d b c (was a b c d)"])
    XCTAssertEqual(deliveries(of: "bcda") { $0.sort() }, ["move a3→0: a b c d (was b c d a)"])
    XCTAssertEqual(
      deliveries(of: "abdc") { $0.sort(by: >) }.map { $0.prefix(4) }, ["move"])
  }

  func test_sort_isStable() {
    let array = ObservableArray(["bb", "a", "cc", "d", "ee"])
    let recorder = LineRecorder()
    let observations = ObservationController(observer: recorder)
    observations.observeArray(array) { $0.write($2) }
    array.sort { $0.count < $1.count }
    XCTAssertEqual(array.elements, ["a", "d", "bb", "cc", "ee"])
    XCTAssertEqual(recorder.events.count, 1)
  }

  func test_setting_listsAllElements_evenIfEqual() {
    XCTAssertEqual(
      deliveries(of: "ab") { $0.setElements("bcd") },
      ["setting -a0 +b0 -b1 +c1 +d2: b c d (was a b)"])
    XCTAssertEqual(
      deliveries(of: "a") { $0.setElements("a") }, ["setting -a0 +a0: a (was a)"])
    XCTAssertEqual(deliveries(of: "") { $0.setElements("") }, ["setting:  (was )"])
  }

  func test_editsThatDoNothing_notifyNoObserver() {
    let edits: [(ObservableArray<Character>) -> Void] = [
      { $0.append(contentsOf: "") },
      { $0.insert(contentsOf: "", at: 1) },
      { $0.removeSubrange(1..<1) },
      { $0.replaceSubrange(2..<2, with: "") },
      { $0.removeAll { $0 == "x" } },
      { $0.remove("x") },
      { $0.swapAt(1, 1) },
      { $0.move(from: 1, to: 1) },
      { $0.sort() },
      { $0.performBatchUpdates {} },
    ]
    for (index, edit) in edits.enumerated() {
      XCTAssertEqual(deliveries(of: "abc", edit), [], "edit \(index)")
    }
    XCTAssertEqual(deliveries(of: "") { $0.removeAll() }, [])
  }

  func test_closureThatThrows_leavesTheArrayUnchanged_withoutADelivery() {
    func edit(_ array: ObservableArray<Character>) {
      XCTAssertThrowsError(try array.removeAll { _ in throw Failure() })
      XCTAssertThrowsError(try array.sort { _, _ in throw Failure() })
      XCTAssertEqual(array.elements, ["a", "b", "c"])
      array.append("d")
    }
    let lines = deliveries(of: "abc", edit)
    XCTAssertEqual(lines, ["insertion +d3: a b c d (was a b c)"])
  }

  func test_unobservedArray_isEditedLikeAnObservedOne() {
    let array = ObservableArray("abc")
    array.append("d")
    array.append(contentsOf: "ef")
    array.insert("g", at: 0)
    array.insert(contentsOf: "hi", at: 1)
    XCTAssertEqual(String(array), "ghiabcdef")
    XCTAssertEqual(
      [array.remove(at: 1), array.removeFirst(), array.removeLast()], ["h", "g", "f"])
    array.removeSubrange(0..<1)
    array[0] = "x"
    array.replaceSubrange(1..<2, with: "yz")
    XCTAssertEqual(String(array), "xyzcde")
    array.swapAt(0, 5)
    array.move(from: 0, to: 1)
    array.remove("z")
    array.removeAll { $0 == "c" }
    XCTAssertEqual(String(array), "yedx")
    array.sort()
    XCTAssertEqual(String(array), "dexy")
    array.performBatchUpdates { array.setElements("pq") }
    XCTAssertEqual(String(array), "pq")
    array.removeAll()
    XCTAssertTrue(array.isEmpty)
  }

  func test_unobservedArray_editedByItself_isEditedLikeAnObservedOne() {
    let edits: [(edit: (ObservableArray<Character>) -> Void, result: String)] = [
      ({ $0.append(contentsOf: $0) }, "abcabc"),
      ({ $0 += $0 }, "abcabc"),
      ({ $0.insert(contentsOf: $0.reversed(), at: 0) }, "cbaabc"),
      ({ $0.replaceSubrange(0..<1, with: $0[1...]) }, "bcbc"),
      ({ array in array += array.lazy.filter { $0 != array.last } }, "abcab"),
    ]
    for (index, (edit, result)) in edits.enumerated() {
      let array = ObservableArray("abc")
      edit(array)
      XCTAssertEqual(String(array), result, "edit \(index)")
      XCTAssertEqual(deliveries(of: "abc", edit).count, 1, "edit \(index)")
    }
  }

  // MARK: At the tail

  func test_isAtTail_forInsertionsAndRemovalsAtTheEndAlone() {
    func isAtTail(
      _ letters: String = "abcd", _ edit: (ObservableArray<Character>) -> Void
    ) -> [Bool] {
      let array = ObservableArray(letters)
      let recorder = Recorder<Bool>()
      let observations = ObservationController(observer: recorder)
      observations.observeArray(array, options: .initial) { $0.append($2.isAtTail) }
      edit(array)
      return Array(recorder.events.dropFirst())
    }
    XCTAssertEqual(isAtTail { $0.append("e") }, [true])
    XCTAssertEqual(isAtTail("") { $0.append("e") }, [true])
    XCTAssertEqual(isAtTail { $0.append(contentsOf: "ef") }, [true])
    XCTAssertEqual(isAtTail { $0.insert(contentsOf: "ef", at: 4) }, [true])
    XCTAssertEqual(isAtTail { $0.insert("e", at: 3) }, [false])
    XCTAssertEqual(isAtTail { $0.removeLast() }, [true])
    XCTAssertEqual(isAtTail { $0.removeSubrange(1...) }, [true])
    XCTAssertEqual(isAtTail { $0.removeAll() }, [true])
    XCTAssertEqual(isAtTail { $0.removeFirst() }, [false])
    XCTAssertEqual(isAtTail { $0.removeAll { "bd".contains($0) } }, [false])
    XCTAssertEqual(isAtTail { $0.removeAll { "cd".contains($0) } }, [true])
    XCTAssertEqual(isAtTail { $0[3] = "e" }, [false])
    XCTAssertEqual(isAtTail { $0.swapAt(2, 3) }, [false])
    XCTAssertEqual(isAtTail { $0.setElements("abcde") }, [false])
    XCTAssertEqual(
      isAtTail { array in array.performBatchUpdates { array.append("e") } }, [false])
  }
}
