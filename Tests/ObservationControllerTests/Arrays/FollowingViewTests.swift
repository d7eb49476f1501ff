import ObservationController
import TestSupport
import XCTest

/// Live views of the array that a property holds: `ObservableArray.following(_:_:)`.
final class FollowingViewTests: TestCase {
  private let tiles = [Tile("a", rank: 2), Tile("b", rank: 1), Tile("c", rank: 3), Tile("d")]
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  private func write<Object>(_ recorder: LineRecorder, _: Object, _ change: ArrayChange<Tile>) {
    recorder.write(change)
  }

  // MARK: Following

  func test_following_anotherArray_isASetting_andItsEditsFollow() {
    let shelf = TileShelf([tiles[0]])
    let view = ObservableArray.following(shelf, \.tiles)
    XCTAssertEqual(view.elements, [tiles[0]])
    let replay = ArrayReplay(view.elements, hasOld: true)
    replay.follow(view, by: observations)
    let before = shelf.tiles
    shelf.tiles = [tiles[1], tiles[2]]
    before.append(tiles[3])
    shelf.tiles.append(tiles[0])
    shelf.tiles.swapAt(0, 2)
    XCTAssertEqual(view.elements, [tiles[0], tiles[2], tiles[1]])
    XCTAssertEqual(replay.changes.map(\.kind), [.setting, .insertion, .move])
    XCTAssertEqual(replay.elements, view.elements)
    XCTAssertEqual(replay.flaws, [])
  }

  func test_following_anOptionalNestedPath_isEmptyWhereThereIsNone() {
    let desk = Desk()
    let view = ObservableArray.following(desk, \.shelf?.tiles)
    let replay = ArrayReplay(view.elements)
    replay.follow(view, by: observations)
    XCTAssertEqual(view.elements, [])
    let shelf = TileShelf([tiles[0]])
    desk.shelf = shelf
    shelf.tiles.append(tiles[1])
    XCTAssertEqual(view.elements, [tiles[0], tiles[1]])
    desk.shelf = nil
    shelf.tiles.append(tiles[2])
    XCTAssertEqual(view.elements, [])
    desk.shelf = TileShelf([tiles[3]])
    XCTAssertEqual(view.elements, [tiles[3]])
    XCTAssertEqual(replay.changes.map(\.kind), [.setting, .insertion, .setting, .setting])
    XCTAssertEqual(replay.elements, view.elements)
    XCTAssertEqual(replay.flaws, [])
  }

  func test_following_aNestedPath_followsEveryLink() {
    let room = Room(TileShelf([tiles[0]]))
    let view = ObservableArray.following(room, \.shelf.tiles)
    room.shelf = TileShelf([tiles[1]])
    XCTAssertEqual(view.elements, [tiles[1]])
    room.shelf.tiles = [tiles[2], tiles[3]]
    XCTAssertEqual(view.elements, [tiles[2], tiles[3]])
    room.shelf.tiles.removeAll()
    XCTAssertEqual(view.elements, [])
  }

  func test_following_aConstant_followsItsEdits() {
    let drawer = Drawer()
    let view = ObservableArray.following(drawer, \.tiles)
    drawer.tiles.append(tiles[0])
    XCTAssertEqual(view.elements, [tiles[0]])
  }

  func test_following_aViewInAProperty_andViewsOfIt_areInStep() {
    let shelf = TileShelf(tiles)
    let desk = TileShelf()
    desk.tiles = shelf.tiles.sorted(on: [\.rank], by: Tile.isBefore)
    let view = ObservableArray.following(desk, \.tiles)
    let letters = view.filtered(on: [\.isShown]) { $0.isShown }.mapped(on: []) { $0.letter }
    XCTAssertEqual(letters.elements, ["d", "b", "a", "c"])
    tiles[3].rank = 5
    tiles[0].isShown = false
    XCTAssertEqual(letters.elements, ["b", "c", "d"])
    desk.tiles = shelf.tiles
    XCTAssertEqual(letters.elements, ["b", "c", "d"])
    shelf.tiles.reverse()
    XCTAssertEqual(letters.elements, ["d", "c", "b"])
  }

  func test_following_isUpToDate_beforeObserversOfThePropertyAreNotified() {
    let shelf = TileShelf([tiles[0]])
    observations.observe(shelf, \.tiles.count) { recorder, _, _ in recorder.write("count") }
    var view: ObservableArray<Tile>?
    observations.observeArray(shelf, \.tiles) { recorder, _, change in
      recorder.write("\(change.elements == view?.elements)")
    }
    view = ObservableArray.following(shelf, \.tiles)
    shelf.tiles.append(tiles[1])
    shelf.tiles = [tiles[2]]
    XCTAssertEqual(recorder.events.filter { $0 != "count" }, ["true", "true"])
  }

  func test_following_edited_isReported_andChangesNothing() {
    let shelf = TileShelf([tiles[0]])
    let line: UInt = #line + 1
    let view = ObservableArray.following(shelf, \.tiles)
    let issues = collectingIssues { view.append(tiles[1]) }
    guard case .readOnlyArray(#fileID, line)? = issues.first else { return XCTFail("\(issues)") }
    XCTAssertEqual(view.elements, [tiles[0]])
    XCTAssertEqual(shelf.tiles.elements, [tiles[0]])
  }

  func test_following_aPathThatReadsNothing_isReported_andIsEmpty() {
    let desk = Desk()
    let issues = collectingIssues {
      XCTAssertEqual(ObservableArray.following(desk, \.none).elements, [])
    }
    guard case .nothingObservable? = issues.first else { return XCTFail("\(issues)") }
  }

  // MARK: Batches and transactions

  func test_following_inATransaction_deliversOnce() {
    let shelf = TileShelf([tiles[0]])
    let view = ObservableArray.following(shelf, \.tiles)
    let shown = view.filtered(on: [\.isShown]) { $0.isShown }
    let (replay, other) = (ArrayReplay(view.elements), ArrayReplay(shown.elements))
    replay.follow(view, by: observations)
    other.follow(shown, by: observations)
    withObservationTransaction {
      shelf.tiles.append(tiles[1])
      shelf.tiles = [tiles[2]]
      shelf.tiles.append(tiles[3])
      tiles[2].isShown = false
    }
    XCTAssertEqual(view.elements, [tiles[2], tiles[3]])
    XCTAssertEqual(shown.elements, [tiles[3]])
    for replay in [replay, other] {
      XCTAssertEqual(replay.changes.count, 1)
      XCTAssertEqual(replay.flaws, [])
    }
    XCTAssertEqual(replay.elements, view.elements)
    XCTAssertEqual(other.elements, shown.elements)
  }

  func test_following_anArrayThatBecomesAView_inATransaction_deliversOnce() {
    let (source, desk) = (TileShelf(tiles), TileShelf())
    let sorted = source.tiles.sorted(on: [\.rank], by: Tile.isBefore)
    let view = ObservableArray.following(desk, \.tiles)
    let replay = ArrayReplay(view.elements)
    replay.follow(view, by: observations)
    withObservationTransaction {
      source.tiles.removeFirst()
      desk.tiles = sorted
      source.tiles.removeLast()
    }
    XCTAssertEqual(view.elements, [tiles[1], tiles[2]])
    XCTAssertEqual(replay.changes.count, 1)
    XCTAssertEqual(replay.elements, view.elements)
    XCTAssertEqual(replay.flaws, [])
  }

  func test_following_anArrayThatBecomesAView_itsViewsDeliverOnce() {
    let source = ObservableArray(tiles.dropLast())
    let shelf = TileShelf()
    let sorted = ObservableArray.following(shelf, \.tiles).sorted(
      on: [\.rank], by: Tile.isBefore)
    shelf.tiles = source.filtered(on: []) { _ in true }.filtered(on: []) { _ in true }
      .filtered(on: []) { _ in true }
    let replay = ArrayReplay(sorted.elements)
    replay.follow(sorted, by: observations)
    withObservationTransaction {
      source.append(tiles[3])
      tiles[0].rank = 4
    }
    XCTAssertEqual(sorted.elements, [tiles[3], tiles[1], tiles[2], tiles[0]])
    XCTAssertEqual(replay.changes.map(\.kind), [.batch])
    XCTAssertEqual(replay.elements, sorted.elements)
    XCTAssertEqual(replay.flaws, [])
  }

  /// The cost of each does not grow with their number.
  func test_C11_following_aLongChainOfViews_inATransaction_deliversEachOnce() {
    let shelf = TileShelf()
    var views = [ObservableArray.following(shelf, \.tiles)]
    for _ in 1..<Effort.count(quick: 100, full: 300) {
      views.append(views[views.count - 1].filtered(on: [\.isShown]) { $0.isShown })
    }
    let replay = ArrayReplay(views[views.count - 1].elements)
    replay.follow(views[views.count - 1], by: observations)
    // Each view then comes one later.
    shelf.tiles = ObservableArray(tiles).filtered(on: []) { _ in true }
    withObservationTransaction {
      tiles[0].isShown = false
      tiles[1].isShown = false
    }
    for view in views.dropFirst() { XCTAssertEqual(view.elements, [tiles[2], tiles[3]]) }
    XCTAssertEqual(replay.changes.map(\.kind), [.setting, .batch])
    XCTAssertEqual(replay.elements, [tiles[2], tiles[3]])
    XCTAssertEqual(replay.flaws, [])
  }

  func test_C8_following_aPropertyThatIsSetToAViewOfTheView_isACycle() {
    let shelf = TileShelf(tiles)
    let view = ObservableArray.following(shelf, \.tiles)
    let shown = view.filtered(on: [\.rank]) { $0.rank > 0 }
    let issues = collectingIssues { shelf.tiles = shown }
    guard issues.count == 1, case .cycle? = issues.first else { return XCTFail("\(issues)") }
    withObservationTransaction { tiles[0].rank += 1 }
    withObservationTransaction { shelf.tiles = ObservableArray(tiles.dropLast()) }
    withObservationTransaction { _ = shelf.tiles.removeFirst() }
    XCTAssertEqual(shown.elements, [tiles[1], tiles[2]])
  }

  func test_following_aPathThatReadsTheArray_inATransaction_isInStep() {
    let source = ObservableArray(tiles.prefix(2))
    let sorted = source.sorted(on: [\.rank], by: Tile.isBefore)
    let drawer = Drawer(sorted.filtered(on: [\.rank]) { $0.rank != 2 })
    let view = ObservableArray.following(drawer, \.shown)
    let replay = ArrayReplay(view.elements)
    replay.follow(view, by: observations)
    let others = ObservableArray<Tile>()
    let otherView = others.filtered(on: []) { _ in true }
    observations.observeArray(otherView) { _, _, _ in }
    withObservationTransaction {
      others.append(tiles[0])
      tiles[0].rank = 3
    }
    XCTAssertEqual(view.elements, [tiles[1], tiles[0]])
    XCTAssertEqual(replay.elements, view.elements)
    XCTAssertEqual(replay.flaws, [])
  }

  // MARK: Lifetime

  func test_following_keepsNeitherObjectNorArrayNorElements() {
    weak var (shelf, array, tile): (TileShelf?, ObservableArray<Tile>?, Tile?)
    let view = scoped {
      let held = TileShelf([Tile("x")])
      (shelf, array, tile) = (held, held.tiles, held.tiles[0])
      return ObservableArray.following(held, \.tiles)
    }
    XCTAssertNil(shelf)
    XCTAssertNil(array)
    XCTAssertNil(tile)
    XCTAssertEqual(view.elements, [])
  }

  func test_following_objectDeallocated_isEmpty_withoutADelivery() {
    let before = ObservationDispatcher.shared.activeObservationCount
    var shelf: TileShelf? = TileShelf(tiles)
    let array = shelf!.tiles
    let view = ObservableArray.following(shelf!, \.tiles)
    let sorted = view.sorted(on: [\.rank], by: Tile.isBefore)
    let letters = sorted.mapped(on: []) { $0.letter }
    let counter = ViewCounter(view)
    XCTAssertEqual(counter.count, 4)
    observations.observeArray(view, elements: [\.rank], options: .old, handler: write)
    observations.observeArray(sorted, elements: [\.rank], handler: write)
    observations.observe(view, \.count) { recorder, _, change in recorder.write(change) }
    observations.observeArray(letters) { recorder, _, change in recorder.write(change) }
    shelf = nil
    XCTAssertEqual(view.elements, [])
    XCTAssertEqual(sorted.elements, [])
    XCTAssertEqual(letters.elements, [])
    XCTAssertEqual(counter.count, 0)
    array.append(Tile("x"))
    tiles[0].rank = 9
    XCTAssertEqual(recorder.events, [])
    observations.unobserveAll()
    // The observations that the two views and the derived value have of their sources.
    XCTAssertLessThanOrEqual(ObservationDispatcher.shared.activeObservationCount, before + 2)
  }

  func test_following_objectDeallocated_elementsAreFree() {
    weak var tile: Tile?
    let view = scoped {
      let (held, array) = (Tile("x"), ObservableArray<Tile>([]))
      array.append(held)
      tile = held
      let shelf = TileShelf()
      shelf.tiles = array
      let view = ObservableArray.following(shelf, \.tiles)
      let shown = view.filtered(on: [\.isShown]) { $0.isShown }
      observations.observeArray(shown, elements: [\.rank], options: .old, handler: write)
      return (view, shown)
    }
    XCTAssertNil(tile)
    XCTAssertEqual(view.0.elements, [])
    XCTAssertEqual(view.1.elements, [])
    XCTAssertEqual(recorder.events, [])
  }

  func test_following_objectReleasedByAHandler_isEmptyAfterTheDelivery() {
    var shelf: TileShelf? = TileShelf([tiles[0]])
    let array = shelf!.tiles
    let view = ObservableArray.following(shelf!, \.tiles)
    observations.observeArray(view) { recorder, _, change in
      recorder.write(change.kind)
      shelf = nil
    }
    array.append(tiles[1])
    XCTAssertEqual(recorder.events, ["insertion"])
    XCTAssertEqual(view.elements, [])
    array.append(tiles[2])
    XCTAssertEqual(recorder.events, ["insertion"])
  }

  func test_following_objectReleasedInATransaction_isEmptyAtItsEnd() {
    for isEditedBefore in [false, true] {
      var shelf: TileShelf? = TileShelf([tiles[0]])
      let array = shelf!.tiles
      let view = ObservableArray.following(shelf!, \.tiles)
      let replay = ArrayReplay(view.elements)
      replay.follow(view, by: observations)
      withObservationTransaction {
        if isEditedBefore { array.append(tiles[1]) }
        shelf = nil
      }
      XCTAssertEqual(view.elements, [])
      XCTAssertEqual(replay.flaws, [])
      array.append(tiles[2])
      XCTAssertEqual(view.elements, [])
      observations.unobserveAll()
    }
  }

  func test_following_viewDeallocated_leavesNoObservation() {
    let shelf = TileShelf(tiles)
    let before = ObservationDispatcher.shared.activeObservationCount
    weak var held: ObservableArray<Tile>?
    scoped {
      let view = ObservableArray.following(shelf, \.tiles)
      held = view
      XCTAssertEqual(ObservationDispatcher.shared.activeObservationCount, before + 1)
    }
    XCTAssertNil(held)
    XCTAssertEqual(ObservationDispatcher.shared.activeObservationCount, before)
    shelf.tiles.append(tiles[0])
  }

  func test_following_removeObservationsOfTheObject_continues() {
    let shelf = TileShelf()
    let view = ObservableArray.following(shelf, \.tiles)
    ObservationDispatcher.shared.removeObservations(of: shelf)
    shelf.tiles.append(tiles[0])
    XCTAssertEqual(view.elements, [tiles[0]])
  }
}

private final class Desk {
  @Observed var shelf: TileShelf?

  var none: ObservableArray<Tile>? { nil }
}

private final class Room {
  @Observed var shelf: TileShelf

  init(_ shelf: TileShelf) {
    self.shelf = shelf
  }
}

private final class Drawer {
  let tiles: ObservableArray<Tile>

  init(_ tiles: ObservableArray<Tile> = []) {
    self.tiles = tiles
  }

  /// Reads the elements of the array that it leads to.
  var shown: ObservableArray<Tile>? { tiles.isEmpty ? nil : tiles }
}

/// Reads a view when it computes.
private final class ViewCounter {
  let view: ObservableArray<Tile>
  @Derived({ (counter: ViewCounter) in counter.view.count }) var count: Int

  init(_ view: ObservableArray<Tile>) {
    self.view = view
  }
}
