import ObservationController
import TestSupport
import XCTest

/// Events: their observers, payloads and order.
final class ObservableEventTests: TestCase {
  private let event = ObservableEvent<Int>()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  func test_event_sent_deliversEachPayloadOnce() {
    observations.observe(event) { recorder, number in recorder.write(number) }
    for number in [1, 2, 2] { event.send(number) }
    XCTAssertEqual(recorder.events, ["1", "2", "2"])
  }

  func test_event_withoutObservers_isNotKept() {
    let payloads = LifetimeCounter()
    let event = ObservableEvent<LifetimeCounter.Ticket>()
    event.send(payloads.makeTicket())
    XCTAssertEqual(payloads.count, 0)
    observations.observe(event) { recorder, _ in recorder.write("delivered") }
    XCTAssertEqual(recorder.events, [])
  }

  func test_event_withoutAPayload_isSentWithoutOne() {
    let tapped = ObservableEvent<Void>()
    observations.observe(tapped) { recorder, _ in recorder.write("tapped") }
    tapped.send()
    tapped.send(())
    XCTAssertEqual(recorder.events, ["tapped", "tapped"])
  }

  func test_event_withSeveralPartsOrNone_deliversThemAsSent() {
    let moved = ObservableEvent<(from: Int, to: Int)>()
    let found = ObservableEvent<String?>()
    observations.observe(moved) { recorder, move in recorder.write("\(move.from) to \(move.to)") }
    observations.observe(found) { recorder, found in recorder.write(found ?? "nothing") }
    moved.send((from: 1, to: 2))
    found.send(nil)
    found.send("key")
    XCTAssertEqual(recorder.events, ["1 to 2", "nothing", "key"])
  }

  // MARK: Order

  func test_event_ofSeveralObservers_notifiesThemInRegistrationOrder() {
    let other = SilentObserver()
    let others = ObservationController(observer: other)
    observations.observe(event) { recorder, number in recorder.write("first \(number)") }
    others.observe(event) { [recorder] _, number in recorder.write("second \(number)") }
    observations.observe(event) { recorder, number in recorder.write("third \(number)") }
    event.send(1)
    event.send(2)
    XCTAssertEqual(
      recorder.events, ["first 1", "second 1", "third 1", "first 2", "second 2", "third 2"])
  }

  func test_event_observedAgainOnOneLine_isAnotherObservation() {
    let tokens = (1...3).map { index in
      observations.observe(event) { recorder, number in recorder.write("\(index): \(number)") }
    }
    XCTAssertEqual(Set(tokens.map(ObjectIdentifier.init)).count, 3)
    event.send(7)
    tokens[1].invalidate()
    event.send(8)
    XCTAssertEqual(recorder.events, ["1: 7", "2: 7", "3: 7", "1: 8", "3: 8"])
  }

  // MARK: Actions

  func test_action_takesThePayloadOrNothing() {
    let tapped = ObservableEvent<Void>()
    let clerk = Clerk()
    clerk.observations.observe(event, action: Clerk.take)
    clerk.observations.observe(event, action: Clerk.ring)
    clerk.observations.observe(tapped, action: Clerk.ring)
    event.send(1)
    tapped.send()
    XCTAssertEqual(clerk.recorder.events, ["took 1", "rang", "rang"])
  }

  func test_action_doesNotKeepTheObserverAlive() {
    assertLeavesNoObservations {
      assertReleased {
        let clerk = Clerk()
        clerk.observations.observe(event, action: Clerk.take)
        event.send(1)
        return clerk
      }
    }
  }

  // MARK: The end

  func test_event_unobserved_notifiesNoObserver() {
    let ends: [(ObservationToken) -> Void] = [
      { $0.invalidate() },
      { [self] _ in observations.unobserve(event) },
      { [self] _ in observations.unobserve(event, \.self) },
      { [self] _ in observations.unobserveAll() },
      { [self] _ in ObservationDispatcher.shared.removeObservations(of: event) },
      { [self] _ in ObservationDispatcher.shared.removeObservations(of: event, by: recorder) },
      { [self] _ in ObservationDispatcher.shared.removeObservations(of: event, \.self) },
    ]
    for (index, end) in ends.enumerated() {
      let token = observations.observe(event) { recorder, number in recorder.write(number) }
      event.send(index)
      XCTAssertTrue(token.isActive)
      end(token)
      XCTAssertFalse(token.isActive)
      event.send(-1)
    }
    XCTAssertEqual(recorder.events, (0..<ends.count).map { "\($0)" })
  }

  // MARK: Tracking

  /// Reads of a handler are no dependencies of a computed path that sends the event.
  func test_event_sentByAGetter_addsNoDependenciesOfItsHandlers() {
    let sensor = Sensor()
    let account = Account()
    observations.observe(sensor.read) { recorder, _ in recorder.write("read, \(account.balance)") }
    observations.observe(sensor, \.value) { recorder, _, change in recorder.write(change) }
    recorder.clear()
    account.balance = 1
    XCTAssertEqual(recorder.events, [])
    sensor.raw = 1
    XCTAssertEqual(recorder.events.filter { !$0.hasPrefix("read") }, ["0 → 1"])
    XCTAssertTrue(recorder.events.contains("read, 1"))
  }

  private final class Sensor {
    @Observed var raw = 0
    let read = ObservableEvent<Void>()

    var value: Int {
      read.send()
      return raw
    }
  }

  private final class Clerk {
    let recorder = LineRecorder()
    private(set) lazy var observations = ObservationController(observer: self)

    func take(_ number: Int) { recorder.write("took \(number)") }
    func ring() { recorder.write("rang") }
  }
}
