extension ObservationTrace {
  /// The trace as trace-event JSON, which ui.perfetto.dev and chrome://tracing open.
  ///
  /// An event that takes time is a slice, any other an instant; an arrow leads from the change of a
  /// property to each of its deliveries. The arguments of slices and instants have the parts of the
  /// ``Event`` and the chain of its causes.
  ///
  /// - Complexity: O(n) in the events.
  public var chromeTrace: String {
    let events = events
    var lines = [
      #"{"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":"Observation"}}"#
    ]
    for thread in Set(events.map(\.thread)).sorted() {
      lines.append(
        #"{"name":"thread_name","ph":"M","pid":1,"tid":\#(thread),"args":{"name":"thread \#(thread)"}}"#
      )
    }
    // An event that had not ended when the trace was stopped lasts until the last recorded time.
    let end = (events.map { $0.time + ($0.duration ?? 0) }.max() ?? 0) + 1
    let reasons = Reasons(events)
    for event in events {
      lines.append(Self.json(of: event, reasons, until: end))
      // Arrows begin and end in slices.
      guard let cause = event.cause.flatMap({ reasons.event($0) }), cause.takesTime,
        event.kind == .delivery || event.kind == .handOver
      else { continue }
      let flow = #""name":"because","cat":"cause","id":\#(event.id),"pid":1"#
      lines.append(
        #"{\#(flow),"ph":"s","tid":\#(cause.thread),"ts":\#(Self.microseconds(cause.time))}"#)
      lines.append(
        #"{\#(flow),"ph":"f","bp":"e","tid":\#(event.thread),"ts":\#(Self.microseconds(event.time))}"#
      )
    }
    return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n" + lines.joined(separator: ",\n")
      + "\n]}\n"
  }

  private static func json(
    of event: Event, _ reasons: Reasons, until end: UInt64
  ) -> String {
    let chain = reasons.chain(to: event).map { $0.drop { $0 == " " } }.joined(separator: "\n")
    let arguments: [(name: String, value: String?)] = [
      ("event", "\(event.id)"), ("cause", event.cause.map { "\($0)" }),
      ("why", chain), ("property", event.property), ("object", event.object),
      ("observer", event.observer), ("registered at", event.place), ("detail", event.detail),
    ]
    let list = arguments.compactMap { name, value in
      value.map { "\(quoted(name)):\(quoted($0))" }
    }.joined(separator: ",")
    // At least as long as an arrow needs to begin in it.
    let duration = microseconds(max(event.duration ?? end - event.time, 1))
    let shape = event.takesTime ? #""ph":"X","dur":\#(duration)"# : #""ph":"i","s":"t""#
    let category = if case .skip = event.kind { "skip" } else { "\(event.kind)" }
    return #"{"name":\#(quoted(event.title)),"cat":\#(quoted(category)),\#(shape),"pid":1,"#
      + #""tid":\#(event.thread),"ts":\#(microseconds(event.time)),"args":{\#(list)}}"#
  }

  /// A JSON string.
  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\u{0}"..."\u{1F}":
        result += "\\u00" + String(0x100 + scalar.value, radix: 16).dropFirst()
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

extension ObservationTrace.Event {
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
    case .set, .send, .question, .post: "\(kind) \(property ?? "")"
    case .rehook: "rehook \(property ?? "")"
    case .transaction: "transaction"
    case .issue, .mark: detail ?? ""
    }
  }
}
