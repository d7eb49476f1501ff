extension ObservationTrace: CustomStringConvertible {
  /// A line for each event, indented by what it happened in: time in microseconds, thread, what
  /// happened, how long it took.
  ///
  /// - Complexity: O(n) in the events.
  public var description: String {
    let (events, dropped) = contents
    var lines = dropped > 0 ? ["(\(dropped) earlier events were dropped)"] : []
    let reasons = TraceReasons(events)
    for event in events {
      let duration =
        event.duration.map { $0 == 0 ? ", told later" : ", \(Self.microseconds($0)) µs" } ?? ""
      var line = "\(Self.microseconds(event.time)) µs  thread \(event.thread)  "
      line += String(repeating: "  ", count: event.depth) + event.description + duration
      if let reason = Self.reason(of: event, reasons) { line += ", \(reason)" }
      lines.append(line)
    }
    return lines.joined(separator: "\n")
  }

  /// Why the handler of an observation was called the last time: what was set, by which handler, why
  /// that was called, and so on, up to what came from outside of every delivery.
  ///
  ///     print(trace.explain(token))
  ///     // the handler of View@6020 registered at App/View.swift:12 was called for \Row.cpu of Row@6040
  ///     //   because \Row.cpu of Row@6040 was set
  ///     //   by the handler of Row@6040 registered at App/Row.swift:42, called for \Monitor.sample of …
  ///     //   because \Monitor.sample of Monitor@6060 was set
  ///     //   from outside of any delivery, after the mark "sample 2"
  ///
  /// Says so if the trace knows of no call. If the handler was skipped since, it says why as well.
  ///
  /// - Complexity: O(n) in the events.
  public func explain(_ token: ObservationToken) -> String {
    let events = events
    let reasons = TraceReasons(events)
    let last = events.last { $0.serial == token.serial && $0.kind == .delivery }
    let skip = events.last { event in
      if case .skip = event.kind { event.serial == token.serial } else { false }
    }
    var lines = last.map(reasons.explanation) ?? ["no call of the handler is recorded"]
    if let skip, skip.id > last?.id ?? 0 { lines += reasons.explanation(of: skip) }
    return lines.joined(separator: "\n")
  }

  /// The same for one event of a trace.
  ///
  /// - Complexity: O(n) in the events.
  public func explain(_ event: Event) -> String {
    TraceReasons(events).explanation(of: event).joined(separator: "\n")
  }

  /// What the indentation does not show: a reason that is somewhere else than right above.
  private static func reason(of event: Event, _ reasons: TraceReasons) -> String? {
    guard let id = event.cause else { return nil }
    guard let cause = reasons.event(id) else { return "because of what is not in the trace" }
    guard cause.thread != event.thread || cause.depth != event.depth - 1 else { return nil }
    let what = cause.kind == .handOver ? "it was handed over" : cause.description
    return "because \(what) at \(microseconds(cause.time)) µs"
  }

  static func microseconds(_ nanoseconds: UInt64) -> String {
    let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1000)
    return "\(whole).\(String(1000 + rest).dropFirst())"
  }
}
