import ObservationController
import TestSupport
import XCTest

/// Hooks: the handler that decides, and handlers that act on the hook.
final class ObservableHookTests: TestCase {
  private let hook = ObservableHook<Int, String> { "default \($0)" }
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  func test_hook_withoutHandlers_returnsTheDefault() {
    XCTAssertEqual(hook(1), "default 1")
  }

  func test_hook_ofSeveralHandlers_isDecidedByTheLast_untilThatEnds() {
    let other = ObservationController(observer: recorder)
    let first = observations.handle(hook) { _, number in "first \(number)" }
    let second = other.handle(hook) { _, number in "second \(number)" }
    let third = observations.handle(hook) { _, number in "third \(number)" }
    XCTAssertEqual(hook(1), "third 1")
    second.invalidate()
    XCTAssertEqual(hook(2), "third 2")
    third.invalidate()
    XCTAssertEqual(hook(3), "first 3")
    first.invalidate()
    XCTAssertEqual(hook(4), "default 4")
  }

  func test_hook_callsOnlyTheLastHandler() {
    observations.handle(hook) { recorder, _ in
      recorder.write("first")
      return ""
    }
    observations.handle(hook) { recorder, _ in
      recorder.write("second")
      return ""
    }
    _ = hook(1)
    XCTAssertEqual(recorder.events, ["second"])
  }

  func test_hook_handledAgainOnOneLine_isAnotherObservation() {
    let tokens = (1...3).map { index in observations.handle(hook) { _, _ in "\(index)" } }
    XCTAssertEqual(hook(0), "3")
    tokens[2].invalidate()
    XCTAssertEqual(hook(0), "2")
    XCTAssertEqual(observations.observations.count, 2)
  }

  func test_hook_withoutInputOrOutput_isCalled() {
    let isReady = ObservableHook<Void, Bool> { false }
    let refresh = ObservableHook<Void, Void> {}
    XCTAssertFalse(isReady())
    observations.handle(isReady) { _, _ in true }
    observations.handle(refresh) { recorder, _ in recorder.write("refreshed") }
    XCTAssertTrue(isReady())
    refresh()
    XCTAssertEqual(recorder.events, ["refreshed"])
  }

  /// A result of `nil` is a result.
  func test_hook_withANilResult_returnsNil() {
    let find = ObservableHook<String, Int?> { _ in 0 }
    XCTAssertEqual(find("a"), 0)
    observations.handle(find) { _, _ in nil }
    XCTAssertNil(find("a"))
  }

  func test_hook_unobserved_returnsTheDefault() {
    let ends: [(ObservationToken) -> Void] = [
      { $0.invalidate() },
      { [self] _ in observations.unobserve(hook) },
      { [self] _ in observations.unobserve(hook, \.self) },
      { [self] _ in observations.unobserveAll() },
      { [self] _ in ObservationDispatcher.shared.removeObservations(of: hook) },
    ]
    for end in ends {
      let token = observations.handle(hook) { _, _ in "handled" }
      XCTAssertEqual(hook(0), "handled")
      end(token)
      XCTAssertEqual(hook(0), "default 0")
      XCTAssertFalse(token.isActive)
    }
  }

  // MARK: Tracking

  /// The value of a computed path depends on the reads of the handler.
  func test_hook_calledByAGetter_addsTheDependenciesOfItsHandler() {
    let label = Label()
    let account = Account()
    observations.handle(label.format) { _, number in "\(number) of \(account.limit)" }
    observations.observe(label, \.text) { recorder, _, change in recorder.write(change) }
    account.limit = 5
    label.number = 1
    XCTAssertEqual(recorder.events, ["0 of 0 → 0 of 5", "0 of 5 → 1 of 5"])
  }

  private final class Label {
    @Observed var number = 0
    let format = ObservableHook<Int, String> { "\($0)" }

    var text: String { format(number) }
  }

  // MARK: Calling inside a handler

  func test_hook_calledInsideItsHandler_callsItAgain() {
    let factorial = ObservableHook<Int, Int> { _ in -1 }
    observations.handle(factorial) { recorder, number in
      recorder.write(number)
      return number < 2 ? 1 : number * factorial(number - 1)
    }
    XCTAssertEqual(assertNoIssues { factorial(5) }, 120)
    XCTAssertEqual(recorder.events, ["5", "4", "3", "2", "1"])
  }

  func test_hook_100LevelsDeep_isNoCycle() {
    let count = ObservableHook<Int, Int> { _ in -1 }
    observations.handle(count) { _, depth in depth == 1 ? 1 : 1 + count(depth - 1) }
    XCTAssertEqual(assertNoIssues { count(100) }, 100)
    XCTAssertEqual(assertNoIssues { count(100) }, 100)
  }

  func test_hook_thatKeepsCallingItself_returnsTheDefaultAfter100Levels() {
    let count = ObservableHook<Int, Int> { _ in 1_000 }
    var line: UInt = 0
    let issues = collectingIssues {
      line = #line + 1
      observations.handle(count) { [unowned count] _, depth in 1 + count(depth + 1) }
      XCTAssertEqual(count(1), 1_100)
    }
    guard issues.count == 1, case .cycle(let keyPath, let file, let issueLine) = issues[0] else {
      return XCTFail("\(issues)")
    }
    XCTAssertEqual(keyPath, \ObservableHook<Int, Int>.self)
    XCTAssertEqual(file, #fileID)
    XCTAssertEqual(issueLine, line)
    XCTAssertEqual(
      issues[0].description,
      "\(#fileID):\(line): \\ObservableHook<Int, Int>.self was asked by its own handlers 100 levels "
        + "deep: they are not asked, the default answers")
  }

  func test_hook_thatCallsItselfTwice_ends() {
    let count = ObservableHook<Int, Int> { _ in 1 }
    observations.handle(count) { [unowned count] recorder, depth in
      recorder.write("")
      return count(depth + 1) + count(depth + 1)
    }
    let issues = collectingIssues { XCTAssertEqual(count(1), 101) }
    XCTAssertEqual(issues.count, 1)
    XCTAssertEqual(recorder.events.count, 100)
  }

  func test_hook_afterACycle_callsItsHandlersAsBefore() {
    let count = ObservableHook<Int, Int> { _ in 0 }
    var isCyclic = true
    observations.handle(count) { [unowned count] _, depth in isCyclic ? count(depth) : 7 }
    XCTAssertEqual(collectingIssues { XCTAssertEqual(count(1), 0) }.count, 1)
    isCyclic = false
    XCTAssertEqual(assertNoIssues { count(1) }, 7)
  }

  func test_hooks_thatKeepCallingEachOther_end_withAnIssue() {
    let ping = ObservableHook<Int, Int> { $0 }
    let pong = ObservableHook<Int, Int> { $0 }
    observations.handle(ping) { _, depth in pong(depth + 1) }
    observations.handle(pong) { [unowned ping] _, depth in ping(depth + 1) }
    let issues = collectingIssues { XCTAssertEqual(ping(0), 200) }
    XCTAssertEqual(issues.count, 1)
    XCTAssertEqual(issues.first?.file, #fileID)
  }

  func test_hook_withADefaultThatCallsTheHook_isNoCycle() {
    final class Holder {
      var hook: ObservableHook<Int, Int>?
    }
    let holder = Holder()
    holder.hook = ObservableHook { [unowned holder] number in
      number == 0 ? 0 : 1 + holder.hook!(number - 1)
    }
    XCTAssertEqual(assertNoIssues { holder.hook!(300) }, 300)
    observations.handle(holder.hook!) { _, _ in 0 }.invalidate()
    XCTAssertEqual(assertNoIssues { holder.hook!(300) }, 300)
  }

  // MARK: Registering and ending inside a handler

  func test_hook_handledAnewInsideItsHandler_isDecidedByThatFromThenOn() {
    observations.handle(hook) { [unowned self] _, number in
      let before = "first \(number)"
      observations.handle(hook) { _, number in "second \(number)" }
      return before + ", " + hook(number + 1)
    }
    XCTAssertEqual(hook(1), "first 1, second 2")
    XCTAssertEqual(hook(3), "second 3")
  }

  func test_hook_endedInsideItsHandler_stillReturnsItsResult() {
    let handlers = LifetimeCounter()
    observations.handle(hook) { _, number in "first \(number)" }
    var token: ObservationToken?
    token = observations.handle(hook) {
      [unowned self, ticket = handlers.makeTicket()] _, number in
      token?.invalidate()
      return withExtendedLifetime(ticket) { "second \(number), \(hook(number + 1))" }
    }
    XCTAssertEqual(hook(1), "second 1, first 2")
    XCTAssertEqual(handlers.count, 0)
    XCTAssertEqual(hook(3), "first 3")
  }

  func test_hook_handlersDeinit_thatEndsAndCalls_isAllowed() {
    let token = scoped {
      let sentinel = Sentinel { [unowned self] in
        recorder.write(hook(1))
        observations.unobserveAll()
        recorder.write(hook(2))
      }
      return observations.handle(hook) { _, number in
        withExtendedLifetime(sentinel) { "first" }
      }
    }
    observations.handle(hook) { _, number in "second \(number)" }
    token.invalidate()
    XCTAssertEqual(recorder.events, ["second 1", "default 2"])
  }
}
