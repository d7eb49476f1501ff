import Dispatch
import ObservationController
import TestSupport
import XCTest

#if Foundation
  import Foundation
#endif

/// Events and notifications, delivered on a queue and on the main actor.
final class EventOnQueueTests: TestCase {
  private let queue = DispatchQueue(label: "events")
  private let event = ObservableEvent<Int>()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  func test_event_onAQueue_isDeliveredInOrder() {
    observations.observe(event, on: queue) { $0.write($1) }
    observations.observe(event, on: queue) { $0.write("again \($1)") }
    queue.whileSuspended {
      event.send(1)
      event.send(2)
      XCTAssertEqual(recorder.events, [])
    }
    XCTAssertEqual(recorder.events, ["1", "again 1", "2", "again 2"])
  }

  func test_event_onAQueue_coalescing_isTheLastOne() {
    observations.observe(event, on: queue, coalescing: .latest) { $0.write($1) }
    queue.whileSuspended { for number in 1...9 { event.send(number) } }
    event.send(10)
    queue.drain()
    XCTAssertEqual(recorder.events, ["9", "10"])
  }

  func test_event_onAQueue_afterTheEnd_isNotDelivered_andReleasesTheHandler() {
    weak var captured: Recorder<Int>?
    let token: ObservationToken
    do {
      let object = Recorder<Int>()
      captured = object
      token = observations.observe(event, on: queue) { recorder, number in
        object.append(number)
        recorder.write(number)
      }
    }
    queue.whileSuspended {
      event.send(1)
      token.invalidate()
    }
    XCTAssertEqual(recorder.events, [])
    XCTAssertNil(captured)
  }

  func test_event_sentByManyThreads_onAQueue_losesNone() {
    let threads = 4
    let count = Effort.count(quick: 200, full: 5_000)
    observations.observe(event, on: queue) { $0.write($1) }
    let event = event
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      for number in 0..<count { event.send(thread * count + number) }
    }
    queue.drain()
    XCTAssertEqual(Set(recorder.events).count, threads * count)
    XCTAssertEqual(recorder.events.count, threads * count)
  }

  @MainActor
  func test_event_onTheMainActor_isDeliveredThere() async {
    let observations = ObservationController(observer: recorder)
    observations.observeOnMainActor(event) { recorder, number in
      MainActor.assertIsolated()
      recorder.write(number)
    }
    let event = event
    await Task.detached { event.send(7) }.value
    await drainMainQueue()
    XCTAssertEqual(recorder.events, ["7"])
  }

  #if Foundation
    private let posted = Notification.Name("EventOnQueueTests")

    func test_notification_onAQueue_isDeliveredInOrder_untilTheEnd() {
      let center = NotificationCenter()
      let sender = Recorder<Int>()
      let token = observations.observe(posted, from: sender, in: center, on: queue) {
        recorder, notification in
        recorder.write(notification.userInfo?["number"] ?? "none")
      }
      queue.whileSuspended {
        for number in 1...3 {
          center.post(name: posted, object: sender, userInfo: ["number": number])
        }
        center.post(name: posted, object: nil)
        XCTAssertEqual(recorder.events, [])
      }
      XCTAssertEqual(recorder.takeEvents(), ["1", "2", "3"])
      token.invalidate()
      center.post(name: posted, object: sender)
      queue.drain()
      XCTAssertEqual(recorder.events, [])
    }

    @MainActor
    func test_notification_onTheMainActor_isDeliveredThere() async {
      let center = NotificationCenter()
      let observations = ObservationController(observer: recorder)
      let name = posted
      observations.observeOnMainActor(name, in: center) { recorder, notification in
        MainActor.assertIsolated()
        recorder.write(notification.name.rawValue)
      }
      await Task.detached { [center = UncheckedBox(center)] in
        center.value.post(name: name, object: nil)
      }.value
      await drainMainQueue()
      XCTAssertEqual(recorder.events, ["EventOnQueueTests"])
    }
  #endif
}

/// Safe: a notification center may be used on any thread.
private struct UncheckedBox<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
