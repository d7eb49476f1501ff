import ObservationController

/// The issues that are reported while `body` runs.
func collectIssues(_ body: () -> Void) -> [ObservationIssue] {
  let issues = IssueList()
  let reporter = ObservationIssue.reporter
  ObservationIssue.reporter = { issue in issues.append(issue) }
  body()
  ObservationIssue.reporter = reporter
  return issues.all
}

private final class IssueList: Sendable {
  private let issues = Guarded<[ObservationIssue]>([])

  var all: [ObservationIssue] { issues.withLock { $0 } }

  func append(_ issue: ObservationIssue) {
    issues.withLock { $0.append(issue) }
  }
}
