import ObservationController
import XCTest

/// Collects the issues that are reported while `body` runs, in their order and on all threads.
///
/// The previous reporter is restored afterwards, also when `body` throws.
package func collectingIssues(_ body: () throws -> Void) rethrows -> [ObservationIssue] {
  let reporter = ObservationIssue.reporter
  defer { ObservationIssue.reporter = reporter }
  let issues = Recorder<ObservationIssue>()
  ObservationIssue.reporter = { issues.append($0) }
  try body()
  return issues.events
}

/// Asserts that no issue is reported while `body` runs.
@discardableResult
package func assertNoIssues<Result>(
  file: StaticString = #filePath, line: UInt = #line, _ body: () throws -> Result
) rethrows -> Result {
  var result: Result?
  let issues = try collectingIssues { result = try body() }
  XCTAssertEqual(issues.map(\.description), [], file: file, line: line)
  return result!
}
