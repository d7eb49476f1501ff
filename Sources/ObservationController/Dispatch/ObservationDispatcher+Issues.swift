extension ObservationDispatcher {
  /// Hands an issue to the reporter, on this thread, with no lock held.
  static func report(_ issue: ObservationIssue) {
    Tracer.issue(issue)
    ObservationIssue.reporter(issue)
  }

  /// Reports that a property was still being set by its own handlers after `maximumRounds`.
  static func reportCycle(among infos: InfoList) {
    // The handler that sets the property cannot be told from the others; the first one is named.
    guard let info = infos.all.first(where: { $0.isActive && !$0.traits.contains(.cache) }) else {
      return
    }
    reportCycle(of: info)
  }

  static func reportCycle(of info: ObservationInfo) {
    // A reporter that sets the property again would be called for that again, and for ever.
    guard !ThreadContext.current.isReportingCycle else { return }
    ThreadContext.with(\.isReportingCycle, true) {
      report(.cycle(keyPath: info.site.keyPath, file: info.site.file, line: info.site.line))
    }
  }
}
