import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Ends of observations that are delivered on a queue, which leave nothing behind.
final class QueueEndTests: TestCase {
  private let queue = DispatchQueue(label: "ends")
  private let counter = Counter()

  override func tearDown() {
    queue.drain()
  }

  // MARK: C19

  func test_C19_queue_endedOnIt_deliversNothingThatWaits() {
    let recorder = ChangeRecorder<Int>()
    let observations = ObservationController(observer: recorder)
    let token = observations.observe(counter, \.count, on: queue) { recorder, _, change in
      recorder.record(change)
    }
    queue.whileSuspended {
      counter.count = 1
      queue.async { token.invalidate() }
      counter.count = 2
      counter.count = 3
    }
    XCTAssertEqual(recorder.events, [.changed(0, 1)])
  }

  func test_C19_queue_endedInItsHandler_nothingFollows() {
    for coalescing: ObservationCoalescing in [.none, .latest] {
      let recorder = ChangeRecorder<Int>()
      let observations = ObservationController(observer: recorder)
      let counter = UncheckedReference(Counter())
      observations.observe(
        counter.object, \.count, options: [.initial, .old], on: queue, coalescing: coalescing
      ) { recorder, _, change in
        recorder.record(change)
        counter.object.count += 1
        observations.unobserve(counter.object, \.count)
        counter.object.count += 1
      }
      queue.drain()
      XCTAssertEqual(recorder.events, [.initial(0)])
    }
  }

  func test_C19_queue_endedInEachWay_deliversNothingThatWaits() {
    for way in WayToEnd<ChangeRecorder<Int>, Counter, Int>.all {
      for coalescing: ObservationCoalescing in [.none, .latest] {
        let counter = Counter()
        let recorder = ChangeRecorder<Int>()
        let handlers = LifetimeCounter()
        var observations: ObservationController? = ObservationController(observer: recorder)
        let token = observations?.observe(
          counter, \.count, options: .initial, on: queue, coalescing: coalescing
        ) { [ticket = handlers.makeTicket()] recorder, _, change in
          withExtendedLifetime(ticket) { recorder.record(change) }
        }
        // The job of the initial delivery retains the handler while it runs.
        queue.drain()
        queue.whileSuspended {
          counter.count = 1
          way.end(&observations, counter, \.count)
          counter.count = 2
          XCTAssertEqual(handlers.count, 0, way.name)
        }
        XCTAssertEqual(recorder.events.filter { $0 != .initial(0) }, [], way.name)
        XCTAssertEqual(token?.isActive, false, way.name)
      }
    }
  }

  // MARK: C12 to C14

  func test_C12_queue_observer_isNotRetainedByWaitingChanges() {
    let delivered = LineRecorder()
    weak var observer: SilentObserver?
    var observations: ObservationController<SilentObserver>?
    queue.whileSuspended {
      scoped {
        let silent = SilentObserver()
        observer = silent
        observations = ObservationController(observer: silent)
        observations?.observe(counter, \.count, on: queue) { _, _, change in delivered.write(change)
        }
        counter.count = 1
      }
      XCTAssertNil(observer)
    }
    XCTAssertEqual(delivered.events, [])
    withExtendedLifetime(observations) {}
  }

  func test_C14_queue_unretainedObject_isNotRetainedByWaitingChanges() {
    let recorder = ChangeRecorder<Int>()
    let observations = ObservationController(observer: recorder, retainsObserved: false)
    queue.whileSuspended {
      assertLeavesNoObservations {
        assertReleased {
          let counter = Counter()
          observations.observe(counter, \.count, on: queue) { recorder, _, change in
            recorder.record(change)
          }
          counter.count = 1
          return counter
        }
      }
    }
    XCTAssertEqual(recorder.events, [])
  }

  func test_C13_queue_retainedObject_livesUntilUnobserved_notUntilDelivered() {
    let recorder = ChangeRecorder<Int>()
    let observations = ObservationController(observer: recorder)
    weak var observed: Counter?
    queue.whileSuspended {
      scoped {
        let counter = Counter()
        observed = counter
        observations.observe(counter, \.count, on: queue) { recorder, _, change in
          recorder.record(change)
        }
        counter.count = 1
      }
      XCTAssertNotNil(observed)
      observations.unobserveAll()
      XCTAssertNil(observed)
    }
    XCTAssertEqual(recorder.events, [])
  }

  func test_C13_queue_observerThatObservesItself_isNotRetained() {
    assertLeavesNoObservations {
      assertReleased {
        let observer = SelfObserver()
        observer.observations.observe(observer, \.count, options: .initial, on: queue) { _, _, _ in
        }
        observer.count = 1
        queue.drain()
        return observer
      }
      queue.drain()
    }
  }

  // MARK: C15 and C16

  func test_C15_queue_waitingValues_areReleasedWithTheObservation() {
    for coalescing: ObservationCoalescing in [.none, .latest] {
      let values = LifetimeCounter()
      let holder = Holder<LifetimeCounter.Ticket?>(nil)
      let log = ChangeRecorder<LifetimeCounter.Ticket?>()
      let observations = ObservationController(observer: log)
      let token = observations.observe(holder, \.value, on: queue, coalescing: coalescing) {
        _, _, _ in
      }
      queue.whileSuspended {
        for _ in 1...3 { holder.value = values.makeTicket() }
        XCTAssertEqual(values.count, coalescing == .latest ? 1 : 3)
        holder.value = nil
        token.invalidate()
        XCTAssertEqual(values.count, 0)
      }
    }
  }

  func test_C15_queue_valuesThatWereDelivered_areNotKept() {
    let values = LifetimeCounter()
    let holder = Holder<LifetimeCounter.Ticket?>(nil)
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer)
    observations.observe(holder, \.value, on: queue) { _, _, _ in }
    queue.whileSuspended {
      for _ in 1...3 { holder.value = values.makeTicket() }
      holder.value = nil
    }
    XCTAssertEqual(values.count, 0)
    withExtendedLifetime(observations) {}
  }

  func test_C16_queue_closure_isReleasedWhenItsLastCallReturns_ifItEndsInThat() {
    let handlers = LifetimeCounter()
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer)
    let counts = LineRecorder()
    let ended = observations.observe(counter, \.count, on: queue) {
      [ticket = handlers.makeTicket()] _, counter, _ in
      observations.unobserve(counter)
      withExtendedLifetime(ticket) { counts.write(handlers.count) }
    }
    queue.whileSuspended {
      counter.count = 1
      counter.count = 2
    }
    XCTAssertEqual(counts.events, ["1"])
    XCTAssertEqual(handlers.count, 0)
    XCTAssertFalse(ended.isActive)
  }

  func test_C16_queue_closureOfASecondRegistration_isReleasedAtOnce() {
    let handlers = LifetimeCounter()
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer)
    for _ in 1...3 {
      observations.observe(counter, \.count, on: queue) {
        [ticket = handlers.makeTicket()] _, _, _ in withExtendedLifetime(ticket) {}
      }
      XCTAssertEqual(handlers.count, 1)
    }
    withExtendedLifetime(observations) {}
  }

  func test_queue_everythingIsReleased_evenIfJobsAreLeft() {
    let handlers = LifetimeCounter()
    queue.whileSuspended {
      assertLeavesNoObservations {
        let observer = SilentObserver()
        let observations = ObservationController(observer: observer)
        for context in ["a", "b", "c"] as [ObservationContext] {
          observations.observe(counter, \.count, options: .initial, context: context, on: queue) {
            [ticket = handlers.makeTicket()] _, _, _ in withExtendedLifetime(ticket) {}
          }
        }
        counter.count += 1
        XCTAssertEqual(handlers.count, 3)
      }
      XCTAssertEqual(handlers.count, 0)
    }
  }
}
