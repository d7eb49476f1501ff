extension ObservationTrace: CustomStringConvertible {
  /// A line for each event, indented by its depth: time in microseconds, thread, the event in
  /// words, duration, and the cause unless it is the line above.
  ///
  /// - Complexity: O(n) in the events, and in their depths, by which they are indented.
  public var description: String {
    let (events, dropped) = contents
    var lines = dropped > 0 ? ["(\(dropped) earlier events were dropped)"] : []
    for event in events {
      let duration =
        event.duration.map { $0 == 0 ? ", told later" : ", \($0.microseconds) µs" } ?? ""
      let start = "\(event.time.microseconds) µs  thread \(event.thread)  "
      let indentation = String(repeating: "  ", count: event.depth)
      let line = "\(start)\(indentation)\(event)\(duration)\(events.remark(on: event))"
      // Marks and labels are the user's.
      lines.append(line.split(whereSeparator: \.isNewline).joined(separator: " "))
    }
    return lines.joined(separator: "\n")
  }

  /// Explains why the handler of an observation was called the last time: which property was set,
  /// by which handler, why that was called, and so on, up to a change from outside of every
  /// delivery.
  ///
  ///     print(trace.explain(token))
  ///     // the handler of View@6020 registered at App/View.swift:12 was called for \Row.cpu of Row
  ///     //   because \Row.cpu of Row@6040 was set
  ///     //   by the handler of Row@6040 registered at App/Row.swift:42, called for \Monitor.sample
  ///     //   because \Monitor.sample of Monitor@6060 was set
  ///     //   from outside of any delivery, after the mark "sample 2"
  ///
  /// Says so if no call is recorded. If the handler was skipped since, it explains that as well.
  ///
  /// - Complexity: O(n) in the events.
  public func explain(_ token: ObservationToken) -> String {
    let events = events
    let last = events.last { $0.serial == token.serial && $0.kind == .delivery }
    let skip = events.last { $0.serial == token.serial && $0.category == "skip" }
    var lines = last.map(events.explanation) ?? ["no call of the handler is recorded"]
    if let skip, skip.id > last?.id ?? 0 { lines += events.explanation(of: skip) }
    return lines.joined(separator: "\n")
  }

  /// Explains one event of a trace: the event that led to it, the one that led to that, and so on.
  ///
  /// - Complexity: O(n) in the events.
  public func explain(_ event: Event) -> String {
    events.explanation(of: event).joined(separator: "\n")
  }
}

extension UInt64 {
  /// A number of nanoseconds in microseconds.
  fileprivate var microseconds: String {
    let (whole, rest) = quotientAndRemainder(dividingBy: 1000)
    return "\(whole).\(String(1000 + rest).dropFirst())"
  }
}

// MARK: - Causes

/// Events of a trace, in their order, among which the causes of each are looked for.
extension [ObservationTrace.Event] {
  /// - Complexity: O(log n), since the numbers of a trace that was stopped in between have gaps.
  func index(of id: Element.ID) -> Int? {
    let index = partitioningIndex { $0.id >= id }
    return index < count && self[index].id == id ? index : nil
  }

  /// - Returns: `nil` for an event that has been dropped, or came before the trace.
  fileprivate func event(_ id: Element.ID) -> Element? { index(of: id).map { self[$0] } }

  /// The event in words, and a line for each reason.
  fileprivate func explanation(of event: Element) -> [String] {
    [event.description] + chain(to: event).map { "  \($0)" }
  }

  /// A line for each reason, up to a change from outside of every delivery.
  fileprivate func chain(to event: Element) -> [String] {
    var lines: [String] = []
    var event = event
    while let id = event.cause {
      guard let cause = self.event(id) else {
        return lines + ["because of something that the trace has dropped, or that came before it"]
      }
      switch cause.kind {
      case .delivery: lines.append("by \(cause.handler), called for \(cause.subject)")
      case .handOver: lines.append("handed over on thread \(cause.thread)")
      case .transaction: lines.append("in a transaction")
      default: lines.append("because \(cause)")
      }
      event = cause
    }
    let after = event.mark.map { ", after the mark \"\($0)\"" } ?? ""
    return lines + ["from outside of any delivery\(after)"]
  }

  /// The cause of an event where the indentation does not show it, being elsewhere than right
  /// above.
  fileprivate func remark(on event: Element) -> String {
    guard let id = event.cause else { return "" }
    guard let cause = self.event(id) else { return ", because of what is not in the trace" }
    guard cause.thread != event.thread || cause.depth != event.depth - 1 else { return "" }
    let what = cause.kind == .handOver ? "it was handed over" : cause.description
    return ", because \(what) at \(cause.time.microseconds) µs"
  }
}

// MARK: - Trace viewers

extension ObservationTrace {
  /// The trace as trace-event JSON, which ui.perfetto.dev and chrome://tracing open.
  ///
  /// An event that takes time is a slice, any other an instant; an arrow leads from the change of a
  /// property to each of its deliveries. The arguments of slices and instants have the parts of the
  /// ``Event`` and the chain of its causes.
  ///
  /// - Complexity: O(n) in the events, and in the causes of each: O(n²) where each led to the next.
  public var chromeTrace: String {
    let events = events
    var lines = [
      #"{"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":"Observation"}}"#
    ]
    lines += Set(events.map(\.thread)).sorted().map { thread in
      """
      {"name":"thread_name","ph":"M","pid":1,"tid":\(thread),"args":{"name":"thread \(thread)"}}
      """
    }
    // An event that had not ended when the trace was stopped lasts until the last recorded time.
    let end = (events.map { $0.time + ($0.duration ?? 0) }.max() ?? 0) + 1
    for event in events {
      lines.append(Self.json(of: event, why: events.chain(to: event), until: end))
      // Arrows begin and end in slices.
      guard let cause = event.cause.flatMap(events.event),
        event.kind == .delivery || event.kind == .handOver
      else { continue }
      for (phase, end) in [(#""s""#, cause), (#""f","bp":"e""#, event)] {
        lines.append(
          """
          {"name":"because","cat":"cause","id":\(event.id),"pid":1,"ph":\(phase),\
          "tid":\(end.thread),"ts":\(end.time.microseconds)}
          """)
      }
    }
    return """
      {"displayTimeUnit":"ns","traceEvents":[
      \(lines.joined(separator: ",\n"))
      ]}

      """
  }

  private static func json(of event: Event, why chain: [String], until end: UInt64) -> String {
    let arguments: [(name: String, value: String?)] = [
      ("event", "\(event.id)"), ("cause", event.cause.map { "\($0)" }),
      ("why", chain.joined(separator: "\n")), ("property", event.property),
      ("object", event.object), ("observer", event.observer), ("registered at", event.place),
      ("detail", event.detail),
    ]
    let list = arguments.compactMap { name, value in
      value.map { "\(quoted(name)):\(quoted($0))" }
    }.joined(separator: ",")
    // At least as long as an arrow needs to begin in it.
    let duration = max(event.duration ?? end - event.time, 1).microseconds
    let shape = event.takesTime ? #""ph":"X","dur":\#(duration)"# : #""ph":"i","s":"t""#
    return """
      {"name":\(quoted(event.title)),"cat":\(quoted(event.category)),\(shape),"pid":1,\
      "tid":\(event.thread),"ts":\(event.time.microseconds),"args":{\(list)}}
      """
  }

  /// A JSON string.
  private static func quoted(_ text: String) -> String {
    text.quoted { "\\u00" + String(0x100 + $0.value, radix: 16).dropFirst() }
  }
}

extension ObservationTrace.Event {
  /// Name of the kind, without a reason.
  fileprivate var category: String { if case .skip = kind { "skip" } else { "\(kind)" } }

  fileprivate var takesTime: Bool {
    switch kind {
    case .set, .send, .question, .post, .delivery, .handOver, .transaction: true
    case .skip, .rehook, .issue, .mark: false
    }
  }

  /// Name of the slice or instant.
  fileprivate var title: String {
    switch kind {
    case .delivery: "→ \(observer ?? "?") \(place ?? "")"
    case .handOver: "⇢ \(observer ?? "?") \(place ?? "")"
    case .skip(let reason): "skipped, \(reason.rawValue): \(place ?? "")"
    case .set, .send, .question, .post, .rehook: "\(kind) \(property ?? "")"
    case .transaction: "transaction"
    case .issue, .mark: detail ?? ""
    }
  }
}
