import ObservationController
import TestSupport
import XCTest

/// C12 to C16 for events: lifetimes of observers, events, payloads and handlers.
final class EventLifetimeTests: TestCase {
  private let recorder = LineRecorder()

  // MARK: The event

  func test_C13_retainingController_keepsTheEventUntilItIsUnobserved() {
    let observations = ObservationController(observer: recorder)
    assertLeavesNoObservations {
      let event = scoped {
        let event = ObservableEvent<Int>()
        observations.observe(event) { _, _ in }
        return Weak(event)
      }
      XCTAssertNotNil(event.object)
      scoped { event.object.map { observations.unobserve($0) } }
      XCTAssertNil(event.object)
    }
  }

  func test_C13_nonRetainingController_neverKeepsTheEvent() {
    let observations = ObservationController(observer: recorder, retainsObserved: false)
    let handlers = LifetimeCounter()
    var tokens: [ObservationToken] = []
    assertLeavesNoObservations {
      assertReleased {
        let event = ObservableEvent<Int>()
        for _ in 0..<3 {
          tokens.append(
            observations.observe(event) { [ticket = handlers.makeTicket()] _, _ in _ = ticket })
        }
        event.send(1)
        XCTAssertEqual(handlers.count, 3)
        return event
      }
      // At once, before any use of the tables.
      XCTAssertEqual(handlers.count, 0)
      XCTAssertFalse(tokens.contains(where: \.isActive))
    }
  }

  func test_C13_eventDroppedInsideItsHandler_isDeliveredToAllFirst() {
    let observations = ObservationController(observer: recorder, retainsObserved: false)
    assertLeavesNoObservations {
      var event: ObservableEvent<Int>? = ObservableEvent()
      let dropped = Weak(event)
      observations.observe(event!) { recorder, number in
        recorder.write("first \(number)")
        if number == 1 { dropped.object?.send(2) }
        event = nil
      }
      observations.observe(event!) { recorder, number in recorder.write("second \(number)") }
      event?.send(1)
      XCTAssertEqual(recorder.events, ["first 1", "second 1", "first 2", "second 2"])
      XCTAssertNil(dropped.object)
    }
  }

  func test_C14_aNewEventAtAReusedAddress_inheritsNothing() {
    let observations = ObservationController(observer: recorder, retainsObserved: false)
    assertLeavesNoObservations {
      for _ in 0..<100 {
        let event = ObservableEvent<Int>()
        event.send(0)
        observations.observe(event) { recorder, number in recorder.write(number) }
        event.send(1)
      }
    }
    XCTAssertEqual(recorder.events, Array(repeating: "1", count: 100))
  }

  // MARK: Observer and controller

  func test_C12_observer_isNotKeptAlive_norNotifiedOnceDeallocated() {
    let event = ObservableEvent<Int>()
    let observations = scoped { () -> ObservationController<SilentObserver> in
      let observations = ObservationController(observer: SilentObserver())
      observations.observe(event) { [recorder] _, _ in recorder.write("delivered") }
      return observations
    }
    event.send(1)
    XCTAssertEqual(recorder.events, [])
    withExtendedLifetime(observations) {}
  }

  func test_C14_controllerDeallocated_endsItsObservations() {
    let event = ObservableEvent<Int>()
    let handlers = LifetimeCounter()
    let token = assertLeavesNoObservations { () -> ObservationToken in
      let observations = ObservationController(observer: recorder)
      return observations.observe(event) { [ticket = handlers.makeTicket()] _, _ in _ = ticket }
    }
    XCTAssertFalse(token.isActive)
    XCTAssertEqual(handlers.count, 0)
    event.send(1)
  }

  func test_C14_controllerDeallocatedInsideItsHandler_isAllowed() {
    let event = ObservableEvent<Int>()
    var observations: ObservationController? = ObservationController(observer: recorder)
    assertLeavesNoObservations {
      for _ in 0..<2 {
        observations?.observe(event) { recorder, number in
          recorder.write(number)
          observations = nil
        }
      }
      event.send(1)
      event.send(2)
    }
    XCTAssertEqual(recorder.events, ["1"])
  }

  // MARK: Payloads and handlers

  func test_C15_payload_isReleasedAfterItsDelivery() {
    let observations = ObservationController(observer: recorder)
    let event = ObservableEvent<Thing>()
    observations.observe(event) { _, _ in }
    assertReleased {
      let thing = Thing()
      event.send(thing)
      return thing
    }
  }

  func test_C15_payloadThatWaited_isReleasedBeforeTheNextDelivery() {
    let observations = ObservationController(observer: recorder)
    let payloads = LifetimeCounter()
    let event = ObservableEvent<LifetimeCounter.Ticket?>()
    observations.observe(event) { [unowned event] recorder, payload in
      recorder.write(payloads.count)
      guard payload == nil else { return }
      for _ in 0..<3 { event.send(payloads.makeTicket()) }
    }
    event.send(nil)
    XCTAssertEqual(recorder.events, ["0", "3", "2", "1"])
    XCTAssertEqual(payloads.count, 0)
  }

  func test_C16_handler_isReleasedWhenItsObservationEnds() {
    let observations = ObservationController(observer: recorder)
    let event = ObservableEvent<Int>()
    let handlers = LifetimeCounter()
    var token: ObservationToken?
    token = observations.observe(event) { [ticket = handlers.makeTicket()] recorder, _ in
      token?.invalidate()
      recorder.write(handlers.count)
      _ = ticket
    }
    event.send(1)
    XCTAssertEqual(recorder.events, ["1"], "it stays while it runs")
    XCTAssertEqual(handlers.count, 0)
  }
}
