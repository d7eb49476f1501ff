import ObservationController
import TestSupport
import XCTest

/// Thousands of short-lived objects, most of them at the address of an earlier observed object.
final class ShortLivedObjectsTests: TestCase {
  private static let count = Effort.count(quick: 5_000, full: 100_000)

  func test_shortLivedObjects_nonRetainingController_oneDeliveryEach() {
    let recorder = ChangeRecorder<Int>()
    let controller = ObservationController(observer: recorder, retainsObserved: false)
    assertLeavesNoObservations {
      for number in 1...Self.count {
        let counter = Counter()
        controller.observe(counter, \.count, action: ChangeRecorder<Int>.record)
        counter.count = number
      }
    }
    assertOneDeliveryEach(recorder)
    XCTAssertEqual(controller.observations.count, 0)
  }

  func test_shortLivedObjects_retainingController_oneDeliveryEach() {
    let recorder = ChangeRecorder<Int>()
    let controller = ObservationController(observer: recorder)
    assertLeavesNoObservations {
      for number in 1...Self.count {
        let counter = Counter()
        controller.observe(counter, \.count, action: ChangeRecorder<Int>.record)
        counter.count = number
        controller.unobserve(counter)
      }
    }
    assertOneDeliveryEach(recorder)
    XCTAssertEqual(controller.observations.count, 0)
  }

  func test_shortLivedObjects_controllerOfTheirOwn_oneDeliveryEach() {
    let recorder = ChangeRecorder<Int>()
    assertLeavesNoObservations {
      for number in 1...Self.count {
        let counter = Counter()
        let controller = ObservationController(observer: recorder)
        controller.observe(counter, \.count, action: ChangeRecorder<Int>.record)
        counter.count = number
      }
    }
    assertOneDeliveryEach(recorder)
  }

  func test_shortLivedObjects_nestedPaths_oneDeliveryEach() {
    let recorder = ChangeRecorder<String?>()
    let controller = ObservationController(observer: recorder, retainsObserved: false)
    let company = Company(name: "start")
    assertLeavesNoObservations {
      for number in 1...Self.count / 10 {
        let person = Person(employer: company)
        controller.observe(
          person, \.employer?.name, options: [], action: ChangeRecorder<String?>.record)
        company.name = "\(number)"
      }
    }
    let expected = (1...Self.count / 10).map { RecordedEvent<String?>.changed(nil, "\($0)") }
    XCTAssertTrue(recorder.events == expected, "\(recorder.events.count) deliveries")
  }

  func test_newObject_atAReusedAddress_inheritsNothing() {
    let recorder = ChangeRecorder<Int>()
    let controller = ObservationController(observer: recorder, retainsObserved: false)
    for number in 1...Self.count {
      // Every second object is observed, and its successor is often at its address.
      let counter = Counter()
      XCTAssertFalse(controller.isObserving(counter, \.count))
      if number.isMultiple(of: 2) {
        controller.observe(counter, \.count, options: [], action: ChangeRecorder<Int>.record)
      }
      counter.count = number
    }
    let expected = (1...Self.count / 2).map { RecordedEvent<Int>.changed(nil, 2 * $0) }
    XCTAssertTrue(recorder.events == expected, "\(recorder.events.count) deliveries")
  }

  private func assertOneDeliveryEach(
    _ recorder: ChangeRecorder<Int>, file: StaticString = #filePath, line: UInt = #line
  ) {
    // Not compared by `XCTAssertEqual`, which would print all of them.
    let expected = (1...Self.count).map { RecordedEvent<Int>.changed(0, $0) }
    let difference = zip(recorder.events, expected).first { $0 != $1 }
    XCTAssertNil(difference, file: file, line: line)
    XCTAssertEqual(recorder.events.count, expected.count, file: file, line: line)
  }
}
