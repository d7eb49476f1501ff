import ObservationController
import TestSupport
import XCTest

/// Every kind of view by sections and groups, whose source, elements and parameter change, all of
/// few cases and at random, is compared with what the standard library makes of the source; and so
/// is what a list view shows that applies the changes that `observeSections` delivers.
final class SectionRandomTests: TestCase {
  private typealias List = ObservableArray<ObservableSection<Int, Tile>>
  private typealias Content = [(key: Int, elements: [Tile])]

  private final class Table {
    @Observed var divisor = 2
    @Observed var isDescending = false

    func precedes(_ left: Tile, _ right: Tile) -> Bool {
      isDescending ? left.rank > right.rank : left.rank < right.rank
    }
  }

  private struct View {
    let name: String
    let list: List
    let replays: [SectionReplay<Int, Tile>]
    let expected: () -> Content
  }

  private let observer = SilentObserver()
  private var generator = SeededGenerator(seed: 0)
  private var source = ObservableArray<Tile>()
  private var tiles: [Tile] = []
  private var table = Table()
  private var views: [View] = []
  private var groups = ObservableDictionary<Int, ObservableArray<Tile>>()

  private func number(_ range: Range<Int>) -> Int { .random(in: range, using: &generator) }

  // MARK: - What has to be shown

  private func expected(
    _ key: (Tile) -> Int, in keys: [Int]? = nil, by precedes: ((Tile, Tile) -> Bool)? = nil
  ) -> Content {
    let groups = Dictionary(grouping: source.elements, by: key)
    return (keys ?? groups.keys.sorted()).map { key in
      let elements = (groups[key] ?? []).enumerated()
      guard let precedes else { return (key, elements.map(\.element)) }
      // Stable, as the library promises.
      return (
        key,
        elements.sorted {
          precedes($0.element, $1.element)
            || $0.offset < $1.offset && !precedes($1.element, $0.element)
        }.map(\.element)
      )
    }
  }

  /// - Parameter isAll: Whether to make each kind, not two that differ most.
  private func makeViews(_ observations: ObservationController<SilentObserver>, isAll: Bool) {
    views = []
    func add(_ name: String, _ list: List, _ expected: @escaping () -> Content) {
      let replays = [
        SectionReplay(of: list), SectionReplay(of: list) { $0.rank * 2 + ($0.isShown ? 1 : 0) },
      ]
      observations.observeSections(list) { replays[0].receive($2) }
      observations.observeSections(list, elements: [\.rank, \.isShown], context: "elements") {
        replays[1].receive($2)
      }
      views.append(View(name: name, list: list, replays: replays, expected: expected))
    }
    let byRank = source.sections(on: [\.rank]) { $0.rank }
    add("by rank", byRank) { [unowned self] in expected { $0.rank } }
    groups = source.grouped(on: [\.rank], with: table, \.divisor) { $0.rank % $1 }
    // The key and the order depend on the same property.
    let sorted = source.sections(on: [\.rank], by: { $0.rank % 2 }, sortedBy: { $0.rank > $1.rank })
    add("sorted", sorted) {
      [unowned self] in
      expected({ $0.rank % 2 }, by: { $0.rank > $1.rank })
    }
    guard isAll else { return }
    add("of two", source.sections(on: [\.rank]) { $0.rank % 2 }) { [unowned self] in
      expected { $0.rank % 2 }
    }
    add(
      "fixed", source.sections(on: [\.rank], by: { $0.rank % 3 }, keys: [2, 0, 9, 1])
    ) { [unowned self] in
      expected({ $0.rank % 3 }, in: [2, 0, 9, 1])
    }
    add("shown", byRank.filtered(on: []) { $0.key != 2 }) { [unowned self] in
      expected { $0.rank }.filter { $0.key != 2 }
    }
    add("with", source.sections(on: [\.rank], with: table, \.divisor) { $0.rank % $1 }) {
      [unowned self] in
      expected { [table] in $0.rank % table.divisor }
    }
    let order = source.sections(
      on: [\.rank], with: table, \.isDescending, by: { tile, _ in tile.rank % 2 },
      sortedBy: { $2 ? $0.rank > $1.rank : $0.rank < $1.rank })
    add("sorted with", order) { [unowned self] in
      expected({ $0.rank % 2 }, by: { [table] in table.precedes($0, $1) })
    }
  }

  private func begin(
    _ elements: [Tile], _ observations: ObservationController<SilentObserver>, isAll: Bool = true
  ) {
    source = ObservableArray(elements)
    table = Table()
    makeViews(observations, isAll: isAll)
  }

  private func checkViews(_ step: @autoclosure () -> String) {
    func areEqual(_ left: Content, _ right: Content) -> Bool {
      left.map(\.key) == right.map(\.key) && left.map(\.elements) == right.map(\.elements)
    }
    for view in views {
      let shown = view.list.map { ($0.key, $0.elements.elements) }
      let expected = view.expected()
      guard areEqual(shown, expected) else {
        return XCTFail("\(view.name) \(step()): \(shown) in place of \(expected)")
      }
      for replay in view.replays {
        XCTAssertTrue(areEqual(replay.sections, expected), "\(view.name) \(step())")
        XCTAssertEqual(replay.flaws, [], "\(view.name) \(step())")
      }
      XCTAssertTrue(view.replays[1].isDrawn, "\(view.name) \(step())")
    }
    #if DEBUG
      let inner = views.flatMap { $0.list.map(\.elements) } + groups.elements.values
      for group in inner { XCTAssertEqual(group._checkInvariants(), [], step()) }
    #endif
    for section in views[0].list {
      for (row, tile) in section.elements.enumerated() {
        XCTAssertTrue(source[section.elements.sourceIndex(at: row)] === tile, step())
      }
    }
    let expected = Dictionary(grouping: source.elements) { [table] in $0.rank % table.divisor }
    XCTAssertEqual(groups.elements.mapValues(\.elements), expected, step())
  }

  // MARK: - All cases

  func test_everyEdit_ofFewElements_keepsEachViewCorrect() {
    tiles = [Tile("a"), Tile("b")]
    var cases = Cases(quickOneOutOf: 53)
    for elements in allArrays(of: tiles, upTo: 3) {
      for operation in TileOperation.all(count: elements.count, tiles) {
        for ranks in 1..<3 {
          guard cases.takesNext() else { continue }
          for (index, tile) in tiles.enumerated() { tile.rank = ranks >> index & 1 }
          let observations = ObservationController(observer: observer)
          begin(elements, observations, isAll: false)
          operation.perform(on: source)
          checkViews("\(elements) \(operation)")
          guard testRun?.totalFailureCount == 0 else { return }
        }
      }
    }
  }

  func test_everyTwoChangesOfElements_inATransaction_areOneChange() {
    var cases = Cases(quickOneOutOf: 31)
    for first in 0..<12 {
      for second in 0..<12 {
        for elements in [[0, 1, 2], [0, 0, 1], [1, 0, 1, 2]] {
          guard cases.takesNext() else { continue }
          tiles = (0..<3).map { Tile(["a", "b", "c"][$0], rank: $0) }
          let observations = ObservationController(observer: observer)
          begin(elements.map { tiles[$0] }, observations, isAll: false)
          withObservationTransaction {
            tiles[first / 4].rank = first % 4
            tiles[second / 4].rank = second % 4
          }
          checkViews("\(elements) \(first) \(second)")
          let deliveries = views.flatMap { $0.replays.map(\.deliveries) }
          XCTAssertLessThanOrEqual(deliveries.max() ?? 0, 1, "\(elements) \(first) \(second)")
        }
      }
    }
  }

  // MARK: - At random

  private func act() {
    switch number(0..<12) {
    case 0: table.divisor = number(1..<4)
    case 1: table.isDescending.toggle()
    case 2, 3, 4: tiles[number(0..<tiles.count)].rank = number(0..<4)
    case 5: source.update(to: source.shuffled(using: &generator).dropLast(number(0..<2)))
    default:
      TileOperation.random(count: source.count, limit: 9, tiles, using: &generator)
        .perform(on: source)
    }
  }

  private func check(
    quick: Int, full: Int, line: UInt = #line,
    _ round: (ObservationController<SilentObserver>) -> Void
  ) {
    for seed in seeds(quick: quick, full: full, line: line) {
      generator = SeededGenerator(seed: seed)
      tiles = (0..<6).map { Tile("\($0)", rank: number(0..<4)) }
      let observations = ObservationController(observer: observer)
      begin((0..<5).map { _ in tiles[number(0..<6)] }, observations)
      for step in 0..<25 {
        round(observations)
        checkViews("step \(step)")
        guard testRun?.totalFailureCount == 0 else { return }
      }
    }
    views = []
  }

  func test_changes_keepEachViewCorrect_inOneChangeEach() {
    check(quick: 1, full: 14) { _ in
      let before = views.flatMap { $0.replays.map(\.deliveries) }
      act()
      let after = views.flatMap { $0.replays.map(\.deliveries) }
      XCTAssertTrue(zip(before, after).allSatisfy { $1 - $0 <= 1 }, "\(before) \(after)")
    }
  }

  func test_changesInBatches_keepEachViewCorrect() {
    check(quick: 1, full: 14) { _ in
      source.performBatchUpdates {
        act()
        source.performBatchUpdates { for _ in 0..<number(1..<4) { act() } }
        act()
      }
    }
  }

  func test_changesInTransactions_keepEachViewCorrect_inOneChangeEach() {
    check(quick: 1, full: 14) { _ in
      let before = views.flatMap { $0.replays.map(\.deliveries) }
      withObservationTransaction { for _ in 0..<number(1..<6) { act() } }
      let after = views.flatMap { $0.replays.map(\.deliveries) }
      XCTAssertTrue(zip(before, after).allSatisfy { $1 - $0 <= 1 }, "\(before) \(after)")
    }
  }

  func test_changesInBatchesInTransactions_keepEachViewCorrect() {
    check(quick: 1, full: 14) { _ in
      withObservationTransaction {
        act()
        source.performBatchUpdates {
          act()
          act()
        }
        act()
      }
    }
  }

  func test_changesInHandlers_keepEachViewCorrect() {
    var depth = 0
    func nest() {
      guard depth > 0 else { return }
      depth -= 1
      act()
    }
    check(quick: 1, full: 14) { observations in
      let tokens = [
        observations.observeArray(source, elements: [\.rank], context: "nest") { _, _, _ in nest()
        },
        observations.observeSections(views[2].list, context: "nest") { _, _, _ in nest() },
        observations.observe(table, \.divisor, context: "nest") { _, _, _ in nest() },
        observations.observeDictionary(groups, context: "nest") { _, _, _ in nest() },
      ]
      depth = number(1..<4)
      if number(0..<2) == 0 {
        withObservationTransaction {
          act()
          act()
        }
      } else {
        act()
      }
      depth = 0
      for token in tokens { token.invalidate() }
    }
  }
}
