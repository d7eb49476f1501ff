import Foundation
import ObservationController
import TestSupport
import XCTest

/// Lifetimes of hooks, and several threads at once. Run with ThreadSanitizer too.
final class HookLifetimeTests: TestCase {
  private let observer = SilentObserver()

  // MARK: Lifetime

  func test_C13_retainingController_keepsTheHookUntilItIsUnobserved() {
    let observations = ObservationController(observer: observer)
    assertLeavesNoObservations {
      let hook = scoped {
        let hook = ObservableHook<Int, Int> { $0 }
        observations.handle(hook) { _, number in number }
        return Weak(hook)
      }
      XCTAssertNotNil(hook.object)
      observations.unobserveAll()
      XCTAssertNil(hook.object)
    }
  }

  func test_C13_nonRetainingController_neverKeepsTheHook() {
    let observations = ObservationController(observer: observer, retainsObserved: false)
    let handlers = LifetimeCounter()
    var token: ObservationToken?
    assertLeavesNoObservations {
      assertReleased {
        let hook = ObservableHook<Int, Int> { [ticket = handlers.makeTicket()] number in
          withExtendedLifetime(ticket) { number }
        }
        token = observations.handle(hook) { [ticket = handlers.makeTicket()] _, number in
          withExtendedLifetime(ticket) { number }
        }
        XCTAssertEqual(handlers.count, 2)
        return hook
      }
      XCTAssertEqual(handlers.count, 0)
      XCTAssertEqual(token?.isActive, false)
    }
  }

  func test_C12_handlerOfADeallocatedObserver_leavesThePreviousToDecide() {
    let hook = ObservableHook<Int, String> { _ in "default" }
    let observations = ObservationController(observer: observer)
    observations.handle(hook) { _, _ in "first" }
    var second: LineRecorder? = LineRecorder()
    let seconds = ObservationController(observer: second!)
    seconds.handle(hook) { _, _ in "second" }
    XCTAssertEqual(hook(0), "second")
    second = nil
    XCTAssertEqual(hook(0), "first")
    observations.unobserveAll()
    XCTAssertEqual(hook(0), "default")
    withExtendedLifetime(seconds) {}
  }

  func test_C12_onlyHandlerOfADeallocatedObserver_leavesTheDefaultToDecide() {
    let hook = ObservableHook<Int, String> { "default \($0)" }
    var observer: LineRecorder? = LineRecorder()
    let observations = ObservationController(observer: observer!)
    observations.handle(hook) { _, number in "handled \(number)" }
    XCTAssertEqual(hook(1), "handled 1")
    observer = nil
    XCTAssertEqual(hook(2), "default 2")
    withExtendedLifetime(observations) {}
  }

  func test_C14_controllerDeallocated_leavesThePreviousToDecide() {
    let hook = ObservableHook<Int, String> { _ in "default" }
    let handlers = LifetimeCounter()
    assertLeavesNoObservations {
      let observations = ObservationController(observer: observer)
      observations.handle(hook) { [ticket = handlers.makeTicket()] _, _ in
        withExtendedLifetime(ticket) { "handled" }
      }
      XCTAssertEqual(hook(0), "handled")
    }
    XCTAssertEqual(handlers.count, 0)
    XCTAssertEqual(hook(0), "default")
  }

  func test_C15_inputAndAnswer_areNotKept() {
    let values = LifetimeCounter()
    let hook = ObservableHook<LifetimeCounter.Ticket, LifetimeCounter.Ticket> { $0 }
    let observations = ObservationController(observer: observer)
    observations.handle(hook) { _, _ in values.makeTicket() }
    scoped { XCTAssertFalse(hook(values.makeTicket()) === hook(values.makeTicket())) }
    XCTAssertEqual(values.count, 0)
  }

  // MARK: Threads

  /// 160 levels at a time, of which each thread has 20.
  func test_C20_eightThreadsCalling_areNoNesting() {
    let counter = CallCounter()
    let observations = ObservationController(observer: counter)
    let shared = UncheckedReference(ObservableHook<Int, Int> { _ in -1 })
    let meeting = Barrier(8)
    observations.handle(shared.object) { counter, depth in
      counter.increment()
      guard depth > 1 else {
        meeting.wait()
        return 1
      }
      return 1 + shared.object(depth - 1)
    }
    assertNoIssues {
      let done = DispatchGroup()
      for _ in 0..<8 {
        done.enter()
        Thread.detachNewThread {
          XCTAssertEqual(shared.object(20), 20)
          done.leave()
        }
      }
      done.wait()
    }
    XCTAssertEqual(counter.count, 160)
    observations.unobserveAll()
  }

  /// A cycle on one thread does not stop calls on another.
  func test_C20_cycleOnOneThread_leavesTheOthersAlone() {
    let counter = CallCounter()
    let observations = ObservationController(observer: counter)
    let shared = UncheckedReference(ObservableHook<Int, Int> { _ in -1 })
    observations.handle(shared.object) { _, depth in depth == 0 ? 0 : shared.object(depth - 1) }
    let issues = collectingIssues {
      onThreads(2) { thread in
        for _ in 0..<100 {
          XCTAssertEqual(shared.object(thread == 0 ? 1_000 : 50), thread == 0 ? -1 : 0)
        }
      }
    }
    XCTAssertEqual(issues.count, 100)
    observations.unobserveAll()
  }

  func test_C20_handlersAddedAndRemoved_whileTheHookIsCalled() {
    let counter = CallCounter()
    let observations = ObservationController(observer: counter)
    let handlers = LifetimeCounter()
    let shared = UncheckedReference(ObservableHook<Int, Int> { _ in 0 })
    assertLeavesNoObservations {
      onThreads(8) { thread in
        for _ in 0..<Effort.count(quick: 30, full: 300) {
          if thread < 4 {
            let answer = shared.object(0)
            XCTAssertTrue(answer == 0 || answer >= 4)
          } else {
            let token = observations.handle(shared.object) {
              [ticket = handlers.makeTicket()] _, _ in
              withExtendedLifetime(ticket) { thread }
            }
            XCTAssertGreaterThanOrEqual(shared.object(0), 4)
            token.invalidate()
          }
        }
      }
    }
    XCTAssertEqual(handlers.count, 0)
    XCTAssertEqual(shared.object(1), 0)
  }
}

/// Releases threads when all of them have arrived.
private final class Barrier: Sendable {
  private let missing: Guarded<Int>
  private let count: Int
  private let door = DispatchSemaphore(value: 0)

  init(_ count: Int) {
    self.count = count
    missing = Guarded(count)
  }

  func wait() {
    let isLast = missing.withLock { missing in
      missing -= 1
      return missing == 0
    }
    if isLast { for _ in 0..<count { door.signal() } }
    XCTAssertEqual(door.wait(timeout: .now() + 20), .success)
  }
}
