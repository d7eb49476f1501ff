import ObservationController
import TestSupport
import XCTest

/// C11: what a transaction changes in a dictionary or a set, edits and properties of what is in it,
/// is one change.
final class JoinedKeyedTests: TestCase {
  private final class Board {
    @Observed var tiles: ObservableDictionary<String, Tile>
    @Observed var plain: [String: Tile]
    @Observed var bag: ObservableSet<Tile>
    @Observed var plainBag: Set<Tile>

    init(_ tiles: [String: Tile]) {
      (self.tiles, plain) = (ObservableDictionary(tiles), tiles)
      (bag, plainBag) = (ObservableSet(tiles.values), Set(tiles.values))
    }
  }

  private let (a, b, c) = (Tile("a"), Tile("b"), Tile("c"))
  private lazy var board = Board(["a": a, "b": b])
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  /// Kind; keys that came, left, and have others; `*` for those of values that changed.
  private static func line(_ change: DictionaryChange<String, Tile>) -> String {
    let places = change.entries.map { entry in
      let sign =
        entry.oldValue == nil
        ? "+" : entry.newValue == nil ? "-" : entry.oldValue === entry.newValue ? "*" : "="
      return sign + entry.key
    }
    return ["\(change.kind)", places.sorted().joined(separator: " "), value(change.valueChange)]
      .filter { !$0.isEmpty }.joined(separator: " ")
  }

  private static func line(_ change: SetChange<Tile>) -> String {
    let places =
      change.inserted.map { "+\($0.letter)" } + change.removed.map { "-\($0.letter)" }
      + change.changedElements.map { "*\($0.letter)" }
    return ["\(change.kind)", places.sorted().joined(separator: " "), value(change.elementChange)]
      .filter { !$0.isEmpty }.joined(separator: " ")
  }

  private static func value(_ change: ObservedChange<Any>?) -> String {
    change.map { "\($0.oldValue ?? "-")→\($0.newValue)" } ?? ""
  }

  private func observeTiles(
    _ name: String = "tiles", _ values: [PartialKeyPath<Tile>] = [\.rank],
    options: ObservationOptions = []
  ) {
    observations.observeDictionary(
      board, \.tiles, values: values, options: options, context: ObservationContext(name)
    ) {
      let old = $2.oldElements.map { " (was \($0.keys.sorted().joined()))" } ?? ""
      $0.write("\(name): \(Self.line($2))\(old)")
    }
  }

  private func observeBag(_ name: String = "bag", options: ObservationOptions = []) {
    observations.observeSet(
      board, \.bag, elements: [\.rank], options: options, context: ObservationContext(name)
    ) {
      let old = $2.oldElements.map { " (was \($0.map(\.letter).sorted().joined()))" } ?? ""
      $0.write("\(name): \(Self.line($2))\(old)")
    }
  }

  // MARK: One change

  func test_C11_severalValues_areOneBatch() {
    observeTiles()
    observeTiles("old", options: .old)
    observeBag()
    observeBag("old bag", options: .old)
    withObservationTransaction {
      b.rank = 1
      a.rank = 1
      b.rank = 2
    }
    XCTAssertEqual(
      recorder.events,
      [
        "tiles: batch *a *b", "old: batch *a *b (was ab)", "bag: batch *a *b",
        "old bag: batch *a *b (was ab)",
      ])
  }

  func test_C11_oneValue_staysAValueWithBothOfItsProperty() {
    observeTiles(options: .old)
    observeBag(options: .old)
    withObservationTransaction {
      a.rank = 1
      a.rank = 2
    }
    XCTAssertEqual(
      recorder.events, ["tiles: value *a 0→2 (was ab)", "bag: element *a 0→2 (was ab)"])
  }

  func test_C11_editsAndValues_areOneBatch() {
    observeTiles(options: .old)
    observeBag(options: .old)
    withObservationTransaction {
      a.rank = 1
      board.tiles["c"] = c
      board.bag.insert(c)
      c.rank = 5
      board.tiles["b"] = nil
      board.bag.remove(b)
      b.rank = 6
    }
    XCTAssertEqual(
      recorder.events, ["tiles: batch *a +c -b (was ab)", "bag: batch *a +c -b (was ab)"])
  }

  func test_C11_valueThatMovesToAnotherKey_isNoChangedOne() {
    observeTiles()
    withObservationTransaction {
      board.tiles["x"] = a
      board.tiles["a"] = nil
      board.tiles["b"] = c
      a.rank = 1
      b.rank = 1
      c.rank = 1
    }
    XCTAssertEqual(recorder.events, ["tiles: batch +x -a =b"])
  }

  func test_C11_editsThatCancelOut_leaveASingleValueAValue() {
    observeTiles()
    observeBag()
    withObservationTransaction {
      board.tiles["c"] = c
      board.tiles["a"] = nil
      board.bag.remove(a)
      a.rank = 3
      board.tiles["a"] = a
      board.tiles["c"] = nil
      board.bag.insert(a)
    }
    XCTAssertEqual(recorder.events, ["tiles: value *a 0→3", "bag: element *a 0→3"])
  }

  func test_C11_setting_includesValues() {
    observeTiles()
    observeBag()
    withObservationTransaction {
      a.rank = 1
      board.tiles = ["a": a, "c": c]
      board.bag.setElements([a, c])
      c.rank = 1
    }
    XCTAssertEqual(recorder.events, ["tiles: setting *a +c -b", "bag: batch *a +c -b"])
  }

  func test_C11_distinctValuesBackWhereTheyBegan_areNotListed() {
    observeTiles(options: .distinct)
    observeBag(options: [.distinct, .old])
    withObservationTransaction {
      a.rank = 1
      a.rank = 0
      b.rank = 1
      board.bag = board.bag
    }
    withObservationTransaction {
      a.rank = 1
      a.rank = 0
      board.tiles["c"] = c
      board.tiles["c"] = nil
    }
    withObservationTransaction {
      a.rank = 2
      b.rank = 2
      board.tiles["a"] = a
    }
    XCTAssertEqual(
      recorder.events,
      [
        "tiles: value *b 0→1", "bag: element *b 0→1 (was ab)", "tiles: batch *a *b",
        "bag: batch *a *b (was ab)",
      ])
  }

  func test_C11_valueWithSeveralKeys_hasAllOfThem() {
    board.tiles["z"] = a
    observeTiles()
    withObservationTransaction {
      a.rank = 1
      b.rank = 1
    }
    withObservationTransaction { a.rank = 2 }
    XCTAssertEqual(recorder.events, ["tiles: batch *a *b *z", "tiles: value *a *z 1→2"])
  }

  func test_C11_severalPropertiesOfOneValue_areOneBatch() {
    observeTiles("tiles", [\.rank, \.isShown])
    withObservationTransaction {
      a.rank = 1
      a.isShown = false
    }
    XCTAssertEqual(recorder.events, ["tiles: batch *a"])
  }

  func test_C11_computedProperties_areJoined() {
    observeTiles("tiles", [\.weight])
    withObservationTransaction {
      a.rank = 1
      b.isShown = false
    }
    withObservationTransaction {
      a.rank = 2
      a.rank = 3
    }
    XCTAssertEqual(recorder.events, ["tiles: batch *a *b", "tiles: value *a 1→3"])
  }

  func test_C11_plainCollections_areJoined() {
    observations.observeDictionary(board, \.plain, values: [\.rank]) { $0.write(Self.line($2)) }
    observations.observeSet(board, \.plainBag, elements: [\.rank]) { $0.write(Self.line($2)) }
    withObservationTransaction {
      a.rank = 1
      b.rank = 1
    }
    XCTAssertEqual(recorder.takeEvents(), ["batch *a *b", "batch *a *b"])
    withObservationTransaction { b.rank = 2 }
    XCTAssertEqual(recorder.takeEvents(), ["value *b 1→2", "element *b 1→2"])
    withObservationTransaction {
      board.plain["c"] = c
      board.plainBag.remove(b)
      a.rank = 3
      board.plain["b"] = nil
    }
    XCTAssertEqual(recorder.takeEvents(), ["batch *a +c -b", "batch *a -b"])
  }

  func test_C11_manyValues_areDeliveredOnce() {
    let tiles = (0..<1_000).map { Tile("\($0)") }
    let dictionary = ObservableDictionary(uniqueKeysWithValues: tiles.map { ($0.letter, $0) })
    let set = ObservableSet(tiles)
    var changed: [[String]] = []
    observations.observeDictionary(dictionary, values: [\.rank]) {
      changed.append($2.entries.map(\.key).sorted())
    }
    observations.observeSet(set, elements: [\.rank]) {
      changed.append($2.changedElements.map(\.letter).sorted())
    }
    let some = tiles.filter { !$0.letter.hasSuffix("3") }
    withObservationTransaction { for tile in some { tile.rank += 1 } }
    let letters = some.map(\.letter).sorted()
    XCTAssertEqual(changed, [letters, letters])
  }

  // MARK: Around it

  func test_C11_joinedChange_comesWhereTheFirstWould() {
    observations.observe(a, \.rank) { $0.write("a: \($2.newValue)") }
    observations.observe(b, \.rank) { $0.write("b: \($2.newValue)") }
    observeTiles()
    withObservationTransaction {
      a.rank = 1
      b.rank = 2
      board.tiles["c"] = c
    }
    XCTAssertEqual(recorder.events, ["a: 1", "tiles: batch *a *b +c", "b: 2"])
  }

  func test_C11_transactionInAHandler_isOneChangeAfterIt() {
    observations.observeDictionary(board, \.tiles, values: [\.rank]) { [self] recorder, _, change in
      recorder.write(Self.line(change))
      guard change.kind == .insertion else { return }
      withObservationTransaction {
        a.rank = 3
        board.tiles["b"] = nil
        c.rank = 3
      }
      recorder.write("end")
    }
    board.tiles["c"] = c
    XCTAssertEqual(recorder.events, ["insertion +c", "end", "batch *a *c -b"])
  }

  func test_C11_transactionInABatch_isDeliveredBehindIt() {
    observeTiles()
    observeBag()
    board.tiles.performBatchUpdates {
      board.tiles["c"] = c
      withObservationTransaction {
        a.rank = 2
        b.rank = 2
      }
    }
    XCTAssertEqual(
      recorder.events,
      ["bag: batch *a *b", "tiles: batch +c", "tiles: value *a 0→2", "tiles: value *b 0→2"])
  }

  func test_C11_observationThatBeginsInIt_receivesLaterChanges() {
    board.tiles["c"] = c
    withObservationTransaction {
      a.rank = 2
      observeTiles()
      b.rank = 2
      c.rank = 2
    }
    b.rank = 3
    XCTAssertEqual(recorder.events, ["tiles: batch *b *c", "tiles: value *b 2→3"])
  }

  func test_C11_endedInTheMidst_receivesNothing() {
    observations.observe(a, \.rank) { [observations] _, _, _ in
      observations.unobserve(self.board, \.tiles)
    }
    observeTiles()
    withObservationTransaction {
      a.rank = 2
      b.rank = 2
    }
    XCTAssertEqual(recorder.events, [])
  }

  func test_C11_onAQueue_theJoinedChangeIsWhatWaits() {
    let queue = DispatchQueue(label: "joined")
    let (safe, log) = (ObservableDictionary<String, Coin>(), Guarded<[String]>([]))
    let coins = [Coin(), Coin()]
    safe.merge(["a": coins[0], "b": coins[1]]) { $1 }
    observations.observeDictionary(safe, values: [\.worth], on: queue) { _, _, change in
      log.withLock { $0.append("\(change.kind) \(change.entries.map(\.key).sorted())") }
    }
    queue.whileSuspended {
      withObservationTransaction {
        coins[0].worth = 1
        coins[1].worth = 1
        safe["c"] = coins[0]
      }
    }
    XCTAssertEqual(log.withLock { $0 }, ["batch [\"a\", \"b\", \"c\"]"])
  }

  func test_joinedChanges_print() {
    observations.observeDictionary(board, \.tiles, values: [\.rank]) { $0.write("\($2)") }
    observations.observeSet(board, \.bag, elements: [\.rank]) { $0.write("\($2)") }
    board.bag.remove(b)
    withObservationTransaction {
      a.rank = 1
      board.tiles["b"] = nil
      board.bag.insert(c)
    }
    XCTAssertEqual(
      recorder.events,
      ["removal: -b0", "batch: b without b0, a changed", "batch: +c0, a1 changed"])
  }
}

/// `Sendable`: changed by the test alone, while the queue waits.
private final class Coin: @unchecked Sendable {
  @Observed var worth = 0
}
