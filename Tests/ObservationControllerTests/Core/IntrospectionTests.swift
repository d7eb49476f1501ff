import ObservationController
import TestSupport
import XCTest

/// Every query of the dispatcher, over several controllers.
final class IntrospectionTests: TestCase {
  private let dispatcher = ObservationDispatcher.shared
  private let person = Person()
  private let other = Person()
  private let first = SilentObserver()
  private let second = SilentObserver()
  private lazy var firstController = ObservationController(observer: first)
  private lazy var secondController = ObservationController(observer: second)

  /// Five observations, those of `person` interleaved over both controllers.
  private func observeEverything() {
    firstController.observe(person, \.name, context: "0") { _, _, _ in }
    secondController.observe(person, \.age, context: "1") { _, _, _ in }
    secondController.observe(person, \.name, context: "2") { _, _, _ in }
    firstController.observe(other, \.name, context: "3") { _, _, _ in }
    firstController.observe(person, \.name, context: "4") { _, _, _ in }
  }

  private func contexts(of object: AnyObject) -> [ObservationContext?] {
    dispatcher.observations(of: object).map(\.context)
  }

  func test_observations_areThoseOfAllControllers_inOrder() {
    let before = dispatcher.observations.count
    observeEverything()
    XCTAssertEqual(
      dispatcher.observations.suffix(5).map(\.context), ["0", "1", "2", "3", "4"])
    firstController.unobserveAll()
    XCTAssertEqual(dispatcher.observations.count, before + 2)
  }

  func test_removeObservations_ofAKeyPath_byAnObserver_endsThoseAlone() {
    observeEverything()
    dispatcher.removeObservations(of: person, \.name, by: first)
    XCTAssertEqual(contexts(of: person), ["1", "2"])
    XCTAssertEqual(contexts(of: other), ["3"])
    dispatcher.removeObservations(of: person, \.name, by: first)
    dispatcher.removeObservations(of: person, \.name, by: person)
    XCTAssertEqual(contexts(of: person), ["1", "2"])
  }

  // MARK: Counting

  func test_activeObservationCount_followsEveryRegistrationAndEnd() {
    let before = dispatcher.activeObservationCount
    observeEverything()
    XCTAssertEqual(dispatcher.activeObservationCount, before + 5)
    firstController.observe(person, \.name, context: "0") { _, _, _ in }
    XCTAssertEqual(dispatcher.activeObservationCount, before + 5)
    firstController.unobserve(person, \.name, context: "0")
    XCTAssertEqual(dispatcher.activeObservationCount, before + 4)
    secondController.unobserveAll()
    XCTAssertEqual(dispatcher.activeObservationCount, before + 2)
    firstController.unobserveAll()
    XCTAssertEqual(dispatcher.activeObservationCount, before)
  }

  // MARK: Observations

  func test_observations_ofObject_comeFromAllControllersInOrderOfRegistration() {
    observeEverything()
    let observations = dispatcher.observations(of: person)
    XCTAssertEqual(observations.map(\.context), ["0", "1", "2", "4"])
    XCTAssertEqual(
      observations.map(\.keyPath), [\Person.name, \Person.age, \Person.name, \Person.name])
    XCTAssertEqual(
      observations.map { $0.observer.map(ObjectIdentifier.init) },
      [first, second, second, first].map { ObjectIdentifier($0) })
    for observation in observations { XCTAssertIdentical(observation.object, person) }
  }

  func test_observations_ofUnobservedObject_areNone() {
    observeEverything()
    XCTAssertEqual(dispatcher.observations(of: Person()).count, 0)
    XCTAssertEqual(dispatcher.observations(of: first).count, 0)
    XCTAssertEqual(dispatcher.observedKeyPaths(of: first), [])
  }

  func test_observations_ofALinkInBetween_areNone() {
    let company = Company()
    person.employer = company
    firstController.observe(person, \.employer?.name) { _, _, _ in }
    XCTAssertEqual(dispatcher.observations(of: person).count, 1)
    XCTAssertEqual(dispatcher.observations(of: company).count, 0)
  }

  // MARK: Key paths and observers

  func test_observedKeyPaths_ofObject_eachOnceInOrder() {
    observeEverything()
    XCTAssertEqual(dispatcher.observedKeyPaths(of: person), [\Person.name, \Person.age])
    XCTAssertEqual(dispatcher.observedKeyPaths(of: other), [\Person.name])
  }

  func test_observedKeyPaths_byObserver_eachOnceInOrder() {
    observeEverything()
    XCTAssertEqual(dispatcher.observedKeyPaths(of: person, by: first), [\Person.name])
    XCTAssertEqual(
      dispatcher.observedKeyPaths(of: person, by: second), [\Person.age, \Person.name])
    XCTAssertEqual(dispatcher.observedKeyPaths(of: other, by: second), [])
    XCTAssertEqual(dispatcher.observedKeyPaths(of: person, by: person), [])
  }

  func test_observedKeyPaths_byObserverOfTwoControllers_areThoseOfBoth() {
    observeEverything()
    let another = ObservationController(observer: first, retainsObserved: false)
    another.observe(person, \.tags) { _, _, _ in }
    XCTAssertEqual(
      dispatcher.observedKeyPaths(of: person, by: first), [\Person.name, \Person.tags])
  }

  func test_observers_ofKeyPath_eachOnceInOrder() {
    observeEverything()
    let observers = dispatcher.observers(of: person, \.name)
    XCTAssertEqual(
      observers.map { ObjectIdentifier($0) }, [first, second].map { ObjectIdentifier($0) })
    XCTAssertEqual(
      dispatcher.observers(of: person, \.age).map { ObjectIdentifier($0) },
      [ObjectIdentifier(second)])
    XCTAssertEqual(dispatcher.observers(of: person, \.tags).count, 0)
    XCTAssertEqual(dispatcher.observers(of: other, \.age).count, 0)
  }

  func test_observers_deallocated_areNotListed() {
    let controller = scoped { ObservationController(observer: SilentObserver()) }
    controller.observe(person, \.name) { _, _, _ in }
    firstController.observe(person, \.name) { _, _, _ in }
    XCTAssertEqual(
      dispatcher.observers(of: person, \.name).map { ObjectIdentifier($0) },
      [ObjectIdentifier(first)])
  }

  func test_introspection_results_retainNoObject() {
    let controller = ObservationController(observer: first, retainsObserved: false)
    var observations: [ObservationDescription] = []
    assertReleased {
      let person = Person()
      controller.observe(person, \.name) { _, _, _ in }
      observations = dispatcher.observations(of: person)
      XCTAssertEqual(observations.count, 1)
      XCTAssertIdentical(observations[0].object, person)
      return person
    }
    XCTAssertNil(observations[0].object)
    XCTAssertIdentical(observations[0].observer, first)
  }

  // MARK: Removal

  func test_removeObservations_ofObject_endsThoseOfAllControllers() {
    observeEverything()
    dispatcher.removeObservations(of: person)
    XCTAssertEqual(contexts(of: person), [])
    XCTAssertEqual(contexts(of: other), ["3"])
    XCTAssertEqual(firstController.observations.count, 1)
    XCTAssertEqual(secondController.observations.count, 0)
  }

  func test_removeObservations_byObserver_endsThoseAlone() {
    observeEverything()
    dispatcher.removeObservations(of: person, by: second)
    XCTAssertEqual(contexts(of: person), ["0", "4"])
    dispatcher.removeObservations(of: person, by: first)
    XCTAssertEqual(contexts(of: person), [])
    XCTAssertEqual(contexts(of: other), ["3"])
  }

  func test_removeObservations_ofKeyPath_endsThatKeyPathAlone() {
    observeEverything()
    dispatcher.removeObservations(of: person, \.name)
    XCTAssertEqual(contexts(of: person), ["1"])
    XCTAssertEqual(contexts(of: other), ["3"])
  }

  func test_removeObservations_ofNothing_changesNothing() {
    observeEverything()
    dispatcher.removeObservations(of: Person())
    dispatcher.removeObservations(of: other, by: second)
    dispatcher.removeObservations(of: person, \.tags)
    XCTAssertEqual(contexts(of: person), ["0", "1", "2", "4"])
    XCTAssertEqual(contexts(of: other), ["3"])
  }

  func test_removeObservations_endsDeliveries() {
    let recorder = ChangeRecorder<String>()
    let controller = ObservationController(observer: recorder)
    let token = controller.observe(person, \.name, action: ChangeRecorder<String>.record)
    person.name = "Grace"
    dispatcher.removeObservations(of: person)
    person.name = "Ada"
    XCTAssertEqual(recorder.events, [.changed("Ada", "Grace")])
    XCTAssertFalse(token.isActive)
    XCTAssertFalse(controller.isObserving(person, \.name))
  }

  func test_removeObservations_withinAHandler_skipsThoseThatFollow() {
    let recorder = LineRecorder()
    firstController.observe(person, \.name) { _, person, _ in
      recorder.write("first")
      ObservationDispatcher.shared.removeObservations(of: person)
    }
    secondController.observe(person, \.name) { _, _, _ in recorder.write("second") }
    person.name = "Grace"
    person.name = "Ada"
    XCTAssertEqual(recorder.events, ["first"])
  }
}
