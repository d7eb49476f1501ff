#if Foundation
  import Foundation
  import ObservationController
  import TestSupport
  import XCTest

  /// Introspection of events, hooks and notifications.
  final class EventIntrospectionTests: TestCase {
    private let dispatcher = ObservationDispatcher.shared
    private let event = ObservableEvent<Int>()
    private let hook = ObservableHook<Int, Bool> { _ in false }
    private let center = NotificationCenter()
    private let sender = Thing()
    private let recorder = LineRecorder()
    private lazy var observations = ObservationController(observer: recorder)

    private func address(_ object: AnyObject) -> String {
      String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16)
    }

    func test_descriptions_nameObserverObjectHandlerAndPlace() {
      let line: UInt = #line + 1
      observations.observe(event) { _, _ in }
      observations.observe(event, action: LineRecorder.clear)
      observations.handle(hook) { _, _ in true }
      observations.observe(Notification.Name("saved"), from: sender, in: center) { _, _ in }
      observations.observe(Notification.Name("saved"), in: center) { _, _ in }
      let observer = "Recorder<String>@\(address(recorder)) observes"
      XCTAssertEqual(
        observations.observations.map(\.description),
        [
          #"\#(observer) \ObservableEvent<Int>.self of ObservableEvent<Int>@\#(address(event)) [] "#
            + "by block at \(#fileID):\(line)",
          #"\#(observer) \ObservableEvent<Int>.self of ObservableEvent<Int>@\#(address(event)) [] "#
            + "by action at \(#fileID):\(line + 1)",
          #"\#(observer) \ObservableHook<Int, Bool>.self of ObservableHook<Int, Bool>@"#
            + "\(address(hook)) [] by block at \(#fileID):\(line + 2)",
          #"\#(observer) \Notification.self of Thing@\#(address(sender)) [], context "saved" "#
            + "by block at \(#fileID):\(line + 3)",
          #"\#(observer) \Notification.self of NotificationCenter@\#(address(center)) [], "#
            + #"context "saved" by block at \#(#fileID):\#(line + 4)"#,
        ])
    }

    func test_tables_followEveryRegistrationAndEnd() {
      let before = dispatcher.activeObservationCount
      let tokens = [
        observations.observe(event) { _, _ in },
        observations.observe(event) { _, _ in },
        observations.handle(hook) { _, _ in true },
        observations.observe(Notification.Name("saved"), from: sender, in: center) { _, _ in },
        observations.observe(Notification.Name("saved"), in: center) { _, _ in },
      ]
      XCTAssertEqual(dispatcher.activeObservationCount, before + 5)
      for (object, count) in [(event, 2), (hook, 1), (sender, 1), (center, 1)] as [(AnyObject, Int)]
      {
        XCTAssertEqual(dispatcher.observations(of: object).count, count)
        XCTAssertIdentical(dispatcher.observations(of: object)[0].object, object)
        XCTAssertEqual(dispatcher.observedKeyPaths(of: object).count, 1)
        XCTAssertEqual(dispatcher.observedKeyPaths(of: object, by: recorder).count, 1)
      }
      XCTAssertEqual(dispatcher.observedKeyPaths(of: event), [\ObservableEvent<Int>.self])
      XCTAssertEqual(dispatcher.observers(of: hook, \.self).count, 1)
      XCTAssertTrue(observations.isObserving(event, \.self))
      XCTAssertTrue(observations.isObserving(hook, \.self))
      for (index, token) in tokens.enumerated() {
        token.invalidate()
        XCTAssertEqual(dispatcher.activeObservationCount, before + 4 - index)
      }
      XCTAssertFalse(observations.isObserving(event, \.self))
      XCTAssertEqual(dispatcher.observations(of: event).count, 0)
    }
  }
#endif
