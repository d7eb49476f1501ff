import Foundation
import ObservationController
import XCTest

/// C23: a handler that belongs to an actor is not delivered outside of it unnoticed.
final class IsolationTests: XCTestCase {
  @MainActor
  private final class MainActorViewModel {
    private(set) var lines: [String] = []
    private lazy var observations = ObservationController(observer: self)

    func watch(_ account: Account) {
      observations.observe(account, \.balance, options: [.initial, .old]) { viewModel, _, change in
        viewModel.lines.append("\(change)")
      }
      observations.observe(account, \.balance, context: "0", action: MainActorViewModel.told)
      observations.observe(account, \.balance, context: "1", action: MainActorViewModel.toldOf)
      observations.observe(account, \.balance, context: "2", action: MainActorViewModel.toldOfIn)
    }

    func told() {
      lines.append("told")
    }

    func toldOf(_ change: ObservedChange<Int>) {
      lines.append("told of \(change)")
    }

    func toldOfIn(_ change: ObservedChange<Int>, _ account: Account) {
      lines.append("told of \(change) in \(account.balance)")
    }
  }

  private actor Clerk {
    private var lines: [String] = []
    private let account = Account()
    private lazy var observations = ObservationController(observer: self)

    func work() -> [String] {
      observations.observe(account, \.balance) { clerk, _, change in
        clerk.assumeIsolated { $0.lines.append("\(change)") }
      }
      account.balance = 1
      return lines
    }
  }

  @MainActor
  func test_C23_handlerOfAnActor_deliveredOnIt_runs() {
    let account = Account()
    let viewModel = MainActorViewModel()
    viewModel.watch(account)
    account.balance = 1
    XCTAssertEqual(
      viewModel.lines,
      ["initially 0", "0 → 1", "told", "told of 0 → 1", "told of 0 → 1 in 1"])
  }

  func test_C23_handlerOfAnActorInstance_deliveredOnIt_runs_andDoesNotRetainTheActor() async {
    var clerk: Clerk? = Clerk()
    let weakClerk = Weak(clerk)
    let lines = await clerk!.work()
    XCTAssertEqual(lines, ["0 → 1"])
    clerk = nil
    XCTAssertNil(weakClerk.object)
  }

  // The violation ends the process, so that it happens in another one: this test, run again with a
  // variable set.
  @MainActor
  func test_C23_handlerOfAnActor_deliveredOutsideOfIt_stopsADebugBuild_namingBoth() {
    let variable = "OBSERVATION_VIOLATES_ISOLATION"
    if ProcessInfo.processInfo.environment[variable] != nil {
      return violateIsolation()
    }
    #if DEBUG && (os(Linux) || os(macOS))
      let (status, output) = Subprocess.runAgain(
        "IsolationTests/test_C23_handlerOfAnActor_deliveredOutsideOfIt_stopsADebugBuild_namingBoth",
        environment: [variable: "1"])
      XCTAssertNotEqual(status, 0)
      XCTAssertTrue(output.contains("belongs to MainActor"), output)
      XCTAssertTrue(output.contains("was changed on the thread"), output)
      XCTAssertTrue(output.contains("IsolationTests.swift"), output)
    #endif
  }

  @MainActor
  private func violateIsolation() {
    let account = Account()
    let viewModel = MainActorViewModel()
    viewModel.watch(account)
    let shared = UncheckedReference(account)
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      shared.object.balance = 1
      done.signal()
    }
    thread.name = "painter"
    thread.start()
    done.wait()
  }
}
