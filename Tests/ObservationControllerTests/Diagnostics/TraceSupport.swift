import ObservationController
import TestSupport

extension ObservationTrace {
  /// A line for each event: its kind, its property, and the line of its cause.
  ///
  ///     ["set Counter.count", "  delivery Counter.count ← 0"]
  var outline: [String] {
    let events = events
    return events.map { event in
      let cause = event.cause.map { id in
        " ← " + (events.firstIndex { $0.id == id }.map { "\($0)" } ?? "?")
      }
      let name = (event.property.map { " \($0.drop { $0 == "\\" })" } ?? "")
      let detail = event.kind == .issue ? "" : event.detail.map { " \($0)" } ?? ""
      return String(repeating: "  ", count: event.depth) + "\(event.kind)\(name)\(detail)"
        + (cause ?? "")
    }
  }
}

/// Observes without acting on deliveries.
final class TracedView {
  @Observed var height = 0
  @Observed var title = ""
  private(set) lazy var observations = ObservationController(observer: self)
}
