import ObservationController
import TestSupport
import XCTest

/// C7 to C9 for events: handlers that send, observe and end the event being delivered.
final class EventReentrancyTests: TestCase {
  private let event = ObservableEvent<Int>()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  @discardableResult
  private func observe(
    _ name: String, then act: @escaping (Int) -> Void = { _ in }
  ) -> ObservationToken {
    observations.observe(event) { recorder, number in
      recorder.write("\(name) \(number)")
      act(number)
    }
  }

  // MARK: Sending inside a handler

  func test_C7_eventSentInsideAHandler_waitsUntilAllHaveTheOneBefore() {
    observe("1") { [event, recorder] number in
      guard number == 1 else { return }
      event.send(2)
      event.send(3)
      recorder.write("sent")
    }
    observe("2")
    event.send(1)
    XCTAssertEqual(recorder.events, ["1 1", "sent", "2 1", "1 2", "2 2", "1 3", "2 3"])
  }

  func test_C7_eventSentBackByAnotherOne_waitsForItsTurn() {
    let echo = ObservableEvent<Int>()
    observe("1") { number in
      if number == 1 { echo.send(10) }
    }
    observations.observe(echo) { [event] recorder, number in
      recorder.write("echo \(number)")
      event.send(number + 1)
    }
    observations.observe(echo) { recorder, number in recorder.write("after \(number)") }
    observe("2")
    event.send(1)
    XCTAssertEqual(recorder.events, ["1 1", "echo 10", "after 10", "2 1", "1 11", "2 11"])
  }

  func test_C7_eventSentInAHandlerOfAChange_isDeliveredAtOnce() {
    let account = Account()
    observations.observe(account, \.balance) { [event] recorder, _, change in
      recorder.write("balance \(change)")
      event.send(change.newValue)
    }
    observe("1") { number in
      if number == 1 { account.balance = 2 }
    }
    account.balance = 1
    XCTAssertEqual(recorder.events, ["balance 0 → 1", "1 1", "balance 1 → 2", "1 2"])
  }

  // MARK: Cycles

  func test_C8_eventThatKeepsSendingItself_stopsAfter100Deliveries() {
    var line: UInt = 0
    let issues = collectingIssues {
      line = #line + 1
      observations.observe(event) { [event] recorder, number in
        recorder.write(number)
        event.send(number + 1)
      }
      event.send(1)
    }
    XCTAssertEqual(recorder.events, (1...100).map { "\($0)" })
    guard issues.count == 1, case .cycle(let keyPath, let file, let issueLine) = issues[0] else {
      return XCTFail("\(issues)")
    }
    XCTAssertEqual(keyPath, \ObservableEvent<Int>.self)
    XCTAssertEqual(file, #fileID)
    XCTAssertEqual(issueLine, line)
    XCTAssertEqual(
      issues[0].description,
      "\(#fileID):\(line): \\ObservableEvent<Int>.self was sent by its own handlers 100 times in a "
        + "row: stopped delivering, the rest is dropped")
  }

  func test_C8_eventThatMultiplies_stopsAfter100Deliveries_withOneIssue() {
    let issues = collectingIssues {
      observe("1") { [event] number in
        event.send(number * 2)
        event.send(number * 2 + 1)
      }
      event.send(1)
    }
    XCTAssertEqual(recorder.events, (1...100).map { "1 \($0)" })
    XCTAssertEqual(issues.count, 1)
  }

  func test_C8_cycleOverTwoEvents_stops_withAnIssue() {
    let echo = ObservableEvent<Int>()
    let issues = collectingIssues {
      observe("1") { echo.send($0) }
      observations.observe(echo) { [event] _, number in event.send(number + 1) }
      event.send(1)
    }
    XCTAssertEqual(recorder.events, (1...100).map { "1 \($0)" })
    XCTAssertEqual(issues.count, 1)
  }

  func test_C8_100EventsInAHandler_areNoCycle() {
    assertNoIssues {
      observe("1") { [event] number in
        guard number == 0 else { return }
        for number in 1..<100 { event.send(number) }
      }
      event.send(0)
      event.send(0)
    }
    XCTAssertEqual(recorder.events.count, 200)
  }

  func test_C8_afterACycle_theEventIsDeliveredAsBefore_andKeepsNothing() {
    let payloads = LifetimeCounter()
    let event = ObservableEvent<LifetimeCounter.Ticket>()
    var isCyclic = true
    observations.observe(event) { [unowned event] recorder, _ in
      recorder.write("delivered")
      if isCyclic {
        event.send(payloads.makeTicket())
        event.send(payloads.makeTicket())
      }
    }
    _ = collectingIssues { event.send(payloads.makeTicket()) }
    XCTAssertEqual(payloads.count, 0)
    isCyclic = false
    recorder.clear()
    event.send(payloads.makeTicket())
    XCTAssertEqual(recorder.events, ["delivered"])
    XCTAssertEqual(payloads.count, 0)
  }

  func test_C8_reporterThatSendsTheEvent_isNotCalledForThatAgain() {
    let reporter = ObservationIssue.reporter
    defer { ObservationIssue.reporter = reporter }
    let reports = Guarded(0)
    let shared = UncheckedReference(event)
    ObservationIssue.reporter = { _ in
      reports.withLock { $0 += 1 }
      shared.object.send(0)
    }
    observe("1") { [event] number in event.send(number + 1) }
    event.send(1)
    XCTAssertEqual(reports.withLock { $0 }, 1)
    XCTAssertEqual(recorder.events, (1...100).map { "1 \($0)" } + (0...99).map { "1 \($0)" })
  }

  // MARK: Registering and ending inside a handler

  func test_C9_handlerAddedDuringADelivery_missesIt() {
    observe("1") { [unowned self] number in
      if number == 1 { observe("2") }
    }
    event.send(1)
    event.send(2)
    XCTAssertEqual(recorder.events, ["1 1", "1 2", "2 2"])
  }

  func test_C9_handlerAddedDuringADelivery_receivesLaterEventsOnly() {
    observe("1") { [unowned self] number in
      guard number == 1 else { return }
      event.send(2)
      observe("2")
      event.send(3)
    }
    event.send(1)
    XCTAssertEqual(recorder.events, ["1 1", "1 2", "1 3", "2 3"])
  }

  func test_C9_handlerEndedDuringADelivery_isSkipped_unlessItWasReached() {
    var tokens: [ObservationToken] = []
    tokens.append(observe("1"))
    tokens.append(
      observe("2") { _ in
        for token in tokens { token.invalidate() }
      })
    tokens.append(observe("3"))
    event.send(1)
    event.send(2)
    XCTAssertEqual(recorder.events, ["1 1", "2 1"])
    XCTAssertEqual(observations.observations.count, 0)
  }

  func test_C9_everythingEndedInsideAHandler_dropsWaitingEvents() {
    observe("1") { [unowned self] _ in
      event.send(2)
      observations.unobserve(event)
    }
    observe("2")
    event.send(1)
    event.send(3)
    XCTAssertEqual(recorder.events, ["1 1"])
  }

  func test_C12_observerDroppedInsideAHandler_isNotNotifiedAgain() {
    var second: SilentObserver? = SilentObserver()
    let seconds = ObservationController(observer: second!)
    observe("1") { _ in second = nil }
    seconds.observe(event) { [recorder] _, _ in recorder.write("second") }
    event.send(1)
    XCTAssertEqual(recorder.events, ["1 1"])
  }

  // MARK: Deinits

  func test_C16_handlersDeinit_thatEndsEverything_isAllowed() {
    let token = scoped {
      let sentinel = Sentinel { [unowned self] in
        recorder.write("freed")
        event.send(2)
        observations.unobserveAll()
        event.send(3)
      }
      return observations.observe(event) { recorder, number in
        withExtendedLifetime(sentinel) { recorder.write(number) }
      }
    }
    observe("1")
    event.send(1)
    token.invalidate()
    event.send(4)
    XCTAssertEqual(recorder.events, ["1", "1 1", "freed", "1 2"])
  }

  func test_C18_payloadsDeinit_thatEndsTheObservation_isAllowed() {
    let event = ObservableEvent<Sentinel>()
    observations.observe(event) { [unowned self, unowned event] recorder, sentinel in
      recorder.write("delivered")
      if recorder.events.count == 1 {
        event.send(Sentinel { [unowned self] in observations.unobserveAll() })
        event.send(Sentinel {})
      }
    }
    event.send(Sentinel {})
    XCTAssertEqual(recorder.events, ["delivered", "delivered"])
    XCTAssertEqual(observations.observations.count, 0)
  }
}
