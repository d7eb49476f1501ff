import ObservationController
import TestSupport
import XCTest

/// C7 to C9 for arrays: handlers that edit the array being delivered.
///
/// An edit in a handler is stored at once, and delivered after the previous change has reached
/// every observer; so each observer receives contiguous changes.
final class ArrayReentrancyTests: ArrayReentrancyCase {
  // MARK: C7

  func test_C7_editInAHandler_ofAnyObserver_waitsUntilAllHaveTheChangeBefore() {
    for editor in 1...3 {
      startAgain()
      for number in 1...3 {
        let edit = once { [array, new] _ in
          array.insert(new[1], at: 0)
          array.remove(at: 2)
          XCTAssertEqual(array.elements.count, 4, "stored at once")
        }
        observe(then: number == editor ? edit : { _ in })
      }
      array.append(new[0])
      let kinds = ["insertion", "insertion", "removal"]
      XCTAssertEqual(recorder.events, kinds.flatMap { kind in (1...3).map { "\($0) \(kind)" } })
      XCTAssertEqual(array.elements, [new[1], tiles[0], tiles[2], new[0]])
      assertConsistent()
    }
  }

  func test_C7_batchInAHandler_isOneChangeOfItsOwn() {
    observe(
      then: once { [array, new] _ in
        array.performBatchUpdates {
          array.removeFirst()
          array.append(new[1])
        }
      })
    observe()
    array.performBatchUpdates {
      array.swapAt(0, 2)
      array.append(new[0])
    }
    XCTAssertEqual(recorder.events, ["1 batch", "2 batch", "1 batch", "2 batch"])
    assertConsistent()
  }

  func test_elementThatLeavesAndReturns_bringsNoChangeFromBefore() {
    let school = School(students("ab"))
    let student = school.students[0]
    observations.observe(student, \.age) { _, _, change in
      guard change.newValue == 21 else { return }
      school.students.remove(student)
      student.age = 31
      school.students.append(student)
    }
    observations.observeArray(school, \.students, elements: [\.age]) { [recorder] _, _, change in
      recorder.write(change.elementChange.map { "\($0)" } ?? "\(change.kind)")
    }
    student.age = 21
    student.age = 32
    XCTAssertEqual(recorder.events, ["removal", "insertion", "31 → 32"])
  }

  func test_elementThatJoinsInADelivery_isNotifiedAsAnyOther() {
    let (school, student) = (School(students("a")), students("b")[0])
    observations.observeArray(school, \.students, elements: [\.age]) { [recorder] _, _, change in
      recorder.write(change.elementChange.map { "\($0)" } ?? "\(change.kind)")
    }
    observations.observe(student, \.age, context: "joins") { _, _, change in
      if change.newValue == 21 { school.students.append(student) }
    }
    observations.observe(student, \.label, options: .prior, context: "sets") { _, _, change in
      if change.isPrior, student.age == 21 { student.age = 31 }
    }
    student.age = 21
    student.age = 32
    XCTAssertEqual(recorder.events, ["insertion", "21 → 31", "31 → 32"])
    school.students.remove(student)
    student.age = 33
    XCTAssertEqual(recorder.events.count, 4)
  }

  func test_elementOfAPlainArray_thatReturnsAfterATransaction_isAsItIs() {
    let (cart, students) = (Cart(), students("ab"))
    cart.students = students
    observations.observe(students[0], \.age, context: "first") { _, _, change in
      guard change.newValue == 21 else { return }
      withObservationTransaction {
        cart.students = students
        students[0].age = 31
      }
    }
    observations.observeArray(cart, \.students, elements: [\.age]) { [recorder] _, _, change in
      recorder.write(change.elementChange.map { "\($0)" } ?? "\(change.kind)")
    }
    withObservationTransaction {
      students[0].age = 21
      cart.students = []
    }
    students[0].age = 32
    XCTAssertEqual(recorder.events, ["removal", "insertion", "31 → 32"])
  }

  func test_C7_anotherArraySetInAHandler_isDeliveredAfterTheEdit() {
    let shelf = TileShelf(tiles)
    let other = ObservableArray(new)
    let recorders = [LineRecorder(), LineRecorder()]
    for number in 0...1 {
      let replay = ArrayReplay<Tile>(tiles)
      replays.append(replay)
      observations.observeArray(shelf, \.tiles, context: ObservationContext("\(number)")) {
        _, shelf, change in
        replay.receive(change)
        recorders[number].write(change.kind)
        guard number == 0, recorders[0].events.count == 1 else { return }
        shelf.tiles = other
        shelf.tiles.removeLast()
      }
    }
    shelf.tiles.removeFirst()
    XCTAssertEqual(
      recorders.map(\.events),
      [["removal", "setting", "removal"], ["removal", "setting", "removal"]])
    for replay in replays { XCTAssertEqual(replay.elements, other.elements) }
  }

  func test_C7_editInAnElementsEquality_isDeliveredAfterTheChangeCompared() {
    final class Token: Hashable, CustomStringConvertible {
      let description: String
      var onCompare: (() -> Void)?
      init(_ name: String) { description = name }
      func hash(into hasher: inout Hasher) {}
      static func == (left: Token, right: Token) -> Bool {
        for token in [left, right] {
          let action = token.onCompare
          token.onCompare = nil
          action?()
        }
        return left === right
      }
    }
    let token = Token("a")
    let array: ObservableArray<Set<Token>> = [[token]]
    for (number, options) in [.distinct, ObservationOptions()].enumerated() {
      observations.observeArray(array, options: options, context: ObservationContext("\(number)")) {
        [recorder] _, _, change in recorder.write(change)
      }
    }
    token.onCompare = { array.append([Token("c")]) }
    array[0] = [Token("b")]
    let (first, second) = ("replacement -[a]0 +[b]0: [b]", "insertion +[c]1: [b] [c]")
    XCTAssertEqual(recorder.events, [first, first, second, second])
  }

  // MARK: Elements

  func test_editInADeliveryOfAnElement_ofAnyObserver_keepsIndicesRight() {
    for editor in 1...3 {
      startAgain()
      for number in 1...3 {
        let edit = once { [array, tiles, new] _ in
          array.insertAll([new[0], tiles[1]])
          array.remove(tiles[2])
        }
        observe(elements: [\.rank], then: number == editor ? edit : { _ in })
      }
      tiles[1].rank += 1
      for number in 1...3 {
        XCTAssertEqual(
          recorder.events.filter { $0.hasPrefix("\(number)") }.sorted(),
          ["element", "insertion", "removal"].map { "\(number) \($0)" })
      }
      assertConsistent()
    }
  }

  func test_elementRemovedInItsDelivery_isNotDeliveredToLaterObservers() {
    observe(elements: [\.rank], then: once { [array, tiles] _ in array.remove(tiles[1]) })
    observe(elements: [\.rank])
    tiles[1].rank += 1
    XCTAssertEqual(recorder.events, ["1 element", "2 removal", "1 removal"])
    assertConsistent()
  }

  func test_elementChangedInADeliveryOfTheArray_isDeliveredAfterIt() {
    observe(elements: [\.rank], then: once { [tiles] _ in tiles[0].rank = 9 })
    observe(elements: [\.rank])
    array.removeLast()
    XCTAssertEqual(recorder.events.filter { $0.hasPrefix("1") }, ["1 removal", "1 element"])
    XCTAssertEqual(recorder.events.filter { $0.hasPrefix("2") }, ["2 removal", "2 element"])
    assertConsistent()
  }

  func test_elementInsertedInAHandler_isFollowedAtOnce() {
    observe(
      elements: [\.rank],
      then: once { [array, new] _ in
        array.insert(new[0], at: 0)
        new[0].rank = 7
      })
    observe(elements: [\.rank])
    array.removeLast()
    XCTAssertEqual(
      recorder.events.filter { $0.hasPrefix("2") }, ["2 removal", "2 insertion", "2 element"])
    assertConsistent()
  }

  // MARK: Views

  func test_editOfTheSource_inAViewsHandler_keepsObserversConsistent() {
    let view = array.sorted(on: [\.rank], by: Tile.isBefore)
    observe(then: once { [array, new] _ in array.insert(new[1], at: 1) })
    observe(view, then: once { [array, tiles] _ in array.remove(tiles[1]) })
    observe(view, elements: [\.rank]) { [tiles] _ in
      if tiles[2].rank == 1 { tiles[2].rank = 5 }
    }
    observe()
    array.append(new[0])
    XCTAssertEqual(view.elements, array.elements.sorted(by: Tile.isBefore))
    XCTAssertEqual(replays[1].elements, view.elements)
    XCTAssertEqual(replays[2].elements, view.elements)
    XCTAssertEqual(replays[0].elements, array.elements)
    XCTAssertEqual(replays[3].elements, array.elements)
    XCTAssertEqual(recorder.events.filter { $0.hasPrefix("4") }.count, 3)
  }
}

extension ObservableArray {
  fileprivate func insertAll(_ elements: [Element]) {
    insert(contentsOf: elements, at: 0)
  }
}
