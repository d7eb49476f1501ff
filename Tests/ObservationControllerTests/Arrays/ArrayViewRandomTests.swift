import ObservationController
import TestSupport
import XCTest

/// Live views of a source whose elements change at the worst time: in the middle of a batch, or in
/// a handler while other changes wait.
final class ArrayViewRandomTests: TestCase {
  private let source = ObservableArray<Tile>()
  private let observer = SilentObserver()
  private lazy var observations = ObservationController(observer: observer)
  private var generator = SeededGenerator(seed: 0)
  private var made = 0

  private func number(_ range: Range<Int>) -> Int { .random(in: range, using: &generator) }

  /// Edits the source, or changes one of its elements, at random.
  private func act() {
    let count = source.count
    switch number(0..<10) {
    case 0, 1:
      made += 1
      source.insert(Tile("\(made)", rank: number(0..<6)), at: number(0..<count + 1))
    case 2 where count > 8:
      source.removeSubrange(number(0..<4)..<number(4..<count))
    case 3 where count > 0:
      source.swapAt(number(0..<count), number(0..<count))
    case 4 where count > 0:
      source.append(source[number(0..<count)])
    case 5 where number(0..<5) == 0:
      source.sort { $0.rank > $1.rank }
    case 6 where count > 0:
      source[number(0..<count)].isShown.toggle()
    case _ where count > 0:
      source[number(0..<count)].rank = number(0..<6)
    default:
      break
    }
  }

  /// Checks everything after each round of a program.
  private func check(quick: Int, full: Int, _ round: () -> Void) {
    for seed in seeds(quick: quick, full: full) { check(seed, round) }
  }

  private func check(_ seed: UInt64, _ round: () -> Void) {
    generator = SeededGenerator(seed: seed)
    source.removeAll()
    let observations = ObservationController(observer: observer)
    let shown = source.filtered(on: [\.weight]) { $0.weight >= 2 }
    let sorted = source.sorted(on: [\.rank], by: Tile.isBefore)
    let chain = shown.sorted(on: [\.rank], by: Tile.isBefore)
    let ranks = source.mapped(on: [\.rank]) { $0.rank }
    let views = [shown, sorted, chain]
    let replays = views.map { ArrayReplay($0.elements) }
    for (view, replay) in zip(views, replays) {
      replay.follow(view, elements: [\.weight], by: observations)
    }
    let rankReplay = ArrayReplay(ranks.elements)
    rankReplay.follow(ranks, by: observations)
    for number in 0..<50 {
      round()
      let expected = source.filter { $0.weight >= 2 }
      XCTAssertEqual(shown.elements, expected)
      XCTAssertEqual(sorted.elements, source.elements.sorted(by: Tile.isBefore))
      XCTAssertEqual(chain.elements, expected.sorted(by: Tile.isBefore))
      XCTAssertEqual(ranks.elements, source.map(\.rank))
      for (view, replay) in zip(views, replays) { XCTAssertEqual(replay.elements, view.elements) }
      XCTAssertEqual(rankReplay.elements, ranks.elements)
      let flaws = replays.flatMap(\.flaws) + rankReplay.flaws
      guard flaws.isEmpty, testRun?.totalFailureCount == 0 else {
        return XCTFail("round \(number): \(flaws)")
      }
    }
  }

  func test_changesInBatches_keepEachViewCorrect() {
    check(quick: 2, full: 30) {
      source.performBatchUpdates { for _ in 0..<number(1..<5) { act() } }
    }
  }

  func test_changesOfManyElementsInTransactions_keepEachViewCorrect() {
    check(quick: 2, full: 30) {
      if source.isEmpty {
        for index in 0..<number(30..<60) { source.append(Tile("\(index)", rank: number(0..<6))) }
      }
      let share = number(1..<6)
      withObservationTransaction {
        for tile in source where number(0..<share) == 0 {
          if number(0..<2) == 0 { tile.rank = number(0..<6) } else { tile.isShown.toggle() }
        }
        for _ in 0..<number(0..<3) { act() }
      }
    }
  }

  /// A handler of the source, called before or after others, edits and changes elements.
  func test_changesInHandlers_keepEachViewCorrect() {
    var depth = 0
    observations.observeArray(source, elements: [\.rank, \.isShown], context: "first") {
      [self] _, _, _ in
      guard depth > 0 else { return }
      depth -= 1
      act()
    }
    check(quick: 2, full: 30) {
      depth = number(0..<4)
      act()
      depth = 0
    }
  }

  /// The handler belongs to the property of an element, which it sets again.
  func test_changesOfOneElementInItsHandler_keepEachViewCorrect() {
    var tokens: [ObservationToken] = []
    check(quick: 2, full: 30) {
      act()
      guard let tile = source.randomElement(using: &generator) else { return }
      var depth = number(0..<4)
      tokens = [
        observations.observe(tile, \.rank) { [self] _, tile, _ in
          guard depth > 0 else { return }
          depth -= 1
          tile.rank = number(0..<6)
          act()
        }
      ]
      tile.rank = number(0..<6)
      tokens[0].invalidate()
    }
  }
}
