import ObservationController
import TestSupport
import XCTest

/// Lifetimes of bindings, their sources and their targets.
final class BindingLifetimeTests: TestCase {
  private let panel = Panel()
  private var observations: ObservationController<Panel> { panel.observations }

  // MARK: Ends

  func test_bind_tokenInvalidated_setsNothingAnyMore() {
    let (source, target) = (Dial(1), Dial())
    let token = observations.bind(source, \.value, to: target, \.value)
    token.invalidate()
    token.invalidate()
    source.value = 2
    XCTAssertEqual(target.value, 1)
    XCTAssertFalse(token.isActive)
  }

  func test_bind_endsAsOtherObservationsDo() {
    let ends: [(ObservationController<Panel>, Dial) -> Void] = [
      { $0.unobserve($1, \.value) },
      { $0.unobserve($1, \.value, context: nil) },
      { $0.unobserve($1) },
      { controller, _ in controller.unobserveAll() },
      { ObservationDispatcher.shared.removeObservations(of: $1) },
    ]
    for (index, end) in ends.enumerated() {
      let (source, target) = (Dial(1), Dial())
      let token = observations.bind(source, \.value, to: target, \.value)
      end(observations, source)
      source.value = 2
      XCTAssertFalse(token.isActive, "end \(index)")
      XCTAssertEqual(target.value, 1, "end \(index)")
      XCTAssertEqual(observations.observations.count, 0, "end \(index)")
    }
  }

  func test_bind_unobserveOfTheTarget_leavesIt() {
    let (source, target) = (Dial(1), Dial())
    let token = observations.bind(source, \.value, to: target, \.value)
    observations.unobserve(target)
    XCTAssertTrue(token.isActive)
  }

  func test_bind_targetsThatReleaseOneAnother_areNotCounted() {
    assertLeavesNoObservations {
      let controllers = (0..<8).map { _ in ObservationController(observer: panel) }
      var first: Dial? = Dial()
      scoped {
        var target = first!
        for controller in controllers {
          let source = Dial()
          controller.bind(source, \.value, to: target, \.value)
          target = source
        }
      }
      let before = ObservationDispatcher.shared.activeObservationCount
      first = nil
      XCTAssertEqual(ObservationDispatcher.shared.activeObservationCount, before - 8)
    }
  }

  func test_bind_controllerDeallocated_ends() {
    let (source, target) = (Dial(1), Dial())
    var token: ObservationToken?
    assertLeavesNoObservations {
      let panel = Panel()
      token = panel.observations.bind(source, \.value, to: target, \.value)
    }
    source.value = 2
    XCTAssertEqual(token?.isActive, false)
    XCTAssertEqual(target.value, 1)
  }

  func test_bind_observerDeallocatedBeforeTheController_setsNothing() {
    let (source, target) = (Dial(1), Dial())
    var observer: SilentObserver? = SilentObserver()
    let controller = ObservationController(observer: observer!)
    controller.bind(source, \.value, to: target, \.value)
    observer = nil
    source.value = 2
    XCTAssertEqual(target.value, 1)
  }

  // MARK: The target

  func test_bind_target_isNotKeptAlive() {
    let source = Dial(1)
    assertReleased {
      let target = Dial()
      observations.bind(source, \.value, to: target, \.value)
      source.value = 2
      XCTAssertEqual(target.value, 2)
      return target
    }
  }

  func test_bind_targetDeallocated_endsWithTheNextChange() {
    let source = Dial(1)
    var calls = 0
    let token = scoped {
      observations.bind(source, \.value, to: Dial(), \.value) { value in
        calls += 1
        return value
      }
    }
    let callsBefore = calls
    source.value = 2
    XCTAssertFalse(token.isActive)
    XCTAssertEqual(calls, callsBefore)
  }

  func test_bind_targetDeallocated_leavesTheTablesAtTheirNextUse() {
    let source = Dial(1)
    for use in 0..<3 {
      let token = assertLeavesNoObservations {
        observations.bind(source, \.value, to: Dial(), \.value)
      }
      switch use {
      case 0: XCTAssertEqual(ObservationDispatcher.shared.observations(of: source).count, 0)
      case 1: XCTAssertEqual(observations.observations.count, 0)
      default: XCTAssertFalse(observations.isObserving(source, \.value))
      }
      XCTAssertEqual(token.isActive, false)
    }
  }

  func test_bind_targetsDeallocated_doNotAccumulate() {
    let source = Dial(1)
    weak var first: ObservationToken?
    for index in 0..<1_000 {
      scoped {
        let token = observations.bind(source, \.value, to: Dial(), \.value)
        if index == 0 { first = token }
      }
    }
    XCTAssertNil(first)
  }

  func test_bind_newTargetAtAReusedAddress_isBoundAnew() {
    let source = Dial(1)
    for _ in 0..<100 {
      let target = Dial()
      observations.bind(source, \.value, to: target, \.value)
      XCTAssertEqual(target.value, 1)
    }
  }

  // MARK: The source

  func test_bind_source_isKeptAliveByARetainingController() {
    let target = Dial()
    weak var source: Dial?
    let token = scoped {
      let made = Dial(1)
      source = made
      return observations.bind(made, \.value, to: target, \.value)
    }
    XCTAssertNotNil(source)
    source?.value = 2
    XCTAssertEqual(target.value, 2)
    token.invalidate()
    XCTAssertNil(source)
  }

  func test_bind_source_isNotKeptAliveByAnotherController_andEndsIt() {
    let observer = SilentObserver()
    let controller = ObservationController(observer: observer, retainsObserved: false)
    let target = Dial()
    var token: ObservationToken?
    assertLeavesNoObservations {
      assertReleased {
        let source = Dial(1)
        token = controller.bind(source, \.value, to: target, \.value)
        return source
      }
    }
    XCTAssertEqual(token?.isActive, false)
  }

  func test_bind_observerItself_isNotKeptAlive_asSourceOrAsTarget() {
    assertLeavesNoObservations {
      assertReleased {
        let (observer, dial) = (SelfObserver(), Dial(5))
        observer.observations.bind(observer, \.count, to: observer, \.other)
        observer.observations.bind(dial, \.value, to: observer, \.count)
        dial.value = 6
        XCTAssertEqual([observer.count, observer.other], [6, 6])
        return observer
      }
    }
  }

  // MARK: Closures and values

  func test_bind_transform_isReleasedWhenTheBindingEnds() {
    let counter = LifetimeCounter()
    let ends: [(ObservationController<SilentObserver>, Dial, ObservationToken) -> Void] = [
      { _, _, token in token.invalidate() },
      { controller, source, _ in controller.unobserve(source) },
      { controller, _, _ in controller.unobserveAll() },
    ]
    let observer = SilentObserver()
    for end in ends {
      let (source, target) = (Dial(1), Dial())
      let controller = ObservationController(observer: observer)
      let token = controller.bind(source, \.value, to: target, \.value) {
        [ticket = counter.makeTicket()] value in
        withExtendedLifetime(ticket) { value }
      }
      XCTAssertEqual(counter.count, 1)
      end(controller, source, token)
      XCTAssertEqual(counter.count, 0)
      withExtendedLifetime(target) {}
    }
  }

  func test_bind_again_keepsNothingOfTheSecondTransform() {
    let counter = LifetimeCounter()
    let (source, target) = (Dial(1), Dial())
    for _ in 0..<2 {
      observations.bind(source, \.value, to: target, \.value) {
        [ticket = counter.makeTicket()] value in
        withExtendedLifetime(ticket) { value }
      }
    }
    XCTAssertEqual(counter.count, 1)
  }

  func test_bind_values_areNotKeptByTheBinding() {
    let (source, target) = (Instrument(), Instrument())
    observations.bind(source, \.holder, to: target, \.holder)
    assertReleased {
      let holder = Person("Ada")
      source.holder = holder
      XCTAssertTrue(target.holder === holder)
      source.holder = nil
      return holder
    }
  }
}
