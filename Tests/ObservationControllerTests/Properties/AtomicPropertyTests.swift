import ObservationController
import TestSupport
import XCTest

/// Atomic properties on one thread: they behave as other properties.
final class AtomicPropertyTests: TestCase {
  private let meter = Meter()
  private let gauge = Gauge()
  private let recorder = ChangeRecorder<Int>()
  private lazy var observations = ObservationController(observer: recorder)
  private let everything: ObservationOptions = [.initial, .old, .prior, .distinct]

  private func observe(_ keyPath: KeyPath<Meter, Int>, _ options: ObservationOptions) {
    observations.observe(meter, keyPath, options: options) { $0.record($2) }
  }

  func test_property_unobserved_readsAsItWasSet() {
    meter.count = 3
    meter.count += 1
    XCTAssertEqual(meter.count, 4)
    XCTAssertEqual(meter.$count.wrappedValue, 4)
    gauge.count.wrappedValue = 5
    XCTAssertEqual(gauge.count.projectedValue.wrappedValue, 5)
  }

  func test_property_set_deliversByItsOptions() {
    let cases: [(ObservationOptions, [RecordedEvent<Int>])] = [
      ([], [.changed(nil, 1), .changed(nil, 1), .changed(nil, 2)]),
      (.old, [.changed(0, 1), .changed(1, 1), .changed(1, 2)]),
      ([.initial], [.initial(0), .changed(nil, 1), .changed(nil, 1), .changed(nil, 2)]),
      ([.old, .distinct], [.changed(0, 1), .changed(1, 2)]),
      (
        [.old, .prior],
        [.prior(0), .changed(0, 1), .prior(1), .changed(1, 1), .prior(1), .changed(1, 2)]
      ),
    ]
    for (options, events) in cases {
      for keyPath in [\Meter.count, \Meter.selected] {
        meter.count = 0
        observe(keyPath, options)
        meter.count = 1
        meter.count = 1
        meter.count += 1
        XCTAssertEqual(recorder.takeEvents(), events, "\(options) \(keyPath)")
        observations.unobserveAll()
      }
    }
  }

  func test_constant_observedInEachForm_deliversEqualHistories() {
    let other = ChangeRecorder<Int>()
    let otherObservations = ObservationController(observer: other)
    observations.observe(gauge, \.count.wrappedValue, options: [.initial, .old]) { $0.record($2) }
    otherObservations.observe(gauge.count, \.wrappedValue, options: [.initial, .old]) {
      $0.record($2)
    }
    gauge.count.wrappedValue = 1
    gauge.count.withLock { $0 += 1 }
    gauge.count.wrappedValue += 1
    let events: [RecordedEvent<Int>] = [
      .initial(0), .changed(0, 1), .changed(1, 2), .changed(2, 3),
    ]
    XCTAssertEqual(recorder.events, events)
    XCTAssertEqual(other.events, events)
  }

  func test_handler_receivesTheObjectThatItWasRegisteredFor() {
    let objects = Recorder<ObjectIdentifier>()
    observations.observe(gauge, \.count.wrappedValue) {
      objects.append(ObjectIdentifier($1))
      _ = ($0, $2)
    }
    observations.observe(gauge.count, \.wrappedValue) {
      objects.append(ObjectIdentifier($1))
      _ = ($0, $2)
    }
    observations.observe(meter, \.count) {
      objects.append(ObjectIdentifier($1))
      _ = ($0, $2)
    }
    gauge.count.wrappedValue = 1
    meter.count = 1
    XCTAssertEqual(
      objects.events,
      [ObjectIdentifier(gauge), ObjectIdentifier(gauge.count), ObjectIdentifier(meter)])
  }

  func test_inPlaceMutation_isOneChange_alsoWhenItThrows() {
    let history = ChangeRecorder<[Int]>()
    let controller = ObservationController(observer: history)
    controller.observe(meter, \.values) { $0.record($2) }
    meter.values.append(1)
    func fail(_ values: inout [Int]) throws {
      values.append(2)
      throw Failure()
    }
    XCTAssertThrowsError(try fail(&meter.values))
    XCTAssertEqual(history.events, [.changed([], [1]), .changed([1], [1, 2])])
  }

  func test_inPlaceMutation_withoutOldValue_copiesNothing() {
    observations.observe(meter, \.values, options: []) { _, _, _ in }
    meter.values.reserveCapacity(100)
    meter.values.append(1)
    let before = meter.values.withUnsafeBufferPointer { $0.baseAddress }
    meter.values.append(2)
    XCTAssertEqual(meter.values.withUnsafeBufferPointer { $0.baseAddress }, before)
  }

  func test_withLock_returnsThrowsAndChangesNothing_deliversOneChangeEach() {
    observe(\.count, .old)
    XCTAssertEqual(
      meter.$count.withLock {
        $0 += 2
        return "\($0)"
      }, "2")
    XCTAssertThrowsError(
      try meter.$count.withLock { count in
        count = 5
        throw Failure()
      })
    XCTAssertEqual(meter.$count.withLock { $0 }, 5)
    XCTAssertEqual(recorder.events, [.changed(0, 2), .changed(2, 5), .changed(5, 5)])
  }

  func test_handlers_readTheNewValue_inTheOrderOfRegistration() {
    let lines = LineRecorder()
    for index in 0..<3 {
      observations.observe(meter, \.count, context: ObservationContext("\(index)")) {
        lines.write("\(index): \($1.count) \($1.doubled) \($1.tripled)")
        _ = ($0, $2)
      }
    }
    meter.count = 1
    XCTAssertEqual(lines.events, ["0: 1 2 3", "1: 1 2 3", "2: 1 2 3"])
  }

  func test_paths_ofOneAndTwoAtomics_deliverOncePerChange() {
    observe(\.sum, everything)
    meter.count = 1
    meter.other = 2
    meter.other = 2
    // A path finds the equal value after its prior delivery has been made.
    XCTAssertEqual(
      recorder.eventsAfterStores(),
      [.initial(0), .changed(0, 1), .changed(1, 3)])
  }

  func test_C10_path_followsItsBranches() {
    observe(\.selected, .old)
    meter.other = 5
    meter.count = 1
    meter.usesOther = true
    meter.count = 2
    meter.other = 6
    meter.usesOther = false
    meter.other = 7
    XCTAssertEqual(
      recorder.events, [.changed(0, 1), .changed(1, 5), .changed(5, 6), .changed(6, 2)])
  }

  func test_C17_observingAgain_returnsTheFirstToken() {
    for options: ObservationOptions in [.old, [.initial, .old]] {
      let first = observations.observe(gauge, \.count.wrappedValue, options: options) { _, _, _ in }
      let second = observations.observe(gauge, \.count.wrappedValue) { _, _, _ in }
      XCTAssertTrue(first === second)
      let third = observations.observe(meter, \.count, options: options) { _, _, _ in }
      XCTAssertTrue(observations.observe(meter, \.count) { _, _, _ in } === third)
      XCTAssertEqual(observations.observations.count, 2)
      observations.unobserve(gauge, \.count.wrappedValue)
      observations.unobserve(meter, \.count)
      XCTAssertEqual(observations.observations.count, 0)
    }
  }
}
