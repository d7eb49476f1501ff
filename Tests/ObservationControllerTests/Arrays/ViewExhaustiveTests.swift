import ObservationController
import TestSupport
import XCTest

/// Every small array, with duplicates, with every value of a parameter before and after every edit:
/// each view is what the standard library makes of its source, and its changes lead there.
final class ViewExhaustiveTests: TestCase {
  private final class Dials {
    @Observed var limit = 0
    @Observed var order = 0
    @Observed var range = 0..<2
  }

  private let tiles = (0..<3).map { Tile(["a", "b", "c"][$0], rank: $0) }
  private let observer = SilentObserver()
  private lazy var observations = ObservationController(observer: observer)

  /// The orders: by rank, backwards, and by letter, which all tiles but the first share.
  private static func precedes(_ first: Tile, _ second: Tile, _ order: Int) -> Bool {
    switch order {
    case 0: first.rank < second.rank
    case 1: first.rank > second.rank
    default: (first.letter == "a" ? 1 : 0) < (second.letter == "a" ? 1 : 0)
    }
  }

  private func sorted(_ tiles: [Tile], _ order: Int) -> [Tile] {
    tiles.enumerated().sorted {
      Self.precedes($0.element, $1.element, order)
        || $0.offset < $1.offset && !Self.precedes($1.element, $0.element, order)
    }.map(\.element)
  }

  private typealias Check = (
    view: ObservableArray<Tile>, replay: ArrayReplay<Tile>, expected: () -> [Tile]
  )

  private func checks(_ array: ObservableArray<Tile>, _ dials: Dials) -> [Check] {
    let filtered = array.filtered(on: [\.rank], with: dials, \.limit) { $0.rank >= $1 }
    let sorted = array.sorted(on: [\.rank], with: dials, \.order) { Self.precedes($0, $1, $2) }
    let mapped = array.mapped(on: [], with: dials, \.limit) { [tiles] tile, limit in
      limit > 1 ? tiles[0] : tile
    }
    let window = array.window(with: dials, \.range)
    // Two parameters, one after the other, and the first one again.
    let chain = filtered.sorted(on: [\.rank], with: dials, \.order) { Self.precedes($0, $1, $2) }
    let again = sorted.filtered(on: [\.rank], with: dials, \.order) { $0.rank != $1 }
    func slice(_ tiles: [Tile]) -> [Tile] {
      Array(tiles[dials.range.clamped(to: 0..<tiles.count)])
    }
    let all: [(ObservableArray<Tile>, () -> [Tile])] = [
      (filtered, { array.filter { $0.rank >= dials.limit } }),
      (sorted, { self.sorted(array.elements, dials.order) }),
      (mapped, { [tiles] in array.map { dials.limit > 1 ? tiles[0] : $0 } }),
      (window, { slice(array.elements) }),
      (chain, { self.sorted(array.filter { $0.rank >= dials.limit }, dials.order) }),
      (again, { self.sorted(array.elements, dials.order).filter { $0.rank != dials.order } }),
    ]
    return all.map { ($0, ArrayReplay($0.elements), $1) }
  }

  /// - Parameter changes: Each is followed by a comparison.
  private func run(
    _ elements: [Tile], _ message: @autoclosure () -> String, _ limit: Int, _ order: Int,
    _ range: Range<Int>, _ changes: [(ObservableArray<Tile>, Dials) -> Void]
  ) {
    for (index, tile) in tiles.enumerated() { (tile.rank, tile.isShown) = (index, true) }
    let (array, dials) = (ObservableArray(elements), Dials())
    (dials.limit, dials.order, dials.range) = (limit, order, range)
    let checks = checks(array, dials)
    for check in checks { check.replay.follow(check.view, by: observations) }
    for (number, change) in changes.enumerated() {
      change(array, dials)
      for (index, check) in checks.enumerated() {
        let expected = check.expected()
        let flaws = check.replay.flaws
        guard check.view.elements != expected || check.replay.elements != expected || flaws != []
        else { continue }
        XCTFail("view \(index), step \(number) of \(message()): \(check.view) \(expected) \(flaws)")
      }
    }
    observations.unobserveAll()
  }

  func test_everyParameterAfterEveryOther_ofEverySmallArray() {
    var cases = Cases(quickOneOutOf: 101)
    let ranges = [0..<0, 0..<1, 0..<2, 1..<3, 2..<9, -1..<1]
    for elements in allArrays(of: tiles, upTo: 4) {
      for old in 0..<3 {
        for new in 0..<4 {
          for range in ranges where cases.takesNext() {
            run(
              elements, "\(elements) \(old) \(new) \(range)", old, old % 3, ranges[new],
              [
                { $1.limit = new }, { $1.order = new % 3 }, { $1.range = range },
                { _, dials in
                  withObservationTransaction {
                    (dials.limit, dials.order, dials.range) = (old, old, ranges[old])
                  }
                },
              ])
          }
        }
      }
    }
  }

  func test_everyEditBeforeBetweenAndWithParameters_ofEverySmallArray() {
    var cases = Cases(quickOneOutOf: 151)
    let pair = Array(tiles.prefix(2))
    for elements in allArrays(of: pair, upTo: 3) {
      for operation in TileOperation.all(count: elements.count, pair) {
        for value in 0..<3 where cases.takesNext() {
          run(
            elements, "\(elements) \(operation) \(value)", 1, 0, 0..<2,
            [
              { array, _ in operation.perform(on: array) },
              { $1.limit = value }, { $1.order = value },
            ])
          run(
            elements, "\(elements) transaction \(operation) \(value)", 1, 0, 0..<2,
            [
              { array, dials in
                withObservationTransaction {
                  dials.limit = value
                  operation.perform(on: array)
                  (dials.order, dials.range) = (value, value..<3)
                }
              }
            ])
          run(
            elements, "\(elements) batch \(operation) \(value)", 1, 0, 0..<2,
            [
              { array, dials in
                array.performBatchUpdates {
                  operation.perform(on: array)
                  (dials.limit, dials.order, dials.range) = (value, value, value..<3)
                }
              }
            ])
        }
      }
    }
  }

  /// The parameter changes in a handler of the source, before or after others are notified.
  func test_everyParameterInAHandler_ofEverySmallEdit() {
    var cases = Cases(quickOneOutOf: 13)
    for elements in allArrays(of: Array(tiles.prefix(2)), upTo: 2) {
      for operation in TileOperation.some(count: elements.count, tiles) {
        for value in 0..<3 {
          for isOfTheView in [false, true] where cases.takesNext() {
            run(
              elements, "\(elements) \(operation) \(value) \(isOfTheView)", 1, 0, 0..<2,
              [
                { [observations] array, dials in
                  let own = array.filtered(on: [\.rank], with: dials, \.limit) { $0.rank >= $1 }
                  var isFirst = true
                  observations.observeArray(isOfTheView ? own : array) { _, _, _ in
                    guard isFirst else { return }
                    isFirst = false
                    (dials.limit, dials.order, dials.range) = (value, value, value..<2)
                  }
                  operation.perform(on: array)
                }
              ])
          }
        }
      }
    }
  }

  /// The smallest change: as many entries as the fewest that lead there.
  func test_changesOfAParameter_haveAsFewEntriesAsCanBe() {
    var cases = Cases(quickOneOutOf: 7)
    for elements in allArrays(of: tiles, upTo: 4) {
      for (old, new) in (0..<3).flatMap({ old in (0..<3).map { (old, $0) } })
      where cases.takesNext() {
        for (index, tile) in tiles.enumerated() { tile.rank = index }
        let (array, dials) = (ObservableArray(elements), Dials())
        (dials.limit, dials.order) = (old, old)
        let filtered = array.filtered(on: [\.rank], with: dials, \.limit) { $0.rank >= $1 }
        let sorted = array.sorted(on: [\.rank], with: dials, \.order) { Self.precedes($0, $1, $2) }
        let replays = [filtered, sorted].map { ArrayReplay($0.elements) }
        let before = sorted.elements
        let tokens = zip(replays, [filtered, sorted]).map { $0.follow($1, by: observations) }
        (dials.limit, dials.order) = (new, new)
        for token in tokens { token.invalidate() }
        let flips = elements.count { ($0.rank >= old) != ($0.rank >= new) }
        XCTAssertEqual(replays[0].changes.map(\.entries.count), flips == 0 ? [] : [flips])
        XCTAssertEqual(Set(replays[0].changes.map(\.kind)), flips == 0 ? [] : [.batch])
        let entries = replays[1].changes.map(\.entries.count)
        // Which of several equal tiles stands where cannot be seen from outside.
        if Set(elements).count == elements.count {
          let moves = sorted.elements.difference(from: before).insertions.count
          XCTAssertEqual(entries, moves == 0 ? [] : [moves], "\(elements) \(old) \(new)")
        }
        XCTAssertLessThanOrEqual(entries.count, 1)
        XCTAssertEqual(replays.flatMap(\.flaws), [])
      }
    }
  }
}
