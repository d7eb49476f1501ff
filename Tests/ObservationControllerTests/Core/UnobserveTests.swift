import ObservationController
import TestSupport
import XCTest

/// Ending observations by key path, context, object and all at once; observing again.
final class UnobserveTests: TestCase {
  private let recorder = ChangeRecorder<Double>()
  private lazy var controller = ObservationController(observer: recorder)
  private let circle = Circle()
  private let other = Circle()

  func test_unobserve_severalKeyPaths_endsEachOfThem_andNoOthers() {
    observeEverything()
    controller.observe(circle, \.radius, context: "again") { _, _, _ in }
    controller.unobserve(circle, \.radius, \.borderWidth)
    XCTAssertEqual(controller.observations.count, 2)
    XCTAssertTrue(controller.isObserving(other, \.radius))
    controller.unobserve(circle, \.radius, \.borderWidth)
    controller.unobserve(other, \.radius, \.borderWidth, \.radius)
    XCTAssertEqual(controller.observations.count, 0)
  }

  private func observeEverything() {
    for circle in [circle, other] {
      controller.observe(circle, \.radius, action: ChangeRecorder<Double>.record)
      controller.observe(circle, \.borderWidth, action: ChangeRecorder<Double>.record)
    }
  }

  /// Sets each of the four properties to a value of its own.
  private func changeEverything() {
    circle.radius = 2
    circle.borderWidth = 3
    other.radius = 4
    other.borderWidth = 5
  }

  // MARK: Ending

  func test_unobserve_keyPath_endsThatKeyPathOfThatObject() {
    observeEverything()
    controller.unobserve(circle, \.radius)
    changeEverything()
    XCTAssertEqual(recorder.events, [.changed(1, 3), .changed(1, 4), .changed(1, 5)])
  }

  func test_unobserve_object_endsAllOfThatObject() {
    observeEverything()
    controller.unobserve(circle)
    changeEverything()
    XCTAssertEqual(recorder.events, [.changed(1, 4), .changed(1, 5)])
  }

  func test_unobserveAll_endsEverything() {
    observeEverything()
    controller.unobserveAll()
    changeEverything()
    XCTAssertEqual(recorder.events, [])
    XCTAssertEqual(controller.observations.count, 0)
  }

  func test_unobserve_leavesOtherControllersAlone() {
    let second = ChangeRecorder<Double>()
    let secondController = ObservationController(observer: second)
    secondController.observe(circle, \.radius, action: ChangeRecorder<Double>.record)
    observeEverything()
    controller.unobserve(circle, \.radius)
    controller.unobserve(circle)
    controller.unobserveAll()
    changeEverything()
    XCTAssertEqual(recorder.events, [])
    XCTAssertEqual(second.events, [.changed(1, 2)])
  }

  func test_unobserve_withinInitialDelivery_nothingMoreArrives() {
    controller.observe(circle, \.radius, options: [.initial, .old]) {
      [unowned controller] recorder, circle, change in
      recorder.record(change)
      controller.unobserve(circle, \.radius)
    }
    circle.radius = 2
    XCTAssertEqual(recorder.events, [.initial(1)])
    XCTAssertFalse(controller.isObserving(circle, \.radius))
  }

  func test_unobserve_withinPriorDelivery_changeDoesNotArrive() {
    controller.observe(circle, \.radius, options: [.prior, .old]) {
      [unowned controller] recorder, circle, change in
      recorder.record(change)
      controller.unobserve(circle)
    }
    circle.radius = 2
    circle.radius = 3
    XCTAssertEqual(recorder.events, [.prior(1)])
    XCTAssertEqual(circle.radius, 3)
  }

  func test_unobserve_nestedPath_endsIt() {
    let person = Person(employer: Company())
    let recorder = ChangeRecorder<String?>()
    let controller = ObservationController(observer: recorder)
    controller.observe(person, \.employer?.name, action: ChangeRecorder<String?>.record)
    controller.unobserve(person, \.employer?.name)
    person.employer?.name = "Royal Society"
    person.employer = nil
    XCTAssertEqual(recorder.events, [])
  }

  // MARK: No-ops

  func test_unobserve_notObserved_changesNothing() {
    controller.observe(circle, \.radius, action: ChangeRecorder<Double>.record)
    controller.unobserve(circle, \.borderWidth)
    controller.unobserve(other, \.radius)
    controller.unobserve(other)
    controller.unobserve(circle, \.radius, context: "unknown")
    circle.radius = 2
    XCTAssertEqual(recorder.events, [.changed(1, 2)])
  }

  func test_unobserve_twice_changesNothing() {
    observeEverything()
    for _ in 1...2 {
      controller.unobserve(circle, \.radius)
      controller.unobserve(circle)
    }
    for _ in 1...2 { controller.unobserveAll() }
    changeEverything()
    XCTAssertEqual(recorder.events, [])
  }

  // MARK: Observing again

  func test_observe_twice_isANoOpThatReturnsTheFirstToken() {
    let first = controller.observe(circle, \.radius, action: ChangeRecorder<Double>.record)
    let second = controller.observe(circle, \.radius, options: .initial) { _, _, _ in
      XCTFail("the first handler stays")
    }
    XCTAssertIdentical(first, second)
    XCTAssertEqual(controller.observations.count, 1)
    circle.radius = 2
    XCTAssertEqual(recorder.events, [.changed(1, 2)])
  }

  func test_observe_afterUnobserving_isANewObservation() {
    let first = controller.observe(circle, \.radius, action: ChangeRecorder<Double>.record)
    controller.unobserve(circle, \.radius)
    let second = controller.observe(circle, \.radius, action: ChangeRecorder<Double>.record)
    XCTAssertNotIdentical(first, second)
    XCTAssertFalse(first.isActive)
    XCTAssertTrue(second.isActive)
    circle.radius = 2
    XCTAssertEqual(recorder.events, [.changed(1, 2)])
  }

  // MARK: Contexts

  func test_observe_withAnotherContext_isAnotherObservation() {
    let contexts = Recorder<ObservationContext?>()
    for context in [nil, "a", "b"] as [ObservationContext?] {
      controller.observe(circle, \.radius, context: context) { contexts.append($2.context) }
    }
    circle.radius = 2
    XCTAssertEqual(contexts.events, [nil, "a", "b"])
  }

  func test_unobserve_withContext_endsThatOneAlone() {
    let contexts = Recorder<ObservationContext?>()
    for context in [nil, "a", "b"] as [ObservationContext?] {
      controller.observe(circle, \.radius, context: context) { contexts.append($2.context) }
    }
    controller.unobserve(circle, \.radius, context: "a")
    circle.radius = 2
    XCTAssertEqual(contexts.events, [nil, "b"])
    controller.unobserve(circle, \.radius, context: nil)
    circle.radius = 3
    XCTAssertEqual(contexts.events, [nil, "b", "b"])
  }

  func test_unobserve_withoutContext_endsAllContexts() {
    for context in [nil, "a", "b"] as [ObservationContext?] {
      controller.observe(circle, \.radius, context: context, action: ChangeRecorder<Double>.record)
    }
    controller.unobserve(circle, \.radius)
    circle.radius = 2
    XCTAssertEqual(recorder.events, [])
    XCTAssertFalse(controller.isObserving(circle, \.radius))
  }
}
