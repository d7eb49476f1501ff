import ObservationController
import TestSupport
import XCTest

/// Events: who is told, with what, and in which order.
final class ObservableEventTests: TestCase {
  private let event = ObservableEvent<Int>()
  private let witness = LineRecorder()
  private lazy var observations = ObservationController(observer: witness)

  func test_event_sent_tellsTheObserverEachPayloadOnce() {
    observations.observe(event) { witness, number in witness.write("\(number)") }
    for number in [1, 2, 2] { event.send(number) }
    XCTAssertEqual(witness.events, ["1", "2", "2"])
  }

  func test_event_thatNobodyObserves_tellsNobody_andIsNotKept() {
    let payloads = LifetimeCounter()
    let event = ObservableEvent<LifetimeCounter.Ticket>()
    event.send(payloads.makeTicket())
    XCTAssertEqual(payloads.count, 0)
    observations.observe(event) { witness, _ in witness.write("told") }
    XCTAssertEqual(witness.events, [])
  }

  func test_event_withoutAPayload_isSentWithoutOne() {
    let tapped = ObservableEvent<Void>()
    observations.observe(tapped) { witness, _ in witness.write("tapped") }
    tapped.send()
    tapped.send(())
    XCTAssertEqual(witness.events, ["tapped", "tapped"])
  }

  func test_event_withSeveralPartsOrNone_deliversThemAsSent() {
    let moved = ObservableEvent<(from: Int, to: Int)>()
    let found = ObservableEvent<String?>()
    observations.observe(moved) { witness, move in witness.write("\(move.from) to \(move.to)") }
    observations.observe(found) { witness, found in witness.write(found ?? "nothing") }
    moved.send((from: 1, to: 2))
    found.send(nil)
    found.send("key")
    XCTAssertEqual(witness.events, ["1 to 2", "nothing", "key"])
  }

  // MARK: Order

  func test_event_ofSeveralObservers_tellsThemInOrderOfRegistration() {
    let ledger = LineRecorder()
    let other = LineRecorder()
    let others = ObservationController(observer: other)
    observations.observe(event) { _, number in ledger.write("first \(number)") }
    others.observe(event) { _, number in ledger.write("second \(number)") }
    observations.observe(event) { _, number in ledger.write("third \(number)") }
    event.send(1)
    event.send(2)
    XCTAssertEqual(
      ledger.events, ["first 1", "second 1", "third 1", "first 2", "second 2", "third 2"])
  }

  func test_event_observedAgainFromTheSameLine_isAnotherObservation() {
    let tokens = (1...3).map { index in
      observations.observe(event) { witness, number in witness.write("\(index): \(number)") }
    }
    XCTAssertEqual(Set(tokens.map(ObjectIdentifier.init)).count, 3)
    event.send(7)
    tokens[1].invalidate()
    event.send(8)
    XCTAssertEqual(witness.events, ["1: 7", "2: 7", "3: 7", "1: 8", "3: 8"])
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
    XCTAssertEqual(clerk.lines, ["took 1", "rang", "rang"])
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

  func test_event_unobserved_tellsNobody() {
    let ends: [(ObservationToken) -> Void] = [
      { $0.invalidate() },
      { [self] _ in observations.unobserve(event) },
      { [self] _ in observations.unobserve(event, \.self) },
      { [self] _ in observations.unobserveAll() },
      { [self] _ in ObservationDispatcher.shared.removeObservations(of: event) },
      { [self] _ in ObservationDispatcher.shared.removeObservations(of: event, by: witness) },
      { [self] _ in ObservationDispatcher.shared.removeObservations(of: event, \.self) },
    ]
    for (index, end) in ends.enumerated() {
      let token = observations.observe(event) { witness, number in witness.write("\(number)") }
      event.send(index)
      XCTAssertTrue(token.isActive)
      end(token)
      XCTAssertFalse(token.isActive)
      event.send(-1)
    }
    XCTAssertEqual(witness.events, (0..<ends.count).map { "\($0)" })
  }

  // MARK: Tracking

  /// What a handler reads does not become part of a computed path that sends the event.
  func test_event_sentByAGetter_doesNotMakeThePathReadWhatHandlersRead() {
    let sensor = Sensor()
    let account = Account()
    observations.observe(sensor.read) { witness, _ in witness.write("read, \(account.balance)") }
    observations.observe(sensor, \.value) { witness, _, change in witness.write("\(change)") }
    witness.clear()
    account.balance = 1
    XCTAssertEqual(witness.events, [])
    sensor.raw = 1
    XCTAssertEqual(witness.events.filter { !$0.hasPrefix("read") }, ["0 → 1"])
    XCTAssertTrue(witness.events.contains("read, 1"))
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
    private(set) var lines: [String] = []
    private(set) lazy var observations = ObservationController(observer: self)

    func take(_ number: Int) { lines.append("took \(number)") }
    func ring() { lines.append("rang") }
  }
}
