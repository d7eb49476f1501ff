import ObservationController
import TestSupport
import XCTest

/// Every change leads from the array before to the array after, whatever the edit.
///
/// Exhaustive for small arrays, some of whose elements occur twice: each edit with each valid index
/// and range (`TileOperation.all`) of arrays up to four elements; each two of them in a row and in
/// a batch, of arrays up to three. With arrays of four, some of each kind (`TileOperation.some`)
/// three times in a row and in nested batches. A quick run takes a sample of the twos and threes.
final class ArrayReplayTests: TestCase {
  private let tiles = [Tile("a", rank: 2), Tile("b", rank: 1), Tile("c", rank: 3), Tile("d")]
  private let new = Tile("x", rank: 1)

  /// By indices of tiles.
  private static let starts = [[], [0], [0, 1], [0, 0], [0, 1, 0]]

  private var flaws: [String] = []

  // MARK: Exhaustive

  func test_everyEdit_ofArraysUpToFour_replays() {
    for start in Self.starts + [[0, 1, 2], [3, 1, 0, 2], [0, 1, 1, 2]] {
      for operation in all(start.count) { check([operation], on: start) }
    }
    XCTAssertEqual(flaws, [])
  }

  func test_everyTwoEdits_ofArraysUpToThree_inARowAndInABatch_replay() {
    var cases = Cases(quickOneOutOf: 71)
    for start in Self.starts {
      forEachTwo(on: start) { first, second in
        guard cases.takesNext() else { return }
        check([first, second], on: start)
        check([.batch([first, second])], on: start)
      }
    }
    XCTAssertEqual(flaws, [])
  }

  func test_threeEdits_ofArraysOfFour_inARowAndInNestedBatches_replay() {
    var cases = Cases(quickOneOutOf: 47)
    for start in [[0, 1, 1, 2], [3, 1, 0, 2]] {
      forEachThree(on: start) { first, second, third in
        guard cases.takesNext() else { return }
        check([first, second, third], on: start)
        check([.batch([first, .batch([second, .batch([third])])])], on: start)
      }
    }
    XCTAssertEqual(flaws, [])
  }

  // MARK: Cases of their own

  func test_editThatDoesNothing_notifiesNoObserver() {
    let shelf = TileShelf([tiles[1], tiles[0]])
    let recorder = LineRecorder()
    let observations = ObservationController(observer: recorder)
    observations.observeArray(shelf, \.tiles) { $0.write($2) }
    observations.observe(shelf, \.tiles.count) { $0.write("count \($2)") }
    observations.observe(shelf, \.tiles.elements) { $0.write("elements \($2)") }
    shelf.tiles.append(contentsOf: [])
    shelf.tiles.removeSubrange(1..<1)
    shelf.tiles.swapAt(1, 1)
    shelf.tiles.move(from: 0, to: 0)
    shelf.tiles.remove(new)
    shelf.tiles.removeAll { _ in false }
    shelf.tiles.sort(by: Tile.isBefore)
    shelf.tiles.performBatchUpdates { shelf.tiles.remove(new) }
    XCTAssertEqual(recorder.events, [])
  }

  func test_changeOfAnElement_withOld_hasTheOldElementsAsEveryChange() {
    let array: ObservableArray = [tiles[0], tiles[1], tiles[0]]
    let observations = ObservationController(observer: self)
    let replay = ArrayReplay<Tile>(array.elements, hasOld: true)
    replay.follow(array, elements: [\.rank], by: observations)
    tiles[0].rank = 5
    XCTAssertEqual(replay.takeChanges().map(\.kind), [.element])
    XCTAssertEqual(replay.flaws, [])
  }

  // MARK: Plain arrays

  /// Changes of plain arrays are found by comparing.
  func test_everyAssignmentOfAPlainArray_replays() {
    let shelf = TileShelf()
    let replay = ArrayReplay<Int>([], hasOld: true)
    let observations = ObservationController(observer: self)
    observations.observeArray(shelf, \.numbers, options: .old) { replay.receive($2) }
    let arrays = allArrays(of: [0, 1, 2], upTo: 4)
    XCTAssertEqual(arrays.count, 1 + 3 + 9 + 27 + 81)
    var cases = Cases(quickOneOutOf: 13)
    for before in arrays {
      for after in arrays where cases.takesNext() {
        shelf.numbers = before
        shelf.numbers = after
        XCTAssertEqual(replay.takeChanges().map(\.elements), [before, after])
      }
    }
    XCTAssertEqual(replay.elements, shelf.numbers)
    XCTAssertEqual(replay.flaws.prefix(5), [])
  }

  // MARK: - Checking

  private func all(_ count: Int) -> [TileOperation] {
    TileOperation.all(count: count, [tiles[0], new])
  }

  private func forEachTwo(on start: [Int], _ body: (TileOperation, TileOperation) -> Void) {
    for first in all(start.count) {
      let count = first.perform(on: ObservableArray(start.map { tiles[$0] })).elements.count
      for second in all(count) { body(first, second) }
    }
  }

  private func forEachThree(
    on start: [Int], _ body: (TileOperation, TileOperation, TileOperation) -> Void
  ) {
    func some(after operations: [TileOperation]) -> [TileOperation] {
      let array = ObservableArray(start.map { tiles[$0] })
      for operation in operations { operation.perform(on: array) }
      return TileOperation.some(count: array.count, [tiles[0], new])
    }
    for first in some(after: []) {
      for second in some(after: [first]) {
        for third in some(after: [first, second]) { body(first, second, third) }
      }
    }
  }

  /// Performs all operations on one array, and checks its observers.
  private func check(_ operations: [TileOperation], on start: [Int]) {
    guard flaws.count < 5 else { return }
    let shelf = TileShelf(start.map { tiles[$0] })
    let array = shelf.tiles
    let observations = ObservationController(observer: shelf)
    let replays = [
      ArrayReplay<Tile>(array.elements), ArrayReplay<Tile>(array.elements, hasOld: true),
    ]
    var count = array.count
    var counts: [Int] = []
    observations.observeArray(shelf, \.tiles, elements: [\.rank]) { replays[0].receive($2) }
    replays[1].follow(array, by: observations)
    observations.observe(shelf, \.tiles.count) { _, _, change in
      if change.oldValue != count { counts.append(-1) }
      count = change.newValue
      counts.append(count)
    }
    func expect(_ isRight: Bool, _ flaw: String) {
      if !isRight {
        let tiles = start.map { self.tiles[$0] }
        flaws.append("\(tiles), \(operations): \(flaw)")
      }
    }
    for operation in operations {
      let (kind, elements) = operation.perform(on: array)
      let kinds = kind.map { [$0] } ?? []
      expect(array.elements == elements, "\(array) is not \(elements)")
      for replay in replays {
        let delivered = replay.takeChanges()
        expect(delivered.map(\.kind) == kinds, "received \(delivered)")
        expect(delivered.allSatisfy { $0.elements == elements }, "elements are \(delivered)")
      }
      expect(counts == kinds.map { _ in elements.count }, "counts \(counts)")
      counts = []
    }
    for tile in Set(start.map { tiles[$0] } + [new]) {
      tile.rank += 0
      let delivered = replays[0].takeChanges()
      expect(delivered.count == (array.contains(tile) ? 1 : 0), "\(tile) changed: \(delivered)")
    }
    for replay in replays { expect(replay.flaws.isEmpty, "\(replay.flaws)") }
  }
}
