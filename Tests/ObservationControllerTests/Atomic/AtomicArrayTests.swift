import ObservationController
import TestSupport
import XCTest

/// C21: plain arrays in atomic properties, and atomic properties of elements.
final class AtomicArrayTests: TestCase {
  func test_array_onOneThread_tellsEachChange() {
    let meter = Meter()
    let replay = Replay()
    let observations = ObservationController(observer: replay)
    observations.observeArray(meter, \.values, options: [.initial, .old]) { $0.apply($2) }
    meter.values.append(1)
    meter.values = [1, 2, 3]
    meter.$values.withLock { _ = $0.removeFirst() }
    XCTAssertEqual(replay.history, [[], [1], [1, 2, 3], [2, 3]])
    XCTAssertEqual(replay.breaks, [])
  }

  /// What a getter does when it is read for the second time, when the path is hooked.
  func test_array_thatItsGetterChanges_whenItIsHooked_isToldOfThat() {
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

  func test_C21_array_writtenOnSeveralThreads_everyChangeAppliesToTheArrayBefore() {
    let meter = Meter()
    let replay = Replay()
    let observations = ObservationController(observer: replay)
    observations.observeArray(meter, \.values, options: [.initial, .old]) { $0.apply($2) }
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
    XCTAssertEqual(replay.breaks.prefix(3), [])
    XCTAssertEqual(replay.elements, meter.values)
  }

  func test_C21_array_joinedWhileOthersWrite_everyChangeAppliesToTheArrayBefore() {
    for round in 0..<60 {
      let meter = Meter()
      let replays = (0..<4).map { _ in Replay() }
      let controllers = replays.map { ObservationController(observer: $0) }
      onThreads(3) { thread in
        if thread > 0 {
          for value in 0..<30 { meter.$values.withLock { $0.append(1_000 * thread + value) } }
        } else {
          for controller in controllers {
            controller.observeArray(meter, \.values, options: [.initial, .old]) { $0.apply($2) }
          }
        }
      }
      for replay in replays {
        XCTAssertEqual(replay.breaks.prefix(3), [], "round \(round)")
        XCTAssertEqual(replay.elements, meter.values, "round \(round)")
      }
    }
  }

  func test_C21_elements_withAtomicProperties_changedOnSeveralThreads_eachChainIsContiguous() {
    let shelf = Shelf()
    let tally = Tally()
    let observations = ObservationController(observer: tally)
    observations.observeArray(shelf, \.gauges, elements: [\.count.wrappedValue, \.sum]) {
      $0.note($2)
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
    // And when it has left.
    shelf.gauges.removeFirst()
    let told = tally.changes
    gauges[0].count.wrappedValue = -1
    XCTAssertEqual(tally.changes, told)
  }

  private final class Shelf: @unchecked Sendable {
    @AtomicObserved var gauges = [Gauge(), Gauge(), Gauge()]
  }

  /// Applies each change to the array as it has been told so far.
  private final class Replay: @unchecked Sendable {
    private(set) var elements: [Int] = []
    private(set) var history: [[Int]] = []
    private(set) var breaks: [String] = []

    func apply(_ change: ArrayChange<Int>) {
      if change.kind == .initial {
        if !history.isEmpty { breaks.append("initially, late") }
        elements = change.elements
      } else {
        if change.oldElements != elements {
          breaks.append("\(elements), then \(change.oldElements ?? []) → \(change.elements)")
        }
        elements = change.applying(to: elements)
        if elements != change.elements { breaks.append("\(elements) is not \(change.elements)") }
      }
      history.append(elements)
    }
  }

  private final class Tally: @unchecked Sendable {
    private struct Key: Hashable {
      let gauge: ObjectIdentifier
      let keyPath: AnyKeyPath
    }

    private var lasts: [Key: Int] = [:]
    private(set) var breaks: [String] = []
    private(set) var changes = 0

    func note(_ change: ArrayChange<Gauge>) {
      guard change.kind == .element, let gauge = change.entries.first?.element,
        let keyPath = change.elementKeyPath, let details = change.elementChange
      else { return }
      changes += 1
      let key = Key(gauge: ObjectIdentifier(gauge), keyPath: keyPath)
      if details.oldValue as? Int != lasts[key] ?? 0 {
        breaks.append("\(lasts[key] ?? 0), then \(details)")
      }
      lasts[key] = details.newValue as? Int
    }

    func last(of gauge: Gauge, _ keyPath: KeyPath<Gauge, Int>) -> Int? {
      lasts[Key(gauge: ObjectIdentifier(gauge), keyPath: keyPath)]
    }
  }
}
