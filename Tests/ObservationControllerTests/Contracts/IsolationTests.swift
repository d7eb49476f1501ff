import Foundation
import ObservationController
import TestSupport
import XCTest

/// C23 in detail: handlers that are isolated to an actor, delivered on it and elsewhere.
final class IsolationTests: TestCase {
  @MainActor
  private final class MainActorViewModel {
    let recorder = LineRecorder()
    private lazy var observations = ObservationController(observer: self)

    func watch(_ account: Account) {
      observations.observe(account, \.balance, options: [.initial, .old]) { viewModel, _, change in
        viewModel.recorder.write(change)
      }
      observations.observe(account, \.balance, context: "0", action: MainActorViewModel.delivered)
      observations.observe(account, \.balance, context: "1", action: MainActorViewModel.receive)
      observations.observe(account, \.balance, context: "2", action: MainActorViewModel.receiveIn)
    }

    func delivered() {
      recorder.write("notified")
    }

    func receive(_ change: ObservedChange<Int>) {
      recorder.write("received \(change)")
    }

    func receiveIn(_ change: ObservedChange<Int>, _ account: Account) {
      recorder.write("received \(change) in \(account.balance)")
    }
  }

  private actor Clerk {
    private let recorder = LineRecorder()
    private let account = Account()
    private lazy var observations = ObservationController(observer: self)

    func work() -> [String] {
      observations.observe(account, \.balance) { clerk, _, change in
        clerk.assumeIsolated { $0.recorder.write(change) }
      }
      account.balance = 1
      return recorder.events
    }

    /// Leaks its observed object out of the actor, which is misuse.
    func watch() -> UncheckedReference<Account> {
      observations.observe(account, \.balance) { _, _, _ in }
      return UncheckedReference(account)
    }
  }

  @MainActor
  func test_C23_handlerOfAnActor_deliveredOnIt_runs() {
    let account = Account()
    let viewModel = MainActorViewModel()
    viewModel.watch(account)
    account.balance = 1
    XCTAssertEqual(
      viewModel.recorder.events,
      ["initially 0", "0 → 1", "notified", "received 0 → 1", "received 0 → 1 in 1"])
  }

  func test_C23_handlerOfAnActorInstance_deliveredOnIt_doesNotRetainTheActor() async {
    var clerk: Clerk? = Clerk()
    let weakClerk = Weak(clerk)
    let lines = await clerk!.work()
    XCTAssertEqual(lines, ["0 → 1"])
    clerk = nil
    XCTAssertNil(weakClerk.object)
  }

  // Runs in another process, as in ThreadTests. The runtime traps before the library can name the
  // thread.
  func test_C23_actorInstancesHandler_deliveredElsewhere_trapsInADebugBuild()
    async
  {
    let variable = "OBSERVATION_VIOLATES_ISOLATION"
    if ProcessInfo.processInfo.environment[variable] != nil {
      let clerk = Clerk()
      await clerk.watch().object.balance = 1
      return
    }
    #if DEBUG && (os(Linux) || os(macOS))
      let (status, output) = Subprocess.runAgain(
        "IsolationTests/test_C23_actorInstancesHandler_deliveredElsewhere_trapsInADebugBuild",
        environment: [variable: "1"])
      XCTAssertNotEqual(status, 0)
      XCTAssertTrue(output.contains("Clerk"), output)
    #endif
  }
}
