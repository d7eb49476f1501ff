#if Foundation
  import Foundation
  import ObservationController
  import TestSupport
  import XCTest

  /// Notifications: the center retains nothing; and several threads at once. Run with
  /// ThreadSanitizer too.
  final class NotificationLifetimeTests: TestCase {
    private let center = NotificationCenter()
    private let news = Notification.Name("news")
    private let recorder = LineRecorder()

    // MARK: Lifetime

    func test_C13_retainingController_keepsTheSenderUntilItIsUnobserved() {
      let observations = ObservationController(observer: recorder)
      assertLeavesNoObservations {
        let sender = scoped {
          let sender = Thing()
          observations.observe(news, from: sender, in: center) { _, _ in }
          return Weak(sender)
        }
        XCTAssertNotNil(sender.object)
        observations.unobserveAll()
        XCTAssertNil(sender.object)
      }
    }

    func test_C13_nonRetainingController_andCenter_neverKeepTheSender() {
      let observations = ObservationController(observer: recorder, retainsObserved: false)
      let handlers = LifetimeCounter()
      var token: ObservationToken?
      assertLeavesNoObservations {
        assertReleased {
          let sender = Thing()
          token = observations.observe(news, from: sender, in: center) {
            [ticket = handlers.makeTicket()] recorder, _ in
            withExtendedLifetime(ticket) { recorder.write("delivered") }
          }
          center.post(name: news, object: sender)
          return sender
        }
        // At the latest when the tables are used.
        XCTAssertEqual(observations.observations.count, 0)
        XCTAssertEqual(token?.isActive, false)
        XCTAssertEqual(handlers.count, 0)
      }
      XCTAssertEqual(recorder.events, ["delivered"])
    }

    func test_C14_aNewSenderAtAReusedAddress_inheritsNothing() {
      let observations = ObservationController(observer: recorder, retainsObserved: false)
      assertLeavesNoObservations {
        for _ in 0..<100 {
          let sender = Thing()
          center.post(name: news, object: sender)
          observations.observe(news, from: sender, in: center) { recorder, _ in
            recorder.write("delivered")
          }
          center.post(name: news, object: sender)
        }
      }
      XCTAssertEqual(recorder.events, Array(repeating: "delivered", count: 100))
    }

    func test_C13_observerOfItsOwnNotifications_isNotRetained() {
      assertLeavesNoObservations {
        assertReleased {
          let observer = SelfObserver()
          observer.observations.observe(news, from: observer, in: center) { observer, _ in
            observer.count += 1
          }
          center.post(name: news, object: observer)
          XCTAssertEqual(observer.count, 1)
          return observer
        }
      }
    }

    func test_C12_observerAndController_areNotKeptByTheCenter() {
      let handlers = LifetimeCounter()
      assertLeavesNoObservations {
        let observer = scoped {
          let observer = LineRecorder()
          let observations = ObservationController(observer: observer)
          observations.observe(news, in: center) { [ticket = handlers.makeTicket()] recorder, _ in
            withExtendedLifetime(ticket) { recorder.write("delivered") }
          }
          center.post(name: news, object: nil)
          XCTAssertEqual(observer.events, ["delivered"])
          return Weak(observer)
        }
        XCTAssertNil(observer.object)
        XCTAssertEqual(handlers.count, 0)
        center.post(name: news, object: nil)
      }
    }

    func test_C12_deallocatedObserver_isNotNotified() {
      let observations = scoped { ObservationController(observer: SilentObserver()) }
      observations.observe(news, in: center) { [recorder] _, _ in recorder.write("delivered") }
      center.post(name: news, object: nil)
      XCTAssertEqual(recorder.events, [])
    }

    func test_C13_center_isKeptByARetainingController_andNotByAnother() {
      for retainsObserved in [true, false] {
        let observations = ObservationController(
          observer: recorder, retainsObserved: retainsObserved)
        assertLeavesNoObservations {
          let center = scoped {
            let center = NotificationCenter()
            observations.observe(news, in: center) { _, _ in }
            observations.observe(news, from: observations, in: center) { _, _ in }
            return Weak(center)
          }
          XCTAssertEqual(center.object != nil, retainsObserved)
          observations.unobserveAll()
          XCTAssertNil(center.object)
        }
      }
    }

    func test_C15_notification_isNotKept() {
      let observations = ObservationController(observer: recorder)
      let values = LifetimeCounter()
      observations.observe(news, in: center) { _, _ in }
      scoped { center.post(name: news, object: nil, userInfo: ["": values.makeTicket()]) }
      XCTAssertEqual(values.count, 0)
    }

    func test_C16_handler_isReleasedWhenItsObservationEnds() {
      let observations = ObservationController(observer: recorder)
      let handlers = LifetimeCounter()
      var token: ObservationToken?
      token = observations.observe(news, in: center) {
        [ticket = handlers.makeTicket()] recorder, _ in
        token?.invalidate()
        recorder.write(handlers.count)
        _ = ticket
      }
      center.post(name: news, object: nil)
      XCTAssertEqual(recorder.events, ["1"], "it stays while it runs")
      XCTAssertEqual(handlers.count, 0)
      XCTAssertNotNil(token, "neither center nor token keep it")
    }

    // MARK: Threads

    func test_C20_eightThreadsPosting_areDeliveredEachOnItsThread() {
      let counter = CallCounter()
      let observations = ObservationController(observer: counter)
      let (center, news) = (self.center, self.news)
      observations.observe(news, in: center) { counter, notification in
        XCTAssertIdentical(notification.object as? Thread, Thread.current)
        counter.increment()
      }
      onThreads(8) { _ in
        for _ in 0..<200 { center.post(name: news, object: Thread.current) }
      }
      XCTAssertEqual(counter.count, 1_600)
    }

    /// A notification posted while an observation is being registered does not end it before it is
    /// stored.
    func test_C12_C20_deallocatedObserver_whileOthersPost_leavesNothing() {
      let handlers = LifetimeCounter()
      let center = NotificationCenter()
      let name = Notification.Name("early")
      let threads = (0..<3).map { StressThread($0, random: SeededGenerator(seed: 0)) }
      let (left, isDone) = (Guarded(0), Flag())
      assertLeavesNoObservations {
        let observations = ObservationController(observer: scoped { SilentObserver() })
        let shared = UncheckedReference(observations)
        Watchdog(of: "orphans").run(threads) { thread in
          while thread.index > 0, !isDone.isSet {
            thread.perform("post") { center.post(name: name, object: nil) }
          }
          if thread.index == 0 {
            for _ in 0..<Effort.count(quick: 200, full: 2_000) {
              let token = thread.perform("observe") {
                shared.object.observe(name, in: center) { [ticket = handlers.makeTicket()] _, _ in
                  withExtendedLifetime(ticket) { left.withLock { $0 += 1 } }
                }
              }
              thread.perform("invalidate") { token.invalidate() }
              if token.isActive { left.withLock { $0 += 1 } }
            }
            isDone.set()
          }
        }
        XCTAssertEqual(observations.observations.count, 0)
      }
      XCTAssertEqual(left.withLock { $0 }, 0)
      XCTAssertEqual(handlers.count, 0)
    }

    func test_C20_observationsAddedAndRemoved_whileOthersPost() {
      let counter = CallCounter()
      let observations = ObservationController(observer: counter)
      let handlers = LifetimeCounter()
      let (center, news) = (self.center, self.news)
      let sender = UncheckedReference(Thing())
      assertLeavesNoObservations {
        onThreads(4) { thread in
          for _ in 0..<Effort.count(quick: 25, full: 200) {
            if thread == 0 {
              center.post(name: news, object: sender.object)
            } else {
              let token = observations.observe(
                news, from: thread == 1 ? nil : sender.object, in: center
              ) { [ticket = handlers.makeTicket()] counter, _ in
                withExtendedLifetime(ticket) { counter.increment() }
              }
              center.post(name: news, object: sender.object)
              if thread == 2 {
                ObservationDispatcher.shared.removeObservations(of: sender.object)
              } else {
                token.invalidate()
              }
            }
          }
        }
        observations.unobserveAll()
      }
      XCTAssertEqual(handlers.count, 0)
      let count = counter.count
      center.post(name: news, object: sender.object)
      XCTAssertEqual(counter.count, count)
    }

    func test_C20_controllersDeallocated_whileOthersPost() {
      let counter = CallCounter()
      let (center, news) = (self.center, self.news)
      assertLeavesNoObservations {
        onThreads(4) { thread in
          for _ in 0..<Effort.count(quick: 25, full: 200) {
            if thread < 2 {
              center.post(name: news, object: nil)
            } else {
              ObservationController(observer: counter).observe(news, in: center) { counter, _ in
                counter.increment()
              }
            }
          }
        }
      }
    }
  }
#endif
