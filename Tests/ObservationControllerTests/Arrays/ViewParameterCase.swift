import ObservationController
import TestSupport
import XCTest

/// Array, parameter and recorder of tests of live views with a parameter.
class ViewParameterCase: TestCase {
  struct Settings {
    var limit = 0
    var terms: [Int] = []
  }

  final class Search {
    @Observed var limit = 2
    @Observed var isDescending = false
    @Observed var terms: [Int] = [1, 2]
    @Observed var settings = Settings(limit: 2)
    @Observed var inner: Search?
    @Observed var page = 0..<2
    @AtomicObserved var base = 2
    @Derived({ (search: Search) in search.limit * 1 }) var derived: Int
    var computed: Int { isDescending ? limit + 1 : limit }
    let constant = 2
  }

  final class Pair {
    @Observed var first = 2
    @Observed var second = 0
    var sum: Int { first + second }
  }

  final let tiles = (0..<6).map { Tile(["a", "b", "c", "d", "e", "f"][$0], rank: $0) }
  final lazy var source = ObservableArray(tiles)
  final let search = Search()
  final let recorder = LineRecorder()
  final lazy var observations = ObservationController(observer: recorder)

  final func atLeast() -> ObservableArray<Tile> {
    source.filtered(on: [\.rank], with: search, \.limit) { $0.rank >= $1 }
  }

  final func byRank(_ array: ObservableArray<Tile>) -> ObservableArray<Tile> {
    array.sorted(on: [\.rank], with: search, \.isDescending) { first, second, isDescending in
      isDescending ? first.rank > second.rank : first.rank < second.rank
    }
  }

  final func names(_ tiles: some Sequence<Tile>) -> String { tiles.map(\.letter).joined() }

  final func line(_ change: ArrayChange<Tile>) -> String {
    let places = change.entries.map { entry in
      switch (entry.oldIndex, entry.newIndex) {
      case (let old?, let new?): "\(entry.element.letter)\(old)→\(new)"
      case (let old?, nil): "-\(entry.element.letter)\(old)"
      case (_, let new): "+\(entry.element.letter)\(new ?? -1)"
      }
    }
    return "\(change.kind) \(places.joined(separator: " ")): \(names(change.elements))"
  }

  /// Checks the deliveries of `view` while `edit` runs.
  final func check(
    _ view: ObservableArray<Tile>, delivers lines: [String],
    file: StaticString = #filePath, line: UInt = #line, when edit: () -> Void
  ) {
    let replay = ArrayReplay(view.elements)
    let token = replay.follow(view, by: observations) { [self] in recorder.write(self.line($0)) }
    edit()
    token.invalidate()
    XCTAssertEqual(recorder.takeEvents(), lines, file: file, line: line)
    XCTAssertEqual(replay.elements, view.elements, file: file, line: line)
    XCTAssertEqual(replay.flaws, [], file: file, line: line)
  }
}
