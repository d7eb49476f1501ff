import ObservationController
import TestSupport
import XCTest

/// Handlers and batches: edits inside of a batch belong to it, edits after it are delivered later.
final class ArrayBatchReentrancyTests: ArrayReentrancyCase {
  func test_editInAPriorHandler_insideABatch_isPartOfTheBatch() {
    let shelf = TileShelf(tiles)
    array = shelf.tiles
    observe()
    var isFirst = true
    let counts = LineRecorder()
    observations.observe(shelf, \.tiles.count, options: [.prior, .old]) { [new] _, shelf, change in
      if change.isPrior, isFirst {
        isFirst = false
        shelf.tiles.append(new[1])
      }
      if !change.isPrior { counts.write(change) }
    }
    array.performBatchUpdates { array.append(new[0]) }
    array.removeLast()
    XCTAssertEqual(counts.events.last, "5 → 4")
    XCTAssertEqual(recorder.events.last, "1 removal", "the removal follows the batch")
    assertConsistent()
  }

  func test_editInAHandlerOfAnElement_insideABatch_isPartOfTheBatch() {
    observe(elements: [\.rank])
    observations.observe(tiles[0], \.rank) { [array, new] _, _, _ in array.append(new[0]) }
    array.performBatchUpdates {
      array.removeFirst()
      tiles[0].rank += 1
      array.swapAt(0, 1)
    }
    XCTAssertEqual(recorder.events, ["1 batch"])
    assertConsistent()
  }

  func test_batchOfABatchsHandlers_deliversElementsAfterEach() {
    observe(elements: [\.rank]) { [array, tiles, new] change in
      guard change.kind == .batch, change.elements.count < 5 else { return }
      array.performBatchUpdates {
        tiles[1].rank += 1
        array.insert(new[0], at: 0)
      }
    }
    observe(elements: [\.rank])
    array.performBatchUpdates {
      tiles[0].rank += 1
      array.append(tiles[0])
    }
    XCTAssertEqual(recorder.events.filter { $0 == "2 batch" }.count, 2)
    XCTAssertEqual(recorder.events.filter { $0 == "2 element" }.count, 2)
    assertConsistent()
  }

  func test_C7_elementChangedInAHandlerOfTheBatch_waitsForItsChangeInTheBatch() {
    observe(elements: [\.rank], then: once { [tiles] _ in tiles[0].rank = 20 })
    observe(elements: [\.rank])
    array.performBatchUpdates {
      array.removeLast()
      tiles[0].rank = 10
    }
    for replay in replays { XCTAssertEqual(replay.values, ["3 → 10", "10 → 20"]) }
    assertConsistent()
  }

  func test_C7_elementChangedInItsDelivery_waitsUntilAllHaveTheChangeBefore() {
    observe(elements: [\.rank], then: once { [tiles] _ in tiles[0].rank = 20 })
    observe(elements: [\.rank])
    array.performBatchUpdates { tiles[0].rank = 10 }
    for replay in replays { XCTAssertEqual(replay.values, ["3 → 10", "10 → 20"]) }
    XCTAssertEqual(
      recorder.events.prefix(2), ["1 element", "2 element"], "all have the previous change")
    XCTAssertEqual(recorder.events.count, 4)
  }

  func test_C11_viewMadeInATransactionOfABatch_losesNoEditOfAHandler() {
    observe(elements: [\.rank], then: once { [array, new] _ in array.append(new[0]) })
    observe()
    var view: ObservableArray<Tile>?
    array.performBatchUpdates {
      tiles[0].rank = 10
      withObservationTransaction {
        view = array.filtered(on: []) { _ in true }
        XCTAssertEqual(recorder.events, [], "the change of the element waits")
      }
      array.removeFirst()
    }
    XCTAssertEqual(view?.elements, array.elements)
    XCTAssertEqual(recorder.events.first, "1 element")
    assertConsistent()
  }
}
