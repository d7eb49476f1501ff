import ObservationController
import TestSupport
import XCTest

/// Observing dictionaries: options, values' properties, paths, batches, transactions, lifetime.
final class DictionaryObservingTests: TestCase {
  private final class Board {
    @Observed var tiles: ObservableDictionary<String, Tile>
    @Observed var spare: ObservableDictionary<String, Tile>?
    @Observed var plain: [String: Int] = [:]

    init(_ tiles: [String: Tile]) { self.tiles = ObservableDictionary(tiles) }
  }

  private let (a, b) = (Tile("a"), Tile("b"))
  private lazy var board = Board(["a": a, "b": b])
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  func test_propertiesOfValues_areFollowed_asLongAsTheyAreThere() {
    observations.observeDictionary(board, \.tiles, values: [\.rank, \.weight]) {
      recorder, _, change in
      recorder.append("\(change.kind) \(change.entries.map(\.key).sorted().joined())")
      if change.kind == .value {
        XCTAssertEqual(change.valueChange?.newValue as? Int, change.entries[0].newValue?.rank)
        XCTAssertTrue([\Tile.rank, \Tile.weight].contains(change.valueKeyPath))
      }
    }
    a.rank = 1
    XCTAssertEqual(recorder.takeEvents(), ["value a", "value a"])
    board.tiles["a"] = b
    a.rank = 2
    XCTAssertEqual(recorder.takeEvents(), ["update a"])
    b.rank = 3
    XCTAssertEqual(recorder.takeEvents(), ["value ab", "value ab"])
    board.tiles["b"] = nil
    b.rank = 4
    XCTAssertEqual(recorder.takeEvents(), ["removal b", "value a", "value a"])
    board.tiles.setElements(["x": a])
    b.rank = 5
    a.rank = 6
    XCTAssertEqual(recorder.takeEvents(), ["setting ax", "value x", "value x"])
    board.tiles = ["y": b]
    a.rank = 7
    b.rank = 8
    XCTAssertEqual(recorder.takeEvents(), ["setting xy", "value y", "value y"])
  }

  func test_options_initialOldDistinct_areThoseOfArrays() {
    let numbers: ObservableDictionary = ["a": 1]
    observations.observeDictionary(numbers, options: [.initial, .old, .distinct]) {
      $0.append("\($2.kind) \($2.oldElements?.count ?? -1) \($2.elements.count)")
    }
    numbers["a"] = 1
    numbers["b"] = 2
    numbers.setElements(["a": 1, "b": 2])
    numbers.removeAll()
    XCTAssertEqual(recorder.events, ["initial -1 1", "insertion 1 2", "removal 2 0"])
  }

  func test_optionalDictionary_thatIsMissing_countsAsEmpty() {
    observations.observeDictionary(board, \.spare, options: .initial) {
      $0.append("\($2.kind) \($2.elements.count)")
    }
    board.spare = ["a": a]
    board.spare?["b"] = b
    board.spare = nil
    XCTAssertEqual(recorder.events, ["initial 0", "setting 1", "insertion 2", "setting 0"])
  }

  func test_plainDictionary_isComparedBeforeAndAfter() {
    observations.observeDictionary(board, \.plain) { $0.append("\($2)") }
    board.plain = ["a": 1]
    board.plain["a"] = 2
    board.plain["b"] = 3
    board.plain = [:]
    XCTAssertEqual(
      recorder.events.prefix(3), ["insertion: a: 1", "update: a: 1 → 2", "insertion: b: 3"])
    XCTAssertTrue(recorder.events[3].hasPrefix("removal: "))
  }

  func test_plainDictionary_ofObjects_followsTheirProperties() {
    final class Shelf {
      @Observed var tiles: [String: Tile] = [:]
    }
    let shelf = Shelf()
    shelf.tiles = ["a": a, "b": b]
    observations.observeDictionary(shelf, \.tiles, values: [\.rank]) {
      $0.append("\($2.kind) \($2.entries.map(\.key).sorted().joined())")
    }
    b.rank = 1
    shelf.tiles["b"] = a
    b.rank = 2
    a.rank = 3
    XCTAssertEqual(recorder.events, ["value b", "update b", "value ab"])
  }

  func test_C7_editInAHandler_waitsForItsTurn() {
    let numbers: ObservableDictionary = ["a": 1]
    let replay = DictionaryReplay(of: numbers)
    observations.observeDictionary(numbers) { recorder, numbers, change in
      recorder.append("\(change)")
      if numbers.count < 3 { numbers["\(numbers.count)"] = numbers.count }
    }
    let later = DictionaryReplay(of: numbers)
    numbers["b"] = 2
    XCTAssertEqual(recorder.events, ["insertion: b: 2", "insertion: 2: 2"])
    XCTAssertEqual(replay.flaws + later.flaws, [])
    XCTAssertEqual(later.elements, numbers.elements)
  }

  func test_C11_editsOfATransaction_areOneChange() {
    let replay = DictionaryReplay<String, Tile>()
    replay.follow(board, \.tiles)
    _ = replay.takeKinds()
    withObservationTransaction {
      board.tiles["c"] = a
      board.tiles["a"] = nil
      board.tiles.merge(["b": a, "d": b]) { $1 }
      XCTAssertEqual(replay.takeKinds(), [])
    }
    XCTAssertEqual(replay.takeKinds(), [.batch])
    withObservationTransaction {
      board.tiles["c"] = b
      board.tiles = ["z": a]
      board.tiles["y"] = b
    }
    XCTAssertEqual(replay.takeKinds(), [.setting])
    XCTAssertEqual(replay.elements, ["z": a, "y": b])
    XCTAssertEqual(replay.flaws, [])
  }

  func test_observationThatBeginsInABatch_receivesLaterEditsAlone() {
    let numbers: ObservableDictionary = ["a": 1]
    let early = DictionaryReplay(of: numbers)
    var late: DictionaryReplay<String, Int>?
    numbers.performBatchUpdates {
      numbers["b"] = 2
      late = DictionaryReplay(of: numbers)
      numbers["c"] = 3
    }
    XCTAssertEqual(early.kinds, [.batch, .batch])
    XCTAssertEqual(late?.kinds, [.batch])
    withObservationTransaction {
      numbers["d"] = 4
      late = DictionaryReplay(of: numbers)
      numbers["e"] = 5
    }
    XCTAssertEqual(late?.kinds, [.batch])
    XCTAssertEqual(early.elements, numbers.elements)
    XCTAssertEqual(late?.elements, numbers.elements)
    XCTAssertEqual(early.flaws + late!.flaws, [])
  }

  func test_changesOfValues_inABatch_comeAfterIt() {
    observations.observeDictionary(board, \.tiles, values: [\.rank]) {
      $0.append("\($2.kind) \($2.entries.map(\.key).sorted().joined())")
    }
    board.tiles.performBatchUpdates {
      a.rank = 1
      board.tiles["c"] = a
      b.rank = 2
      board.tiles["b"] = nil
    }
    XCTAssertEqual(recorder.events, ["batch bc", "value ac"])
  }

  func test_C14_observedObject_isKeptByARetainingController() {
    weak var weakNumbers: ObservableDictionary<String, Int>?
    assertLeavesNoObservations {
      let own = ObservationController(observer: recorder)
      do {
        let numbers: ObservableDictionary = ["a": 1]
        weakNumbers = numbers
        own.observeDictionary(numbers) { $0.append("\($2.kind)") }
      }
      weakNumbers?["b"] = 1
      XCTAssertEqual(recorder.events, ["insertion"])
      own.unobserveAll()
      XCTAssertNil(weakNumbers)
    }
  }

  func test_C15_valuesAndHandlers_areReleased() {
    let counter = LifetimeCounter()
    assertLeavesNoObservations {
      let own = ObservationController(observer: recorder)
      let tickets = ObservableDictionary<Int, LifetimeCounter.Ticket>()
      let token = own.observeDictionary(tickets, options: .old) { [ticket = counter.makeTicket()] in
        withExtendedLifetime(ticket) {}
        $0.append("\($2.kind)")
      }
      tickets[1] = counter.makeTicket()
      tickets[2] = counter.makeTicket()
      XCTAssertEqual(counter.count, 3)
      tickets[1] = nil
      XCTAssertEqual(counter.count, 2)
      token.invalidate()
      XCTAssertEqual(counter.count, 1)
      tickets.removeAll()
      XCTAssertEqual(counter.count, 0)
    }
  }

  func test_C22_keysAreHashedWithNoLockHeld() {
    final class Reader {
      var dictionary: ObservableDictionary<Key, Int>?
      var isReading = false
    }
    struct Key: Hashable {
      let number: Int
      let reader: Reader
      static func == (left: Key, right: Key) -> Bool { left.number == right.number }
      func hash(into hasher: inout Hasher) {
        hasher.combine(number)
        guard !reader.isReading, let dictionary = reader.dictionary else { return }
        reader.isReading = true
        // Takes the locks that a tracked reading takes.
        XCTAssertEqual(ObservableValue { dictionary.count }.value, dictionary.count)
        reader.isReading = false
      }
    }
    let (reader, numbers) = (Reader(), ObservableDictionary<Key, Int>())
    let value = ObservableValue { numbers[Key(number: 1, reader: reader)] }
    XCTAssertNil(value.value)
    numbers[Key(number: 1, reader: reader)] = 5
    XCTAssertEqual(value.value, 5)
    reader.dictionary = numbers
    let other = ObservableValue { numbers[Key(number: 2, reader: reader)] }
    XCTAssertNil(other.value)
    XCTAssertEqual(value.value, 5)
  }

  func test_C27_valueThatCanBeToldApart_isAnUpdate() {
    struct Name: Equatable {
      let (id, text): (Int, String)
      init(_ id: Int, _ text: String) { (self.id, self.text) = (id, text) }
      static func == (left: Name, right: Name) -> Bool { left.id == right.id }
    }
    let names: ObservableDictionary = ["a": 0.0]
    observations.observeDictionary(names) { $0.append("\($2)") }
    names.update(to: ["a": 0.0])
    names.update(to: ["a": -0.0])
    XCTAssertEqual(recorder.events, ["update: a: 0.0 → -0.0"])
    XCTAssertEqual(names["a"]?.sign, .minus)
  }

  func test_unobserve_endsTheObservation() {
    observations.observeDictionary(board, \.tiles) { $0.append("\($2.kind)") }
    XCTAssertTrue(observations.isObserving(board, \.tiles))
    observations.unobserve(board, \.tiles)
    board.tiles["c"] = a
    XCTAssertEqual(recorder.events, [])
  }

  func test_view_isReadOnly_andReportsTheEdit() {
    final class Owner {
      @Observed var numbers: ObservableDictionary<String, Int> = ["a": 1]
    }
    let owner = Owner()
    let line: UInt = #line + 1
    let view = ObservableDictionary.following(owner, \.numbers)
    let edits: [(ObservableDictionary<String, Int>) -> Void] = [
      { $0["x"] = 1 }, { $0["a"] = nil }, { $0["a"]? += 1 }, { $0["x", default: 2] += 1 },
      { $0.removeAll() }, { $0.removeAll { _ in true } }, { $0.removeValue(forKey: "a") },
      { $0.merge(["x": 1]) { $1 } }, { $0.setElements([:]) }, { $0.update(to: [:]) },
      { _ = $0.popFirst() }, { $0.updateValue(5, forKey: "x") },
    ]
    for (number, edit) in edits.enumerated() {
      let issues = collectingIssues { edit(view) }
      guard case .readOnlyArray(_, line)? = issues.first, issues.count == 1 else {
        XCTFail("edit \(number): \(issues)")
        continue
      }
      XCTAssertEqual(view.elements, ["a": 1])
    }
  }

  func test_views_ofADictionary_followIt() {
    let keys = board.tiles.keys { $0 < $1 }
    let replay = ArrayReplay(keys.elements)
    _ = replay.follow(keys, by: observations)
    board.tiles["0"] = b
    board.tiles["z"] = a
    board.tiles["a"] = nil
    XCTAssertEqual(keys.elements, ["0", "b", "z"])
    XCTAssertEqual(replay.elements, keys.elements)
    XCTAssertEqual(replay.flaws, [])
    let values = board.tiles.values(on: [\.rank]) { ($0.rank, $0.letter) < ($1.rank, $1.letter) }
    XCTAssertEqual(values.elements, [a, b, b])
    a.rank = 5
    XCTAssertEqual(values.elements, [b, b, a])
    board.tiles["0"] = a
    XCTAssertEqual(values.elements, [b, a, a])
  }

  func test_view_isKeptByItsUserAlone_andKeepsTheDictionary() {
    weak var weakTiles: ObservableDictionary<String, Tile>?
    assertLeavesNoObservations {
      var keys: ObservableArray<String>? = scoped {
        let tiles: ObservableDictionary = ["a": Tile("a")]
        weakTiles = tiles
        return tiles.keys { $0 < $1 }
      }
      weakTiles?["b"] = Tile("b")
      XCTAssertEqual(keys?.elements, ["a", "b"])
      keys = nil
      XCTAssertNil(weakTiles)
    }
  }

  func test_followingView_withoutItsObject_isEmpty() {
    final class Owner {
      @Observed var numbers: ObservableDictionary<String, Int> = ["a": 1]
    }
    var owner: Owner? = Owner()
    let view = ObservableDictionary.following(owner!, \.numbers)
    let keys = view.keys { $0 < $1 }
    let value = ObservableValue { view["a"] }
    XCTAssertEqual(value.value, 1)
    owner?.numbers["b"] = 2
    XCTAssertEqual(keys.elements, ["a", "b"])
    owner = nil
    XCTAssertEqual(view.count, 0)
    XCTAssertEqual(keys.count, 0)
    XCTAssertNil(value.value)
  }
}
