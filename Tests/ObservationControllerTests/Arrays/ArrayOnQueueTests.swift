import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Arrays observed on a queue: changes that wait, and are joined.
final class ArrayOnQueueTests: TestCase {
  private final class Shelf {
    @Observed var numbers: ObservableArray<Int> = []
    @Observed var plain: [Int] = []
    @Observed var chips: ObservableArray<Chip> = []
  }

  /// `Sendable`: changed by the test alone.
  private final class Chip: Hashable, CustomStringConvertible, @unchecked Sendable {
    let letter: String
    @Observed var rank = 0
    @Observed var title = ""

    init(_ letter: String) { self.letter = letter }

    var description: String { letter }
    static func == (left: Chip, right: Chip) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  private let queue = DispatchQueue(label: "arrays")
  private let shelf = Shelf()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  private func observeNumbers(
    options: ObservationOptions = [], _ coalescing: ObservationCoalescing = .none
  ) -> ObservationToken {
    observations.observeArray(
      shelf, \.numbers, options: options, on: queue, coalescing: coalescing
    ) { recorder, _, change in recorder.write(change) }
  }

  /// The lines delivered for what `body` does while the queue waits.
  private func lines(_ body: () -> Void) -> [String] {
    queue.whileSuspended(body)
    return recorder.takeEvents()
  }

  // MARK: Each delivered

  func test_onQueue_eachChange_isDeliveredInOrder() {
    _ = observeNumbers(options: .old)
    XCTAssertEqual(
      lines {
        shelf.numbers.append(1)
        shelf.numbers.insert(2, at: 0)
        shelf.numbers.swapAt(0, 1)
        shelf.numbers[0] = 3
        shelf.numbers.removeAll()
        shelf.numbers = [7]
        shelf.numbers.setElements([8, 9])
      },
      [
        "insertion +10: 1 (was )", "insertion +20: 2 1 (was 1)", "move 20→1 11→0: 1 2 (was 2 1)",
        "replacement -10 +30: 3 2 (was 1 2)", "removal -30 -21:  (was 3 2)",
        "setting +70: 7 (was )", "setting -70 +80 +91: 8 9 (was 7)",
      ])
  }

  func test_onQueue_initial_isDeliveredFirst_onTheQueue() {
    shelf.numbers = [1]
    XCTAssertEqual(
      lines {
        _ = observeNumbers(options: .initial)
        shelf.numbers.append(2)
        XCTAssertEqual(recorder.events, [])
      }, ["initial +10: 1", "insertion +21: 1 2"])
  }

  func test_onQueue_initialThatWaits_isJoinedAsInitial() {
    shelf.numbers = [1]
    XCTAssertEqual(
      lines {
        _ = observeNumbers(options: .initial, .latest)
        shelf.numbers.append(2)
        shelf.numbers = [3]
        shelf.numbers.append(4)
      }, ["initial +30 +41: 3 4"])
  }

  func test_onQueue_plainArrays_areFollowed() {
    shelf.plain = [1, 2]
    observations.observeArray(shelf, \.plain, on: queue, coalescing: .latest) {
      $0.write($2)
    }
    XCTAssertEqual(
      lines {
        shelf.plain.append(3)
        shelf.plain.remove(at: 0)
      }, ["batch -10 +31: 2 3"])
  }

  func test_onQueue_withoutOld_anEditDoesNotCopyTheArray() {
    shelf.numbers = ObservableArray(0..<100)
    _ = observeNumbers(options: [.old, .distinct], .latest)
    queue.whileSuspended {
      shelf.numbers.append(1)
      let before = shelf.numbers.withContiguousStorageIfAvailable { $0.baseAddress }
      for _ in 0..<20 { shelf.numbers[3] += 1 }
      XCTAssertEqual(shelf.numbers.withContiguousStorageIfAvailable { $0.baseAddress }, before)
    }
  }

  // MARK: Joined

  func test_onQueue_joined_areOneBatch() {
    shelf.numbers = [1, 2, 3]
    _ = observeNumbers(.latest)
    XCTAssertEqual(
      lines {
        shelf.numbers.remove(at: 0)
        shelf.numbers.append(4)
        shelf.numbers.move(from: 2, to: 0)
      }, ["batch -10 +40: 4 2 3"])
  }

  func test_onQueue_joinedThatCancelOut_areNotDelivered() {
    shelf.numbers = [1, 2, 3]
    _ = observeNumbers(.latest)
    XCTAssertEqual(
      lines {
        shelf.numbers.append(4)
        shelf.numbers.removeLast()
        shelf.numbers.swapAt(0, 2)
        shelf.numbers.swapAt(0, 2)
      }, [])
    XCTAssertEqual(lines { shelf.numbers.append(5) }, ["insertion +53: 1 2 3 5"])
  }

  func test_onQueue_distinct_leavesOutWhatLeadsBack() {
    shelf.numbers = [1, 2]
    _ = observeNumbers(options: .distinct, .latest)
    XCTAssertEqual(
      lines {
        shelf.numbers.removeAll()
        shelf.numbers = [1, 2]
      }, [])
  }

  func test_onQueue_elements_areJoinedAsChangedIndices() {
    let chips = ["a", "b", "c"].map(Chip.init)
    shelf.chips = ObservableArray(chips)
    observations.observeArray(
      shelf, \.chips, elements: [\.rank, \.title], options: .distinct, on: queue,
      coalescing: .latest
    ) { $0.write($2) }
    XCTAssertEqual(
      lines {
        chips[0].rank = 1
        chips[0].rank = 2
      }, ["element a@0: a b c 0 → 2"])
    XCTAssertEqual(
      lines {
        chips[0].rank = 3
        chips[0].rank = 2
      }, [], "cancelled out")
    XCTAssertEqual(
      lines {
        chips[1].rank = 1
        chips[2].title = "x"
        shelf.chips.remove(at: 0)
        shelf.chips.insert(Chip("d"), at: 1)
        shelf.chips[1].rank = 9
      }, ["batch -a0 +d1 *b0 *c2: b d c"])
    XCTAssertEqual(
      lines {
        chips[1].rank = 7
        chips[1].title = "y"
      }, ["batch *b0: b d c"])
  }

  func test_onQueue_settings_areOneSetting() {
    shelf.numbers = [1]
    _ = observeNumbers(options: .old, .latest)
    XCTAssertEqual(
      lines {
        shelf.numbers.append(2)
        shelf.numbers = [3]
        shelf.numbers.append(4)
      }, ["setting -10 +30 +41: 3 4 (was 1)"])
  }

  func test_onQueue_interval_joinsUntilItIsOver() {
    let clock = SteppedClock()
    clock.whileCurrent {
      _ = observeNumbers(.interval(.seconds(1)))
      shelf.numbers.append(1)
      queue.drain()
      shelf.numbers.append(2)
      shelf.numbers.append(3)
      queue.drain()
      XCTAssertEqual(recorder.takeEvents(), ["insertion +10: 1"])
      clock.advance(by: .seconds(1))
      queue.drain()
      XCTAssertEqual(recorder.takeEvents(), ["batch +21 +32: 1 2 3"])
    }
  }

  func test_onQueue_debounce_joinsUntilTheArrayRests() {
    let clock = SteppedClock()
    clock.whileCurrent {
      _ = observeNumbers(.debounce(.seconds(1)))
      shelf.numbers.append(1)
      clock.advance(by: .milliseconds(500))
      shelf.numbers.append(2)
      clock.advance(by: .milliseconds(600))
      queue.drain()
      XCTAssertEqual(recorder.events, [])
      clock.advance(by: .seconds(1))
      queue.drain()
      XCTAssertEqual(recorder.events, ["batch +10 +21: 1 2"])
    }
  }

  func test_onQueue_manyEdits_areOneDelivery() {
    let count = Effort.count(quick: 20_000, full: 100_000)
    observations.observeArray(shelf, \.numbers, on: queue, coalescing: .latest) {
      recorder, _, change in
      recorder.write("\(change.kind) \(change.entries.count) \(change.elements.count)")
    }
    queue.whileSuspended {
      for number in 0..<count {
        shelf.numbers.append(number)
        if number.isMultiple(of: 4) { shelf.numbers.removeLast() }
      }
    }
    XCTAssertEqual(recorder.events, ["batch \(count / 4 * 3) \(count / 4 * 3)"])
  }

  // MARK: End

  func test_onQueue_ofAnEndedObservation_nothingIsDelivered_andReleased() {
    var chip: Chip? = Chip("a")
    weak let weakChip = chip
    let token = observations.observeArray(shelf, \.chips, on: queue) { $0.write($2) }
    queue.whileSuspended {
      shelf.chips.append(chip!)
      chip = nil
      shelf.chips.removeAll()
      XCTAssertNotNil(weakChip)
      token.invalidate()
      XCTAssertNil(weakChip)
    }
    XCTAssertEqual(recorder.events, [])
  }

  func test_onQueue_removedElement_isReleasedOnceThatIsDelivered() {
    weak var chip: Chip?
    observations.observeArray(shelf, \.chips, elements: [\.rank], on: queue) {
      $0.write("\($2.kind)")
    }
    do {
      let new = Chip("a")
      chip = new
      shelf.chips.append(new)
    }
    queue.drain()
    shelf.chips.removeAll()
    queue.drain()
    XCTAssertEqual(recorder.events, ["insertion", "removal"])
    XCTAssertNil(chip)
  }

  func test_onQueue_sameLineAgain_takesTheNewHandler() {
    func observe(_ name: String) -> ObservationToken {
      observations.observeArray(shelf, \.numbers, on: queue) { recorder, _, change in
        recorder.write("\(name) \(change.line)")
      }
    }
    let first = observe("one")
    shelf.numbers.append(1)
    queue.drain()
    XCTAssertTrue(observe("two") === first)
    shelf.numbers.append(2)
    queue.drain()
    XCTAssertEqual(recorder.events, ["one insertion +10: 1", "two insertion +21: 1 2"])
  }

  @MainActor
  func test_onMainActor_isJoinedAndDeliveredThere() async {
    let array: ObservableArray<Int> = [1]
    let observations = ObservationController(observer: recorder)
    observations.observeArrayOnMainActor(array, coalescing: .latest) { recorder, _, change in
      MainActor.assertIsolated()
      recorder.write(change)
    }
    array.append(2)
    array.append(3)
    XCTAssertEqual(recorder.events, [])
    await drainMainQueue()
    XCTAssertEqual(recorder.events, ["batch +21 +32: 1 2 3"])
  }

  func test_arrayChange_isSendable_whereItsElementsAre() {
    func check<Value: Sendable>(_ type: Value.Type) {}
    check(ArrayChange<Int>.self)
    check(ObservationArrayChanges<Int>.self)
  }
}
