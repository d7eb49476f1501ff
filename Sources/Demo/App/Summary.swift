/// Summary of a session, printed when it has ended.
struct Summary: Equatable, Sendable, CustomStringConvertible {
  var samples: Int
  /// Handlers called in the view models.
  var deliveries: Int
  var lines: LineTally
  /// Observations that are still alive after everything was let go. None, or there is a leak.
  var liveObservations: Int

  var description: String {
    let kinds = LineChange.allCases.map { "\(lines[$0]) \($0.rawValue)" }
    return """
      Samples: \(samples)
      Handlers called: \(deliveries)
      Lines redrawn: \(lines.redrawn) of \(lines.shown) shown (\(lines.changed) with new data)
      By kind: \(kinds.joined(separator: ", "))
      Live observations after teardown: \(liveObservations)

      """
  }
}
