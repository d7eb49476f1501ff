import ObservationController
import TestSupport
import XCTest

/// Deallocation of controllers, observers and observed objects.
final class ControllerLifetimeTests: TestCase {
  // MARK: Controller

  func test_controller_deallocated_observationsEnd() {
    let recorder = ChangeRecorder<Double>()
    let circle = Circle()
    var token: ObservationToken?
    assertLeavesNoObservations {
      let controller = ObservationController(observer: recorder)
      token = controller.observe(circle, \.radius, action: ChangeRecorder<Double>.record)
      circle.radius = 2
    }
    circle.radius = 3
    XCTAssertEqual(recorder.events, [.changed(1, 2)])
    XCTAssertEqual(token?.isActive, false)
    token?.invalidate()
  }

  func test_controller_deallocatedWithinItsOwnHandler_deliveriesEnd() {
    let recorder = ChangeRecorder<Double>()
    let circle = Circle()
    var controller: ObservationController<ChangeRecorder<Double>>? =
      ObservationController(observer: recorder)
    for context in ["first", "second"] as [ObservationContext] {
      controller?.observe(circle, \.radius, context: context) { recorder, _, change in
        recorder.record(change)
        controller = nil
      }
    }
    circle.radius = 2
    circle.radius = 3
    XCTAssertNil(controller)
    XCTAssertEqual(recorder.events, [.changed(1, 2)])
  }

  func test_C13_controllerWithoutObserver_retainsObjectsAtReusedAddresses() {
    var recorder: Counter? = Counter()
    let controller = ObservationController(observer: recorder!)
    recorder = nil
    // One of these would get the memory that the observer had.
    for number in 0..<100 {
      weak var object: Counter?
      scoped {
        let counter = Counter()
        object = counter
        controller.observe(counter, \.count) { _, _, _ in }
      }
      XCTAssertNotNil(object, "\(number)")
    }
  }

  func test_controller_deallocated_releasesRetainedObjects() {
    let recorder = ChangeRecorder<Double>()
    assertReleased {
      let circle = Circle()
      let controller = ObservationController(observer: recorder)
      controller.observe(circle, \.radius, action: ChangeRecorder<Double>.record)
      return circle
    }
  }

  func test_controller_isNotKeptAliveByObservationsOrTokens() {
    let recorder = ChangeRecorder<Double>()
    let circle = Circle()
    var token: ObservationToken?
    assertReleased {
      let controller = ObservationController(observer: recorder)
      token = controller.observe(circle, \.radius, action: ChangeRecorder<Double>.record)
      return controller
    }
    XCTAssertEqual(token?.isActive, false)
  }

  // MARK: Observer

  func test_observer_deallocated_isNotNotified() {
    let circle = Circle()
    var calls = 0
    var observer: SilentObserver? = SilentObserver()
    let controller = ObservationController(observer: observer!)
    controller.observe(circle, \.radius) { _, _, _ in calls += 1 }
    circle.radius = 2
    observer = nil
    XCTAssertNil(controller.observer)
    circle.radius = 3
    controller.observe(circle, \.borderWidth, options: .initial) { _, _, _ in calls += 1 }
    circle.borderWidth = 2
    XCTAssertEqual(calls, 1)
  }

  func test_observer_isNotKeptAlive() {
    let circle = Circle()
    var controller: ObservationController<ChangeRecorder<Double>>?
    assertReleased {
      let recorder = ChangeRecorder<Double>()
      controller = ObservationController(observer: recorder)
      controller?.observe(circle, \.radius, action: ChangeRecorder<Double>.record)
      circle.radius = 2
      return recorder
    }
    XCTAssertEqual(controller?.observations.count, 1)
    XCTAssertNil(controller?.observations.first?.observer)
  }

  func test_observer_ownsItsController_bothAreDeallocated() {
    let person = Person()
    assertLeavesNoObservations {
      assertReleased {
        let observer = SelfObserver()
        observer.observations.observe(person, \.age) { $0.count = $2.newValue }
        person.age = 37
        XCTAssertEqual(observer.count, 37)
        return observer
      }
    }
  }

  // MARK: Observed object

  func test_unretainedObject_deallocated_leavesEveryTable() {
    let recorder = ChangeRecorder<Double>()
    let controller = ObservationController(observer: recorder, retainsObserved: false)
    var token: ObservationToken?
    assertLeavesNoObservations {
      assertReleased {
        let circle = Circle()
        token = controller.observe(circle, \.radius, action: ChangeRecorder<Double>.record)
        circle.radius = 2
        return circle
      }
    }
    XCTAssertEqual(recorder.events, [.changed(1, 2)])
    XCTAssertEqual(token?.isActive, false)
    XCTAssertEqual(controller.observations.count, 0)
    controller.unobserveAll()
  }

  func test_unretainedObject_ofANestedPath_deallocated_leavesEveryTable() {
    let recorder = ChangeRecorder<String?>()
    let controller = ObservationController(observer: recorder, retainsObserved: false)
    let company = Company(name: "A")
    assertLeavesNoObservations {
      assertReleased {
        let person = Person(employer: company)
        controller.observe(person, \.employer?.name, action: ChangeRecorder<String?>.record)
        company.name = "B"
        return person
      }
    }
    company.name = "C"
    XCTAssertEqual(recorder.events, [.changed("A", "B")])
  }

  func test_unretainedObject_deallocatedBeforeUnobserve_nothingHappens() {
    let recorder = ChangeRecorder<Double>()
    let controller = ObservationController(observer: recorder, retainsObserved: false)
    let token = scoped {
      controller.observe(
        Circle(), \.radius, options: [.initial], action: ChangeRecorder<Double>.record)
    }
    XCTAssertEqual(recorder.events, [.initial(1)])
    XCTAssertFalse(token.isActive)
    token.invalidate()
    controller.unobserveAll()
  }

  func test_retainedObject_isKeptAliveUntilItIsUnobserved() {
    let endings: [(ObservationController<SilentObserver>, Circle, ObservationToken) -> Void] = [
      { controller, circle, _ in controller.unobserve(circle, \.radius) },
      { controller, circle, _ in controller.unobserve(circle, \.radius, context: nil) },
      { controller, circle, _ in controller.unobserve(circle) },
      { controller, _, _ in controller.unobserveAll() },
      { _, _, token in token.invalidate() },
      { _, circle, _ in ObservationDispatcher.shared.removeObservations(of: circle) },
    ]
    for (index, end) in endings.enumerated() {
      let observer = SilentObserver()
      let controller = ObservationController(observer: observer)
      weak var circle: Circle?
      let token = scoped {
        let made = Circle()
        circle = made
        return controller.observe(made, \.radius) { _, _, _ in }
      }
      XCTAssertNotNil(circle, "ending \(index)")
      scoped { end(controller, circle!, token) }
      XCTAssertNil(circle, "ending \(index)")
    }
  }

  func test_retainedObject_observedTwice_isKeptAliveUntilTheLastEnds() {
    let observer = SilentObserver()
    let controller = ObservationController(observer: observer)
    weak var circle: Circle?
    let tokens = scoped {
      let made = Circle()
      circle = made
      return controller.observeEach(made, \.radius, \.borderWidth) { _, _, _ in }
    }
    tokens[0].invalidate()
    XCTAssertNotNil(circle)
    tokens[1].invalidate()
    XCTAssertNil(circle)
  }

  // MARK: Self

  func test_observer_observingItself_isNotifiedAndNotRetained() {
    assertLeavesNoObservations {
      assertReleased {
        let object = SelfObserver()
        XCTAssertTrue(object.observations.retainsObserved)
        object.observeItself(options: [.initial, .old])
        object.count = 1
        XCTAssertEqual(object.recorder.events, [.initial(0), .changed(0, 1)])
        return object
      }
    }
  }

  func test_observer_observingItselfByPath_isNotRetained() {
    assertLeavesNoObservations {
      assertReleased {
        let object = SelfObserver()
        object.observations.observe(object, \.count.description) { _, _, _ in }
        object.count = 1
        return object
      }
    }
  }
}
