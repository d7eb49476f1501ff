import ObservationController
import TestSupport
import XCTest

/// Replays of views that follow a property, for every edit of its array, and for every other array
/// set there.
///
/// Exhaustive for arrays up to three, each edit and each two of them, with another array set in
/// between; random for long ones, also from inside handlers, in batches and in transactions.
final class FollowingViewReplayTests: TestCase {
  private let tiles = [Tile("a", rank: 2), Tile("b", rank: 1), Tile("c", rank: 3), Tile("d")]

  func test_following_everyTwoEdits_replay_withAnotherArrayInBetween() {
    var cases = Cases(quickOneOutOf: 101)
    for start in allArrays(of: [0, 1], upTo: 3) {
      for first in TileOperation.all(count: start.count, [tiles[0], tiles[3]]) {
        let count = first.perform(on: ObservableArray(start.map { tiles[$0] })).elements.count
        for second in TileOperation.all(count: count, [tiles[0], tiles[3]]) {
          guard cases.takesNext() else { continue }
          check(start, first, second)
        }
      }
    }
  }

  private func check(_ start: [Int], _ first: TileOperation, _ second: TileOperation) {
    let message = "\(start), \(first), \(second)"
    let shelf = TileShelf(start.map { tiles[$0] })
    let view = ObservableArray.following(shelf, \.tiles)
    let observations = ObservationController(observer: self)
    let replay = ArrayReplay(view.elements, hasOld: true)
    replay.follow(view, by: observations)
    let kind = first.perform(on: shelf.tiles).kind
    XCTAssertEqual(view.elements, shelf.tiles.elements, message)
    // An edit of all elements may be delivered as a setting.
    XCTAssertEqual(replay.takeChanges().count, kind == nil ? 0 : 1, message)
    let before = shelf.tiles
    shelf.tiles = ObservableArray(before.elements)
    _ = second.perform(on: shelf.tiles)
    XCTAssertEqual(view.elements, shelf.tiles.elements, message)
    XCTAssertEqual(replay.takeChanges().first?.kind, .setting, message)
    before.append(tiles[2])
    XCTAssertEqual(replay.changes.map(\.kind), [], message)
    XCTAssertEqual(replay.elements, shelf.tiles.elements, message)
    XCTAssertEqual(replay.flaws, [], message)
  }

  func test_following_randomEdits_replay_alsoInHandlersBatchesAndTransactions() {
    for seed in seeds(quick: 40, full: 3_000) {
      let program = FollowingProgram(seed: seed, tiles)
      for _ in 0..<30 where program.flaws.isEmpty { program.step() }
      XCTAssertEqual(program.flaws, [], "seed \(seed), after \(program.log.suffix(8))")
    }
  }

  func test_following_randomEditsOfALongArray_replay() {
    for seed in seeds(quick: 1, full: 30) {
      let program = FollowingProgram(seed: seed, (0..<2_000).map { Tile("t", rank: $0 % 7) })
      program.limit = 3_000
      program.fill()
      for _ in 0..<10 where program.flaws.isEmpty { program.step() }
      XCTAssertEqual(program.flaws, [], "seed \(seed), after \(program.log.suffix(8))")
    }
  }
}

/// A property that holds one of two arrays or none, and the views that follow it.
private final class FollowingProgram {
  private(set) var flaws: [String] = []
  private(set) var log: [String] = []
  var limit = 6

  private final class Holder {
    @Observed var array: ObservableArray<Tile>?
  }

  private let holder = Holder()
  private let arrays: [ObservableArray<Tile>]
  private let tiles: [Tile]
  private var generator: SeededGenerator

  private let view: ObservableArray<Tile>
  private let shown: ObservableArray<Tile>
  private let ordered: ObservableArray<Tile>
  private let replays: [ArrayReplay<Tile>]
  private lazy var observations = ObservationController(observer: self)

  /// The number of edits that handlers may still make.
  private var budget = 0

  init(seed: UInt64, _ tiles: [Tile]) {
    (generator, self.tiles) = (SeededGenerator(seed: seed), tiles)
    arrays = [ObservableArray(tiles.prefix(3)), []]
    view = .following(holder, \.array)
    shown = view.filtered(on: [\.isShown]) { $0.isShown }
    ordered = view.sorted(on: [\.rank], by: Tile.isBefore)
    replays = [[], [], [], arrays[0].elements].map { ArrayReplay($0) }
    for (replay, array) in zip(replays, [view, shown, ordered]) {
      replay.follow(array, by: observations) { [unowned self] _ in editInHandler() }
    }
    replays[3].follow(arrays[0], by: observations) { [unowned self] _ in editInHandler() }
  }

  private func chance(_ count: Int) -> Int { .random(in: 0..<count, using: &generator) }

  func fill() {
    for array in arrays { array.setElements(tiles) }
    holder.array = arrays[0]
  }

  func step() {
    budget = 3
    switch chance(6) {
    case 0:
      log.append("transaction {")
      withObservationTransaction {
        for _ in 0..<chance(5) { edit() }
      }
      log.append("}")
    case 1:
      log.append("batch {")
      arrays[0].performBatchUpdates {
        for _ in 0..<chance(5) { edit() }
      }
      log.append("}")
    default: edit()
    }
    check()
  }

  private func editInHandler() {
    guard budget > 0, chance(3) == 0 else { return }
    budget -= 1
    log.append("in a handler:")
    edit()
  }

  private func edit() {
    if chance(5) == 0 {
      let index = chance(3)
      log.append("set \(index)")
      holder.array = index == 2 ? nil : arrays[index]
    } else {
      let index = chance(2)
      let operation = TileOperation.random(
        count: arrays[index].count, limit: limit, tiles, using: &generator)
      log.append("\(index): \(operation)")
      operation.perform(on: arrays[index])
    }
  }

  private func check() {
    let elements = holder.array?.elements ?? []
    expect(view.elements == elements, "view is \(view), not \(elements)")
    expect(shown.elements == elements.filter(\.isShown), "shown is \(shown)")
    expect(ordered.elements == elements.sorted(by: Tile.isBefore), "ordered is \(ordered)")
    for (index, (replay, array)) in zip(replays, [view, shown, ordered, arrays[0]]).enumerated() {
      flaws += replay.flaws.map { "\(index): \($0)" }
      expect(replay.elements == array.elements, "\(index) has \(replay.elements) of \(array)")
    }
  }

  private func expect(_ isRight: Bool, _ flaw: @autoclosure () -> String) {
    if !isRight { flaws.append(flaw()) }
  }
}
