import ObservationController
import TestSupport
import XCTest

/// Contexts are equal by name, or unique.
final class ObservationContextTests: TestCase {
  func test_named_isEqualByName() {
    XCTAssertEqual(ObservationContext("a"), ObservationContext("a"))
    XCTAssertEqual(ObservationContext("a"), "a")
    XCTAssertNotEqual(ObservationContext("a"), "b")
    XCTAssertEqual(ObservationContext("a").hashValue, ObservationContext("a").hashValue)
  }

  func test_unique_isEqualToItsCopiesAlone() {
    let context = ObservationContext()
    let copy = context
    XCTAssertEqual(context, copy)
    XCTAssertNotEqual(context, ObservationContext())
    XCTAssertNotEqual(context, "")
    XCTAssertEqual(Set((0..<100).map { _ in ObservationContext() }).count, 100)
  }

  func test_unique_isNotEqualToTheNameItPrints() {
    let context = ObservationContext()
    XCTAssertNotEqual(context, ObservationContext(context.description))
  }

  func test_unique_distinguishesObservations() {
    let counter = Counter()
    let recorder = ChangeRecorder<Int>()
    let controller = ObservationController(observer: recorder)
    let (first, second) = (ObservationContext(), ObservationContext())
    controller.observe(counter, \.count, context: first, action: ChangeRecorder<Int>.record)
    controller.observe(counter, \.count, context: second, action: ChangeRecorder<Int>.record)
    counter.count = 1
    controller.unobserve(counter, \.count, context: first)
    counter.count = 2
    XCTAssertEqual(recorder.events, [.changed(0, 1), .changed(0, 1), .changed(1, 2)])
    XCTAssertEqual(controller.observations.map(\.context), [second])
  }

  func test_description_isTheQuotedNameOrANumber() {
    XCTAssertEqual("\(ObservationContext("header"))", "\"header\"")
    XCTAssertTrue("\(ObservationContext())".hasPrefix("#"))
  }
}
