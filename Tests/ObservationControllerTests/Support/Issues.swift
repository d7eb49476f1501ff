import ObservationController
import XCTest

/// Collects the issues that are reported while `body` runs, in their order and on whatever thread.
///
/// The reporter that was there before is back afterwards, also when `body` throws.
func collectingIssues(_ body: () throws -> Void) rethrows -> [ObservationIssue] {
  let reporter = ObservationIssue.reporter
  defer { ObservationIssue.reporter = reporter }
  let log = IssueLog()
  ObservationIssue.reporter = { log.append($0) }
  try body()
  return log.issues
}

/// Asserts that no issue is reported while `body` runs.
@discardableResult
func assertNoIssues<Result>(
  file: StaticString = #filePath, line: UInt = #line, _ body: () throws -> Result
) rethrows -> Result {
  var result: Result?
  let issues = try collectingIssues { result = try body() }
  XCTAssertEqual(issues.map(\.description), [], file: file, line: line)
  return result!
}

/// The list behind `collectingIssues`.
private final class IssueLog: Sendable {
  private let list = Guarded<[ObservationIssue]>([])

  var issues: [ObservationIssue] { list.withLock { $0 } }

  func append(_ issue: ObservationIssue) { list.withLock { $0.append(issue) } }
}
