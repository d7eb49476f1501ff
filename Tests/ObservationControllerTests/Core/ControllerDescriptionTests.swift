import ObservationController
import TestSupport
import XCTest

/// Properties of a controller: its observer, its observations, its description.
final class ControllerDescriptionTests: TestCase {
  private let observer = SilentObserver()
  private let circle = Circle()

  func test_controller_new_hasItsObserverAndNoObservations() {
    let controller = ObservationController(observer: observer)
    XCTAssertIdentical(controller.observer, observer)
    XCTAssertTrue(controller.retainsObserved)
    XCTAssertFalse(
      ObservationController(observer: observer, retainsObserved: false).retainsObserved)
    XCTAssertEqual(controller.observations.count, 0)
  }

  func test_observations_areListedInOrderOfRegistration() {
    let controller = ObservationController(observer: observer)
    let line: UInt = #line + 1
    controller.observe(circle, \.radius, options: [.old, .prior], context: "a") { _, _, _ in }
    controller.observe(circle, \.borderWidth, action: SilentObserver.doNothing)
    let observations = controller.observations
    XCTAssertEqual(observations.map(\.keyPath), [\Circle.radius, \Circle.borderWidth])
    XCTAssertEqual(observations.map(\.options), [[.old, .prior], .old])
    XCTAssertEqual(observations.map(\.context), ["a", nil])
    XCTAssertEqual(observations.map(\.handlerKind), [.block, .action])
    XCTAssertEqual(observations.map(\.file), [#fileID, #fileID])
    XCTAssertEqual(observations.map(\.line), [line, line + 1])
    for observation in observations {
      XCTAssertIdentical(observation.observer, observer)
      XCTAssertIdentical(observation.object, circle)
    }
  }

  func test_observations_manyObjects_keepTheOrderOfRegistration() {
    let controller = ObservationController(observer: observer)
    let circles = (0..<50).map { _ in Circle() }
    for circle in circles { controller.observe(circle, \.radius) { _, _, _ in } }
    for circle in circles { controller.observe(circle, \.borderWidth) { _, _, _ in } }
    XCTAssertEqual(
      controller.observations.map { $0.object.map(ObjectIdentifier.init) },
      (circles + circles).map { ObjectIdentifier($0) })
  }

  func test_isObserving_followsObserveAndUnobserve() {
    let controller = ObservationController(observer: observer)
    XCTAssertFalse(controller.isObserving(circle, \.radius))
    controller.observe(circle, \.radius, context: "a") { _, _, _ in }
    XCTAssertTrue(controller.isObserving(circle, \.radius))
    XCTAssertFalse(controller.isObserving(circle, \.borderWidth))
    XCTAssertFalse(controller.isObserving(Circle(), \.radius))
    controller.unobserve(circle, \.radius)
    XCTAssertFalse(controller.isObserving(circle, \.radius))
  }

  func test_debugDescription_namesClassObserverAndEachObservation() {
    let controller = ObservationController(observer: observer)
    controller.observeEach(circle, \.radius, \.borderWidth, context: "a") { _, _, _ in }
    let lines = controller.debugDescription.split(separator: "\n").map(String.init)
    XCTAssertEqual(lines.count, 3)
    XCTAssertEqual(lines[0], "ObservationController<SilentObserver>: 2 observations")
    XCTAssertEqual(Array(lines[1...]), controller.observations.map { "  \($0)" })
  }

  func test_debugDescription_ofDeallocatedObserverAndObject_saysSo() {
    let controller = scoped { ObservationController(observer: SilentObserver()) }
    controller.observe(circle, \.radius) { _, _, _ in }
    XCTAssertTrue(controller.debugDescription.contains("(gone) observes"))
  }

  func test_debugDescription_ofManyWithOneKeyPath_comparesNone() {
    let controller = ObservationController(observer: observer)
    let comparisons = Comparisons()
    let keyPath = \Circle.[Place(comparisons: comparisons)]
    for _ in 0..<20 {
      controller.observe(circle, keyPath, context: ObservationContext()) { _, _, _ in }
    }
    comparisons.count = 0
    XCTAssertEqual(controller.debugDescription.split(separator: "\n").count, 21)
    XCTAssertEqual(comparisons.count, 0)
  }
}

/// Counts comparisons of key paths.
private final class Comparisons {
  var count = 0
}

private struct Place: Hashable {
  let comparisons: Comparisons

  static func == (left: Place, right: Place) -> Bool {
    left.comparisons.count += 1
    return true
  }

  func hash(into hasher: inout Hasher) {}
}

extension Circle {
  fileprivate subscript(place: Place) -> Double { radius }
}

extension SilentObserver {
  fileprivate func doNothing() {}
}
