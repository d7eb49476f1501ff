#if Foundation
  import Foundation
  import ObservationController
  import TestSupport
  import XCTest

  /// C23 for events, hooks and notifications: handlers that are isolated to an actor.
  final class EventIsolationTests: TestCase {
    private final class Door {
      let opened = ObservableEvent<Int>()
      let rang = ObservableEvent<Void>()
      let mayOpen = ObservableHook<Int, Bool> { _ in false }
      let center = NotificationCenter()
      static let shut = Notification.Name("shut")
    }

    @MainActor
    private final class MainActorViewModel {
      let recorder = LineRecorder()
      private lazy var observations = ObservationController(observer: self)

      func watch(_ door: Door) {
        observations.observe(door.opened) { viewModel, number in
          viewModel.recorder.write("opened \(number)")
        }
        observations.observe(door.opened, action: MainActorViewModel.opened)
        observations.observe(door.rang, action: MainActorViewModel.rang)
        observations.handle(door.mayOpen) { viewModel, number in
          viewModel.recorder.write("asked \(number)")
          return true
        }
        observations.observe(Door.shut, in: door.center) { viewModel, notification in
          viewModel.recorder.write(notification.name.rawValue)
        }
      }

      func opened(_ number: Int) { recorder.write("action \(number)") }
      func rang() { recorder.write("rang") }
    }

    private actor Clerk {
      private let recorder = LineRecorder()
      private let door = Door()
      private lazy var observations = ObservationController(observer: self)

      func work() -> [String] {
        observations.observe(door.opened) { clerk, number in
          clerk.assumeIsolated { $0.recorder.write("opened \(number)") }
        }
        observations.handle(door.mayOpen) { clerk, _ in
          clerk.assumeIsolated { !$0.recorder.events.isEmpty }
        }
        observations.observe(Door.shut, in: door.center) { clerk, _ in
          clerk.assumeIsolated { $0.recorder.write("shut") }
        }
        door.opened.send(1)
        recorder.write("\(door.mayOpen(1))")
        door.center.post(name: Door.shut, object: nil)
        return recorder.events
      }
    }

    @MainActor
    func test_C23_handlersOfAnActor_deliveredOnIt_run() {
      let door = Door()
      let viewModel = MainActorViewModel()
      viewModel.watch(door)
      door.opened.send(1)
      door.rang.send()
      XCTAssertTrue(door.mayOpen(2))
      door.center.post(name: Door.shut, object: nil)
      XCTAssertEqual(
        viewModel.recorder.events, ["opened 1", "action 1", "rang", "asked 2", "shut"])
    }

    func test_C23_handlersOfAnActorInstance_deliveredOnIt_doNotRetainTheActor() async {
      var clerk: Clerk? = Clerk()
      let weakClerk = Weak(clerk)
      let lines = await clerk!.work()
      XCTAssertEqual(lines, ["opened 1", "true", "shut"])
      clerk = nil
      XCTAssertNil(weakClerk.object)
    }

    // MARK: Violations

    // A violation ends the process, so that it happens in another one: this test, run again with an
    // environment variable.

    @MainActor
    func test_C23_event_sentOutsideOfTheActor_trapsInADebugBuild() {
      violate(
        "test_C23_event_sentOutsideOfTheActor_trapsInADebugBuild",
        #"but \ObservableEvent<Int>.self was sent on the thread"#
      ) { $0.opened.send(1) }
    }

    @MainActor
    func test_C23_hook_calledOutsideOfTheActor_trapsInADebugBuild() {
      violate(
        "test_C23_hook_calledOutsideOfTheActor_trapsInADebugBuild",
        #"but \ObservableHook<Int, Bool>.self was asked on the thread"#
      ) { _ = $0.mayOpen(1) }
    }

    @MainActor
    func test_C23_notification_postedOutsideOfTheActor_trapsInADebugBuild() {
      violate(
        "test_C23_notification_postedOutsideOfTheActor_trapsInADebugBuild",
        #"but the notification "shut" was posted on the thread"#
      ) { $0.center.post(name: Door.shut, object: nil) }
    }

    @MainActor
    private func violate(
      _ test: String, _ message: String, by deliver: @escaping @Sendable (Door) -> Void
    ) {
      let variable = "OBSERVATION_VIOLATES_ISOLATION"
      if ProcessInfo.processInfo.environment[variable] != nil {
        return deliverOnAnotherThread(deliver)
      }
      #if DEBUG && (os(Linux) || os(macOS))
        let (status, output) = Subprocess.runAgain(
          "EventIsolationTests/\(test)", environment: [variable: "1"])
        XCTAssertNotEqual(status, 0)
        XCTAssertTrue(output.contains("belongs to MainActor, \(message)"), output)
        XCTAssertTrue(output.contains("EventIsolationTests.swift"), output)
      #endif
    }

    @MainActor
    private func deliverOnAnotherThread(_ deliver: @escaping @Sendable (Door) -> Void) {
      let door = Door()
      let viewModel = MainActorViewModel()
      viewModel.watch(door)
      let shared = UncheckedReference(door)
      let done = DispatchSemaphore(value: 0)
      let thread = Thread {
        deliver(shared.object)
        done.signal()
      }
      thread.name = "painter"
      thread.start()
      done.wait()
    }
  }
#endif
