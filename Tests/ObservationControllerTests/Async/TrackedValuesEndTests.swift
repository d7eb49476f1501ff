import Dispatch
import Observation
import ObservationController
import TestSupport
import XCTest

/// Sequences over `Observable` objects: their ends, their lifetimes, and changes on other threads.
@MainActor
final class TrackedValuesEndTests: TestCase {
  private func assertLeavesNone(
    line: UInt = #line, _ body: @MainActor () async -> Void
  ) async {
    let before = ObservationDispatcher.shared.activeObservationCount
    await body()
    XCTAssertEqual(ObservationDispatcher.shared.activeObservationCount, before, line: line)
  }

  func test_values_endedInEachWay_end() async {
    for way in WayToEnd<SilentObserver, PlainDocument, Int>.all {
      await assertLeavesNone {
        let observer = SilentObserver()
        let document = PlainDocument()
        var observations: ObservationController? = ObservationController(observer: observer)
        let values = observations!.values(of: document, \.pages)
        document.pages = 2
        way.end(&observations, document, \.pages)
        document.pages = 3
        let all = await values.collect()
        XCTAssertEqual(all, [1], way.name)
      }
    }
  }

  func test_values_taskCancelled_endTheObservation() async {
    await assertLeavesNone {
      let observer = SilentObserver()
      let document = PlainDocument()
      let observations = ObservationController(observer: observer)
      let values = observations.values(of: document, \.pages)
      let task = Task { await values.collect() }
      task.cancel()
      let all = await task.value
      XCTAssertEqual(all, [1])
      XCTAssertEqual(observations.observations.count, 0)
      document.pages = 2
    }
  }

  func test_values_dropped_endTheObservation() async {
    let observer = SilentObserver()
    let document = PlainDocument()
    let observations = ObservationController(observer: observer)
    _ = observations.values(of: document, \.pages)
    XCTAssertEqual(observations.observations.count, 0)
    document.pages = 2
  }

  func test_values_observerDeallocated_endWithTheNextChange() async {
    let document = PlainDocument()
    var observer: SilentObserver? = SilentObserver()
    let observations = ObservationController(observer: observer!)
    let values = observations.values(of: document, \.pages)
    observer = nil
    document.pages = 2
    let all = await values.collect()
    XCTAssertEqual(all, [1])
  }

  func test_values_ofADeallocatedObserver_endAtOnce() async {
    let document = PlainDocument()
    let observations = scoped { ObservationController(observer: SilentObserver()) }
    let all = await observations.values(of: document, \.pages).collect()
    XCTAssertEqual(all, [])
  }

  func test_values_keepNeitherObserverNorControllerAlive() async {
    let document = PlainDocument()
    var kept: [ObservationValues<Int>] = []
    assertReleased {
      let observer = SilentObserver()
      assertReleased {
        let observations = ObservationController(observer: observer)
        kept.append(observations.values(of: document, \.pages))
        return observations
      }
      return observer
    }
    let all = await kept[0].collect()
    XCTAssertEqual(all, [1])
  }

  func test_values_unretainedObjectDeallocated_end() async {
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer, retainsObserved: false)
    for changes in [0, 1] {
      var kept: [ObservationValues<Int>] = []
      assertReleased {
        let document = PlainDocument()
        kept.append(observations.values(of: document, \.pages))
        // A task that is about to read does not retain the object.
        for _ in 0..<changes { document.pages += 1 }
        return document
      }
      let all = await kept[0].collect()
      XCTAssertEqual(all, [1])
    }
    XCTAssertEqual(observations.observations.count, 0)
  }

  func test_values_unretainedObjectDeallocated_endWithADependencysChange() async {
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer, retainsObserved: false)
    let next = PlainDocument()
    var kept: [ObservationValues<Int?>] = []
    assertReleased {
      let document = PlainDocument()
      document.next = next
      kept.append(observations.values(of: document, \.next?.pages))
      return document
    }
    next.pages = 2
    let all = await kept[0].collect()
    XCTAssertEqual(all, [1])
  }

  func test_values_actorDeallocated_endWithTheNextChange() async {
    let observer = SilentObserver()
    let document = SharedDocument()
    let observations = ObservationController(observer: observer)
    let values = await PassingActor().follow(document, observations)
    document.addLeft()
    let all = await values.collect()
    XCTAssertEqual(all, [0])
  }

  func test_values_retainedObject_livesUntilTheObservationEnds() async {
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer)
    weak var document: PlainDocument?
    let values = scoped {
      let made = PlainDocument()
      document = made
      return observations.values(of: made, \.pages)
    }
    XCTAssertNotNil(document)
    observations.unobserveAll()
    XCTAssertNil(document)
    withExtendedLifetime(values) {}
  }

  /// The actor that owns the controller is the observer too.
  func test_values_onAnActor_doNotKeepItAlive() async {
    weak var actor: FollowingActor?
    var values: ObservationValues<Int>?
    do {
      let made = FollowingActor()
      actor = made
      values = await made.follow()
      await made.change()
    }
    var all: [Int] = []
    for await value in values! { all.append(value) }
    XCTAssertEqual(all.first, 0)
    XCTAssertLessThanOrEqual(all.count, 2)
    XCTAssertNil(actor)
  }

  // MARK: Notifications

  /// Observation calls a closure once more if a change inside of another closure has called it
  /// first.
  func test_values_notifiedTwiceOfOneReading_readOnce() async {
    let document = SharedDocument()
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer)
    var values = observations.values(of: document, \.sum).makeAsyncIterator()
    let changes = Guarded(0)
    // Many, since the order in which closures are called is not defined.
    for _ in 1...30 {
      withObservationTracking {
        _ = document.sum
      } onChange: {
        let isFirst = changes.withLock { count in
          count += 1
          return count == 1
        }
        if isFirst { document.addLeft() }
      }
    }
    var all = [await values.next()]
    document.addLeft()
    for _ in 1...20 {
      all.append(await values.next())
      document.addLeft()
    }
    XCTAssertEqual(all, [0] + Array(2...21))
  }

  // MARK: Threads

  /// The getter changes the value after reading it, as another thread may, before any tracking is
  /// installed.
  func test_values_changeBetweenReadingAndWaiting_isNotLost() async {
    let document = SharedDocument()
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer)
    var values = observations.values(of: document, \.sumBeforeAChange).makeAsyncIterator()
    let first = await values.next()
    document.addLeft()
    let second = await values.next()
    XCTAssertEqual([first, second], [SharedDocument.rounds, SharedDocument.rounds + 1])
  }

  /// Many changes elsewhere, and one here: the last one is delivered, and reads do not multiply.
  func test_values_changesOnSeveralThreads_deliverTheLastOne() async {
    let document = SharedDocument()
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer)
    var values = observations.values(of: document, \.sum).makeAsyncIterator()
    let (threads, rounds) = (4, 1000)
    let changes = Task.detached {
      onThreads(threads) { number in
        for _ in 1...rounds { number.isMultiple(of: 2) ? document.addLeft() : document.addRight() }
      }
    }
    await changes.value
    document.addLeft()
    let last = threads * rounds + 1
    var all: [Int] = []
    while let sum = await values.next() {
      all.append(sum)
      if sum == last { break }
    }
    XCTAssertEqual(all, all.sorted())
  }
}

private actor PassingActor {
  func follow(
    _ document: SharedDocument, _ observations: ObservationController<SilentObserver>
  ) -> ObservationValues<Int> {
    observations.values(of: document, \.sum)
  }
}

/// Owns model and controller, and observes the model.
private actor FollowingActor {
  private let document = ActorDocument()
  private lazy var observations = ObservationController(observer: self)

  func follow() -> ObservationValues<Int> {
    observations.values(of: document, \.count)
  }

  func change() {
    document.count += 1
  }
}

@Observable
private final class ActorDocument {
  var count = 0
}

/// Observable by a manual conformance, and changed on any thread.
private final class SharedDocument: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  private let left = Guarded(0)
  private let right = Guarded(0)

  var sum: Int {
    registrar.access(self, keyPath: \.leftPart)
    registrar.access(self, keyPath: \.rightPart)
    return leftPart + rightPart
  }

  /// The number of reads before the first element: one to find the dependencies, and two.
  static let rounds = 2

  /// The sum, which the first reads change.
  var sumBeforeAChange: Int {
    let sum = sum
    if sum < Self.rounds { addRight() }
    return sum
  }

  private var leftPart: Int { left.withLock { $0 } }
  private var rightPart: Int { right.withLock { $0 } }

  func addLeft() {
    registrar.withMutation(of: self, keyPath: \.leftPart) { left.withLock { $0 += 1 } }
  }

  func addRight() {
    registrar.withMutation(of: self, keyPath: \.rightPart) { right.withLock { $0 += 1 } }
  }
}
