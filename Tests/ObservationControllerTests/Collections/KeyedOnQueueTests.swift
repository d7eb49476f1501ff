import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Dictionaries and sets observed on a queue, on the main actor and in loops.
final class KeyedOnQueueTests: TestCase {
  private final class Shelf {
    @Observed var amounts: ObservableDictionary<String, Int> = [:]
    @Observed var plain: [String: Int] = [:]
    @Observed var tags: ObservableSet<Int> = []
    @Observed var chips: ObservableDictionary<String, Chip> = [:]
  }

  private let queue = DispatchQueue(label: "tables")
  private let shelf = Shelf()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  private static func line<Value>(_ change: DictionaryChange<String, Value>) -> String {
    let keys = change.entries.map { entry in
      let (old, new) = (entry.oldValue.map { "\($0)" }, entry.newValue.map { "\($0)" })
      return "\(entry.key) \(old ?? "-")>\(new ?? "-")"
    }
    return "\(change.kind): " + keys.sorted().joined(separator: ", ")
  }

  private func observeAmounts(
    options: ObservationOptions = [], _ coalescing: ObservationCoalescing = .none
  ) {
    observations.observeDictionary(
      shelf, \.amounts, options: options, on: queue, coalescing: coalescing
    ) { recorder, _, change in recorder.write(Self.line(change)) }
  }

  private func lines(_ body: () -> Void) -> [String] {
    queue.whileSuspended(body)
    return recorder.takeEvents()
  }

  func test_dictionaryOnQueue_eachChange_isDeliveredInOrder() {
    observeAmounts(options: .initial)
    XCTAssertEqual(
      lines {
        shelf.amounts["a"] = 1
        shelf.amounts["a"] = 2
        shelf.amounts["a"] = nil
        shelf.amounts = ["b": 3]
      }, ["initial: ", "insertion: a ->1", "update: a 1>2", "removal: a 2>-", "setting: b ->3"])
  }

  func test_dictionaryOnQueue_joined_areOneBatch() {
    shelf.amounts = ["a": 1, "b": 2]
    observeAmounts(.latest)
    XCTAssertEqual(
      lines {
        shelf.amounts["a"] = 5
        shelf.amounts["a"] = 6
        shelf.amounts["b"] = nil
        shelf.amounts["c"] = 7
        shelf.amounts["d"] = 8
        shelf.amounts["d"] = nil
      }, ["batch: a 1>6, b 2>-, c ->7"])
  }

  func test_dictionaryOnQueue_joinedThatCancelOut_areNotDelivered() {
    shelf.amounts = ["a": 1]
    observeAmounts(.latest)
    XCTAssertEqual(
      lines {
        shelf.amounts["a"] = 5
        shelf.amounts["b"] = 5
        shelf.amounts["b"] = nil
        shelf.amounts["a"] = 1
      }, [])
    XCTAssertEqual(lines { shelf.amounts["a"] = 2 }, ["update: a 1>2"])
  }

  func test_dictionaryOnQueue_settings_areOneSetting_orNoneIfDistinct() {
    shelf.amounts = ["a": 1]
    observeAmounts(options: .distinct, .latest)
    XCTAssertEqual(
      lines {
        shelf.amounts["b"] = 1
        shelf.amounts = ["a": 1]
      }, [])
    XCTAssertEqual(
      lines {
        shelf.amounts = ["c": 1]
        shelf.amounts["d"] = 2
      }, ["setting: a 1>-, c ->1, d ->2"])
  }

  func test_dictionaryOnQueue_plain_isFollowed() {
    shelf.plain = ["a": 1]
    observations.observeDictionary(shelf, \.plain, on: queue, coalescing: .latest) {
      $0.write(Self.line($2))
    }
    XCTAssertEqual(
      lines {
        shelf.plain["b"] = 2
        shelf.plain["a"] = nil
      }, ["batch: a 1>-, b ->2"])
  }

  func test_dictionaryOnQueue_values_areJoinedAsTheSameInstance() {
    let chips = [Chip(), Chip()]
    shelf.chips = ["a": chips[0], "b": chips[1]]
    observations.observeDictionary(
      shelf, \.chips, values: [\.rank], options: .distinct, on: queue, coalescing: .latest
    ) { recorder, _, change in
      let keys = change.entries.map { "\($0.key)\($0.oldValue === $0.newValue ? "=" : "")" }
      let value = change.valueChange.map { "\($0.oldValue ?? 0)>\($0.newValue)" } ?? ""
      recorder.write("\(change.kind) \(keys.sorted().joined()) \(value)")
    }
    XCTAssertEqual(
      lines {
        chips[0].rank = 1
        chips[0].rank = 2
      }, ["value a= 0>2"])
    XCTAssertEqual(
      lines {
        chips[0].rank = 3
        chips[0].rank = 2
      }, [], "cancelled out")
    XCTAssertEqual(
      lines {
        chips[0].rank = 4
        shelf.chips["c"] = Chip()
      }, ["batch a=c "])
  }

  func test_setOnQueue_joined_areOneBatch_withChangedElements() {
    let chips = [Chip(), Chip()]
    let set = ObservableSet(chips)
    observations.observeSet(set, elements: [\.rank], on: queue, coalescing: .latest) {
      $0.write("\($2.kind) +\($2.inserted.count) -\($2.removed.count) *\($2.changedElements.count)")
    }
    XCTAssertEqual(
      lines {
        chips[0].rank = 1
        chips[1].rank = 1
        set.insert(Chip())
      }, ["batch +1 -0 *2"])
  }

  func test_setOnQueue_randomEdits_areReplayedRight() {
    for seed in seeds(quick: 100, full: 3_000) {
      var generator = SeededGenerator(seed: seed)
      let set: ObservableSet<Int> = [1, 2]
      let replay = Guarded(SetReplay(set.elements))
      let observations = ObservationController(observer: self)
      observations.observeSet(
        set, options: seed.isMultiple(of: 2) ? .old : [], on: queue,
        coalescing: seed.isMultiple(of: 3) ? .none : .latest
      ) { _, _, change in replay.withLock { $0.receive(change) } }
      for _ in 0..<6 {
        queue.whileSuspended {
          for _ in 0..<Int.random(in: 0...6, using: &generator) {
            let element = Int.random(in: 0..<5, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0...2: set.insert(element)
            case 3...4: set.remove(element)
            default: set.formSymmetricDifference([element, 3])
            }
          }
        }
        XCTAssertEqual(replay.withLock { $0.elements }, set.elements)
        XCTAssertEqual(replay.withLock { $0.flaws }, [])
      }
    }
  }

  @MainActor
  func test_keyedOnMainActor_isJoinedAndDeliveredThere() async {
    let amounts: ObservableDictionary<String, Int> = [:]
    let set: ObservableSet<Int> = []
    let observations = ObservationController(observer: recorder)
    observations.observeDictionaryOnMainActor(amounts, coalescing: .latest) { recorder, _, change in
      MainActor.assertIsolated()
      recorder.write(Self.line(change))
    }
    observations.observeSetOnMainActor(set, coalescing: .latest) { recorder, _, change in
      recorder.write("\(change.kind) \(change.inserted.sorted())")
    }
    amounts["a"] = 1
    amounts["b"] = 2
    set.insert(1)
    set.insert(2)
    XCTAssertEqual(recorder.events, [])
    await drainMainQueue()
    XCTAssertEqual(recorder.events, ["batch: a ->1, b ->2", "batch [1, 2]"])
  }

  func test_changesOfDictionaryAndSet_areTakenAndJoined() async {
    let amounts = observations.changes(ofDictionary: shelf, \.amounts, coalescing: .latest)
    let tags = observations.changes(ofSet: shelf, \.tags)
    shelf.amounts["a"] = 1
    shelf.amounts["b"] = 2
    shelf.tags.insert(1)
    shelf.tags.remove(1)
    observations.unobserveAll()
    let lines = await amounts.collect().map { Self.line($0) }
    let kinds = await tags.collect().map(\.kind)
    XCTAssertEqual(lines, ["batch: a ->1, b ->2"])
    XCTAssertEqual(kinds, [.insertion, .removal])
  }
}
