import Dispatch
import ObservationController
import TestSupport
import XCTest

/// One delivery for each interval, by a clock that the tests step.
final class QueueIntervalTests: TestCase {
  private let clock = SteppedClock()
  private let queue = DispatchQueue(label: "interval")
  private let counter = Counter()
  private let recorder = ChangeRecorder<Int>()
  private lazy var observations = ObservationController(observer: recorder)
  private let frame = Duration.milliseconds(16)

  override func invokeTest() {
    clock.whileCurrent { super.invokeTest() }
  }

  @discardableResult
  private func observe(_ options: ObservationOptions = .old) -> ObservationToken {
    observations.observe(
      counter, \.count, options: options, on: queue, coalescing: .interval(frame)
    ) { recorder, _, change in recorder.record(change) }
  }

  /// Advances the clock, and waits for the deliveries that are due.
  private func advance(by milliseconds: Int) {
    clock.advance(by: .milliseconds(milliseconds))
    queue.drain()
  }

  private func set(_ value: Int) {
    counter.count = value
    queue.drain()
  }

  func test_interval_firstChange_isDeliveredAtOnce() {
    observe()
    set(1)
    XCTAssertEqual(recorder.takeEvents(), [.changed(0, 1)])
    XCTAssertEqual(clock.jobCount, 0)
  }

  func test_interval_changesWithinIt_areOneDelivery_atItsEnd() {
    observe()
    for value in 1...10 {
      set(value)
      clock.advance(by: .milliseconds(1))
    }
    XCTAssertEqual(recorder.takeEvents(), [.changed(0, 1)])
    XCTAssertEqual(clock.jobCount, 1)
    advance(by: 5)
    XCTAssertEqual(recorder.takeEvents(), [])
    advance(by: 1)
    XCTAssertEqual(recorder.takeEvents(), [.changed(1, 10)])
    XCTAssertEqual(clock.jobCount, 0)
  }

  func test_interval_changeAfterAPause_isDeliveredAtOnce() {
    observe()
    set(1)
    advance(by: 16)
    set(2)
    XCTAssertEqual(recorder.events, [.changed(0, 1), .changed(1, 2)])
  }

  func test_interval_isCountedFromTheDelivery_notFromTheChange() {
    observe()
    queue.whileSuspended {
      counter.count = 1
      clock.advance(by: .milliseconds(10))
      counter.count = 2
    }
    XCTAssertEqual(recorder.takeEvents(), [.changed(0, 2)])
    advance(by: 10)
    set(3)
    advance(by: 5)
    XCTAssertEqual(recorder.takeEvents(), [])
    advance(by: 1)
    XCTAssertEqual(recorder.takeEvents(), [.changed(2, 3)])
  }

  func test_interval_initial_isADelivery() {
    observe([.initial, .old])
    queue.drain()
    set(1)
    XCTAssertEqual(recorder.takeEvents(), [.initial(0)])
    advance(by: 16)
    XCTAssertEqual(recorder.takeEvents(), [.changed(0, 1)])
  }

  func test_interval_distinct_backWhereItBegan_isLeftOut() {
    observe([.old, .distinct])
    set(1)
    set(2)
    set(1)
    advance(by: 16)
    set(3)
    advance(by: 16)
    XCTAssertEqual(recorder.events, [.changed(0, 1), .changed(1, 3)])
  }

  func test_interval_distinct_leftOut_beginsNoInterval() {
    observe([.old, .distinct])
    queue.whileSuspended {
      counter.count = 1
      counter.count = 0
    }
    XCTAssertEqual(recorder.events, [])
    set(2)
    XCTAssertEqual(recorder.takeEvents(), [.changed(0, 2)])
    set(3)
    set(2)
    advance(by: 16)
    set(4)
    XCTAssertEqual(recorder.events, [.changed(2, 4)])
    XCTAssertEqual(clock.jobCount, 0)
  }

  func test_interval_ended_nothingFollows_andNothingIsKept() {
    let box = Holder(Thing())
    let token = observations.observe(box, \.value, on: queue, coalescing: .interval(frame)) {
      recorder, _, _ in recorder.append(.initial(0))
    }
    box.value = Thing()
    queue.drain()
    weak var waiting: Thing?
    scoped {
      let value = Thing()
      waiting = value
      box.value = value
    }
    box.value = Thing()
    XCTAssertNil(waiting, "only the first old and the last new value wait")
    token.invalidate()
    advance(by: 100)
    XCTAssertEqual(recorder.events.count, 1)
  }

  func test_interval_controllerDeallocated_leavesNothing() {
    weak var held: ChangeRecorder<Int>?
    scoped {
      let recorder = ChangeRecorder<Int>()
      held = recorder
      let observations = ObservationController(observer: recorder)
      observations.observe(counter, \.count, on: queue, coalescing: .interval(frame)) {
        recorder, _, change in recorder.record(change)
      }
      set(1)
      set(2)
      XCTAssertEqual(recorder.events, [.changed(0, 1)])
    }
    XCTAssertNil(held)
    advance(by: 16)
    XCTAssertEqual(ObservationDispatcher.shared.observations(of: counter).count, 0)
  }

  func test_interval_handlerThatSetsTheProperty_isNotifiedAnIntervalLater() {
    let counter = UncheckedReference(counter)
    observations.observe(counter.object, \.count, on: queue, coalescing: .interval(frame)) {
      recorder, _, change in
      recorder.record(change)
      if change.newValue < 3 { counter.object.count += 1 }
    }
    set(1)
    XCTAssertEqual(recorder.takeEvents(), [.changed(0, 1)])
    advance(by: 16)
    XCTAssertEqual(recorder.takeEvents(), [.changed(1, 2)])
    advance(by: 16)
    XCTAssertEqual(recorder.takeEvents(), [.changed(2, 3)])
    advance(by: 16)
    XCTAssertEqual(recorder.takeEvents(), [])
  }

  func test_interval_notPositive_isAsLatest() {
    for interval in [Duration.zero, .seconds(-1)] {
      let recorder = ChangeRecorder<Int>()
      let observations = ObservationController(observer: recorder)
      counter.count = 0
      observations.observe(counter, \.count, on: queue, coalescing: .interval(interval)) {
        recorder, _, change in recorder.record(change)
      }
      set(1)
      set(2)
      XCTAssertEqual(recorder.events, [.changed(0, 1), .changed(1, 2)])
    }
  }

  /// Changes at random moments: at most one delivery in each interval, and none later than its end.
  func test_interval_randomChanges_areDeliveredOnceInEach_andInTime() {
    for seed in seeds(quick: 30, full: 1_000) {
      var random = SeededGenerator(seed: seed)
      let counter = Counter()
      let recorder = Recorder<(time: Duration, value: Int)>()
      let observations = ObservationController(observer: recorder)
      let clock = clock
      observations.observe(counter, \.count, on: queue, coalescing: .interval(frame)) {
        recorder, _, change in recorder.append((clock.now, change.newValue))
      }
      var changes: [(time: Duration, value: Int)] = []
      for _ in 0..<60 {
        if Bool.random(using: &random) {
          counter.count += 1
          changes.append((clock.now, counter.count))
          queue.drain()
        } else {
          advance(by: Int.random(in: 1...9, using: &random))
        }
      }
      for _ in 1...16 { advance(by: 1) }
      let deliveries = recorder.events
      XCTAssertEqual(deliveries.last?.value, changes.last?.value, "seed \(seed)")
      for (first, second) in zip(deliveries, deliveries.dropFirst()) {
        XCTAssertGreaterThanOrEqual(second.time - first.time, frame, "seed \(seed)")
      }
      for change in changes {
        let delivered = deliveries.first { $0.value >= change.value }
        // The clock advances in steps of up to 9 ms.
        XCTAssertLessThan(
          delivered.map { $0.time - change.time } ?? .seconds(1), frame + .milliseconds(9),
          "seed \(seed)")
      }
    }
  }

  func test_interval_fourThreads_endWithTheLastValue() {
    let meter = Meter()
    let observations = ObservationController(observer: recorder)
    observations.observe(meter, \.sum, on: queue, coalescing: .interval(frame)) {
      recorder, _, change in recorder.record(change)
    }
    onThreads(4) { _ in
      for _ in 0..<1_000 { meter.add(1) }
    }
    queue.drain()
    XCTAssertEqual(recorder.events.count, 1)
    advance(by: 16)
    XCTAssertLessThanOrEqual(recorder.events.count, 2)
    guard case .changed(_, 4_000)? = recorder.events.last else {
      return XCTFail("\(recorder.events)")
    }
  }
}

/// The value of a property.
private final class Thing: Sendable {}
