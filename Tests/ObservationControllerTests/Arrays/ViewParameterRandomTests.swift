import ObservationController
import TestSupport
import XCTest

/// Every kind of live view, whose source, elements and parameters change at random, also at the
/// worst time, is compared with what the standard library makes of the source.
final class ViewParameterRandomTests: TestCase {
  private struct Order: Equatable {
    var isDescending = false
    var byShown = false

    func precedes(_ left: Tile, _ right: Tile) -> Bool {
      let (first, second) = isDescending ? (right, left) : (left, right)
      if byShown, first.isShown != second.isShown { return first.isShown }
      return first.rank < second.rank
    }
  }

  private final class Search {
    @Observed var limit = 2
    @Observed var order = Order()
    @Observed var factor = 1
    @Observed var page = 0..<5
    @AtomicObserved var base = 0
    @Derived({ (search: Search) in search.limit + search.base }) var derivedLimit: Int
    var computedLimit: Int { limit + factor }
  }

  private final class Holder {
    @Observed var search: Search? = Search()
  }

  private let source = ObservableArray<Tile>()
  private var lists = ObservableArray<ObservableArray<Tile>>()
  private var pool: [ObservableArray<Tile>] = []
  private var holder = Holder()
  private var search = Search()
  private let observer = SilentObserver()
  private lazy var observations = ObservationController(observer: observer)
  private var generator = SeededGenerator(seed: 0)
  private var made = 0

  private func number(_ range: Range<Int>) -> Int { .random(in: range, using: &generator) }

  private func tile() -> Tile {
    made += 1
    return Tile("\(made)", rank: number(0..<6))
  }

  // MARK: What happens

  private func act() {
    switch number(0..<20) {
    case 0..<5: changeParameter()
    case 5..<8: editLists()
    default: edit(source)
    }
  }

  private func changeParameter() {
    switch number(0..<8) {
    case 0, 1: search.limit = number(0..<6)
    case 2: search.order = Order(isDescending: number(0..<2) == 0, byShown: number(0..<2) == 0)
    case 3: search.factor = number(0..<3)
    case 4, 5:
      let start = number(-2..<12)
      search.page = start..<start + number(0..<9)
    case 6: search.base = number(0..<3)
    default:
      if number(0..<3) == 0 {
        search = Search()
        search.limit = number(0..<6)
        holder.search = search
      } else {
        search.order.isDescending.toggle()
      }
    }
  }

  private func edit(_ array: ObservableArray<Tile>) {
    let count = array.count
    switch number(0..<12) {
    case 0, 1: array.insert(tile(), at: number(0..<count + 1))
    case 2 where count > 8: array.removeSubrange(number(0..<4)..<number(4..<count))
    case 3 where count > 0: array.swapAt(number(0..<count), number(0..<count))
    case 4 where count > 0: array.append(array[number(0..<count)])
    case 5 where number(0..<5) == 0: array.sort { $0.rank > $1.rank }
    case 6 where number(0..<6) == 0: array.setElements(array.reversed() + [tile()])
    case 7 where count > 0: array.move(from: number(0..<count), to: number(0..<count))
    case 8 where count > 0: array.remove(at: number(0..<count))
    case 9 where count > 0: array[number(0..<count)].isShown.toggle()
    case 10 where count > 1:
      array.replaceSubrange(number(0..<2)..<number(2..<count + 1), with: [tile(), array[0]])
    case _ where count > 0: array[number(0..<count)].rank = number(0..<6)
    default: break
    }
  }

  private func editLists() {
    let count = lists.count
    func any() -> ObservableArray<Tile> { pool[number(0..<pool.count)] }
    switch number(0..<10) {
    case 0, 1: lists.insert(any(), at: number(0..<count + 1))
    case 2 where count > 0: lists.remove(at: number(0..<count))
    case 3 where count > 0: lists.move(from: number(0..<count), to: number(0..<count))
    case 4 where count > 0: lists[number(0..<count)] = any()
    case 5 where number(0..<4) == 0: lists.setElements([any(), any()])
    case 6 where count > 5: lists.removeSubrange(1..<4)
    case 7 where count > 0:
      lists.performBatchUpdates {
        edit(any())
        lists.append(any())
        lists.swapAt(0, number(0..<lists.count))
      }
    case 8: any().performBatchUpdates { for _ in 0..<3 { edit(any()) } }
    default: edit(any())
    }
  }

  // MARK: What has to be shown

  private struct View {
    let name: String
    let view: ObservableArray<Tile>
    let replay: ArrayReplay<Tile>
    let expected: () -> [Tile]
    var source: ObservableArray<Tile>?
  }

  private func views() -> [View] {
    func sorted(_ tiles: [Tile]) -> [Tile] {
      let order = search.order
      // Stable, as the library promises.
      return tiles.enumerated().sorted {
        order.precedes($0.element, $1.element)
          || $0.offset < $1.offset && !order.precedes($1.element, $0.element)
      }.map(\.element)
    }
    func unique(_ tiles: [Tile]) -> [Tile] {
      var seen: Set<Int> = []
      return tiles.filter { seen.insert($0.rank).inserted }
    }
    func window(_ tiles: [Tile]) -> [Tile] {
      Array(tiles[search.page.clamped(to: 0..<tiles.count)])
    }
    var views: [View] = []
    func add(
      _ name: String, _ view: ObservableArray<Tile>, _ source: ObservableArray<Tile>? = nil,
      _ expected: @escaping () -> [Tile]
    ) {
      views.append(
        View(
          name: name, view: view, replay: ArrayReplay(view.elements), expected: expected,
          source: source))
    }
    func filtered(_ name: String, _ keyPath: KeyPath<Holder, Int?>) -> ObservableArray<Tile> {
      let view = source.filtered(on: [\.rank], with: holder, keyPath) { $0.rank >= $1 ?? 0 }
      add("filtered \(name)", view, source) { [source, holder] in
        source.filter { $0.rank >= holder[keyPath: keyPath] ?? 0 }
      }
      return view
    }
    let byLimit = filtered("stored", \.search?.limit)
    _ = filtered("derived", \.search?.derivedLimit)
    _ = filtered("computed", \.search?.computedLimit)
    _ = filtered("atomic", \.search?.base)
    let on: [PartialKeyPath<Tile>] = [\.rank, \.isShown]
    let ordered = source.sorted(on: on, with: holder, \.search!.order) { $2.precedes($0, $1) }
    add("sorted", ordered, source) { [source] in sorted(source.elements) }
    add("window", source.window(with: holder, \.search!.page), source) { [source] in
      window(source.elements)
    }
    add("fixed window", source.window(2..<6), source) { [source] in
      Array(source.elements[(2..<6).clamped(to: 0..<source.count)])
    }
    add("unique", source.unique(on: [\.rank]) { $0.rank }, source) { [source] in
      unique(source.elements)
    }
    // The same parameter twice, and others behind it.
    let chain = byLimit.filtered(on: [\.rank], with: holder, \.search!.limit) {
      $0.rank <= $1 + 2
    }
    let inLimits = { [source, search = { self.search }] in
      source.filter { $0.rank >= search().limit && $0.rank <= search().limit + 2 }
    }
    add("filtered twice", chain, byLimit, inLimits)
    let page = chain.sorted(on: on, with: holder, \.search!.order) { $2.precedes($0, $1) }
      .window(with: holder, \.search!.page)
    add("page", page) { window(sorted(inLimits())) }
    let flat = lists.flattened()
    add("flattened", flat) { [lists] in lists.flatMap { $0.elements } }
    add("unique flattened", flat.unique(on: [\.rank]) { $0.rank }, flat) { [lists] in
      unique(lists.flatMap { $0.elements })
    }
    add(
      "filtered flattened",
      flat.filtered(on: [\.rank], with: holder, \.search!.limit) { $0.rank >= $1 }, flat
    ) { [lists, search = { self.search }] in
      lists.flatMap { $0.elements }.filter { $0.rank >= search().limit }
    }
    return views
  }

  private func check(quick: Int, full: Int, _ round: () -> Void) {
    for seed in seeds(quick: quick, full: full) { check(seed, round) }
  }

  private func check(_ seed: UInt64, _ round: () -> Void) {
    generator = SeededGenerator(seed: seed)
    source.removeAll()
    lists = ObservableArray()
    pool = (0..<3).map { _ in ObservableArray([tile(), tile()]) }
    pool.append(source)
    holder = Holder()
    search = holder.search!
    let observations = ObservationController(observer: observer)
    let views = views()
    for view in views { view.replay.follow(view.view, elements: [\.weight], by: observations) }
    let weights = source.mapped(on: [\.rank], with: holder, \.search!.factor) { $0.rank * $1 }
    let weightReplay = ArrayReplay(weights.elements)
    weightReplay.follow(weights, by: observations)
    for number in 0..<40 {
      round()
      for view in views {
        let expected = view.expected()
        XCTAssertEqual(view.view.elements, expected, view.name)
        XCTAssertEqual(view.replay.elements, expected, view.name)
        XCTAssertEqual(view.replay.flaws, [], view.name)
        if let source = view.source {
          for (index, tile) in view.view.enumerated() {
            XCTAssertTrue(source[view.view.sourceIndex(at: index)] === tile, view.name)
          }
        }
      }
      XCTAssertEqual(weights.elements, source.map { $0.rank * search.factor })
      XCTAssertEqual(weightReplay.elements, weights.elements)
      XCTAssertEqual(weightReplay.flaws, [])
      guard testRun?.totalFailureCount == 0 else { return XCTFail("round \(number)") }
    }
  }

  func test_changes_keepEachViewCorrect() {
    check(quick: 4, full: 60) { act() }
  }

  func test_changesInBatches_keepEachViewCorrect() {
    check(quick: 4, full: 60) {
      source.performBatchUpdates { for _ in 0..<number(1..<5) { act() } }
    }
  }

  func test_changesInTransactions_keepEachViewCorrect() {
    check(quick: 4, full: 60) {
      withObservationTransaction { for _ in 0..<number(1..<6) { act() } }
    }
  }

  func test_changesInBatchesInTransactions_keepEachViewCorrect() {
    check(quick: 2, full: 30) {
      withObservationTransaction {
        act()
        source.performBatchUpdates {
          act()
          act()
        }
        lists.performBatchUpdates { act() }
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
    observations.observeArray(source, elements: [\.rank, \.isShown], context: "first") { _, _, _ in
      nest()
    }
    check(quick: 4, full: 60) {
      observations.observe(search, \.limit, context: "nest") { _, _, _ in nest() }
      observations.observe(search, \.order, context: "nest") { _, _, _ in nest() }
      depth = number(0..<4)
      act()
      depth = 0
    }
  }

  func test_changesInHandlersOfViews_keepEachViewCorrect() {
    var depth = 0
    check(quick: 4, full: 60) {
      let first = source.filtered(on: [\.rank], with: search, \.limit) { $0.rank >= $1 }
      let token = observations.observeArray(first) { [self] _, _, _ in
        guard depth > 0 else { return }
        depth -= 1
        act()
      }
      depth = number(0..<4)
      act()
      depth = 0
      token.invalidate()
    }
  }
}
