import ObservationController
import XCTest

/// C24 and C25: what the compiler can't refuse is reported.
final class MisuseTests: XCTestCase {
  private let account = Account()
  private let witness = Witness()
  private lazy var observations = ObservationController(observer: witness)

  func test_C24_keyPathThatReadsNothingObservable_isReported_andNotRegistered() {
    var token: ObservationToken?
    let line: UInt = #line + 2
    let issues = collectingIssues {
      token = observations.observe(account, \.doubled, options: .initial) { witness, _, change in
        witness.write(change)
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

  #if os(Linux) || os(macOS)
    func test_C25_observedInAStruct_andObservingWithoutAHandler_areRefused_withAdvice() throws {
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
}
