import ObservationController
import TestSupport
import XCTest

/// Random edits of an array with every kind of observation, checked against the standard library.
final class ArrayRandomTests: TestCase {
  func test_manyRandomEdits_keepEveryObserverAndViewConsistent() {
    for seed in seeds(quick: 6, full: 1_000) {
      let world = RandomWorld(seed: seed)
      world.chooseLimit()
      for step in 0..<100 where world.flaws.isEmpty {
        // Small arrays find more; some are large enough for logged edits.
        if seed.isMultiple(of: 6), step == 70 { world.makeLong(count: 150) }
        world.step()
      }
      XCTAssertEqual(world.flaws, [], "after \(world.log.suffix(12).map { $0() })")
    }
  }
}

/// A shelf with an array that has every kind of observation, and its expected deliveries.
private final class RandomWorld {
  private(set) var flaws: [String] = []

  /// A description of the last step.
  private(set) var log: [() -> String] = []

  private var generator: SeededGenerator
  private let shelf = TileShelf()
  private var tiles = Tile.row(ranks: Array(repeating: 0, count: 8))

  /// The maximal number of elements, except in batches.
  var limit = 12
  private var isLong: Bool { limit > 12 }

  /// Follows the array of the shelf, and two properties of its tiles.
  private let path = ArrayReplay<Tile>([])

  /// Follows the array that is on the shelf now, by itself.
  private var array: ArrayReplay<Tile>
  private var views: RandomViews
  private lazy var observations = ObservationController(observer: self)
  private var token: ObservationToken?

  /// The expected element changes of the path, in order for each key path.
  private var expected: [PartialKeyPath<Tile>: [TileChange]] = [:]

  /// The tiles at the beginning of the outermost batch under way.
  private var tilesBeforeBatch: [Tile]?

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    array = ArrayReplay([], hasOld: true)
    views = RandomViews(of: shelf.tiles)
    observations.observeArray(shelf, \.tiles, elements: [\.rank, \.weight]) { world, _, change in
      world.path.receive(change)
    }
    token = array.follow(shelf.tiles, by: observations)
  }

  // MARK: - Steps

  /// Edits the array, or puts another on the shelf, and checks all observers.
  func step() {
    if log.count > 50 { log.removeFirst(25) }
    let kind: ArrayChange<Tile>.Kind?
    if chance(1, of: isLong ? 20 : 250) {
      replaceArray()
      kind = .setting
    } else if chance(1, of: 200) {
      tiles[.random(in: 0..<tiles.count, using: &generator)] = Tile("n")
      return
    } else {
      kind = edit(shelf.tiles)
      let delivered = array.takeChanges().map(\.kind)
      expect(
        delivered == (kind.map { [$0] } ?? []),
        "\(delivered) in place of \(String(describing: kind))")
    }
    checkPath(kind)
    let elements = shelf.tiles.elements
    expect(path.elements == elements, "path has \(path.elements) of \(elements)")
    expect(array.elements == elements, "array has \(array.elements) of \(elements)")
    flaws += path.flaws + array.flaws + views.flaws(in: elements)
  }

  func chooseLimit() {
    limit = .random(in: 1...10, using: &generator)
  }

  func makeLong(count: Int) {
    limit = 200
    shelf.tiles.append(contentsOf: (0..<count).map { Tile("l", rank: $0 % 5) })
    _ = (array.takeChanges(), path.takeChanges())
  }

  /// One edit, or a batch of some.
  private func edit(_ array: ObservableArray<Tile>) -> ArrayChange<Tile>.Kind? {
    if chance(1, of: 12) { return editInBatch(array) }
    let pool = isLong ? tiles + array.elements.suffix(20) : tiles
    let operation = TileOperation.random(
      count: array.count, limit: limit, pool, using: &generator)
    log.append { "\(operation)" }
    expectChange(by: operation)
    let result = operation.perform(on: array)
    expect(array.elements == result.elements, "\(array) is not \(result.elements)")
    return result.kind
  }

  private func editInBatch(_ array: ObservableArray<Tile>) -> ArrayChange<Tile>.Kind? {
    let isOutermost = tilesBeforeBatch == nil
    if isOutermost { tilesBeforeBatch = array.elements }
    defer { if isOutermost { tilesBeforeBatch = nil } }
    log.append { "batch {" }
    var isEdited = false
    array.performBatchUpdates {
      for _ in 0..<Int.random(in: 0..<5, using: &generator) {
        if edit(array) != nil { isEdited = true }
      }
      log.append { "}" }
    }
    return isEdited ? .batch : nil
  }

  /// Puts another array on the shelf, or assigns the current one again.
  private func replaceArray() {
    let old = shelf.tiles
    let isSame = chance(1, of: 4)
    let new = isSame ? old : ObservableArray(old.elements.shuffled(using: &generator).prefix(8))
    log.append { isSame ? "same again" : "another array" }
    shelf.tiles = new
    guard !isSame else { return }
    token?.invalidate()
    array = ArrayReplay(new.elements, hasOld: true)
    token = array.follow(new, by: observations)
    views = RandomViews(of: new)
    old.append(tiles[0])
    expect(path.changes.count == 1, "received an edit of the replaced array")
  }

  // MARK: - Expectations

  private struct TileChange: Equatable {
    let tile: Tile
    let old: Int
    let new: Int
  }

  private func expectChange(by operation: TileOperation) {
    let tile: Tile
    let change: (weight: Int, rank: Int?)
    switch operation {
    case .setRank(let changed, let rank):
      (tile, change) = (changed, (changed.isShown ? rank : -1, rank))
    case .setShown(let changed, let isShown):
      (tile, change) = (changed, (isShown ? changed.rank : -1, nil))
    default: return
    }
    guard (tilesBeforeBatch ?? shelf.tiles.elements).contains(tile) else { return }
    if let rank = change.rank {
      expected[\.rank, default: []].append(TileChange(tile: tile, old: tile.rank, new: rank))
      // The weight of a hidden tile does not read its rank.
      guard tile.isShown else { return }
    }
    expected[\.weight, default: []].append(
      TileChange(tile: tile, old: tile.weight, new: change.weight))
  }

  private func checkPath(_ kind: ArrayChange<Tile>.Kind?) {
    let delivered = path.takeChanges()
    let (edits, rest) = (
      delivered.prefix { $0.kind != .element }, delivered.drop { $0.kind != .element }
    )
    expect(edits.map(\.kind) == (kind.map { [$0] } ?? []), "path received \(delivered)")
    for keyPath in [\Tile.rank, \Tile.weight] as [PartialKeyPath<Tile>] {
      let changes = rest.filter { $0.elementKeyPath == keyPath }.map { change in
        TileChange(
          tile: change.entries[0].element, old: change.elementChange?.oldValue as? Int ?? .min,
          new: change.elementChange?.newValue as? Int ?? .min)
      }
      // Elements removed in a batch are not delivered any more.
      let wanted = (expected[keyPath] ?? []).filter { shelf.tiles.contains($0.tile) }
      expect(changes == wanted, "\(keyPath): \(changes) in place of \(wanted)")
    }
    expected = [:]
  }

  private func chance(_ count: Int, of all: Int) -> Bool {
    Int.random(in: 0..<all, using: &generator) < count
  }

  private func expect(_ isRight: Bool, _ flaw: @autoclosure () -> String) {
    if !isRight { flaws.append(flaw()) }
  }
}

/// The views of one array, each with a replay of its changes.
private final class RandomViews {
  private let filtered: ViewReplay<Tile>
  private let sorted: ViewReplay<Tile>
  private let mapped: ViewReplay<Int>
  private let chain: (ViewReplay<Tile>, ViewReplay<Tile>, ViewReplay<Int>)

  init(of array: ObservableArray<Tile>) {
    filtered = ViewReplay(array.filtered(on: [\.isShown]) { $0.isShown })
    sorted = ViewReplay(array.sorted(on: [\.rank], by: Tile.isBefore))
    mapped = ViewReplay(array.mapped(on: [\.weight]) { $0.weight })
    let lighter = ViewReplay(array.filtered(on: [\.rank, \.isShown]) { $0.weight < 2 })
    let ordered = ViewReplay(lighter.view.sorted(on: [\.rank]) { $0.rank > $1.rank }, [\.rank])
    chain = (lighter, ordered, ViewReplay(ordered.view.mapped(on: [\.rank]) { $0.rank }))
  }

  func flaws(in elements: [Tile]) -> [String] {
    let lighter = elements.filter { $0.weight < 2 }
    let ordered = lighter.sorted { $0.rank > $1.rank }
    return filtered.flaws("filtered", elements.filter(\.isShown))
      + sorted.flaws("sorted", elements.sorted(by: Tile.isBefore))
      + mapped.flaws("mapped", elements.map(\.weight))
      + chain.0.flaws("lighter", lighter) + chain.1.flaws("ordered", ordered)
      + chain.2.flaws("ranks", ordered.map(\.rank))
  }
}

/// A view, and the replay of its changes.
private final class ViewReplay<Element: Hashable> {
  let view: ObservableArray<Element>
  private let replay: ArrayReplay<Element>
  private lazy var observations = ObservationController(observer: self)

  init(_ view: ObservableArray<Element>, _ keyPaths: [PartialKeyPath<Element>] = []) {
    self.view = view
    replay = ArrayReplay(view.elements)
    replay.follow(view, elements: keyPaths, by: observations)
  }

  func flaws(_ name: String, _ expected: [Element]) -> [String] {
    var flaws = replay.flaws
    if view.elements != expected { flaws.append("is \(view), not \(expected)") }
    if replay.elements != expected { flaws.append("replays as \(replay.elements)") }
    _ = replay.takeChanges()
    return flaws.isEmpty ? [] : flaws.map { "\(name) \($0)" }
  }
}
