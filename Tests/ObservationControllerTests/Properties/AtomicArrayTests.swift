import ObservationController
import TestSupport
import XCTest

/// C21: plain arrays in atomic properties, and atomic properties of elements.
final class AtomicArrayTests: TestCase {
  func test_array_onOneThread_deliversEachChange() {
    let meter = Meter()
    let replay = ArrayReplay<Int>(hasOld: true)
    let observations = ObservationController(observer: replay)
    observations.observeArray(meter, \.values, options: [.initial, .old]) { $0.receive($2) }
    meter.values.append(1)
    meter.values = [1, 2, 3]
    meter.$values.withLock { _ = $0.removeFirst() }
    XCTAssertEqual(replay.changes.map(\.elements), [[], [1], [1, 2, 3], [2, 3]])
    XCTAssertEqual(replay.flaws, [])
  }

  /// An action of a getter at its second read, when observing begins.
  func test_array_changedByAGetter_whenObservingBegins_isDelivered() {
    final class Feeder {
      let values = AtomicObserved(wrappedValue: [1])
      var reads = 0

      var fed: [Int] {
        let before = values.wrappedValue
        reads += 1
        if reads == 2 { values.wrappedValue.append(2) }
        return before
      }
    }
    let cases: [(ObservationOptions, [String])] = [
      ([.initial, .old], ["- → [1]", "[1] → [1, 2]", "[1, 2] → [1, 2, 3]"]),
      (.old, ["[1] → [1, 2]", "[1, 2] → [1, 2, 3]"]),
    ]
    for (options, lines) in cases {
      let feeder = Feeder()
      let recorder = LineRecorder()
      let observations = ObservationController(observer: recorder)
      observations.observeArray(feeder, \.fed, options: options) { recorder, _, change in
        recorder.write("\(change.oldElements.map { "\($0)" } ?? "-") → \(change.elements)")
      }
      feeder.values.wrappedValue.append(3)
      XCTAssertEqual(recorder.events, lines, "\(options)")
    }
  }

  /// The deliveries of a path that may change between its first read and the next.
  func test_observableArray_setBeforeThePathAttaches_isObserved() {
    final class Shelf {
      let flag = AtomicObserved(wrappedValue: false)
      let array: ObservableArray<Int> = [1]
      var reads = 0

      var shown: ObservableArray<Int>? {
        reads += 1
        return flag.wrappedValue || reads > 1 ? array : nil
      }
    }
    let shelf = Shelf()
    let recorder = LineRecorder()
    let observations = ObservationController(observer: recorder)
    observations.observeArray(shelf, \.shown, options: .initial) { recorder, _, change in
      recorder.write("\(change.kind) \(change.elements)")
    }
    shelf.array.append(2)
    XCTAssertEqual(recorder.events, ["initial [1]", "insertion [1, 2]"])
  }

  func test_C21_array_writtenOnSeveralThreads_changesApplyInOrder() {
    let meter = Meter()
    let replay = ArrayReplay<Int>(hasOld: true)
    let observations = ObservationController(observer: replay)
    observations.observeArray(meter, \.values, options: [.initial, .old]) { $0.receive($2) }
    onThreads(4) { thread in
      for value in 0..<100 {
        meter.$values.withLock { values in
          if value.isMultiple(of: 3), !values.isEmpty {
            values.remove(at: value % values.count)
          } else {
            values.insert(1_000 * thread + value, at: values.count / 2)
          }
        }
      }
    }
    XCTAssertEqual(replay.flaws.prefix(3), [])
    XCTAssertEqual(replay.elements, meter.values)
  }

  func test_C21_array_joinedWhileOthersWrite_changesApplyInOrder() {
    for round in 0..<60 {
      let meter = Meter()
      let replays = (0..<4).map { _ in ArrayReplay<Int>(hasOld: true) }
      let controllers = replays.map { ObservationController(observer: $0) }
      onThreads(3) { thread in
        if thread > 0 {
          for value in 0..<30 { meter.$values.withLock { $0.append(1_000 * thread + value) } }
        } else {
          for controller in controllers {
            controller.observeArray(meter, \.values, options: [.initial, .old]) { $0.receive($2) }
          }
        }
      }
      for replay in replays {
        XCTAssertEqual(replay.flaws.prefix(3), [], "round \(round)")
        XCTAssertEqual(replay.elements, meter.values, "round \(round)")
      }
    }
  }

  func test_C21_elements_changedOnSeveralThreads_eachChainIsContiguous() {
    let shelf = Shelf()
    let tally = ElementChains<Gauge>(from: 0, isEdited: true)
    let observations = ObservationController(observer: tally)
    observations.observeArray(shelf, \.gauges, elements: [\.count.wrappedValue, \.sum]) {
      $0.follow($2)
    }
    let gauges = shelf.gauges
    onThreads(4) { thread in
      for value in 0..<200 {
        gauges[value % 3].count.withLock { $0 += 1 }
        if thread == 0 { gauges[value % 3].other.withLock { $0 += 1 } }
      }
    }
    XCTAssertEqual(tally.breaks.prefix(3), [])
    XCTAssertEqual(gauges.map(\.count.wrappedValue).reduce(0, +), 800)
    for gauge in gauges {
      XCTAssertEqual(tally.last(of: gauge, \.count.wrappedValue), gauge.count.wrappedValue)
      XCTAssertEqual(tally.last(of: gauge, \.sum), gauge.sum)
    }
    // Also when it has been removed.
    shelf.gauges.removeFirst()
    let delivered = tally.deliveries
    gauges[0].count.wrappedValue = -1
    XCTAssertEqual(tally.deliveries, delivered)
  }

  private final class Shelf: @unchecked Sendable {
    @AtomicObserved var gauges = [Gauge(), Gauge(), Gauge()]
  }
}
