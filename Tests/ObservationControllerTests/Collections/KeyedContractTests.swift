import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Contracts of dictionaries and sets, each for both: order, lifetime, threads, consistency. C11 is
/// in `JoinedKeyedTests`, C22 in `KeyedNoLockHeldTests`.
final class KeyedContractTests: CountingTestCase {
  private final class Board {
    @Observed var tiles: ObservableDictionary<String, Tile> = [:]
    @Observed var bag: ObservableSet<Tile> = []
  }

  /// A value, or an element, that counts itself.
  private final class Counted: Hashable {
    @Observed var rank = 0
    private let ticket: LifetimeCounter.Ticket

    init(_ counter: LifetimeCounter) { ticket = counter.makeTicket() }

    static func == (left: Counted, right: Counted) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  override func tearDown() {
    observations.unobserveAll()
    super.tearDown()
  }

  // MARK: C7

  func test_C7_editOfASetInAHandler_waitsForItsTurn() {
    let numbers: ObservableSet = [1]
    let replay = SetReplay(of: numbers)
    observations.observeSet(numbers) { recorder, numbers, change in
      recorder.write("\(change)")
      if numbers.count < 4 { numbers.insert(numbers.count + 1) }
    }
    let later = SetReplay(of: numbers)
    numbers.insert(2)
    XCTAssertEqual(recorder.events, ["insertion: +2", "insertion: +3", "insertion: +4"])
    XCTAssertEqual(replay.kinds, [.insertion, .insertion, .insertion])
    XCTAssertEqual(replay.flaws + later.flaws, [])
    XCTAssertEqual(later.elements, [1, 2, 3, 4])
  }

  func test_C7_changeOfAValueInAHandler_isDeliveredAfterTheEdit() {
    let (board, a) = (Board(), Tile("a"))
    for name in ["first", "second"] {
      observations.observeDictionary(
        board, \.tiles, values: [\.rank], context: ObservationContext(name)
      ) {
        $0.write("\(name) \($2.kind) \($2.valueChange?.newValue ?? "")")
        if a.rank < 2 { a.rank += 1 }
      }
    }
    observations.observeSet(board, \.bag, elements: [\.rank]) {
      $0.write("set \($2.kind) \($2.elementChange?.newValue ?? "")")
    }
    board.tiles["a"] = a
    a.rank = 1
    board.bag.insert(a)
    let histories = ["first", "second", "set"].map { name in
      recorder.events.filter { $0.hasPrefix(name) }.map { $0.dropFirst(name.count + 1) }
    }
    let history: [Substring] = ["insertion ", "value 1", "value 2", "value 1", "value 2"]
    XCTAssertEqual(histories, [history, history, ["insertion "]])
  }

  // MARK: C14

  func test_C14_unretainedCollections_takeTheirObservationsWithThem() {
    let own = ObservationController(observer: recorder, retainsObserved: false)
    assertReleased {
      let numbers: ObservableDictionary = ["a": Tile("a")]
      own.observeDictionary(numbers, values: [\.rank, \.weight]) { _, _, _ in }
      own.observe(numbers, \.["a"]) { _, _, _ in }
      return numbers
    }
    assertReleased {
      let tiles: ObservableSet = [Tile("a")]
      own.observeSet(tiles, elements: [\.rank, \.weight]) { _, _, _ in }
      return tiles
    }
    assertReleased {
      let board = Board()
      board.tiles["a"] = Tile("a")
      board.bag.insert(Tile("b"))
      own.observeDictionary(board, \.tiles, values: [\.rank]) { _, _, _ in }
      own.observeSet(board, \.bag, elements: [\.rank]) { _, _, _ in }
      return board
    }
    XCTAssertEqual(newObservations, 0)
    XCTAssertEqual(own.observations.count, 0)
  }

  func test_C14_controllerThatGoes_endsItsObservations() {
    let (board, a) = (Board(), Tile("a"))
    board.tiles["a"] = a
    board.bag.insert(a)
    scoped {
      let own = ObservationController(observer: recorder)
      own.observeDictionary(board, \.tiles, values: [\.rank]) { $0.write("\($2.kind)") }
      own.observeSet(board, \.bag, elements: [\.rank]) { $0.write("\($2.kind)") }
      own.observeDictionary(board.tiles, values: [\.rank]) { $0.write("\($2.kind)") }
      XCTAssertEqual(newObservations, 3)
    }
    a.rank = 1
    board.tiles["b"] = a
    board.bag = []
    XCTAssertEqual(recorder.events, [])
    XCTAssertEqual(newObservations, 0)
  }

  // MARK: C15

  func test_C15_valuesThatLeave_areReleasedAtOnce() {
    for options: ObservationOptions in [[], .old, .distinct] {
      let counter = LifetimeCounter()
      let tiles = ObservableDictionary<Int, Counted>()
      observations.observeDictionary(tiles, values: [\.rank], options: options) { _, _, _ in }
      for key in 0..<4 { tiles[key] = Counted(counter) }
      XCTAssertEqual(counter.count, 4)
      tiles[0] = nil
      tiles[1] = Counted(counter)
      XCTAssertEqual(counter.count, 3)
      withObservationTransaction {
        tiles[2]?.rank = 1
        tiles[3]?.rank = 1
        tiles[2] = nil
      }
      XCTAssertEqual(counter.count, 2, "\(options)")
      tiles.setElements([:])
      XCTAssertEqual(counter.count, 0)
    }
  }

  func test_C15_elementsThatLeave_areReleasedAtOnce() {
    for options: ObservationOptions in [[], .old, .distinct] {
      let counter = LifetimeCounter()
      let set = ObservableSet((0..<4).map { _ in Counted(counter) })
      let token = observations.observeSet(
        set, elements: [\.rank], options: options
      ) { [ticket = counter.makeTicket()] _, _, _ in withExtendedLifetime(ticket) {} }
      XCTAssertEqual(counter.count, 5)
      _ = set.popFirst()
      XCTAssertEqual(counter.count, 4)
      withObservationTransaction {
        for element in set.elements { element.rank += 1 }
        _ = set.popFirst()
      }
      XCTAssertEqual(counter.count, 3, "\(options)")
      token.invalidate()
      XCTAssertEqual(counter.count, 2)
      set.removeAll()
      XCTAssertEqual(counter.count, 0)
    }
  }

  func test_C15_handlerOnAQueue_andItsElements_areReleasedWithTheObservation() {
    let queue = DispatchQueue(label: "released")
    let counter = LifetimeCounter()
    let set = ObservableSet<LifetimeKey>()
    let token = observations.observeSet(
      set, on: queue, coalescing: .latest
    ) { [ticket = counter.makeTicket()] _, _, _ in withExtendedLifetime(ticket) {} }
    queue.whileSuspended {
      set.insert(LifetimeKey(counter))
      set.insert(LifetimeKey(counter))
      set.removeAll()
    }
    XCTAssertEqual(counter.count, 1, "what was joined to nothing")
    set.insert(LifetimeKey(counter))
    queue.drain()
    token.invalidate()
    set.removeAll()
    queue.drain()
    XCTAssertEqual(counter.count, 0)
  }

  // MARK: C20

  func test_C20_tenThreadsObserving_loseNothingAndDoubleNothing() {
    let (board, a) = (UncheckedReference(Board()), UncheckedReference(Tile("a")))
    board.object.tiles["a"] = a.object
    board.object.bag.insert(a.object)
    let tallies = (0..<10).map { _ in CallCounter() }
    let controllers = tallies.map { ObservationController(observer: $0) }
    let rounds = Effort.count(quick: 9, full: 60)
    let kept = Recorder<ObservationToken>()
    onThreads(10) { thread in
      let own = controllers[thread]
      for round in 0..<rounds {
        let context = ObservationContext("\(round)")
        let tokens = [
          own.observeDictionary(board.object, \.tiles, values: [\.rank], context: context) {
            tally, _, _ in tally.increment()
          },
          own.observeSet(board.object, \.bag, elements: [\.rank, \.weight], context: context) {
            tally, _, _ in tally.increment()
          },
          own.observe(board.object, \.tiles["b"], context: context) { tally, _, _ in
            tally.increment()
          },
        ]
        if round.isMultiple(of: 3) {
          for token in tokens { kept.append(token) }
        } else {
          for token in tokens.shuffled() { token.invalidate() }
        }
      }
    }
    XCTAssertTrue(kept.events.allSatisfy(\.isActive))
    XCTAssertEqual(kept.events.count, 10 * rounds / 3 * 3)
    a.object.rank = 1
    XCTAssertEqual(tallies.map(\.count), Array(repeating: rounds / 3 * 3, count: 10))
    board.object.tiles["b"] = a.object
    board.object.bag.removeAll()
    XCTAssertEqual(tallies.map(\.count), Array(repeating: rounds / 3 * 6, count: 10))
    withExtendedLifetime(controllers) {}
  }

  func test_C20_tokensInvalidated_whileAnotherThreadEdits() {
    let tally = CallCounter()
    let own = ObservationController(observer: tally)
    for _ in 0..<Effort.count(quick: 30, full: 150) {
      let board = UncheckedReference(Board())
      let tokens = (0..<4).flatMap { index in
        let context = ObservationContext("\(index)")
        return [
          own.observeDictionary(board.object.tiles, values: [\.rank], context: context) {
            tally, _, _ in tally.increment()
          },
          own.observeSet(board.object, \.bag, elements: [\.rank], context: context) {
            tally, _, _ in tally.increment()
          },
          own.observe(board.object.tiles, \.["3"], context: context) { tally, _, _ in
            tally.increment()
          },
        ]
      }
      onThreads(2) { thread in
        guard thread == 0 else {
          for token in tokens { token.invalidate() }
          return
        }
        let tile = Tile("a")
        for number in 0..<20 {
          board.object.tiles["\(number % 4)"] = tile
          board.object.bag.insert(tile)
          tile.rank = number
          if number.isMultiple(of: 3) { board.object.bag.remove(tile) }
        }
      }
      let after = tally.count
      board.object.tiles.removeAll()
      board.object.bag.insert(Tile("b"))
      XCTAssertEqual(tally.count, after)
    }
    XCTAssertEqual(own.observations.count, 0)
  }

  // MARK: C27

  /// Equal by an id, though they can be told apart.
  private struct Name: Hashable {
    let (id, text): (Int, String)
    init(_ id: Int, _ text: String) { (self.id, self.text) = (id, text) }
    static func == (left: Name, right: Name) -> Bool { left.id == right.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }

  func test_C27_equalValueThatDiffers_isReadAtOnce() {
    let names: ObservableDictionary = ["a": Name(1, "Ada"), "b": Name(2, "Bea")]
    let text = ObservableValue { names["a"]?.text ?? "" }
    let all = ObservableValue { names.elements.values.map(\.text).sorted().joined(separator: " ") }
    XCTAssertEqual([text.value, all.value], ["Ada", "Ada Bea"])
    names["a"] = Name(1, "ADA")
    XCTAssertEqual([text.value, all.value], ["ADA", "ADA Bea"])
    names.update(to: ["a": Name(1, "aDa"), "b": Name(2, "Bea")])
    XCTAssertEqual([text.value, all.value], ["aDa", "Bea aDa"])
    withObservationTransaction {
      names["a"] = Name(1, "Ada")
      XCTAssertEqual([text.value, all.value], ["Ada", "Ada Bea"])
    }
    names.performBatchUpdates {
      names["a"] = Name(1, "A.")
      XCTAssertEqual([text.value, all.value], ["A.", "A. Bea"])
    }
  }

  func test_C27_equalElementThatDiffers_isReadAtOnce() {
    let names: ObservableSet = [Name(1, "Ada"), Name(2, "Bea")]
    let all = ObservableValue { names.elements.map(\.text).sorted().joined(separator: " ") }
    let longest = ObservableValue { names.map(\.text.count).max() ?? 0 }
    observations.observeSet(names) { recorder, _, change in
      let (old, new) = (change.removed.map(\.text), change.inserted.map(\.text))
      recorder.write("\(change.kind) \(old.sorted()) \(new.sorted())")
    }
    XCTAssertEqual(all.value, "Ada Bea")
    names.update(with: Name(1, "ADA B."))
    XCTAssertEqual(all.value, "ADA B. Bea")
    XCTAssertEqual(longest.value, 6)
    names.update(to: [Name(1, "aDa"), Name(2, "Bea")])
    XCTAssertEqual(all.value, "Bea aDa")
    withObservationTransaction {
      names.update(with: Name(2, "B"))
      XCTAssertEqual(all.value, "B aDa")
    }
    XCTAssertEqual(
      recorder.events,
      [
        "batch [\"Ada\"] [\"ADA B.\"]", "batch [\"ADA B.\"] [\"aDa\"]", "batch [\"Bea\"] [\"B\"]",
      ])
  }
}

/// An element that counts itself and moves to other threads.
private final class LifetimeKey: Hashable, Sendable {
  private let ticket: LifetimeCounter.Ticket

  init(_ counter: LifetimeCounter) { ticket = counter.makeTicket() }

  static func == (left: LifetimeKey, right: LifetimeKey) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
