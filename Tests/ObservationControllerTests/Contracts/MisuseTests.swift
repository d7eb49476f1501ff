import ObservationController
import XCTest

/// C24: what the compiler can't refuse is reported.
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
    let issues = collectingIssues {
      let tokens = observations.observeEach(account, none) { _, _, _ in }
      XCTAssertEqual(tokens.count, 0)
    }
    guard case .emptyKeyPaths(let file, _) = issues.first else {
      return XCTFail("not reported: \(issues)")
    }
    XCTAssertEqual(issues.count, 1)
    XCTAssertEqual(file, #fileID)
    XCTAssertEqual(observations.observations.count, 0)
  }

  func test_C24_distinctOnATypeThatCannotBeCompared_isReported_andDelivers() {
    let shelf = Shelf()
    let issues = collectingIssues {
      observations.observe(shelf, \.opaque, options: .distinct) { witness, _, _ in
        witness.write("told")
      }
      shelf.opaque = Opaque()
    }
    guard case .distinctNeedsEquatable(let keyPath, _, _) = issues.first else {
      return XCTFail("not reported: \(issues)")
    }
    XCTAssertEqual(issues.count, 1)
    XCTAssertEqual(keyPath, \Shelf.opaque)
    XCTAssertEqual(witness.lines, ["told"])
  }
}
