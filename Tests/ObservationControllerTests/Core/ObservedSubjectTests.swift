#if DEBUG  // `@testable` is not available in a release build.
  @testable import ObservationController
  import TestSupport
  import XCTest

  /// Creation of subjects: at the first observation of a property, and not before.
  final class ObservedSubjectTests: TestCase {
    private let lamp = Lamp()
    private let observer = SilentObserver()

    func test_subject_unobservedProperty_isNotCreated() {
      XCTAssertFalse(lamp.hasSubject)
      lamp.brightness = 1
      lamp.brightness += 1
      XCTAssertEqual(lamp.brightness, 2)
      XCTAssertEqual(lamp[keyPath: \.brightness], 2)
      XCTAssertFalse(lamp.hasSubject)
    }

    func test_subject_observedProperty_isCreatedForThatPropertyAlone() {
      let controller = ObservationController(observer: observer)
      controller.observe(lamp, \.colour) { _, _, _ in }
      XCTAssertFalse(lamp.hasSubject)
      controller.observe(lamp, \.brightness) { _, _, _ in }
      XCTAssertTrue(lamp.hasSubject)
    }

    func test_subject_observedAgain_isReused() {
      let controller = ObservationController(observer: observer)
      controller.observe(lamp, \.brightness) { _, _, _ in }
      let subject = lamp.subject
      controller.unobserveAll()
      controller.observe(lamp, \.brightness) { _, _, _ in }
      XCTAssertIdentical(lamp.subject, subject)
    }

    func test_subject_ofARefusedObservation_isNotCreated() {
      let controller = ObservationController(observer: observer)
      XCTAssertEqual(collectingIssues { controller.observe(lamp, \.label) { _, _, _ in } }.count, 1)
      XCTAssertFalse(lamp.hasSubject)
    }

    func test_subject_propertyReadByAHandler_isNotCreated() {
      let controller = ObservationController(observer: observer)
      // While a path is evaluated on this thread, only its own reads are recorded.
      controller.observe(lamp, \.colour.description, options: [.initial, .old, .prior]) {
        _, lamp, _ in
        XCTAssertEqual(lamp.brightness, 0)
      }
      lamp.colour = 2
      XCTAssertFalse(lamp.hasSubject)
    }

    func test_subject_isDeallocatedWithItsObject() {
      let controller = ObservationController(observer: observer, retainsObserved: false)
      assertReleased {
        let lamp = Lamp()
        controller.observe(lamp, \.brightness) { _, _, _ in }
        return lamp.subject!
      }
    }
  }

  private final class Lamp {
    @Observed var brightness = 0
    @Observed var colour = 1
    var label = ""

    var subject: Subject? { _brightness.subject }
    var hasSubject: Bool { subject != nil }
  }
#endif
