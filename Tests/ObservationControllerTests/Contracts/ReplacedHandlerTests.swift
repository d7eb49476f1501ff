import Dispatch
import ObservationController
import TestSupport
import XCTest

/// C17: what is observed again from the same line gets the new handler.
final class ReplacedHandlerTests: TestCase {
  private final class Gauge {
    @Observed var value = 0
    @Observed var items: ObservableArray<Int> = []
    @AtomicObserved var hits = 0
    @Derived({ (gauge: Gauge) in gauge.value * 2 }) var twice: Int
    @Observed var next: Gauge?
    var text: String { "\(value)" }
  }

  private let gauge = Gauge()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  @discardableResult
  private func observe<Value>(
    _ keyPath: KeyPath<Gauge, Value>, _ name: String, options: ObservationOptions = []
  ) -> ObservationToken {
    observations.observe(gauge, keyPath, options: options) { recorder, _, change in
      recorder.write("\(name) \(change.newValue)")
    }
  }

  func test_C17_sameLine_newHandler_takesThePlace_ofAProperty() {
    let first = observe(\.value, "a")
    observations.observe(gauge, \.value, context: "other") { recorder, _, _ in
      recorder.write("other")
    }
    XCTAssertTrue(observe(\.value, "b") === first)
    gauge.value = 1
    XCTAssertEqual(recorder.events, ["b 1", "other"])
  }

  func test_C17_sameLine_newHandler_ofPathsDerivedAndAtomicProperties() {
    gauge.next = Gauge()
    for options in [[], .initial, .prior, .old] as [ObservationOptions] {
      for name in ["a", "b"] {
        observe(\.text, name, options: options)
        observe(\.twice, name, options: options)
        observe(\.hits, name, options: options)
        observe(\.next?.hits, name, options: options)
      }
      recorder.clear()
      gauge.value += 1
      gauge.hits += 1
      gauge.next?.hits += 1
      XCTAssertTrue(recorder.events.count >= 4)
      XCTAssertTrue(recorder.events.allSatisfy { $0.hasPrefix("b ") }, "\(recorder.events)")
      observations.unobserveAll()
    }
  }

  func test_C17_sameLine_newHandler_ofArrays_andEach() {
    for name in ["a", "b"] {
      observations.observeArray(gauge, \.items) { recorder, _, change in
        recorder.write("\(name) \(change.elements)")
      }
      observations.observeEach(gauge, \.value, \.hits) { recorder, _, change in
        recorder.write("\(name) \(change.newValue)")
      }
    }
    gauge.items.append(1)
    gauge.value = 2
    gauge.hits = 3
    XCTAssertEqual(recorder.events, ["b [1]", "b 2", "b 3"])
  }

  func test_C17_sameLine_optionsStay_ofArrays() {
    for options in [[], .old] as [ObservationOptions] {
      observations.observeArray(gauge, \.items, options: options) { recorder, _, change in
        recorder.write("\(change.oldElements == nil)")
      }
    }
    observations.observeArray(gauge, \.items, options: .old, context: "old") { _, _, _ in }
    gauge.items.append(1)
    XCTAssertEqual(recorder.events, ["true"])
  }

  func test_C17_sameLine_newHandler_onAQueue_getsWhatWaits() {
    let queue = DispatchQueue(label: "replaced")
    queue.whileSuspended {
      for name in ["a", "b"] {
        observations.observe(gauge, \.value, on: queue) { recorder, _, change in
          recorder.append("\(name) \(change.newValue)")
        }
        gauge.value += 1
      }
    }
    XCTAssertEqual(recorder.events, ["b 1", "b 2"])
  }

  func test_C17_replacedInItsOwnDelivery_nextChangeGoesToTheNew() {
    func observe(_ name: String) {
      observations.observe(gauge, \.value) { [gauge] recorder, _, change in
        recorder.write("\(name) \(change.newValue)")
        guard name == "a" else { return }
        observe("b")
        gauge.value += 1
      }
    }
    observe("a")
    gauge.value = 1
    XCTAssertEqual(recorder.events, ["a 1", "b 2"])
  }

  func test_C17_replacedInTheInitialDelivery_isReplaced() {
    func observe(_ name: String) {
      observations.observe(gauge, \.hits, options: .initial) { [gauge] recorder, _, change in
        recorder.write("\(name) \(change.newValue)")
        guard name == "a", change.isInitial else { return }
        observe("b")
        gauge.hits += 1
      }
    }
    observe("a")
    gauge.hits += 1
    XCTAssertEqual(recorder.events, ["a 0", "b 1", "b 2"])
  }

  func test_C16_replacedHandler_isReleased_notWhileItRuns() {
    let handlers = LifetimeCounter()
    func observe(_ isLast: Bool) {
      observations.observe(gauge, \.value) { [ticket = handlers.makeTicket()] _, _, _ in
        if !isLast {
          observe(true)
          XCTAssertEqual(handlers.count, 2)
        }
        _ = ticket
      }
    }
    observe(false)
    observe(false)
    XCTAssertEqual(handlers.count, 1)
    gauge.value = 1
    XCTAssertEqual(handlers.count, 1)
    observations.unobserveAll()
    XCTAssertEqual(handlers.count, 0)
  }

  func test_C17_replacedOnAnotherThread_whileItIsDelivered() {
    for _ in 0..<200 {
      let done = DispatchGroup()
      let observations = observations
      nonisolated(unsafe) let shared = gauge
      DispatchQueue.global().async(group: done) {
        for _ in 0..<20 {
          observations.observe(shared, \.hits) { _, _, _ in }
        }
      }
      for _ in 0..<20 { gauge.hits += 1 }
      done.wait()
    }
    XCTAssertEqual(observations.observations.count, 1)
  }

  func test_C15_capturedIndex_isReleased_whenTheObservationEnds() {
    final class Cell: Hashable {
      static func == (a: Cell, b: Cell) -> Bool { a === b }
      func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }
    final class Grid {
      @Observed var value = 0
      subscript(cell: Cell) -> Int { value }
    }
    let grid = Grid()
    for isTwice in [false, true] {
      assertReleased {
        let cell = Cell()
        for _ in 0..<(isTwice ? 2 : 1) {
          observations.observe(grid, \.[cell]) { _, _, _ in }
        }
        observations.unobserve(grid)
        return cell
      }
    }
  }
}
