import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Delivery on the main actor.
///
/// Asynchronous, because XCTest on Linux does not find a class whose main-actor tests are all
/// synchronous.
@MainActor
final class MainActorDeliveryTests: TestCase {
  /// An observer that is isolated to the main actor, as views are.
  @MainActor
  private final class Screen {
    let recorder = LineRecorder()
    private(set) lazy var observations = ObservationController(observer: self)

    func show(_ line: String) {
      MainActor.preconditionIsolated()
      recorder.write(line)
    }
  }

  private let screen = Screen()
  private let counter = UncheckedReference(Counter())

  @discardableResult
  private func observe(
    _ options: ObservationOptions = .old, coalescing: ObservationCoalescing = .none
  ) -> ObservationToken {
    screen.observations.observeOnMainActor(
      counter.object, \.count, options: options, coalescing: coalescing
    ) { screen, _, change in screen.show("\(change)") }
  }

  func test_mainActor_changeOnTheMainThread_isDeliveredLater_inOrder() async {
    observe([.initial, .old, .prior])
    DispatchQueue.main.async { [screen] in screen.show("block") }
    counter.object.count = 1
    XCTAssertEqual(screen.recorder.events, [])
    await drainMainQueue()
    XCTAssertEqual(
      screen.recorder.events, ["initially 0", "block", "about to change from 0", "0 → 1"])
  }

  func test_mainActor_changesOnAnotherThread_areDeliveredOnTheMainThread() async {
    observe()
    let counter = counter
    await onAnotherQueue { for value in 1...100 { counter.object.count = value } }
    await drainMainQueue()
    XCTAssertEqual(screen.recorder.events, (1...100).map { "\($0 - 1) → \($0)" })
  }

  func test_mainActor_coalescing_deliversFirstOldAndLastNewValue() async {
    observe([.initial, .old], coalescing: true)
    counter.object.count = 1
    await drainMainQueue()
    counter.object.count = 2
    counter.object.count = 3
    await drainMainQueue()
    XCTAssertEqual(screen.recorder.events, ["initially 1", "1 → 3"])
  }

  func test_mainActor_coalescingDistinct_backWhereItBegan_isNotDelivered() async {
    observe([.distinct], coalescing: true)
    counter.object.count = 1
    counter.object.count = 0
    await drainMainQueue()
    XCTAssertEqual(screen.recorder.events, [])
  }

  func test_C19_mainActor_endedOnIt_nothingFollows() async {
    let token = observe()
    let counter = counter
    await onAnotherQueue { counter.object.count = 1 }
    // The job may have run already; the one enqueued here can't have.
    let lines = screen.recorder.events
    token.invalidate()
    counter.object.count = 2
    await drainMainQueue()
    XCTAssertEqual(screen.recorder.events, lines)
  }

  func test_C19_mainActor_endedInEachWay_deliversNothingThatWaits() async {
    for way in WayToEnd<Screen, Counter, Int>.all {
      let (screen, counter) = (Screen(), Counter())
      var observations: ObservationController? = ObservationController(observer: screen)
      observations?.observeOnMainActor(counter, \.count, options: [.initial, .old]) {
        screen, _, change in screen.show("\(change)")
      }
      counter.count = 1
      way.end(&observations, counter, \.count)
      await drainMainQueue()
      XCTAssertEqual(screen.recorder.events, [], way.name)
    }
  }

  func test_C19_mainActor_endedInItsHandler_nothingFollows() async {
    screen.observations.observeOnMainActor(counter.object, \.count) { screen, counter, change in
      screen.show("\(change)")
      screen.observations.unobserve(counter)
    }
    counter.object.count = 1
    counter.object.count = 2
    await drainMainQueue()
    XCTAssertEqual(screen.recorder.events, ["0 → 1"])
  }

  func test_mainActor_handlerThatSetsTheProperty_isNotifiedLater() async {
    screen.observations.observeOnMainActor(counter.object, \.count) { screen, counter, change in
      screen.show("\(change)")
      if change.newValue < 3 { counter.count += 1 }
      screen.show("returns")
    }
    counter.object.count = 1
    for _ in 1...3 { await drainMainQueue() }
    XCTAssertEqual(
      screen.recorder.events, ["0 → 1", "returns", "1 → 2", "returns", "2 → 3", "returns"])
  }

  func test_mainActor_waitingChange_retainsNeitherObserverNorObject() async {
    assertLeavesNoObservations {
      assertReleased {
        let screen = Screen()
        assertReleased {
          let counter = Counter()
          screen.observations.observeOnMainActor(counter, \.count, options: .initial) {
            screen, _, _ in screen.show("delivered")
          }
          counter.count = 1
          screen.observations.unobserveAll()
          return counter
        }
        screen.observations.observeOnMainActor(counter.object, \.count, options: .initial) {
          screen, _, _ in screen.show("delivered")
        }
        return screen
      }
    }
    await drainMainQueue()
  }

  func test_mainActor_closureAndValues_areReleasedWithTheObservation() async {
    let (handlers, values) = (LifetimeCounter(), LifetimeCounter())
    let holder = Holder<LifetimeCounter.Ticket?>(nil)
    let token = screen.observations.observeOnMainActor(holder, \.value) {
      [ticket = handlers.makeTicket()] _, _, _ in withExtendedLifetime(ticket) {}
    }
    holder.value = values.makeTicket()
    holder.value = nil
    XCTAssertEqual([handlers.count, values.count], [1, 1])
    token.invalidate()
    XCTAssertEqual([handlers.count, values.count], [0, 0])
    await drainMainQueue()
  }

  func test_C17_mainActor_observedAgain_isTheFirstObservation() async {
    let first = observe()
    XCTAssertIdentical(observe([.initial]), first)
    let onQueue = screen.observations.observe(counter.object, \.count, on: .main) { _, _, _ in
      XCTFail("not the first")
    }
    XCTAssertIdentical(onQueue, first)
    counter.object.count = 1
    await drainMainQueue()
    XCTAssertEqual(screen.recorder.events, ["0 → 1"])
  }

  private func onAnotherQueue(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { done in
      DispatchQueue.global().async {
        body()
        done.resume()
      }
    }
  }
}
