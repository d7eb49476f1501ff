import ObservationController
import TestSupport
import XCTest

/// C8 and C9 for arrays: handlers that edit for ever, and observers added during a delivery.
final class ArrayCycleTests: TestCase {
  private let tiles = [Tile("a"), Tile("b")]
  private let shelf = TileShelf()
  private var array: ObservableArray<Tile> { shelf.tiles }
  private lazy var observations = ObservationController(observer: self)
  private var isCyclic = true

  override func setUp() {
    array.append(contentsOf: tiles)
  }

  private func replay(
    _ context: ObservationContext, of array: ObservableArray<Tile>? = nil,
    elements: [PartialKeyPath<Tile>] = [],
    then act: @escaping (ArrayChange<Tile>) -> Void = { _ in }
  ) -> ArrayReplay<Tile> {
    let array = array ?? self.array
    let replay = ArrayReplay<Tile>(array.elements)
    replay.follow(array, elements: elements, by: observations, context: context, then: act)
    return replay
  }

  private func assertOneCycle(_ issues: [ObservationIssue], line: UInt = #line) {
    XCTAssertEqual(issues.count, 1, "\(issues)", line: line)
    guard case .cycle? = issues.first else { return XCTFail("\(issues)", line: line) }
  }

  /// The next change is a setting for observers that have missed some; later changes are ordinary
  /// ones.
  private func assertConsistentAgain(_ replays: [ArrayReplay<Tile>], line: UInt = #line) {
    isCyclic = false
    for replay in replays {
      XCTAssertEqual(replay.flaws, [], line: line)
      _ = replay.takeChanges()
    }
    assertNoIssues { array.swapAt(0, 1) }
    for replay in replays {
      XCTAssertEqual(replay.takeChanges().count, 1, line: line)
      XCTAssertEqual(replay.elements, array.elements, line: line)
    }
    let flaws = replays.map(\.flaws)
    array.removeFirst()
    tiles[0].rank += 1
    array.append(tiles[0])
    for replay in replays { XCTAssertEqual(replay.elements, array.elements, line: line) }
    XCTAssertEqual(replays.map(\.flaws), flaws, line: line)
  }

  // MARK: C8

  func test_C8_handlerThatEditsForEver_stopsAfter100Rounds_withOneIssue() {
    let first = replay("1")
    let editor = replay("2") { [unowned self] _ in
      if isCyclic { array.swapAt(0, 1) }
    }
    let last = replay("3", elements: [\.rank])
    assertOneCycle(collectingIssues { array.append(tiles[1]) })
    XCTAssertEqual(array.elements, [tiles[0], tiles[1], tiles[1]], "the last of 100 edits stays")
    XCTAssertEqual(editor.changes.count, 100)
    for replay in [first, last] {
      XCTAssertEqual(replay.changes.count, 101, "the last edit is delivered to all others")
      XCTAssertEqual(replay.elements, array.elements)
    }
    assertConsistentAgain([first, editor, last])
  }

  func test_C8_handlerThatEditsForEver_inABatch_stops() {
    let editor = replay("1") { [unowned self] _ in
      guard isCyclic else { return }
      array.performBatchUpdates {
        array.swapAt(0, 1)
        array.removeLast()
        array.append(tiles[1])
      }
    }
    assertOneCycle(collectingIssues { array.append(tiles[0]) })
    assertConsistentAgain([editor])
  }

  func test_C8_handlerThatChangesItsElementForEver_stops() {
    let first = replay("1", elements: [\.rank])
    let editor = replay("2", elements: [\.rank]) { [unowned self] change in
      if isCyclic, change.kind == .element { tiles[0].rank += 1 }
    }
    assertOneCycle(collectingIssues { tiles[0].rank = 1 })
    XCTAssertEqual(tiles[0].rank, 101)
    assertConsistentAgain([first, editor])
  }

  func test_C8_editsAndChangesOfElementsThatMakeEachOther_stop() {
    let first = replay("1", elements: [\.rank])
    let editor = replay("2", elements: [\.rank]) { [unowned self] change in
      guard isCyclic else { return }
      if change.kind == .element { array.swapAt(0, 1) } else { tiles[0].rank += 1 }
    }
    let last = replay("3")
    assertOneCycle(collectingIssues { array.append(tiles[1]) })
    assertConsistentAgain([first, editor, last])
  }

  func test_C8_elementThatSetsItselfForEver_theArrayHasItsLastValue() {
    observations.observe(tiles[0], \.rank) { [unowned self] _, tile, _ in
      if isCyclic { tile.rank += 1 }
    }
    let editor = replay("1", elements: [\.rank]) { [unowned self] change in
      if change.kind == .insertion { tiles[0].rank = 1 }
    }
    assertOneCycle(collectingIssues { array.append(tiles[1]) })
    XCTAssertEqual(tiles[0].rank, 101)
    XCTAssertEqual(
      editor.takeChanges().map(\.kind), [.insertion] + Array(repeating: .element, count: 101))
    isCyclic = false
    tiles[0].rank = 0
    XCTAssertEqual(editor.takeChanges().map(\.kind), [.element])
    let flaws = editor.flaws
    tiles[0].rank = 1
    XCTAssertEqual(editor.takeChanges().map(\.kind), [.element])
    XCTAssertEqual(editor.flaws, flaws)
    XCTAssertEqual(editor.elements, array.elements)
  }

  func test_C8_editOfTheSourceForEver_inAViewsHandler_stops() {
    let view = array.filtered(on: [\.isShown]) { $0.isShown }
    let source = replay("1")
    let shown = replay("2", of: view) { [unowned self] _ in
      if isCyclic { array.swapAt(0, 1) }
    }
    assertOneCycle(collectingIssues { array.append(tiles[1]) })
    assertConsistentAgain([source])
    XCTAssertEqual(view.elements, array.elements)
    XCTAssertEqual(shown.elements, view.elements)
  }

  func test_C8_handlerThatSetsAnotherArrayForEver_stops() {
    let replay = ArrayReplay<Tile>(array.elements)
    observations.observeArray(shelf, \.tiles) { test, shelf, change in
      replay.receive(change)
      if test.isCyclic { shelf.tiles = ObservableArray(shelf.tiles.reversed()) }
    }
    assertOneCycle(collectingIssues { shelf.tiles = ObservableArray(tiles + tiles) })
    assertConsistentAgain([replay])
  }

  // MARK: C9

  func test_C9_observerAddedInAHandler_afterAnEdit_missesBoth() {
    var late: ArrayReplay<Tile>?
    let first = replay("1") { [unowned self] _ in
      guard late == nil else { return }
      array.removeFirst()
      late = replay("late", elements: [\.rank])
    }
    array.append(tiles[0])
    XCTAssertEqual(late?.takeChanges().map(\.kind) ?? [.initial], [])
    tiles[0].rank += 1
    array.append(tiles[1])
    XCTAssertEqual(late?.takeChanges().map(\.kind), [.element, .insertion])
    XCTAssertEqual(late?.flaws, [])
    XCTAssertEqual(late?.elements, first.elements)
  }

  func test_C9_observerAddedInsideABatch_isNotifiedOfLaterEdits() {
    let first = replay("1")
    var late: ArrayReplay<Tile>?
    array.performBatchUpdates {
      array.append(tiles[0])
      late = replay("late", elements: [\.rank])
      array.removeFirst()
      tiles[1].rank += 1
    }
    XCTAssertEqual(late?.takeChanges().map(\.kind), [.batch, .element])
    XCTAssertEqual(late?.flaws, [])
    XCTAssertEqual(late?.elements, array.elements)
    XCTAssertEqual(first.elements, array.elements)
    XCTAssertEqual(first.flaws, [])
  }

  func test_C9_observerEndedInAHandler_isSkipped() {
    var token: ObservationToken?
    let first = replay("1") { [unowned self] _ in
      token?.invalidate()
      if array.count < 5 { array.append(tiles[0]) }
    }
    let ended = ArrayReplay<Tile>(array.elements)
    token = ended.follow(array, elements: [\.rank], by: observations, context: "2")
    array.append(tiles[0])
    XCTAssertEqual(ended.changes.count, 0)
    XCTAssertEqual(first.elements, array.elements)
    XCTAssertEqual(first.flaws, [])
  }
}
