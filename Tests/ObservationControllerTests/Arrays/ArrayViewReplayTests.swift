import ObservationController
import TestSupport
import XCTest

/// Live views of arrays that change several times before the view receives the first change.
///
/// Small cases of the programs of `ArrayRandomTests` and `ArrayRandomReentrancyTests`.
final class ArrayViewReplayTests: TestCase {
  private let tiles = (1...5).map { Tile("abcde".map(String.init)[$0 - 1], rank: $0 * 2) }
  private lazy var array = ObservableArray(tiles)
  private lazy var observations = ObservationController(observer: self)

  /// Asserts that the view is in order after `body`, and agrees with the replay of its changes.
  private func assertSorted(_ message: String = "", line: UInt = #line, after body: () -> Void) {
    let view = array.sorted(on: [\.rank], by: Tile.isBefore)
    let replay = ArrayReplay<Tile>(view.elements)
    let token = replay.follow(view, by: observations)
    defer { token.invalidate() }
    body()
    XCTAssertEqual(view.elements, array.elements.sorted(by: Tile.isBefore), message, line: line)
    XCTAssertEqual(replay.elements, view.elements, line: line)
    XCTAssertEqual(replay.flaws, [], line: line)
  }

  // MARK: Sorted

  func test_sorted_twoElementsChangedInABatch_isInOrder() {
    assertSorted {
      array.performBatchUpdates {
        tiles[0].rank = 5
        tiles[3].rank = 0
      }
    }
  }

  func test_sorted_anyTwoElementsChangedInABatch_isInOrder() {
    for first in 0..<5 {
      for second in 0..<5 {
        for (high, low) in [(11, 0), (5, 1), (7, 6), (3, 9)] {
          for (index, tile) in tiles.enumerated() { tile.rank = index * 2 + 2 }
          assertSorted("\(first) to \(high), \(second) to \(low)") {
            array.performBatchUpdates {
              tiles[first].rank = high
              tiles[second].rank = low
            }
          }
        }
      }
    }
  }

  func test_sorted_elementChangedAndAnotherInsertedInABatch_isInOrder() {
    assertSorted {
      array.performBatchUpdates {
        tiles[2].rank = 0
        array.append(Tile("x", rank: 5))
      }
    }
  }

  func test_sorted_elementRemovedAndChangedAfterAnInsertion_isInOrder() {
    var isFirst = true
    observations.observeArray(array) { [tiles] _, array, _ in
      guard isFirst else { return }
      isFirst = false
      array.append(Tile("x", rank: 5))
      array.remove(tiles[2])
      tiles[2].rank = 0
    }
    assertSorted { array.append(Tile("y", rank: 20)) }
  }

  func test_sorted_severalElementsChangedInAHandlerOfTheView_isInOrder() {
    let view = array.sorted(on: [\.rank], by: Tile.isBefore)
    var isFirst = true
    observations.observeArray(view) { [tiles] _, _, _ in
      guard isFirst else { return }
      isFirst = false
      tiles[0].rank = 5
      tiles[3].rank = 0
    }
    assertSorted { tiles[4].rank = 1 }
    XCTAssertEqual(view.elements, array.elements.sorted(by: Tile.isBefore))
  }

  // MARK: Filtered

  func test_filtered_elementsMovedPastHiddenOnes_notifiesNoObserver() {
    for index in 0..<3 { tiles[index].isShown = false }
    let view = array.filtered(on: [\.isShown]) { $0.isShown }
    let replay = ArrayReplay<Tile>(view.elements)
    replay.follow(view, by: observations)
    array.move(from: 3, to: 1)
    array.performBatchUpdates {
      array.move(from: 1, to: 0)
      array.move(from: 4, to: 2)
    }
    XCTAssertEqual(view.elements, [tiles[3], tiles[4]])
    XCTAssertEqual(replay.changes.map(\.description), [])
  }
}
