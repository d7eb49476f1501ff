import ObservationController
import TestSupport
import XCTest

/// Random edits of a dictionary with every kind of observation, checked against a plain dictionary.
final class DictionaryRandomTests: TestCase {
  func test_randomEdits_keepEveryObserverAndViewConsistent() {
    for seed in seeds(quick: 12, full: 300) {
      let world = DictionaryWorld(seed: seed)
      for step in 0..<80 where world.flaws.isEmpty { world.step(step) }
      XCTAssertEqual(world.flaws, [], "seed \(seed)")
    }
  }
}

private final class DictionaryShelf {
  @Observed var tiles: ObservableDictionary<Int, Tile>

  init(_ tiles: [Int: Tile]) { self.tiles = ObservableDictionary(tiles) }
}

private final class DictionaryWorld {
  private(set) var flaws: [String] = []
  private var generator: SeededGenerator
  private let shelf: DictionaryShelf
  private let tiles = Tile.row(ranks: Array(repeating: 0, count: 6))
  private let path = DictionaryReplay<Int, Tile>()
  private let root: DictionaryReplay<Int, Tile>
  private let followed: ObservableDictionary<Int, Tile>
  private let keys: ObservableArray<Int>
  private let values: ObservableArray<Tile>
  private let shown: ArrayReplay<Tile>
  private let count: ObservableValue<Int>
  private let third: ObservableValue<Tile?>
  private var seenThird: Tile?
  private var ranks: [Int] = []
  private lazy var observations = ObservationController(observer: self)
  private let first: ObservableDictionary<Int, Tile>

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    shelf = DictionaryShelf(
      Dictionary(uniqueKeysWithValues: tiles.prefix(3).enumerated().map { ($0.offset, $0.element) })
    )
    first = shelf.tiles
    root = DictionaryReplay(of: first, hasOld: seed.isMultiple(of: 2))
    path.follow(shelf, \.tiles, values: [\.rank])
    followed = .following(shelf, \.tiles)
    keys = followed.keys { $0 < $1 }
    values = followed.values(on: [\.rank]) { ($0.rank, $0.letter) < ($1.rank, $1.letter) }
    shown = ArrayReplay(values.elements)
    count = ObservableValue { [shelf] in shelf.tiles.count }
    third = ObservableValue { [shelf] in shelf.tiles[3] }
    seenThird = shelf.tiles[3]
    _ = shown.follow(values, by: observations)
    observations.observe(shelf, \.tiles[3]) { world, _, change in
      if change.oldValue! !== world.seenThird {
        world.flaws.append("key 3 came from another value")
      }
      world.seenThird = change.newValue
      world.check("in the handler of key 3")
    }
    observations.observe(shelf, \.tiles.count) { world, shelf, change in
      if change.newValue != shelf.tiles.count { world.flaws.append("count \(change.newValue)") }
    }
  }

  func step(_ number: Int) {
    var log = ""
    switch chance(12) {
    case 0:
      log = "batch"
      shelf.tiles.performBatchUpdates {
        for _ in 0..<3 { log += " " + edit() }
        shelf.tiles.performBatchUpdates { log += " " + edit() }
      }
    case 1:
      log = "transaction"
      withObservationTransaction {
        for _ in 0..<4 { log += " " + edit() }
        if chance(4) == 0 { replace() }
      }
    case 2 where chance(4) == 0:
      log = "another one"
      replace()
    case 3:
      log = "rank"
      tiles[chance(tiles.count)].rank = chance(4)
    default: log = edit()
    }
    check("\(number) \(log)")
  }

  private func replace() {
    shelf.tiles = chance(2) == 0 ? first : ObservableDictionary([chance(5): tiles[chance(6)]])
  }

  private func edit() -> String {
    let (key, tile, tiles) = (chance(6), self.tiles[chance(6)], shelf.tiles)
    let kind = chance(11)
    switch kind {
    case 0, 1: tiles[key] = tile
    case 2: tiles[key] = nil
    case 3: tiles.updateValue(tile, forKey: key)
    case 4: tiles.merge([key: tile, 7 - key: tile]) { $1 }
    case 5: tiles.removeAll { $0.key.isMultiple(of: 2) && $0.key > 2 }
    case 6: tiles.update(to: [key: tile, key + 3: self.tiles[0]])
    case 7: tiles[key, default: tile].rank += 1
    case 8: set(&tiles[key], tile)
    case 9: tiles.setElements(tiles.elements.filter { $0.key != key })
    default: tile.rank = chance(4)
    }
    return "\(kind) \(key) \(tile)"
  }

  private func set(_ value: inout Tile?, _ tile: Tile) { value = value == nil ? tile : nil }

  private func check(_ place: String) {
    let now = shelf.tiles.elements
    func expect(_ condition: Bool, _ text: String) {
      if !condition { flaws.append("\(place): \(text)") }
    }
    expect(count.value == now.count, "derived count")
    expect(third.value === now[3], "derived value of a key")
    guard !place.hasPrefix("in") else { return }
    expect(path.elements == now, "path has \(path.elements)")
    expect(root.elements == first.elements, "root has \(root.elements)")
    expect(followed.elements == now, "following has \(followed)")
    expect(keys.elements == now.keys.sorted(), "keys are \(keys)")
    let sorted = now.values.sorted { ($0.rank, $0.letter) < ($1.rank, $1.letter) }
    expect(values.elements == sorted, "values are \(values)")
    expect(seenThird === now[3], "key 3 is \(seenThird.map { "\($0)" } ?? "nil")")
    flaws += path.flaws + root.flaws + shown.flaws
    expect(shown.elements == values.elements, "replay of values has \(shown.elements)")
  }

  private func chance(_ count: Int) -> Int { .random(in: 0..<count, using: &generator) }
}
