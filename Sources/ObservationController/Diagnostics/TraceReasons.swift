/// Goes back from what happened to why it did, in the events of a trace.
struct TraceReasons {
  typealias Event = ObservationTrace.Event

  private let events: [Event]

  /// Those that stand for a part of a program, and not for something that a handler does.
  private let marks: [Event]

  /// - Parameter events: In their order.
  init(_ events: [Event]) {
    self.events = events
    marks = events.filter { $0.kind == .mark && $0.cause == nil }
  }

  /// - Returns: `nil` for what has been dropped, or came before the trace.
  func event(_ id: Event.ID) -> Event? {
    let index = events.partitioningIndex { $0.id >= id }
    return index < events.count && events[index].id == id ? events[index] : nil
  }

  /// What happened, and a line for each reason.
  func explanation(of event: Event) -> [String] {
    [event.description] + chain(to: event)
  }

  /// A line for each reason, up to what came from outside of every delivery.
  func chain(to event: Event) -> [String] {
    var lines: [String] = []
    var event = event
    while let id = event.cause {
      guard let cause = self.event(id) else {
        return lines + ["  because of something that the trace has dropped, or that came before it"]
      }
      switch cause.kind {
      case .delivery: lines.append("  by \(cause.handler), called for \(cause.subject)")
      case .handOver: lines.append("  handed over on thread \(cause.thread)")
      case .transaction: lines.append("  in a transaction")
      default: lines.append("  because \(cause.description)")
      }
      event = cause
    }
    let next = marks.partitioningIndex { $0.id >= event.id }
    let after = next > 0 ? marks[next - 1].detail.map { ", after the mark \"\($0)\"" } : nil
    return lines + ["  from outside of any delivery\(after ?? "")"]
  }
}
