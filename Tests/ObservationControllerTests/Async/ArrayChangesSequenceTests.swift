import ObservationController
import TestSupport
import XCTest

/// `changes(ofArray:)`: the changes of an array in a loop.
final class ArrayChangesSequenceTests: TestCase {
  private final class Shelf {
    @Observed var numbers: ObservableArray<Int> = []
    @Observed var plain: [Int] = []
  }

  private let shelf = Shelf()
  private let observer = SilentObserver()
  private lazy var observations = ObservationController(observer: observer)

  func test_changesOfArray_areTakenOneByOne() async {
    let changes = observations.changes(ofArray: shelf, \.numbers, options: [.initial, .old])
    shelf.numbers.append(1)
    shelf.numbers.insert(2, at: 0)
    observations.unobserveAll()
    shelf.numbers.append(3)
    let lines = await changes.collect().map(\.line)
    XCTAssertEqual(
      lines, ["initial: ", "insertion +10: 1 (was )", "insertion +20: 2 1 (was 1)"])
  }

  func test_changesOfArray_coalescing_areJoinedWhileTheLoopIsBusy() async {
    let changes = observations.changes(ofArray: shelf.numbers, coalescing: .latest)
    shelf.numbers.append(1)
    shelf.numbers.append(2)
    var iterator = changes.makeAsyncIterator()
    let first = await iterator.next()
    shelf.numbers.removeAll()
    shelf.numbers.append(4)
    let second = await iterator.next()
    shelf.numbers.append(5)
    shelf.numbers.removeLast()
    observations.unobserveAll()
    let third = await iterator.next()
    XCTAssertEqual(first?.line, "batch +10 +21: 1 2")
    XCTAssertEqual(second?.line, "batch -10 +40 -21: 4")
    XCTAssertNil(third, "cancelled out")
  }

  func test_changesOfPlainArray_areItsDifferences() async {
    let changes = observations.changes(ofArray: shelf, \.plain)
    shelf.plain = [1, 2]
    shelf.plain = [2]
    observations.unobserveAll()
    let lines = await changes.collect().map(\.line)
    XCTAssertEqual(lines, ["insertion +10 +21: 1 2", "removal -10: 2"])
  }

  func test_changesOfArray_interval_isTakenNoSooner() async {
    let clock = SteppedClock()
    let restore = clock.skipWaits()
    defer { restore() }
    let changes = observations.changes(ofArray: shelf.numbers, coalescing: .interval(.seconds(1)))
    var iterator = changes.makeAsyncIterator()
    shelf.numbers.append(1)
    _ = await iterator.next()
    XCTAssertEqual(clock.now, .zero)
    shelf.numbers.append(2)
    shelf.numbers.append(3)
    let second = await iterator.next()
    XCTAssertEqual(second?.line, "batch +21 +32: 1 2 3")
    XCTAssertEqual(clock.now, .seconds(1))
  }

  func test_changesOfArray_ofACancelledTask_endTheObservation() async {
    let changes = observations.changes(ofArray: shelf.numbers)
    let task = Task { for await _ in changes {} }
    task.cancel()
    await task.value
    XCTAssertEqual(observations.observations.count, 0)
  }

  func test_changesOfArray_released_endTheObservation() {
    do { _ = observations.changes(ofArray: shelf.numbers) }
    XCTAssertEqual(observations.observations.count, 0)
  }
}
