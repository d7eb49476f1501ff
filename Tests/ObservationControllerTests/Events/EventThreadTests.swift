import Foundation
import ObservationController
import Synchronization
import TestSupport
import XCTest

/// C20 to C22 for events: several threads at once. Run with ThreadSanitizer too.
final class EventThreadTests: CountingTestCase {
  /// Records its payloads, and that only one is delivered at a time.
  private final class Listener: Sendable {
    let received = (0..<8).map { _ in Recorder<Int>() }
    private let isDelivering = Atomic<Bool>(false)

    func receive(_ thread: Int, _ number: Int) {
      XCTAssertFalse(isDelivering.exchange(true, ordering: .relaxed), "two deliveries at once")
      received[thread].append(number)
      isDelivering.store(false, ordering: .relaxed)
    }

    var all: [[Int]] { received.map(\.events) }
  }

  private struct Message: Sendable {
    let thread: Int
    let number: Int
  }

  func test_C20_eightThreadsSending_loseNothing_andDeliverOneAtATime() {
    let event = ObservableEvent<Message>()
    let listeners = (0..<3).map { _ in Listener() }
    let controllers = listeners.map { ObservationController(observer: $0) }
    for controller in controllers {
      controller.observe(event) { listener, message in
        listener.receive(message.thread, message.number)
      }
    }
    // Many more in one turn than handlers may send in a row.
    let count = Effort.count(quick: 200, full: 1_000)
    assertNoIssues {
      onThreads(8) { thread in
        for number in 0..<count { event.send(Message(thread: thread, number: number)) }
      }
    }
    for listener in listeners {
      XCTAssertEqual(listener.all, Array(repeating: Array(0..<count), count: 8))
    }
    withExtendedLifetime(controllers) {}
  }

  func test_C20_eightThreadsSending_toHandlersThatSendAgain_areNoCycle() {
    let event = ObservableEvent<Message>()
    let listener = Listener()
    let controller = ObservationController(observer: listener)
    controller.observe(event) { listener, message in
      listener.receive(message.thread, message.number)
      if message.number > 0 {
        event.send(Message(thread: message.thread, number: -message.number))
      }
    }
    assertNoIssues {
      onThreads(8) { thread in
        for number in 1...300 { event.send(Message(thread: thread, number: number)) }
      }
    }
    for received in listener.all {
      XCTAssertEqual(received.filter { $0 > 0 }, Array(1...300))
      XCTAssertEqual(received.filter { $0 < 0 }, Array(1...300).map { -$0 })
    }
    controller.unobserveAll()
  }

  /// A new observer receives later events of its thread, and no earlier ones.
  func test_C9_registeringBetweenTwoEvents_receivesOnlyTheSecond() {
    let event = ObservableEvent<Message>()
    let listeners = (0..<8).map { _ in Listener() }
    let controllers = listeners.map { ObservationController(observer: $0) }
    onThreads(8) { thread in
      for number in 0..<50 {
        event.send(Message(thread: thread, number: -1))
        let token = controllers[thread].observe(event) { listener, message in
          if message.thread == thread { listener.receive(thread, message.number) }
        }
        event.send(Message(thread: thread, number: number))
        token.invalidate()
      }
    }
    for received in listeners.flatMap(\.all) {
      XCTAssertFalse(received.contains(-1))
      XCTAssertEqual(received, received.sorted())
    }
    withExtendedLifetime(controllers) {}
  }

  func test_C20_handlersAddedAndRemoved_whileEventsAreSent() {
    let event = ObservableEvent<Message>()
    let listener = Listener()
    let controller = ObservationController(observer: listener)
    let handlers = LifetimeCounter()
    onThreads(8) { thread in
      for number in 0..<Effort.count(quick: 30, full: 300) {
        if thread < 2 {
          event.send(Message(thread: thread, number: number))
        } else if thread < 7 {
          let token = controller.observe(event) {
            [ticket = handlers.makeTicket()] listener, message in
            withExtendedLifetime(ticket) { listener.receive(message.thread, message.number) }
          }
          if number.isMultiple(of: 3) { event.send(Message(thread: thread, number: number)) }
          token.invalidate()
        } else {
          let observations = ObservationController(observer: listener, retainsObserved: false)
          observations.observe(event) { listener, message in
            listener.receive(message.thread, message.number)
          }
          _ = ObservationDispatcher.shared.observations(of: event)
        }
      }
    }
    XCTAssertEqual(handlers.count, 0)
    XCTAssertEqual(controller.observations.count, 0)
  }

  func test_C14_eventsDeallocated_whileTheyAreUnobserved() {
    let listener = Listener()
    let controller = ObservationController(observer: listener, retainsObserved: false)
    for _ in 0..<Effort.count(quick: 100, full: 1_000) {
      let event = Guarded<ObservableEvent<Message>?>(ObservableEvent())
      let token = event.withLock { controller.observe($0!) { _, _ in } }
      onThreads(2) { thread in
        if thread == 0 {
          token.invalidate()
        } else {
          let last = event.withLock { event in
            defer { event = nil }
            return event
          }
          withExtendedLifetime(last) {}
        }
      }
    }
    XCTAssertEqual(controller.observations.count, 0)
  }

  func test_event_isSendable_ifItsPayloadIs() {
    func takeSendable(_ value: some Sendable) {}
    takeSendable(ObservableEvent<Message>())
    takeSendable(ObservableEvent<Void>())
  }

  #if Foundation
    // MARK: C22

    /// Each uses the event, or the hook, on another thread and waits for it.
    func test_C22_handlersOfEventsHooksAndNotifications_runWithNoLockHeld() {
      let listener = Listener()
      let controller = ObservationController(observer: listener)
      let event = ObservableEvent<Int>()
      let hook = ObservableHook<Int, Int> { $0 }
      let center = NotificationCenter()
      let name = Notification.Name("used")
      let target = Tables(controller, event, hook)
      controller.observe(event) { _, number in
        if number == 1 { target.use() }
      }
      controller.handle(hook) { _, number in
        target.use()
        return number + 1
      }
      controller.observe(name, in: center) { _, _ in target.use() }
      event.send(1)
      XCTAssertEqual(hook(1), 2)
      center.post(name: name, object: nil)
      for end in [
        controller.observe(event) { [last = Sentinel(target.use)] _, _ in _ = last },
        controller.handle(hook) { [last = Sentinel(target.use)] _, number in
          withExtendedLifetime(last) { number }
        },
        controller.observe(name, in: center) { [last = Sentinel(target.use)] _, _ in _ = last },
      ] { end.invalidate() }
      XCTAssertEqual(target.uses.load(ordering: .relaxed), 6)
      controller.unobserveAll()
    }

    /// Unchecked: the hook and its default have no state.
    private final class Tables: @unchecked Sendable {
      let uses = Atomic<Int>(0)
      private let controller: ObservationController<Listener>
      private let event: ObservableEvent<Int>
      private let hook: ObservableHook<Int, Int>

      init(
        _ controller: ObservationController<Listener>, _ event: ObservableEvent<Int>,
        _ hook: ObservableHook<Int, Int>
      ) {
        (self.controller, self.event, self.hook) = (controller, event, hook)
      }

      func use() {
        uses.wrappingAdd(1, ordering: .relaxed)
        onAnotherThread { [self] in
          let tokens = [
            controller.observe(event) { _, _ in }, controller.handle(hook) { _, number in number },
          ]
          _ = ObservationDispatcher.shared.activeObservationCount
          event.send(0)
          _ = hook(0)
          for token in tokens { token.invalidate() }
        }
      }
    }
  #endif
}
