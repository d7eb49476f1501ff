extension ObservationDispatcher {
  /// Hands an issue to the reporter, on this thread, with no lock held.
  static func report(_ issue: ObservationIssue) {
    ObservationIssue.reporter(issue)
  }

  /// Reports that a property was still being set by its own handlers after `maximumRounds`.
  static func reportCycle(among infos: InfoList) {
    // The handler that sets the property cannot be told from the others; the first one is named.
    guard let info = infos.all.first(where: \.isActive) else { return }
    reportCycle(of: info)
  }

  static func reportCycle(of info: ObservationInfo) {
    report(
      .cycle(keyPath: info.site.keyPath, file: info.site.file, line: info.site.line))
  }
}
