import ObservationController
import TestSupport
import XCTest

/// The cases of FBKVOController's own tests: options, and the kinds of handlers.
///
/// Its cases of unobserving, contexts and lifetimes are in `UnobserveTests` and
/// `ControllerLifetimeTests`, those of several key paths in `ObserveEachTests`.
final class FBKVOControllerBehaviourTests: TestCase {
  private static let basic: ObservationOptions = [.initial, .old]
  private static let all: ObservationOptions = [.initial, .old, .prior]

  private let circle = Circle()

  // MARK: Options

  func test_block_withOptionsNone_receivesNewValuesOnly() {
    let recorder = ChangeRecorder<Double>()
    let controller = ObservationController(observer: recorder)
    controller.observe(circle, \.radius, options: []) { $0.record($2) }
    XCTAssertEqual(recorder.events, [])
    circle.radius = 2
    XCTAssertEqual(recorder.events, [.changed(nil, 2)])
  }

  func test_block_withDefaultOptions_receivesOldAndNewValues() {
    let recorder = ChangeRecorder<Double>()
    let controller = ObservationController(observer: recorder)
    controller.observe(circle, \.radius) { $0.record($2) }
    circle.radius = 2
    XCTAssertEqual(recorder.events, [.changed(1, 2)])
  }

  func test_block_withOptionInitial_isCalledOnceBeforeObserveReturns() {
    let recorder = ChangeRecorder<Double>()
    let controller = ObservationController(observer: recorder)
    controller.observe(circle, \.radius, options: .initial) { $0.record($2) }
    XCTAssertEqual(recorder.events, [.initial(1)])
    circle.radius = 2
    XCTAssertEqual(recorder.events, [.initial(1), .changed(nil, 2)])
  }

  func test_block_withOptionsBasic_receivesInitialValueAndChanges() {
    let recorder = ChangeRecorder<Double>()
    let controller = ObservationController(observer: recorder)
    controller.observe(circle, \.radius, options: Self.basic) { $0.record($2) }
    circle.radius = 2
    circle.radius = 2
    XCTAssertEqual(recorder.events, [.initial(1), .changed(1, 2), .changed(2, 2)])
  }

  func test_block_withOptionsAll_isCalledBeforeAndAfterEachChange() {
    let recorder = ChangeRecorder<Double>()
    let controller = ObservationController(observer: recorder)
    let stored = Recorder<Double>()
    controller.observe(circle, \.radius, options: Self.all) { recorder, circle, change in
      recorder.record(change)
      stored.append(circle.radius)
    }
    circle.radius = 2
    circle.radius = 3
    XCTAssertEqual(
      recorder.events, [.initial(1), .prior(1), .changed(1, 2), .prior(2), .changed(2, 3)])
    XCTAssertEqual(stored.events, [1, 1, 2, 2, 3])
  }

  // MARK: Block

  func test_block_receivesObserverObjectKeyPathAndContext() {
    let observer = SilentObserver()
    let controller = ObservationController(observer: observer)
    var calls = 0
    controller.observe(
      circle, \.radius, options: Self.basic, context: "shape"
    ) { [circle] receiver, object, change in
      calls += 1
      XCTAssertIdentical(receiver, observer)
      XCTAssertIdentical(object, circle)
      XCTAssertEqual(change.keyPath, \Circle.radius)
      XCTAssertEqual(change.context, "shape")
    }
    circle.radius = 2
    XCTAssertEqual(calls, 2)
  }

  func test_block_ofAnotherProperty_isNotCalled() {
    let recorder = ChangeRecorder<Double>()
    let controller = ObservationController(observer: recorder)
    controller.observe(circle, \.radius) { $0.record($2) }
    circle.borderWidth = 3
    XCTAssertEqual(recorder.events, [])
  }

  func test_block_ofAnotherObject_isNotCalled() {
    let recorder = ChangeRecorder<Double>()
    let controller = ObservationController(observer: recorder)
    controller.observe(circle, \.radius) { $0.record($2) }
    Circle().radius = 3
    XCTAssertEqual(recorder.events, [])
  }

  // MARK: Action

  func test_action_withoutParameters_isCalledOnTheObserver() {
    let observer = ActionObserver()
    let controller = ObservationController(observer: observer)
    controller.observe(
      circle, \.radius, options: Self.basic, action: ActionObserver.propertyDidChange)
    circle.radius = 2
    XCTAssertEqual(observer.recorder.events, ["propertyDidChange()", "propertyDidChange()"])
  }

  func test_action_withChange_receivesTheChange() {
    let observer = ActionObserver()
    let controller = ObservationController(observer: observer)
    controller.observe(circle, \.radius, options: Self.all, action: ActionObserver.radiusDidChange)
    circle.radius = 2
    XCTAssertEqual(
      observer.recorder.events,
      [
        "radiusDidChange(initially 1.0)", "radiusDidChange(about to change from 1.0)",
        "radiusDidChange(1.0 → 2.0)",
      ])
  }

  func test_action_withChangeAndObject_receivesBoth() {
    let observer = ActionObserver()
    let controller = ObservationController(observer: observer)
    controller.observe(
      circle, \.radius, options: Self.basic, action: ActionObserver.radiusOfCircleDidChange)
    circle.radius = 2
    XCTAssertEqual(
      observer.recorder.events,
      ["radiusOfCircleDidChange(initially 1.0)", "radiusOfCircleDidChange(1.0 → 2.0)"])
    XCTAssertEqual(observer.objects.events.count, 2)
    for object in observer.objects.events { XCTAssertIdentical(object, circle) }
  }

  func test_action_ofSuperclass_isDispatchedToTheObserversOwn() {
    final class Special: ActionObserver {
      override func propertyDidChange() { recorder.write("overridden") }
    }
    let observer = Special()
    let controller = ObservationController<ActionObserver>(observer: observer)
    controller.observe(circle, \.radius, action: ActionObserver.propertyDidChange)
    circle.radius = 2
    XCTAssertEqual(observer.recorder.events, ["overridden"])
  }

  // MARK: Delegate

  func test_delegate_withoutHandler_receivesEverything() {
    let observer = DelegateObserver()
    let controller = ObservationController(observer: observer)
    controller.observe(circle, \.radius, options: Self.all, context: "shape")
    circle.radius = 2
    XCTAssertEqual(observer.events, [.initial(1), .prior(1), .changed(1, 2)])
    XCTAssertEqual(observer.keyPaths, Array(repeating: \Circle.radius, count: 3))
    XCTAssertEqual(observer.contexts, ["shape", "shape", "shape"])
    for object in observer.objects { XCTAssertIdentical(object, circle) }
  }

  func test_delegate_withoutContext_receivesNone() {
    let observer = DelegateObserver()
    let controller = ObservationController(observer: observer)
    controller.observe(circle, \.radius)
    circle.radius = 2
    XCTAssertEqual(observer.events, [.changed(1, 2)])
    XCTAssertEqual(observer.contexts, [nil])
  }

  func test_delegate_withOptionalValues_receivesOptionalsAsAny() {
    let observer = DelegateObserver()
    let controller = ObservationController(observer: observer)
    let person = Person()
    controller.observe(person, \.employer, options: Self.basic)
    let company = Company()
    person.employer = company
    XCTAssertEqual(observer.changes.map(\.isInitial), [true, false])
    XCTAssertEqual(observer.changes.map { $0.oldValue == nil }, [true, false])
    XCTAssertNil(observer.changes[1].oldValue as? Company)
    XCTAssertIdentical(observer.changes[1].newValue as? Company, company)
  }
}

/// Has an action of each form.
private class ActionObserver {
  final let recorder = LineRecorder()
  final let objects = Recorder<Circle>()

  func propertyDidChange() { recorder.write("propertyDidChange()") }

  final func radiusDidChange(_ change: ObservedChange<Double>) {
    recorder.write("radiusDidChange(\(change))")
  }

  final func radiusOfCircleDidChange(_ change: ObservedChange<Double>, _ circle: Circle) {
    recorder.write("radiusOfCircleDidChange(\(change))")
    objects.append(circle)
  }
}

/// Keeps all arguments of its delegate method.
private final class DelegateObserver: ObservationDelegate {
  struct Call {
    let keyPath: AnyKeyPath
    let object: AnyObject
    let change: ObservedChange<Any>
    let context: ObservationContext?
  }

  let recorder = Recorder<Call>()

  var keyPaths: [AnyKeyPath] { recorder.events.map(\.keyPath) }
  var objects: [AnyObject] { recorder.events.map(\.object) }
  var changes: [ObservedChange<Any>] { recorder.events.map(\.change) }
  var contexts: [ObservationContext?] { recorder.events.map(\.context) }

  var events: [RecordedEvent<Double>] {
    changes.map { change in
      let new = change.newValue as? Double ?? .nan
      if change.isInitial { return .initial(new) }
      if change.isPrior { return .prior(new) }
      return .changed(change.oldValue as? Double, new)
    }
  }

  func observeValue(
    at keyPath: AnyKeyPath, of object: AnyObject,
    change: ObservedChange<Any>, context: ObservationContext?
  ) {
    recorder.append(Call(keyPath: keyPath, object: object, change: change, context: context))
  }
}
