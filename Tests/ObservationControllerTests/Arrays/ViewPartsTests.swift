import ObservationController
import TestSupport
import XCTest

/// Live views of parts of an array: windows, arrays without duplicates, arrays of arrays; and the
/// indices of their elements in the source.
final class ViewPartsTests: TestCase {
  private let tiles = (0..<6).map { Tile(["a", "b", "c", "d", "e", "f"][$0], rank: $0) }
  private lazy var source = ObservableArray(tiles)
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  private func names(_ tiles: some Sequence<Tile>) -> String { tiles.map(\.letter).joined() }

  private func check(
    _ view: ObservableArray<Tile>, delivers kinds: [ArrayChange<Tile>.Kind], of count: Int = 0,
    _ result: String, line: UInt = #line, when edit: () -> Void
  ) {
    let replay = ArrayReplay(view.elements)
    let token = replay.follow(view, by: observations)
    edit()
    token.invalidate()
    XCTAssertEqual(replay.changes.map(\.kind), kinds, line: line)
    XCTAssertEqual(replay.changes.reduce(0) { $0 + $1.entries.count }, count, line: line)
    XCTAssertEqual(names(view), result, line: line)
    XCTAssertEqual(replay.elements, view.elements, line: line)
    XCTAssertEqual(replay.flaws, [], line: line)
  }

  // MARK: Windows

  func test_window_editsInFrontInItAndBehind_areTheSmallestChange() {
    let view = source.window(1..<4)
    XCTAssertEqual(names(view), "bcd")
    check(view, delivers: [.batch], of: 2, "abc") { source.insert(Tile("x"), at: 0) }
    check(view, delivers: [.batch], of: 2, "bcd") { source.removeFirst() }
    check(view, delivers: [.batch], of: 2, "bxc") { source.insert(Tile("x"), at: 2) }
    check(view, delivers: [], "bxc") { source.append(Tile("y")) }
    check(view, delivers: [.move], of: 1, "xcb") { source.move(from: 1, to: 3) }
    check(view, delivers: [.replacement], of: 2, "xcy") { source.swapAt(3, 7) }
    check(view, delivers: [.replacement], of: 2, "xzy") { source[2] = Tile("z") }
    check(view, delivers: [.removal], of: 3, "") { source.removeSubrange(1...) }
    check(view, delivers: [.insertion], of: 1, "b") { source.append(tiles[1]) }
  }

  func test_window_isClamped_alsoBelowZero() {
    XCTAssertEqual(names(source.window(-3..<2)), "ab")
    XCTAssertEqual(names(source.window(4..<20)), "ef")
    XCTAssertEqual(names(source.window(20..<30)), "")
    XCTAssertEqual(names(source.window(2..<2)), "")
    XCTAssertEqual(names(source.window(-9 ..< -2)), "")
  }

  /// Every edit of small arrays, with duplicates, with every window.
  func test_window_everyEdit_isTheSliceOfTheSource() {
    var cases = Cases(quickOneOutOf: 61)
    let pair = Array(tiles.prefix(2))
    for elements in allArrays(of: pair, upTo: 4) {
      for operation in TileOperation.all(count: elements.count, pair) {
        for start in 0...3 {
          for end in start...4 where cases.takesNext() {
            for (index, tile) in pair.enumerated() { (tile.rank, tile.isShown) = (index + 2, true) }
            let array = ObservableArray(elements)
            let view = array.window(start..<end)
            check(view, "\(elements) \(start..<end) \(operation)") {
              operation.perform(on: array)
              return Array(array.elements[(start..<end).clamped(to: 0..<array.count)])
            }
          }
        }
      }
    }
  }

  /// Every edit of small arrays, with duplicates.
  func test_unique_everyEdit_isTheFirstOfEachKey() {
    var cases = Cases(quickOneOutOf: 41)
    let few = Array(tiles.prefix(3))
    for elements in allArrays(of: few, upTo: 4) {
      for operation in TileOperation.all(count: elements.count, Array(few.prefix(2)))
      where cases.takesNext() {
        // Two of the tiles are equal.
        for (index, tile) in few.enumerated() { (tile.rank, tile.isShown) = (index / 2 + 2, true) }
        let array = ObservableArray(elements)
        let view = array.unique(on: [\.rank]) { $0.rank }
        check(view, "\(elements) \(operation)") {
          operation.perform(on: array)
          var seen: Set<Int> = []
          return array.filter { seen.insert($0.rank).inserted }
        }
      }
    }
  }

  private func check(
    _ view: ObservableArray<Tile>, _ message: String, line: UInt = #line, _ edit: () -> [Tile]
  ) {
    let replay = ArrayReplay(view.elements)
    let token = replay.follow(view, by: observations)
    let expected = edit()
    token.invalidate()
    XCTAssertEqual(view.elements, expected, message, line: line)
    XCTAssertEqual(replay.elements, expected, message, line: line)
    XCTAssertEqual(replay.flaws, [], message, line: line)
  }

  // MARK: Unique

  func test_unique_showsTheFirst_andTheNextWhenItLeaves() {
    for (tile, rank) in zip(tiles, [1, 2, 1, 2, 3, 1]) { tile.rank = rank }
    let view = source.unique(on: [\.rank]) { $0.rank }
    XCTAssertEqual(names(view), "abe")
    check(view, delivers: [.batch], of: 2, "bce") { source.removeFirst() }
    check(view, delivers: [], "bce") { source.append(Tile("g", rank: 3)) }
    check(view, delivers: [.insertion], of: 1, "bceh") { source.append(Tile("h", rank: 4)) }
    check(view, delivers: [.replacement], of: 2, "xceh") {
      source.insert(Tile("x", rank: 2), at: 0)
    }
    check(view, delivers: [.insertion], of: 1, "xbceh") { tiles[1].rank = 9 }
    check(view, delivers: [.removal], of: 1, "xbce") { tiles[1].rank = 4 }
    XCTAssertEqual(names(source), "xbcdefgh")
  }

  // MARK: Flattened

  func test_flattened_innerArraysComeAndGo_andAreFollowedMeanwhile() {
    let (first, second) = (ObservableArray(tiles[0...1]), ObservableArray(tiles[2...3]))
    let lists: ObservableArray = [first]
    let view = lists.flattened()
    XCTAssertEqual(names(view), "ab")
    check(view, delivers: [.insertion], of: 2, "abcd") { lists.append(second) }
    check(view, delivers: [.insertion], of: 1, "abecd") { first.append(tiles[4]) }
    check(view, delivers: [.move], of: 2, "cdabe") { lists.swapAt(0, 1) }
    check(view, delivers: [.removal], of: 2, "abe") { lists.removeFirst() }
    check(view, delivers: [], "abe") { second.removeAll() }
    check(view, delivers: [.setting], of: 4, "f") {
      lists.setElements([ObservableArray([tiles[5]])])
    }
    check(view, delivers: [], "f") { first.removeAll() }
  }

  func test_flattened_innerArrayThatOccursTwice_isShownTwice() {
    let inner = ObservableArray(tiles[0...1])
    let lists: ObservableArray = [inner, ObservableArray([tiles[5]]), inner]
    let view = lists.flattened()
    XCTAssertEqual(names(view), "abfab")
    check(view, delivers: [.insertion], of: 2, "abcfabc") { inner.append(tiles[2]) }
    check(view, delivers: [.removal], of: 3, "fabc") { lists.removeFirst() }
    check(view, delivers: [.removal], of: 1, "fbc") { inner.removeFirst() }
    check(view, delivers: [.insertion], of: 2, "bcfbc") { lists.insert(inner, at: 0) }
    check(view, delivers: [.removal], of: 2, "bfb") { inner.setElements([tiles[1]]) }
  }

  func test_flattened_innerArraysAreReleased_whenTheyLeave() {
    let lists = ObservableArray<ObservableArray<Tile>>()
    var view: ObservableArray<Tile>? = lists.flattened()
    assertLeavesNoObservations {
      weak var inner: ObservableArray<Tile>?
      do {
        let new = ObservableArray(tiles)
        inner = new
        lists.append(new)
      }
      XCTAssertEqual(view?.count, 6)
      lists.removeAll()
      XCTAssertNil(inner)
      lists.append([])
      lists.setElements([])
    }
    weak let released = view
    view = nil
    XCTAssertNil(released)
  }

  func test_flattened_viewsAsInnerArrays_areOneChangeInATransaction() {
    let shown = source.filtered(on: [\.isShown]) { $0.isShown }
    let last = shown.sorted(on: [\.rank]) { $0.rank > $1.rank }
    let lists: ObservableArray = [last, shown]
    let view = lists.flattened()
    check(view, delivers: [.batch], of: 2, "fedcbbcdef") {
      withObservationTransaction {
        tiles[0].isShown = false
        tiles[1].rank = -1
        lists.swapAt(0, 0)
        lists.insert(ObservableArray([tiles[5]]), at: 0)
        lists.removeFirst()
        tiles[1].isShown = false
        tiles[1].isShown = true
      }
    }
  }

  // MARK: Indices

  func test_sourceIndex_isThatInTheSource_andFollowsBothArrays() {
    let view = source.filtered(on: [\.rank]) { $0.rank % 2 == 1 }
      .sorted(on: [\.rank]) { $0.rank > $1.rank }
    XCTAssertEqual(view.indices.map(view.sourceIndex), [2, 1, 0])
    let odd = source.filtered(on: [\.rank]) { $0.rank % 2 == 1 }
    XCTAssertEqual(odd.indices.map(odd.sourceIndex), [1, 3, 5])
    let window = source.window(2..<4)
    XCTAssertEqual(window.indices.map(window.sourceIndex), [2, 3])
    let unique = source.unique(on: []) { $0.letter > "c" }
    XCTAssertEqual(unique.indices.map(unique.sourceIndex), [0, 3])
    let mapped = source.mapped(on: []) { $0 }
    XCTAssertEqual(mapped.sourceIndex(at: 4), 4)
    XCTAssertEqual(source.sourceIndex(at: 4), 4)
    let flat = ObservableArray([window, [], odd]).flattened()
    XCTAssertEqual(flat.indices.map(flat.sourceIndex), [0, 0, 2, 2, 2])
    let value = ObservableValue { odd.sourceIndex(at: 0) }
    observations.observe(value, \.value) { $0.write($2) }
    // The view stays as it is.
    source.insert(Tile("x", rank: 8), at: 0)
    XCTAssertEqual(odd.map(\.letter), ["b", "d", "f"])
    XCTAssertEqual(recorder.events, ["1 → 2"])
  }

  func test_sourceIndex_removesAndSetsInTheSource() {
    let view = source.sorted(on: [\.rank]) { $0.rank > $1.rank }
    source.remove(at: view.sourceIndex(at: 1))
    XCTAssertEqual(names(source), "abcdf")
    source[view.sourceIndex(at: 0)] = Tile("g", rank: 0)
    XCTAssertEqual(names(view), "dcbag")
  }
}
