#if Foundation
  import Foundation
  import ObservationController
  import TestSupport
  import XCTest

  /// Notifications: their senders, and the time of their delivery.
  final class ObserveNotificationTests: TestCase {
    private let center = NotificationCenter()
    private let recorder = LineRecorder()
    private lazy var observations = ObservationController(observer: recorder)

    private func post(_ name: Notification.Name = .news, from sender: Any? = nil, _ number: Int = 0)
    {
      center.post(name: name, object: sender, userInfo: ["number": number])
    }

    @discardableResult
    private func observe(
      _ label: String, _ name: Notification.Name = .news, from sender: AnyObject? = nil
    ) -> ObservationToken {
      observations.observe(name, from: sender, in: center) { recorder, notification in
        recorder.write("\(label) \(notification.userInfo?["number"] ?? "")")
      }
    }

    func test_notification_posted_isDeliveredBeforePostingReturns() {
      let sender = Thing()
      observations.observe(.news, in: center) { recorder, notification in
        recorder.write(
          "\(notification.name.rawValue) \((notification.object as? Thing) === sender)")
      }
      post(from: sender)
      recorder.write("posted")
      XCTAssertEqual(recorder.events, ["news true", "posted"])
    }

    func test_notification_ofTheDefaultCenter_isDelivered() {
      let sender = Thing()
      observations.observe(.news, from: sender) { recorder, _ in recorder.write("delivered") }
      NotificationCenter.default.post(name: .news, object: sender)
      XCTAssertEqual(recorder.events, ["delivered"])
      observations.unobserve(sender)
      NotificationCenter.default.post(name: .news, object: sender)
      XCTAssertEqual(recorder.events, ["delivered"])
    }

    func test_notification_ofAnotherNameOrCenter_isNotDelivered() {
      observe("delivered")
      post(.other)
      NotificationCenter().post(name: .news, object: nil)
      NotificationCenter.default.post(name: .news, object: nil)
      XCTAssertEqual(recorder.events, [])
    }

    func test_notification_fromASender_isDeliveredFromThatAlone() {
      let (sender, other) = (Thing(), Thing())
      observe("sender", from: sender)
      observe("other", from: other)
      post(from: sender, 1)
      post(from: other, 2)
      post(from: nil, 3)
      post(from: "a value", 4)
      post(from: [sender], 5)
      post(from: type(of: sender), 6)
      XCTAssertEqual(recorder.events, ["sender 1", "other 2"])
    }

    func test_notification_fromAnySender_isDelivered() {
      observe("any")
      post(from: Thing(), 1)
      post(from: nil, 2)
      post(from: 7, 3)
      XCTAssertEqual(recorder.events, ["any 1", "any 2", "any 3"])
    }

    func test_notification_observedAgainOnOneLine_isAnotherObservation() {
      let tokens = (1...3).map { observe("\($0)") }
      post()
      XCTAssertEqual(recorder.events.sorted(), ["1 0", "2 0", "3 0"])
      recorder.clear()
      tokens[1].invalidate()
      post()
      XCTAssertEqual(recorder.events.sorted(), ["1 0", "3 0"])
    }

    func test_notification_unobserved_isNotDelivered() {
      let sender = Thing()
      let ends: [(ObservationToken) -> Void] = [
        { $0.invalidate() },
        { [self] _ in observations.unobserve(sender) },
        { [self] _ in observations.unobserveAll() },
        { _ in ObservationDispatcher.shared.removeObservations(of: sender) },
        { [self] _ in ObservationDispatcher.shared.removeObservations(of: sender, by: recorder) },
      ]
      for (index, end) in ends.enumerated() {
        let token = observe("delivered", from: sender)
        post(from: sender, index)
        end(token)
        XCTAssertFalse(token.isActive)
        post(from: sender, -1)
      }
      XCTAssertEqual(recorder.events, (0..<ends.count).map { "delivered \($0)" })
    }

    func test_notification_withoutASender_isAnObservationOfTheCenter() {
      let token = observe("any")
      observations.unobserve(Thing())
      XCTAssertTrue(token.isActive)
      observations.unobserve(center)
      XCTAssertFalse(token.isActive)
      post()
      XCTAssertEqual(recorder.events, [])
    }

    /// Reads of a handler are no dependencies of a computed path that posts.
    func test_notification_postedByAGetter_addsNoDependenciesOfItsHandlers() {
      final class Sensor {
        @Observed var raw = 0
        let center: NotificationCenter
        init(_ center: NotificationCenter) { self.center = center }

        var value: Int {
          center.post(name: .news, object: self)
          return raw
        }
      }
      let sensor = Sensor(center)
      let account = Account()
      observations.observe(.news, in: center) { _, _ in _ = account.balance }
      observations.observe(sensor, \.value) { recorder, _, change in recorder.write(change) }
      account.balance = 1
      sensor.raw = 1
      XCTAssertEqual(recorder.events, ["0 → 1"])
    }

    // MARK: Inside a handler

    func test_notification_postedInsideAHandler_isDeliveredAtOnce() {
      observations.observe(.news, in: center) { [unowned self] recorder, notification in
        let number = notification.userInfo?["number"] as? Int ?? 0
        recorder.write("begin \(number)")
        if number < 3 { post(number + 1) }
        recorder.write("end \(number)")
      }
      post(1)
      XCTAssertEqual(
        recorder.events, ["begin 1", "begin 2", "begin 3", "end 3", "end 2", "end 1"])
    }

    private func post(_ number: Int) { post(.news, from: nil, number) }

    func test_notification_postedBackByAnotherOne_isDeliveredAtOnce() {
      observations.observe(.news, in: center) { [unowned self] recorder, notification in
        recorder.write("delivered \(notification.userInfo?["number"] ?? "")")
        if notification.userInfo?["number"] as? Int == 1 { post(.other, 2) }
      }
      observations.observe(.other, in: center) { [unowned self] recorder, _ in
        recorder.write("other")
        post(3)
        recorder.write("end of other")
      }
      post(1)
      XCTAssertEqual(recorder.events, ["delivered 1", "other", "delivered 3", "end of other"])
    }

    private func post(_ name: Notification.Name, _ number: Int) { post(name, from: nil, number) }

    func test_C19_endedInsideAHandler_nothingFollowsOnThisThread() {
      let sender = Thing()
      for _ in 0..<4 {
        observations.observe(.news, from: sender, in: center) { [unowned self] recorder, _ in
          recorder.write("delivered")
          observations.unobserve(sender)
          post(from: sender)
        }
      }
      post(from: sender)
      XCTAssertEqual(recorder.events, ["delivered"])
      XCTAssertEqual(observations.observations.count, 0)
    }

    func test_registeredInsideAHandler_receivesTheNextOne() {
      var isFirst = true
      observations.observe(.news, in: center) { [unowned self] recorder, _ in
        guard isFirst else { return }
        isFirst = false
        observe("late")
      }
      post(1)
      post(2)
      XCTAssertEqual(recorder.events, ["late 2"])
    }

    func test_C16_handlersDeinit_thatEndsAndPosts_isAllowed() {
      let token = scoped {
        let sentinel = Sentinel { [unowned self] in
          post(2)
          observations.unobserveAll()
          post(3)
        }
        return observations.observe(.news, in: center) { _, _ in
          withExtendedLifetime(sentinel) {}
        }
      }
      observe("other")
      post(1)
      token.invalidate()
      post(4)
      XCTAssertEqual(recorder.events, ["other 1", "other 2"])
    }
  }

  extension Notification.Name {
    fileprivate static let news = Notification.Name("news")
    fileprivate static let other = Notification.Name("other")
  }
#endif
