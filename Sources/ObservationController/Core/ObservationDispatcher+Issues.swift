extension ObservationDispatcher {
  /// Hands an issue to the reporter, on this thread, with no lock held.
  ///
  /// - Parameter info: The observation that it is about, if there is one: the names of its properties are
  ///   found out before.
  static func report(_ issue: ObservationIssue, about info: ObservationInfo? = nil) {
    info.map(learnNames)
    DeliveryProbe.record(.issue(issue))
    ObservationIssue.reporter(issue)
  }

  /// Reports that a property was still being set by its own handlers after `maximumRounds`.
  static func reportCycle(among infos: InfoList) {
    // The handler that sets the property cannot be told from the others; the first one is named.
    if let info = infos.all.first(where: { $0.isActive }) { reportCycle(of: info) }
  }

  static func reportCycle(of info: ObservationInfo) {
    let registration = info.registration
    reportCycle(
      .cycle(keyPath: registration.keyPath, file: registration.file, line: registration.line),
      about: info)
  }

  static func reportCycle(_ issue: ObservationIssue, about info: ObservationInfo? = nil) {
    // A reporter that sets the property again would be called for that again, and for ever.
    guard !ThreadContext.current.isReportingCycle else { return }
    ThreadContext.with(\.isReportingCycle, true) { report(issue, about: info) }
  }
}

// MARK: - The same again

extension ObservationDispatcher {
  /// Reports that `info` observes what is registered again, if that is in another place in the source
  /// (C17).
  @inline(never)
  static func reportRegistration(
    _ request: ObservationRequest, sameAs info: ObservationInfo
  ) {
    let registration = info.registration
    guard request.purpose.isObservation,
      registration.line != request.line || registration.file != request.file
    else { return }
    let places: Set = [
      Place(file: registration.file, line: registration.line),
      Place(file: request.file, line: request.line),
    ]
    guard reportedPlaces.withLock({ $0.insert(places).inserted }) else { return }
    report(
      .alreadyObserved(
        keyPath: request.keyPath, file: request.file, line: request.line,
        firstFile: registration.file, firstLine: registration.line), about: info)
  }

  /// A place in the source.
  private struct Place: Hashable {
    let file: String
    let line: UInt
  }

  /// The pairs of places that have been reported: at most as many as there are in the source.
  private static let reportedPlaces = Locked<Set<Set<Place>>>([])
}
