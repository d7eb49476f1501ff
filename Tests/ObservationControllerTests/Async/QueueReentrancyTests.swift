import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Handlers on a queue that use the library, with no lock held meanwhile.
final class QueueReentrancyTests: TestCase {
  private let queue = DispatchQueue(label: "reentrancy")
  private let recorder = ChangeRecorder<Int>()
  private lazy var observations = ObservationController(observer: recorder)

  func test_queue_handlerThatSetsTheProperty_isNotifiedLater_inOneChain() {
    let counter = Counter()
    observations.observe(counter, \.count, on: queue) { recorder, counter, change in
      recorder.record(change)
      if change.newValue < 5 { counter.count += 1 }
      XCTAssertEqual(recorder.events.last, .changed(change.newValue - 1, change.newValue))
    }
    queue.sync { counter.count = 1 }
    for _ in 1...5 { queue.drain() }
    XCTAssertEqual(recorder.events, (1...5).map { .changed($0 - 1, $0) })
  }

  func test_queue_handlersThatSetEachOthersProperty_takeTurns() {
    let (left, right) = (UncheckedReference(Counter()), UncheckedReference(Counter()))
    let lines = LineRecorder()
    observations.observe(left.object, \.count, on: queue) { _, _, change in
      lines.write("left \(change)")
      if change.newValue < 3 { right.object.count = change.newValue }
    }
    observations.observe(right.object, \.count, on: queue) { _, _, change in
      lines.write("right \(change)")
      left.object.count = change.newValue + 1
    }
    queue.sync { left.object.count = 1 }
    for _ in 1...5 { queue.drain() }
    XCTAssertEqual(
      lines.events, ["left 0 → 1", "right 0 → 1", "left 1 → 2", "right 1 → 2", "left 2 → 3"])
  }

  func test_queue_handlerThatObserves_beginsThen() {
    let counter = Counter()
    let lines = LineRecorder()
    let (queue, observations) = (queue, observations)
    observations.observe(counter, \.count, on: queue) { _, counter, change in
      lines.write("first \(change)")
      observations.observe(counter, \.count, options: [.initial, .old], context: "2", on: queue) {
        _, _, change in lines.write("second \(change)")
      }
    }
    queue.whileSuspended {
      counter.count = 1
      counter.count = 2
    }
    queue.whileSuspended { counter.count = 3 }
    XCTAssertEqual(
      lines.events,
      ["first 0 → 1", "first 1 → 2", "second initially 2", "first 2 → 3", "second 2 → 3"])
  }

  func test_queue_observerDroppedInItsHandler_isNotNotifiedAgain() {
    let counter = Counter()
    let observer = Guarded<SilentObserver?>(SilentObserver())
    let lines = LineRecorder()
    let observations = ObservationController(observer: observer.withLock { $0! })
    observations.observe(counter, \.count, on: queue) { _, _, change in
      lines.write(change)
      observer.withLock { $0 = nil }
    }
    queue.whileSuspended {
      counter.count = 1
      counter.count = 2
    }
    XCTAssertEqual(lines.events, ["0 → 1"])
    XCTAssertNil(observations.observer)
  }

  func test_queue_deinitThatUnobserves_whileItsHandlerIsReleased_isAllowed() {
    let counter = UncheckedReference(Counter())
    let observations = observations
    let sentinel = UncheckedReference(Sentinel { observations.unobserve(counter.object) })
    scoped {
      let handler = UncheckedReference(sentinel.object)
      observations.observe(counter.object, \.count, on: queue) { _, _, _ in
        withExtendedLifetime(handler) {}
      }
    }
    queue.whileSuspended {
      counter.object.count = 1
      observations.unobserveAll()
    }
    XCTAssertEqual(observations.observations.count, 0)
  }

  // MARK: C22

  func test_C22_queue_handlersRunWithNoLockHeld() {
    for coalescing: ObservationCoalescing in [.none, .latest] {
      let counter = UncheckedReference(Counter())
      let (observations, queue) = (observations, queue)
      let uses = LineRecorder()
      observations.observe(
        counter.object, \.count, options: [.initial, .old], on: queue, coalescing: coalescing
      ) { _, _, change in
        onAnotherThread {
          _ = ObservationDispatcher.shared.activeObservationCount
          // Enqueues into the queue being delivered.
          if change.newValue < 3 { counter.object.count += 1 }
        }
        uses.write(change)
      }
      for _ in 1...5 { queue.drain() }
      XCTAssertEqual(uses.events, ["initially 0", "0 → 1", "1 → 2", "2 → 3"])
      observations.unobserveAll()
    }
  }

  func test_C22_queue_closuresAndValuesAreFreedWithNoLockHeld() {
    let uses = LineRecorder()
    let use: @Sendable () -> Void = {
      onAnotherThread { _ = ObservationDispatcher.shared.activeObservationCount }
      uses.write("used")
    }
    let holder = Holder<UncheckedReference<Sentinel>?>(nil)
    let token = observations.observe(holder, \.value, on: queue, coalescing: true) {
      [last = UncheckedReference(Sentinel(use))] _, _, _ in withExtendedLifetime(last) {}
    }
    queue.whileSuspended {
      // The one in between is merged away.
      for _ in 1...2 { holder.value = UncheckedReference(Sentinel(use)) }
      holder.value = nil
      XCTAssertEqual(uses.events.count, 2)
      holder.value = UncheckedReference(Sentinel(use))
      holder.value = nil
      XCTAssertEqual(uses.events.count, 3)
      token.invalidate()
      XCTAssertEqual(uses.events.count, 4)
    }
  }
}
