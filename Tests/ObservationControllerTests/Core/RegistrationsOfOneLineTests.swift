import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Observations registered by one line of code, which share a registration.
final class RegistrationsOfOneLineTests: TestCase {
  private let recorder = LineRecorder()
  private lazy var controller = ObservationController(observer: recorder)
  private let counters = (0..<5).map { _ in Counter() }

  private func increment(_ counters: [Counter]) {
    for counter in counters { counter.count += 1 }
  }

  // MARK: Handlers

  func test_closures_thatCaptureNothing_areCalledForEachObject() {
    for counter in counters {
      controller.observe(counter, \.count) { recorder, counter, change in
        recorder.write("\(ObjectIdentifier(counter).hashValue) \(change)")
      }
    }
    increment(counters)
    XCTAssertEqual(
      recorder.events, counters.map { "\(ObjectIdentifier($0).hashValue) 0 → 1" })
  }

  func test_closures_withDifferentCaptures_areCalledWithTheirOwn() {
    for (index, counter) in counters.enumerated() {
      controller.observe(counter, \.count) { recorder, _, _ in recorder.write(index) }
    }
    increment(counters)
    XCTAssertEqual(recorder.events, ["0", "1", "2", "3", "4"])
  }

  func test_closures_thatCaptureOneVariable_shareIt() {
    var calls = 0
    for counter in counters { controller.observe(counter, \.count) { _, _, _ in calls += 1 } }
    increment(counters)
    XCTAssertEqual(calls, 5)
  }

  func test_closures_withObjects_areCalledWithTheirOwn() {
    let recorders = [LineRecorder(), LineRecorder()]
    for (index, counter) in counters.enumerated() {
      let recorder = recorders[index % 2]
      controller.observe(counter, \.count) { _, _, _ in recorder.write(index % 2) }
    }
    increment(counters)
    XCTAssertEqual(recorders.map(\.events), [["0", "0", "0"], ["1", "1"]])
  }

  func test_closuresOfOneLine_chosenAmongSeveral_areDistinguished() {
    let handlers: [(LineRecorder, Counter, ObservedChange<Int>) -> Void] = [
      { recorder, _, _ in recorder.write("first") },
      { recorder, _, _ in recorder.write("second") },
    ]
    for (index, counter) in counters.enumerated() {
      controller.observe(counter, \.count, handler: handlers[index % 2])
    }
    increment(counters)
    XCTAssertEqual(recorder.events, ["first", "second", "first", "second", "first"])
  }

  func test_actionsOfOneLine_chosenAmongSeveral_areDistinguished() {
    let actions: [(LineRecorder) -> () -> Void] = [
      LineRecorder.first, LineRecorder.second,
    ]
    for (index, counter) in counters.enumerated() {
      controller.observe(counter, \.count, action: actions[index / 2 % 2])
    }
    increment(counters)
    XCTAssertEqual(recorder.events, ["first", "first", "second", "second", "first"])
  }

  func test_contextsAndOptionsOfOneLine_areKeptApart() {
    let counter = counters[0]
    let all: [(ObservationContext, ObservationOptions)] = [
      ("a", .old), ("b", []), ("c", [.old, .prior]), ("d", .distinct), ("e", .initial),
    ]
    for (context, options) in all {
      controller.observe(counter, \.count, options: options, context: context) {
        recorder, _, change in recorder.write("\(change.context!) \(change)")
      }
    }
    XCTAssertEqual(recorder.takeEvents(), ["\(ObservationContext("e")) initially 0"])
    counter.count = 1
    XCTAssertEqual(
      recorder.events,
      [
        "\(ObservationContext("c")) about to change from 0",
        "\(ObservationContext("a")) 0 → 1", "\(ObservationContext("b")) → 1",
        "\(ObservationContext("c")) 0 → 1", "\(ObservationContext("d")) → 1",
        "\(ObservationContext("e")) → 1",
      ])
  }

  func test_genericLine_withSeveralTypes_isCalledWithEach() {
    func observe<Object: AnyObject, Value>(
      _ object: Object, _ keyPath: KeyPath<Object, Value>, _ name: String? = nil
    ) {
      controller.observe(object, keyPath) { recorder, object, change in
        recorder.write("\(type(of: object)) \(Value.self) \(change) \(name ?? "-")")
      }
    }
    let (person, circle) = (Person(), Circle())
    observe(person, \.name)
    observe(person, \.age, "age")
    observe(circle, \.radius)
    observe(person, \.employer)
    person.name = "Grace"
    person.age = 1
    circle.radius = 2
    person.employer = nil
    XCTAssertEqual(
      recorder.events,
      [
        "Person String Ada → Grace -", "Person Int 36 → 1 age", "Circle Double 1.0 → 2.0 -",
        "Person Optional<Company> nil → nil -",
      ])
  }

  // MARK: Kinds of observations

  func test_arrayAndProperty_fromOnePlace_areKeptApart() {
    final class Shelf { @Observed var books = ["a"] }
    let (shelf, other) = (Shelf(), Shelf())
    let keyPath = \Shelf.books
    controller.observeArray(shelf, keyPath, options: .old, file: "place", line: 1) {
      recorder, _, _ in recorder.write("array")
    }
    controller.observe(other, keyPath, options: .old, file: "place", line: 1) {
      recorder, _, change in recorder.write(change.newValue)
    }
    other.books = ["b"]
    shelf.books = ["c"]
    XCTAssertEqual(recorder.events, ["[\"b\"]", "array"])
  }

  func test_queueThatNeedsOldValues_andHandler_fromOnePlace_areKeptApart() {
    let queue = DispatchQueue(label: "\(Self.self)")
    let keyPath = \Counter.count
    controller.observe(
      counters[0], keyPath, options: .distinct, on: queue, coalescing: .latest, file: "place",
      line: 1
    ) { _, _, _ in }
    controller.observe(counters[1], keyPath, options: .distinct, file: "place", line: 1) {
      recorder, _, change in recorder.write(change)
    }
    increment(counters)
    queue.sync {}
    XCTAssertEqual(recorder.events, ["→ 1"])
  }

  // MARK: C16

  func test_C16_closures_thatShareNothing_areReleasedEachWithItsObservation() {
    let alive = counters.map { _ in LifetimeCounter() }
    let tokens = counters.indices.map { index in
      scoped {
        let ticket = alive[index].makeTicket()
        return controller.observe(counters[index], \.count) { _, _, _ in
          withExtendedLifetime(ticket) {}
        }
      }
    }
    for index in [4, 0, 2, 1, 3] {
      XCTAssertEqual(alive[index].count, 1)
      tokens[index].invalidate()
      XCTAssertEqual(alive[index].count, 0, "\(index)")
    }
  }

  func test_C16_closures_withOneObject_releaseItWithTheLastObservation() {
    let alive = LifetimeCounter()
    var order = [0, 1, 2, 3, 4]
    for _ in 0..<5 {
      order.append(order.removeFirst())
      let tokens = scoped {
        let ticket = alive.makeTicket()
        return counters.map { counter in
          controller.observe(counter, \.count) { _, _, _ in withExtendedLifetime(ticket) {} }
        }
      }
      for index in order {
        XCTAssertEqual(alive.count, 1)
        tokens[index].invalidate()
      }
      XCTAssertEqual(alive.count, 0)
    }
  }

  func test_C16_observationWithASharedClosure_endsAlone() {
    let tokens = counters.map { counter in
      controller.observe(counter, \.count) { recorder, _, change in
        recorder.write(change.newValue)
      }
    }
    tokens[0].invalidate()
    tokens[3].invalidate()
    for (index, counter) in counters.enumerated() { counter.count = index }
    XCTAssertEqual(recorder.events, ["1", "2", "4"])
  }

  func test_C16_observationEndedInAnInitialDelivery_isReleasedAtOnce() {
    let alive = LifetimeCounter()
    var last: ObservationToken?
    for counter in counters {
      let ticket = alive.makeTicket()
      last = controller.observe(counter, \.count, options: .initial) { _, _, _ in
        let before = alive.count
        last?.invalidate()
        if last != nil { XCTAssertEqual(alive.count, before - 1) }
        withExtendedLifetime(ticket) {}
      }
    }
    // The frame of the test retains the last one until here.
    last?.invalidate()
    XCTAssertEqual(controller.observations.count, 0)
    XCTAssertEqual(alive.count, 0)
  }

  func test_C16_handlerThatObservesOnItsOwnLine_andEndsItself_leavesTheOther() {
    var tokens: [ObservationToken] = []
    func observe(_ counter: Counter, then next: [Counter]) {
      tokens.append(
        controller.observe(counter, \.count) { recorder, counter, change in
          recorder.write("\(next.count): \(change)")
          guard let first = next.first else { return }
          observe(first, then: Array(next.dropFirst()))
          tokens.removeFirst().invalidate()
        })
    }
    observe(counters[0], then: Array(counters.dropFirst()))
    increment(counters)
    increment(counters)
    XCTAssertEqual(
      recorder.events, ["4: 0 → 1", "3: 0 → 1", "2: 0 → 1", "1: 0 → 1", "0: 0 → 1", "0: 1 → 2"])
    XCTAssertEqual(controller.observations.count, 1)
  }

  func test_C16_observationsEndedAndBegunInTurn_neverCallEndedHandlers() {
    let alive = LifetimeCounter()
    for round in 0..<50 {
      for (index, counter) in counters.enumerated() {
        let ticket = alive.makeTicket()
        let token = controller.observe(counter, \.count, context: ObservationContext("\(round)")) {
          recorder, _, _ in
          withExtendedLifetime(ticket) { recorder.write("\(round) \(index)") }
        }
        if !round.isMultiple(of: 10) { token.invalidate() }
      }
    }
    XCTAssertEqual(alive.count, 25)
    counters[2].count = 1
    XCTAssertEqual(recorder.events, ["0 2", "10 2", "20 2", "30 2", "40 2"])
    controller.unobserveAll()
    XCTAssertEqual(alive.count, 0)
  }
}

extension LineRecorder {
  fileprivate func first() { write("first") }
  fileprivate func second() { write("second") }
}
