import ObservationController
import TestSupport
import XCTest

/// C26 to C31: derived values.
final class DerivedValueTests: TestCase {
  private final class Order {
    @Observed var price = 2
    @Observed var count = 3
    @Observed var note = ""
    let computed = LineRecorder()

    @Derived({ (order: Order) in
      order.computed.write("total")
      return order.price * order.count
    }) var total: Int

    @Derived({ (order: Order) in
      order.computed.write("isLarge")
      return order.total > 100
    }) var isLarge: Bool

    @Derived({ (order: Order) in
      order.computed.write("text")
      return order.isLarge ? "large" : "small"
    }) var text: String
  }

  private let order = Order()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  // MARK: C26: Minimal work

  func test_C26_value_isComputedOncePerChange_andOnlyIfADependencyChanged() {
    order.price = 5
    XCTAssertEqual(order.computed.events, [], "not read")
    XCTAssertEqual(order.text, "small")
    order.computed.clear()
    order.note = "unrelated"
    order.price = 5
    XCTAssertEqual([order.text, order.text], ["small", "small"])
    XCTAssertEqual(order.computed.events, [], "nothing it reads has changed")
    order.price = 6
    XCTAssertEqual(order.text, "small")
    XCTAssertEqual(order.computed.events, ["total", "isLarge"], "an equal value ends the change")
  }

  // MARK: C27: Consistent

  func test_C27_readAtAnyTime_agreesWithTheStoredProperties() {
    observations.observe(order, \.price) { recorder, order, change in
      recorder.write("\(order.total == order.price * order.count) \(change.newValue)")
    }
    order.price = 4
    withObservationTransaction {
      order.price = 7
      XCTAssertEqual(order.total, 21)
      order.count = 1
      XCTAssertEqual(order.total, 7)
    }
    XCTAssertEqual(recorder.events, ["true 4", "true 7"])
  }

  // MARK: C28: Observers of derived values

  func test_C28_observers_areNotifiedOncePerChange_withContiguousValues() {
    observations.observe(order, \.price, context: "1") { $0.write("price \($2)") }
    observations.observe(order, \.total) { $0.write("total \($2)") }
    observations.observe(order, \.price, context: "2") { recorder, _, _ in
      recorder.write("price again")
    }
    observations.observe(order, \.text) { $0.write("text \($2)") }
    order.price = 40
    order.price = 50
    withObservationTransaction {
      order.count = 1
      order.price = 1
    }
    XCTAssertEqual(
      recorder.events,
      [
        "price 2 → 40", "total 6 → 120", "price again", "text small → large",
        "price 40 → 50", "total 120 → 150", "price again",
        "total 150 → 1", "text large → small", "price 50 → 1", "price again",
      ])
  }

  private final class Step {
    @Observed var value = 0
    let previous: Step?
    let readings = Meter()
    @Derived({ (step: Step) -> Int in
      step.readings.count += 1
      return (step.previous?.sum ?? 0) + step.value
    }) var sum: Int
    var double: Int { sum * 2 }

    init(_ previous: Step?) { self.previous = previous }

    final class Meter { var count = 0 }
  }

  // MARK: C29: The cost of a derived value

  func test_C29_deepChain_onASmallStack_isNotified() {
    onThread(stackSize: 512 << 10) {
      var steps: [Step] = []
      for _ in 0..<2_000 {
        steps.append(Step(steps.last))
        _ = steps.last?.sum
      }
      let recorder = LineRecorder()
      let observations = ObservationController(observer: recorder)
      observations.observe(steps[1_999], \.double) { $0.write("\($2)") }
      steps[1_998].value = 1
      XCTAssertEqual(steps.map(\.readings.count).reduce(0, +), 2_002, "the last two again")
      steps[0].value = 1
      XCTAssertEqual(recorder.events, ["0 → 2", "2 → 4"])
      XCTAssertEqual(steps.map(\.readings.count).reduce(0, +), 4_002)
    }
  }

  private final class Ring {
    @Observed var isClosed = true
    @Observed var seed = 1
    @Derived({ (ring: Ring) -> Int in ring.isClosed ? ring.second + 1 : ring.seed }) var first: Int
    @Derived({ (ring: Ring) -> Int in ring.first + 1 }) var second: Int
  }

  // MARK: C30: A value that reads itself

  func test_C30_valueThatReadsItself_isReported_andRightWhenTheCycleIsBroken() {
    let ring = Ring()
    let issues = collectingIssues { XCTAssertEqual(ring.first, 2) }
    guard case .derivedCycle(let keyPaths, _, _)? = issues.first else {
      return XCTFail("\(issues)")
    }
    XCTAssertEqual(keyPaths, [\Ring.first, \Ring.second, \Ring.first])
    observations.observe(ring, \.second) { $0.write("\($2.newValue)") }
    ring.isClosed = false
    ring.seed = 5
    XCTAssertEqual([ring.first, ring.second], [5, 6])
    XCTAssertEqual(recorder.events.last, "6")
  }

  private final class DoubleCount: @unchecked Sendable {
    @AtomicObserved var count = 0
    @Derived({ (counter: DoubleCount) in counter.count * 2 }) var double: Int
  }

  // MARK: C31: Derived values and threads

  func test_C31_valueOverAtomics_isReadOnSeveralThreads() {
    let counter = DoubleCount()
    onThreads(4) { thread in
      for _ in 0..<100 {
        if thread == 0 { counter.count += 1 }
        XCTAssertTrue(counter.double.isMultiple(of: 2))
      }
    }
    XCTAssertEqual(counter.double, 200)
  }
}
