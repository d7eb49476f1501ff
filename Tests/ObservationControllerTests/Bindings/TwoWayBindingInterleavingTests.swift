import Foundation
import ObservationController
import TestSupport
import XCTest

/// Two-way bindings of the same properties made at once.
final class TwoWayBindingInterleavingTests: TestCase {
  private final class Exact: @unchecked Sendable {
    @AtomicObserved var value = 0.0
  }

  private final class Rounded: @unchecked Sendable {
    @AtomicObserved var stored = 0
    let onRead = Hook()

    var value: Int {
      get {
        onRead.run()
        return stored
      }
      set { stored = newValue }
    }
  }

  private let observer = SilentObserver()
  private lazy var controller = ObservationController(observer: observer)

  private static func bind(
    _ controller: ObservationController<SilentObserver>, _ exact: Exact, _ rounded: Rounded
  ) -> ObservationToken {
    controller.bindTwoWay(
      exact, \.value, with: rounded, \.value, forward: { Int($0.rounded()) },
      backward: { Double($0) })
  }

  private static func bindReversed(
    _ controller: ObservationController<SilentObserver>, _ exact: Exact, _ rounded: Rounded
  ) -> ObservationToken {
    controller.bindTwoWay(
      rounded, \.value, with: exact, \.value, forward: { Double($0) },
      backward: { Int($0.rounded()) })
  }

  /// Has another thread bind while `rounded` is read.
  ///
  /// - Returns: The token, once that has been done.
  private func whenNextRead(
    _ rounded: Rounded, _ bind: @escaping @Sendable () -> ObservationToken
  ) -> Guarded<ObservationToken?> {
    let other = Guarded<ObservationToken?>(nil)
    rounded.onRead.set {
      onAnotherThread {
        let token = bind()
        other.withLock { $0 = token }
      }
    }
    return other
  }

  /// Another thread binds the properties the other way round, between the registrations of the two
  /// ends: a converted value must not be converted back.
  func test_C17_bindTwoWay_theOtherWayRoundMeanwhile_isOneBinding() {
    let (exact, rounded) = (Exact(), Rounded())
    let controller = controller
    let other = whenNextRead(rounded) { Self.bindReversed(controller, exact, rounded) }
    let token = Self.bind(controller, exact, rounded)
    XCTAssertTrue(token.isActive)
    XCTAssertTrue(token === other.withLock { $0 })
    XCTAssertEqual(controller.observations.count, 2)
    exact.value = 1.4
    XCTAssertEqual(rounded.stored, 1)
    XCTAssertEqual(exact.value, 1.4)
    rounded.value = 7
    XCTAssertEqual(exact.value, 7)
    token.invalidate()
    XCTAssertEqual(controller.observations.count, 0)
  }

  /// Another thread ends the binding and makes it anew, between the registrations of the two ends.
  func test_C18_bindTwoWay_endedAndMadeAnewMeanwhile_newOneLasts() {
    let (exact, rounded) = (Exact(), Rounded())
    let controller = controller
    let other = whenNextRead(rounded) {
      controller.unobserve(exact)
      return Self.bind(controller, exact, rounded)
    }
    _ = Self.bind(controller, exact, rounded)
    XCTAssertTrue(other.withLock { $0 }!.isActive)
    exact.value = 1.4
    XCTAssertEqual(rounded.stored, 1)
    XCTAssertEqual(exact.value, 1.4)
    rounded.value = 7
    XCTAssertEqual(exact.value, 7)
  }

  private final class Whole: @unchecked Sendable {
    @AtomicObserved var stored = 0
    let afterSet = Guarded<(@Sendable () -> Void)?>(nil)

    var value: Int {
      get { stored }
      set {
        stored = newValue
        afterSet.withLock { $0 }?()
      }
    }
  }

  /// The follower is set by a thread while another one delivers an earlier change of it: the
  /// delivery of that is not the echo.
  func test_C21_bindTwoWay_followerSetWhileDelivered_isNotConvertedBack() {
    let (whole, exact) = (Whole(), Exact())
    let controller = controller
    let (isStored, mayReturn, hasReturned) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    controller.observe(whole, \.stored) { _, _, change in
      if change.newValue == 5 {
        whole.afterSet.withLock {
          $0 = {
            isStored.signal()
            mayReturn.wait()
          }
        }
        Thread.detachNewThread {
          exact.value = 1.4
          hasReturned.signal()
        }
        isStored.wait()
      } else if change.newValue == 1 {
        mayReturn.signal()
        hasReturned.wait()
        whole.afterSet.withLock { $0 = nil }
      }
    }
    controller.bindTwoWay(
      whole, \.value, with: exact, \.value, forward: { Double($0) },
      backward: { Int($0.rounded()) })
    whole.value = 5
    XCTAssertEqual(whole.value, 1)
    XCTAssertEqual(exact.value, 1.4)
    exact.value = 2.4
    XCTAssertEqual(whole.value, 2)
    XCTAssertEqual(exact.value, 2.4)
  }

  func test_C21_bindTwoWay_bothEndsWrittenByThreads_agreeInTheEnd() {
    for _ in 0..<200 {
      let (one, other) = (Whole(), Whole())
      let controller = ObservationController(observer: observer)
      controller.bindTwoWay(one, \.value, with: other, \.value)
      onThreads(2) { thread in
        for number in 1...20 {
          if thread == 0 { one.value = number } else { other.value = -number }
        }
      }
      XCTAssertEqual(one.value, other.value)
    }
  }
}
