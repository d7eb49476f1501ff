import ObservationController
import TestSupport
import XCTest

/// Lifetimes of two-way bindings, both halves of which end together.
final class TwoWayBindingEndTests: TestCase {
  private let panel = Panel()
  private var observations: ObservationController<Panel> { panel.observations }

  func test_bindTwoWay_oneHalfEnded_endsBoth() {
    let ends: [(ObservationController<Panel>, Dial, Dial, ObservationToken) -> Void] = [
      { _, _, _, token in token.invalidate() },
      { controller, a, _, _ in controller.unobserve(a, \.value) },
      { controller, _, b, _ in controller.unobserve(b, \.value) },
      { controller, _, b, _ in controller.unobserve(b) },
      { controller, _, _, _ in controller.unobserveAll() },
      { _, a, _, _ in ObservationDispatcher.shared.removeObservations(of: a) },
      { _, _, b, _ in ObservationDispatcher.shared.removeObservations(of: b, \.value) },
    ]
    let counter = LifetimeCounter()
    for (index, end) in ends.enumerated() {
      let (a, b) = (Dial(1), Dial())
      let token = assertLeavesNoObservations {
        let token = observations.bindTwoWay(
          a, \.value, with: b, \.value,
          forward: { [ticket = counter.makeTicket()] in withExtendedLifetime((ticket, $0)) { $0.1 }
          },
          backward: { [ticket = counter.makeTicket()] in
            withExtendedLifetime((ticket, $0)) { $0.1 }
          })
        XCTAssertEqual(observations.observations.count, 2)
        XCTAssertEqual(counter.count, 2)
        end(observations, a, b, token)
        return token
      }
      XCTAssertFalse(token.isActive, "end \(index)")
      XCTAssertEqual(counter.count, 0, "end \(index)")
      a.value = 2
      XCTAssertEqual(b.value, 1, "end \(index)")
      b.value = 3
      XCTAssertEqual(a.value, 2, "end \(index)")
    }
  }

  func test_bindTwoWay_boundAgainAfterItsEnd_isAnotherOne() {
    let (a, b) = (Dial(1), Dial())
    let first = observations.bindTwoWay(a, \.value, with: b, \.value)
    observations.unobserve(b)
    b.value = 5
    let second = observations.bindTwoWay(b, \.value, with: a, \.value)
    XCTAssertFalse(first === second)
    XCTAssertEqual([a.value, b.value], [5, 5])
    first.invalidate()
    XCTAssertTrue(second.isActive)
  }

  func test_bindTwoWay_controllerDeallocated_endsBothHalves() {
    let (a, b) = (Dial(1), Dial())
    var token: ObservationToken?
    assertLeavesNoObservations {
      let panel = Panel()
      token = panel.observations.bindTwoWay(a, \.value, with: b, \.value)
      b.value = 2
    }
    XCTAssertEqual(token?.isActive, false)
    b.value = 3
    XCTAssertEqual(a.value, 2)
  }

  // MARK: Objects

  func test_bindTwoWay_second_isNotRetained_endsTheBindingWhenDeallocated() {
    var token: ObservationToken?
    assertLeavesNoObservations {
      weak var a: Dial?
      assertReleased {
        let (first, b) = (Dial(1), Dial())
        a = first
        token = observations.bindTwoWay(first, \.value, with: b, \.value)
        b.value = 2
        return b
      }
      XCTAssertEqual(token?.isActive, false)
      XCTAssertNil(a, "released")
    }
  }

  func test_bindTwoWay_first_isKeptAliveByARetainingController() {
    let b = Dial()
    weak var a: Dial?
    scoped {
      let made = Dial(1)
      a = made
      observations.bindTwoWay(made, \.value, with: b, \.value)
    }
    b.value = 2
    XCTAssertEqual(a?.value, 2)
    observations.unobserve(b)
    XCTAssertNil(a)
  }

  func test_bindTwoWay_first_notRetained_endsTheBindingWhenDeallocated() {
    let (observer, b) = (SilentObserver(), Dial())
    let controller = ObservationController(observer: observer, retainsObserved: false)
    assertLeavesNoObservations {
      assertReleased {
        let a = Dial(1)
        controller.bindTwoWay(a, \.value, with: b, \.value)
        return a
      }
    }
    b.value = 5
  }

  func test_bindTwoWay_secondWithLinks_deallocated_leavesTheTables() {
    final class Facade {
      let dial: Dial
      var value: Int {
        get { dial.value }
        set { dial.value = newValue }
      }
      init(_ dial: Dial) { self.dial = dial }
    }
    let (a, dial) = (Dial(1), Dial())
    assertLeavesNoObservations {
      assertReleased {
        let facade = Facade(dial)
        observations.bindTwoWay(a, \.value, with: facade, \.value)
        return facade
      }
    }
    let token = scoped { observations.bindTwoWay(a, \.value, with: Facade(dial), \.value) }
    a.value = 7
    XCTAssertFalse(token.isActive, "found deallocated")
    XCTAssertEqual(dial.value, 1)
  }

  func test_bindTwoWay_observerItself_isNotKeptAlive() {
    let dial = Dial(5)
    assertLeavesNoObservations {
      assertReleased {
        let observer = SelfObserver()
        observer.observations.bindTwoWay(observer, \.count, with: dial, \.value)
        dial.value = 2
        XCTAssertEqual(observer.count, 2)
        return observer
      }
      assertReleased {
        let observer = SelfObserver()
        observer.observations.bindTwoWay(dial, \.value, with: observer, \.count)
        return observer
      }
    }
  }

  func test_bindTwoWay_values_areReleasedWhenItEnds() {
    let (a, b) = (Instrument(), Instrument())
    let token = observations.bindTwoWay(a, \.holder, with: b, \.holder)
    assertReleased {
      let holder = Person("Ada")
      a.holder = holder
      a.holder = nil
      return holder
    }
    assertReleased {
      let holder = Person("Ada")
      b.holder = holder
      token.invalidate()
      (a.holder, b.holder) = (nil, nil)
      return holder
    }
  }

  func test_bindTwoWay_endedByTheDeinitOfAKeptValue_isHarmless() {
    let (a, b) = (Holder<Sentinel?>(nil), Holder<Sentinel?>(nil))
    let token = observations.bindTwoWay(a, \.value, with: b, \.value)
    a.value = Sentinel { token.invalidate() }
    XCTAssertTrue(token.isActive)
    b.value = nil
    XCTAssertFalse(token.isActive)
    XCTAssertNil(a.value)
  }

  // MARK: Inside

  func test_bindTwoWay_endedByAConverter_setsNothingAnyMore() {
    for isForward in [true, false] {
      let (a, b) = (Dial(1), Dial())
      func convert(_ value: Int) -> Int {
        if value == 5 { observations.unobserve(isForward ? a : b) }
        return value
      }
      observations.bindTwoWay(a, \.value, with: b, \.value, forward: convert, backward: convert)
      (isForward ? a : b).value = 5
      XCTAssertEqual((isForward ? b : a).value, 1)
      XCTAssertEqual(observations.observations.count, 0)
    }
  }

  func test_bindTwoWay_endedByAHandler_endsTheOtherHalfAtOnce() {
    let (a, b) = (Dial(1), Dial())
    let token = observations.bindTwoWay(a, \.value, with: b, \.value)
    observations.observe(a, \.value) { _, _, change in
      token.invalidate()
      b.value = change.newValue * 10
    }
    a.value = 2
    XCTAssertEqual([a.value, b.value], [2, 20])
    XCTAssertEqual(observations.observations.count, 1)
  }

  func test_bindTwoWay_endedByTheGetterOfTheSecond_endsBothHalves() {
    final class Ender {
      @Observed var stored = 0
      var onRead: () -> Void = {}
      var value: Int {
        get {
          onRead()
          return stored
        }
        set { stored = newValue }
      }
    }
    let (a, b) = (Dial(1), Ender())
    b.onRead = { [unowned self] in observations.unobserve(a) }
    assertLeavesNoObservations {
      let token = observations.bindTwoWay(a, \.value, with: b, \.value)
      XCTAssertFalse(token.isActive)
    }
    XCTAssertEqual(b.stored, 0)
  }
}
