import ObservationController
import TestSupport
import XCTest

/// Random programs whose handlers edit the array being delivered, a bounded number of times.
final class ArrayRandomReentrancyTests: TestCase {
  func test_randomEditsInHandlers_keepEveryObserversChangesContiguous() {
    for seed in seeds(quick: 80, full: 5_000) {
      let program = ReentrantProgram(seed: seed)
      program.run()
      XCTAssertTrue(program.flaws.isEmpty, program.report)
    }
  }
}

/// An array, observers of which some edit it, and some edits.
private final class ReentrantProgram {
  private(set) var flaws: [String] = []
  private var log: [() -> String] = []
  private var generator: SeededGenerator

  private let tiles: [Tile]
  private let shelf: TileShelf
  private var array: ObservableArray<Tile> { shelf.tiles }
  private var observers: [RandomObserver] = []
  private let filtered: ObservableArray<Tile>
  private let sorted: ObservableArray<Tile>

  /// The last total that each observer of a computed path received.
  private var totals: [String: Int] = [:]
  private lazy var observations = ObservationController(observer: self)

  /// The number of edits that handlers may still make.
  private var budget = 0

  /// The number of changes that observers must receive, a batch being one.
  private var editCount = 0

  /// The observers of the array itself that were notified, in order.
  private var order: [Int] = []

  /// Whether no observer follows elements, whose changes have an order of their own.
  private var isOfArraysAlone = false

  /// For each batch under way, whether it has edited anything.
  private var batches: [Bool] = []

  /// All ranks that each tile has had.
  private var ranks: [Tile: [Int]] = [:]

  init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    tiles = ["a", "b", "c", "d"].map { Tile($0, rank: .random(in: 0..<4, using: &generator)) }
    let count = Int.random(in: 0...4, using: &generator)
    let shelf = TileShelf((0..<count).map { [tiles] _ in tiles.randomElement(using: &generator)! })
    self.shelf = shelf
    filtered = shelf.tiles.filtered(on: [\.isShown]) { $0.isShown }
    sorted = shelf.tiles.sorted(on: [\.rank], by: Tile.isBefore)
    self.generator = generator
    for tile in tiles { ranks[tile] = [tile.rank] }
    isOfArraysAlone = chance(2) == 0
    for index in 0...chance(6) {
      if chance(6) == 0 { observeTotal("total \(index)") }
      if chance(6) == 0 { observeRank(of: tiles[chance(4)]) }
      addObserver()
    }
  }

  // MARK: - Observers

  private func addObserver() {
    let sources = [array, array, array, filtered, sorted]
    let keyPaths: [[PartialKeyPath<Tile>]] = [[], [\.rank], [\.weight, \.rank]]
    let source = sources[chance(5)]
    let observer = RandomObserver(
      source, isOfShelf: chance(3) == 0, isOfArraysAlone ? [] : keyPaths[chance(3)])
    let number = observers.count
    observers.append(observer)
    let isEditor = chance(2) == 0
    observer.begin(on: shelf) { [unowned self] in
      if source === array { order.append(number) }
      if isEditor { editInHandler("\(number)") }
    }
  }

  /// Observes a computed path that reads the array and its tiles.
  private func observeTotal(_ name: String) {
    totals[name] = shelf.totalRank
    observations.observe(shelf, \.totalRank, context: ObservationContext(name)) {
      program, _, change in
      let last = program.totals.updateValue(change.newValue, forKey: name)
      program.expect(change.oldValue == last, "\(name) was \(last!): \(change)")
      program.editInHandler(name)
    }
  }

  /// Observes a tile by itself, which is delivered in the middle of a batch.
  private func observeRank(of tile: Tile) {
    observations.observe(tile, \.rank) { program, _, _ in program.editInHandler("tile") }
  }

  private func editInHandler(_ name: String) {
    guard budget > 0, chance(3) > 0 else { return }
    budget -= 1
    log.append { "in \(name):" }
    edit()
  }

  // MARK: - Running

  func run() {
    for _ in 0..<3 where flaws.isEmpty {
      budget = 4
      log.append { "from outside:" }
      edit()
      check()
    }
  }

  private func edit() {
    guard chance(8) > 0 else { return editInBatch() }
    let operation = TileOperation.random(count: array.count, limit: 6, tiles, using: &generator)
    log.append { "\(operation)" }
    if case .setRank(let tile, let rank) = operation { ranks[tile]?.append(rank) }
    // Counted before handlers count theirs, so that the order does not matter.
    if operation.perform(on: array).kind != nil { noteEdit() }
  }

  private func editInBatch() {
    log.append { "batch {" }
    batches.append(false)
    var isEdited = false
    array.performBatchUpdates {
      for _ in 0..<chance(4) { edit() }
      isEdited = batches.removeLast()
      log.append { "}" }
    }
    if isEdited { noteEdit() }
  }

  private func noteEdit() {
    if batches.isEmpty { editCount += 1 } else { batches[batches.count - 1] = true }
  }

  // MARK: - Checking

  private func check() {
    let elements = array.elements
    expect(filtered.elements == elements.filter(\.isShown), "filtered is \(filtered)")
    expect(sorted.elements == elements.sorted(by: Tile.isBefore), "sorted is \(sorted)")
    for (name, total) in totals { expect(total == shelf.totalRank, "\(name) is \(total)") }
    let histories = observers.filter { $0.source === array }.map { observer in
      observer.replay.changes.filter { $0.kind != .element }
    }
    for (number, observer) in observers.enumerated() {
      flaws += observer.replay.flaws.map { "\(number): \($0)" }
      expect(
        observer.replay.elements == observer.source.elements,
        "\(number) has \(observer.replay.elements) of \(observer.source)")
      expect(observer.hasPlausibleRanks(ranks), "\(number) received other ranks than \(ranks)")
    }
    if isOfArraysAlone {
      let everyObserver = observers.indices.filter { observers[$0].source === array }
      let wanted = (0..<editCount).flatMap { _ in everyObserver }
      expect(order == wanted, "\(order) received \(editCount) changes")
    }
    for history in histories {
      expect(history.count == editCount, "received \(history) in place of \(editCount) changes")
      let isSame = zip(history, histories[0]).allSatisfy {
        $0.kind == $1.kind && $0.entries == $1.entries && $0.elements == $1.elements
      }
      expect(isSame, "received \(history) and \(histories[0])")
    }
  }

  var report: String {
    "\(flaws)\n\(log.map { $0() })\n\(observers.map(\.description))"
  }

  private func expect(_ isRight: Bool, _ flaw: @autoclosure () -> String) {
    if !isRight { flaws.append(flaw()) }
  }

  private func chance(_ count: Int) -> Int { .random(in: 0..<count, using: &generator) }
}

/// Replays the changes of one array or view.
private final class RandomObserver: CustomStringConvertible {
  let source: ObservableArray<Tile>
  let replay: ArrayReplay<Tile>
  private let isOfShelf: Bool
  private let keyPaths: [PartialKeyPath<Tile>]
  private lazy var observations = ObservationController(observer: self)

  init(
    _ source: ObservableArray<Tile>, isOfShelf: Bool, _ keyPaths: [PartialKeyPath<Tile>]
  ) {
    self.source = source
    self.keyPaths = keyPaths
    self.isOfShelf = isOfShelf
    replay = ArrayReplay(source.elements, hasOld: keyPaths.isEmpty)
  }

  func begin(on shelf: TileShelf, then act: @escaping () -> Void) {
    if isOfShelf && source === shelf.tiles {
      observations.observeArray(
        shelf, \.tiles, elements: keyPaths, options: keyPaths.isEmpty ? .old : []
      ) { observer, _, change in
        observer.replay.receive(change)
        act()
      }
    } else {
      replay.follow(source, elements: keyPaths, by: observations) { _ in act() }
    }
  }

  /// Whether the delivered ranks of each tile are some of those set, in their order.
  func hasPlausibleRanks(_ ranks: [Tile: [Int]]) -> Bool {
    ranks.allSatisfy { tile, ranks in
      let delivered = replay.changes.filter {
        $0.elementKeyPath == \Tile.rank && $0.entries.first?.element == tile
      }
      var rest = Array(zip(ranks, ranks.dropFirst()))[...]
      return delivered.allSatisfy { change in
        let values = (
          change.elementChange?.oldValue as? Int, change.elementChange?.newValue as? Int
        )
        guard let index = rest.firstIndex(where: { $0.0 == values.0 && $0.1 == values.1 }) else {
          return false
        }
        rest = rest[(index + 1)...]
        return true
      }
    }
  }

  var description: String {
    "\(isOfShelf ? "shelf" : "array") \(keyPaths): \(replay.changes)"
  }
}
