import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Lifetimes of sequences, ends from inside of a delivery, and several threads.
final class SequenceLifetimeTests: CountingTestCase {
  // MARK: Lifetime

  func test_sequence_keepsNeitherObserverNorControllerAlive() {
    let counter = Counter()
    var kept: [ObservationChanges<Int>] = []
    assertReleased {
      let observer = SilentObserver()
      assertReleased {
        let observations = ObservationController(observer: observer)
        kept.append(observations.changes(of: counter, \.count))
        return observations
      }
      return observer
    }
    counter.count = 1
  }

  func test_sequence_retainedObject_livesUntilTheObservationEnds() async {
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer)
    weak var counter: Counter?
    var values: ObservationValues<Int>? = scoped {
      let observed = Counter()
      counter = observed
      return observations.values(of: observed, \.count)
    }
    XCTAssertNotNil(counter)
    let task = Task { [values] in await values?.collect() }
    task.cancel()
    let all = await task.value
    XCTAssertEqual(all, [0])
    XCTAssertNil(counter)
    values = nil
  }

  func test_sequence_endedButKept_keepsOnlyItsBuffer() async {
    let elements = LifetimeCounter()
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer)
    weak var holder: Holder<LifetimeCounter.Ticket?>?
    var changes: ObservationChanges<LifetimeCounter.Ticket?>? = scoped {
      let observed = Holder<LifetimeCounter.Ticket?>(nil)
      holder = observed
      let changes = observations.changes(of: observed, \.value)
      for _ in 1...3 { observed.value = elements.makeTicket() }
      observations.unobserveAll()
      return changes
    }
    XCTAssertNil(holder)
    XCTAssertEqual(elements.count, 3)
    var iterator = changes?.makeAsyncIterator()
    // Each change but the first holds the ticket of the previous set.
    for left in [3, 2, 0] {
      _ = await iterator?.next()
      XCTAssertEqual(elements.count, left)
    }
    iterator = nil
    changes = nil
    XCTAssertEqual(elements.count, 0)
  }

  func test_sequence_dropped_releasesItsBuffer_withNoLockHeld() {
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer)
    let shelf = UncheckedReference(BookShelf())
    var frees = 0
    scoped {
      let books = observations.values(
        of: shelf.object, \.book, bufferingPolicy: .bufferingNewest(2))
      for _ in 1...4 {
        // Released by the buffer, they set the property, and use the tables.
        shelf.object.book = Book {
          frees += 1
          shelf.object.pages += 1
          observations.unobserve(shelf.object, \.pages)
          _ = ObservationDispatcher.shared.activeObservationCount
        }
      }
      shelf.object.book = nil
      XCTAssertEqual(frees, 3)
      withExtendedLifetime(books) {}
    }
    XCTAssertEqual(frees, 4)
  }

  // MARK: Re-entrancy

  func test_sequence_droppedInsideADeliveryOfItsProperty_ends() {
    let counter = Counter()
    let recorder = ChangeRecorder<Int>()
    let observations = ObservationController(observer: recorder)
    var kept: [ObservationValues<Int>] = []
    observations.observe(counter, \.count) { recorder, _, change in
      recorder.record(change)
      kept = []
    }
    kept.append(observations.values(of: counter, \.count))
    counter.count = 1
    counter.count = 2
    XCTAssertEqual(recorder.events, [.changed(0, 1), .changed(1, 2)])
    XCTAssertEqual(observations.observations.count, 1)
  }

  func test_sequence_endedInsideADelivery_hasThePreviousChanges() async {
    let counter = Counter()
    let recorder = ChangeRecorder<Int>()
    let observations = ObservationController(observer: recorder)
    let before = observations.values(of: counter, \.count)
    observations.observe(counter, \.count) { _, counter, change in
      if change.newValue == 2 { observations.unobserve(counter) }
    }
    let after = observations.values(of: counter, \.count)
    for value in 1...3 { counter.count = value }
    let (first, second) = (await before.collect(), await after.collect())
    XCTAssertEqual(first, [0, 1, 2])
    XCTAssertEqual(second, [0, 1])
  }

  func test_sequence_begunInsideADelivery_getsLaterChanges() async {
    let counter = Counter()
    let recorder = ChangeRecorder<Int>()
    let observations = ObservationController(observer: recorder)
    var begun: [ObservationValues<Int>] = []
    observations.observe(counter, \.count) { _, counter, _ in
      begun.append(observations.values(of: counter, \.count))
    }
    counter.count = 1
    counter.count = 2
    observations.unobserveAll()
    let (first, second) = (await begun[0].collect(), await begun[1].collect())
    XCTAssertEqual(first, [1, 2])
    XCTAssertEqual(second, [2])
  }

  // MARK: Threads

  func test_C20_sequence_changesOnOneThread_whileTheTaskIsCancelled() async {
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer)
    for _ in 0..<Effort.count(quick: 25, full: 200) {
      let counter = UncheckedReference(Counter())
      let changes = observations.changes(of: counter.object, \.count)
      let consumer = Task { await changes.collect().map { RecordedEvent($0) } }
      await withTaskGroup { group in
        group.addTask { for value in 1...50 { counter.object.count = value } }
        group.addTask { consumer.cancel() }
      }
      let events = await consumer.value
      XCTAssertEqual(events, (0..<events.count).map { .changed($0, $0 + 1) })
      XCTAssertEqual(observations.observations.count, 0)
    }
  }

  func test_C20_sequence_changesOnOneThread_whileAnotherEndsIt() async {
    for _ in 0..<Effort.count(quick: 25, full: 200) {
      let observer = SilentObserver()
      let counter = UncheckedReference(Counter())
      let controller = Guarded<ObservationController?>(ObservationController(observer: observer))
      let values = scoped {
        controller.withLock { $0!.values(of: counter.object, \.count) }
      }
      let consumer = Task { await values.collect() }
      await withTaskGroup { group in
        group.addTask { for value in 1...50 { counter.object.count = value } }
        group.addTask {
          let last = controller.withLock { controller in
            defer { controller = nil }
            return controller
          }
          withExtendedLifetime(last) {}
        }
      }
      let all = await consumer.value
      XCTAssertEqual(all, Array(0..<all.count))
      withExtendedLifetime(observer) {}
    }
  }

  func test_C20_sequences_begunAndDroppedOnSeveralThreads() {
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer)
    let counter = UncheckedReference(Counter())
    onThreads(4) { _ in
      for _ in 0..<Effort.count(quick: 25, full: 200) {
        let values = observations.values(of: counter.object, \.count)
        withExtendedLifetime(values) {}
      }
    }
    XCTAssertEqual(observations.observations.count, 0)
  }
}

/// A value that runs a closure in its `deinit`; unchecked because one test uses it, on one thread.
private final class Book: @unchecked Sendable {
  private let onDeinit: () -> Void
  init(onDeinit: @escaping () -> Void) { self.onDeinit = onDeinit }
  deinit { onDeinit() }
}

private final class BookShelf {
  @Observed var book: Book?
  @Observed var pages = 0
}
