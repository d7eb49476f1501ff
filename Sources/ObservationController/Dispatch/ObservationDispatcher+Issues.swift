extension ObservationDispatcher {
  /// Hands an issue to the reporter, on this thread, with no lock held.
  static func report(_ issue: ObservationIssue) {
    Tracer.issue(issue)
    ObservationIssue.reporter(issue)
  }

  /// Reports that a property was still being set by its own handlers after `maximumRounds`.
  static func reportCycle(among infos: InfoList) {
    // The handler that sets the property cannot be told from the others; the first one is named.
    if let info = infos.all.first(where: { $0.isActive }) { reportCycle(of: info) }
  }

  static func reportCycle(of info: ObservationInfo) {
    let site = info.site
    reportCycle(.cycle(keyPath: site.keyPath, file: site.file, line: site.line))
  }

  static func reportCycle(_ issue: ObservationIssue) {
    // A reporter that sets the property again would be called for that again, and for ever.
    guard !ThreadContext.current.isReportingCycle else { return }
    ThreadContext.with(\.isReportingCycle, true) { report(issue) }
  }
}
