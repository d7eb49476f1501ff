import ObservationController
import TestSupport
import XCTest

/// C24 and C25: misuse that the compiler can't refuse is reported.
final class MisuseTests: TestCase {
  private let account = Account()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  // MARK: C24: Nothing to observe

  func test_C24_keyPathThatReadsNothingObservable_isReported_andNotRegistered() {
    var token: ObservationToken?
    let line: UInt = #line + 2
    let issues = collectingIssues {
      token = observations.observe(account, \.doubled, options: .initial) { recorder, _, change in
        recorder.write(change)
      }
    }
    guard case .nothingObservable(let keyPath, let file, let reportedLine) = issues.first else {
      return XCTFail("not reported: \(issues)")
    }
    XCTAssertEqual(issues.count, 1)
    XCTAssertEqual(keyPath, \Account.doubled)
    XCTAssertEqual(file, #fileID)
    XCTAssertEqual(reportedLine, line)
    XCTAssertEqual(token?.isActive, false)
    XCTAssertFalse(observations.isObserving(account, \.doubled))
    XCTAssertEqual(observations.observations.count, 0)
  }

  func test_C24_keyPathsToSelf_aConstant_andAPlainField_areReported() {
    struct Size { var width = 1 }
    final class Sheet {
      let number = 1
      var size = Size()
      var list = [1, 2]
      @Observed var frame = Frame()
    }
    let sheet = Sheet()
    let issues = collectingIssues {
      observations.observe(sheet, \.self) { _, _, _ in }
      observations.observe(sheet, \.number) { _, _, _ in }
      observations.observe(sheet, \.size.width) { _, _, _ in }
      observations.observeArray(sheet, \.list) { _, _, _ in }
    }
    XCTAssertEqual(
      issues.map(\.keyPath), [\Sheet.self, \Sheet.number, \Sheet.size.width, \Sheet.list])
    for issue in issues {
      guard case .nothingObservable(_, #fileID, _) = issue else { return XCTFail("\(issue)") }
    }
    XCTAssertEqual(observations.observations.count, 0)

    // A field of a struct in an observed property is observed as any path.
    assertNoIssues {
      observations.observe(sheet, \.frame.x) { recorder, _, change in recorder.write(change) }
    }
    sheet.frame.x = 3
    XCTAssertEqual(recorder.events, ["0 → 3"])
  }

  func test_C24_emptyListOfKeyPaths_isReported_andNotRegistered() {
    let none: [PartialKeyPath<Account>] = []
    let line: UInt = #line + 2
    let issues = collectingIssues {
      let tokens = observations.observeEach(account, none) { _, _, _ in }
      XCTAssertEqual(tokens.count, 0)
    }
    guard case .emptyKeyPaths(let file, let reportedLine) = issues.first else {
      return XCTFail("not reported: \(issues)")
    }
    XCTAssertEqual(issues.count, 1)
    XCTAssertEqual(file, #fileID)
    XCTAssertEqual(reportedLine, line)
    XCTAssertEqual(observations.observations.count, 0)
  }

  // MARK: C25: What the compiler can refuse, it refuses

  #if os(Linux) || os(macOS)
    func test_C25_observedInAStruct_andMissingHandlers_areRefused_withAdvice() throws {
      let observing = """
        private final class Model { @Observed var name = "" }
        private final class Listener {}
        private func f(_ c: ObservationController<Listener>, _ model: Model) {
          c.observe(model, \\.name)
        """
      try Compiler().assertRefuses(
        [
          "struct": (
            "private struct Model { @Observed var name = 0 }",
            "@Observed works on properties of classes only: make the enclosing type a class, or "
              + "leave the attribute out"
          ),
          "noHandler": (
            observing + " }",
            "Pass a handler or an action, or make the observer conform to ObservationDelegate"
          ),
        ], control: observing + " { _, _, _ in } }")
    }
  #endif

  // MARK: C18: Ending is always allowed

  func test_C18_unobservingForeignObjects_isANoOp() {
    let (mine, foreign) = (account, Account())
    let others = ObservationController(observer: LineRecorder())
    let theirs = others.observe(foreign, \.balance) { _, _, _ in }
    observations.observe(mine, \.balance) { recorder, _, change in recorder.write(change) }
    assertNoIssues {
      observations.unobserve(foreign)
      observations.unobserve(foreign, \.balance)
      observations.unobserve(foreign, \.balance, context: "never")
      observations.unobserve(Account(), \.owner?.name)
      observations.unobserve(mine, \.doubled)
      observations.unobserve(Thing())
      observations.unobserve(recorder)
      observations.unobserve(observations)
      ObservationDispatcher.shared.removeObservations(of: Thing())
      ObservationDispatcher.shared.removeObservations(of: mine, by: Thing())
      ObservationDispatcher.shared.removeObservations(of: foreign, by: recorder)
    }
    XCTAssertTrue(theirs.isActive)
    XCTAssertFalse(observations.isObserving(foreign, \.balance))
    XCTAssertTrue(others.isObserving(foreign, \.balance))
    mine.balance = 1
    XCTAssertEqual(recorder.events, ["0 → 1"])
  }
}
