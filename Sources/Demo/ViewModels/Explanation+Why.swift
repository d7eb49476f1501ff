import ObservationController

/// Why a row was drawn, or was not.
extension Explanation {
  /// How the row came to be drawn the last time, from what began it to its line, and when; or since
  /// when there was no reason to draw it.
  static func why(
    _ row: ProcessRowViewModel, _ activity: Activity, sample: Int, arrow: String
  ) -> [StyledText] {
    let events = activity.events
    let labels = LineChange.allCases.map(row.line.traceLabel)
    guard let drawn = events.last(where: { $0.kind == .mark && labels.contains($0.detail ?? "") })
    else { return whyNot(row.record, sample: sample, arrow: arrow) }
    var chain = [drawn]
    while let cause = chain[0].cause, let event = events.first(where: { $0.id == cause }) {
      chain.insert(event, at: 0)
    }
    let start = events.last { $0.kind == .mark && $0.cause == nil && $0.id < chain[0].id }
    let age = Format.fixed(activity.age(of: drawn), digits: 1)
    // Of earlier samples the values are not known any more.
    let isLastChange = start?.detail == "sample \(row.record.changedInSample)"
    let values = isLastChange ? row.record.lastChanges(arrow: arrow) : [:]
    let teller = chain.last { $0.kind == .delivery && name($0.observer ?? "") == rowName }
    return [StyledText(" After \(start?.detail ?? "the start"), \(age) s ago:", .dim)]
      + chain.compactMap { event in
        let isOwn = event.object != nil && event.object == teller?.object
        return sentence(event, isOwn ? row.record : nil, values).map { "   " + $0 }
      }
  }

  private static let rowName = "\(ProcessRowViewModel.self)"

  /// - Parameters:
  ///   - record: The process of the row, if the event concerns that.
  ///   - values: What properties of it were and are, by their names.
  private static func sentence(
    _ event: ObservationTrace.Event, _ record: ProcessRecord?, _ values: [String: String]
  ) -> StyledText? {
    let property = StyledText(name(event.property ?? "a property"), .name)
    let observer = StyledText(name(event.observer ?? "an observer"), .strong)
    let place = StyledText(" (\(file(event.place ?? "")))", .dim)
    switch event.kind {
    case .transaction: return "a transaction began: observers are notified at its end;"
    case .set:
      let values = record.flatMap { _ in values[property.text] }.map { ", " + $0 } ?? ""
      return property + " of \(record?.title ?? object(of: event)) was set"
        + StyledText(values, .strong) + ";"
    case .send: return "the event " + StyledText(name(event.object ?? ""), .name) + " was sent;"
    case .delivery:
      return "so " + observer + ", which observes " + property + ", was notified" + place + ";"
    case .mark:
      let change = (event.detail ?? "").prefix { $0 != ":" }.dropFirst("line ".count)
      return StyledText("so its line \(change == "is now" ? "became different" : "\(change)").")
    default: return nil
    }
  }

  private static func object(of event: ObservationTrace.Event) -> String {
    let name = name(event.object ?? "an object")
    return name == "\(ProcessRecord.self)" ? "another process" : name
  }

  private static func whyNot(
    _ record: ProcessRecord, sample: Int, arrow: String
  ) -> [StyledText] {
    let since = "sample \(record.changedInSample)"
    let changes = record.lastChanges(arrow: arrow).sorted { $0.key < $1.key }
    guard record.changedInSample == sample, !changes.isEmpty else {
      return [
        StyledText(" It was not, lately: its values are the same since \(since)."),
        " The next time is explained here.",
      ]
    }
    return [StyledText(" It was not, lately. After \(since):", .dim)]
      + changes.map {
        "   " + StyledText($0.key, .name) + " was set" + StyledText(", " + $0.value, .strong) + ";"
      } + ["   but its line is the same as before."]
  }

  /// Why a process is not in the table any more; `nil` if it is there.
  static func whyHidden(_ record: ProcessRecord, in table: ProcessTableViewModel) -> StyledText? {
    guard !table.shown.contains(where: { $0 === record }) else { return nil }
    let reason =
      if !table.isListed(record) {
        "it has ended."
      } else if record.isKernelThread, !table.showsKernelThreads {
        "it is a thread of the kernel, and k hides them."
      } else {
        "the filter '\(PrintableText.escaping(table.filter))' does not find it."
      }
    return " The row of " + StyledText(record.title, .strong) + " is not shown: \(reason)"
  }
}

extension ProcessRecord {
  /// What a user calls it.
  var title: String { "process \(processIdentifier)" }

  /// What the last sample changed, by the names of the properties: `5.0 → 6.0`.
  func lastChanges(arrow: String) -> [String: String] {
    guard let previous else { return [:] }
    func text(_ sample: ProcessSample, digits: Int) -> [String: String] {
      [
        "state": String(sample.state.rawValue),
        "processorPercent": Format.fixed(sample.processorPercent, digits: digits),
        "residentBytes": digits == 1
          ? Format.bytes(sample.residentBytes) : "\(sample.residentBytes)",
        "command": PrintableText.escaping(sample.command),
        "isKernelThread": sample.isKernelThread ? "yes" : "no",
      ]
    }
    // As the row says it, and finer where that is the same.
    var changes: [String: String] = [:]
    for digits in [4, 1] {
      let texts = text(latest, digits: digits)
      for (key, old) in text(previous, digits: digits) {
        if let new = texts[key], new != old { changes[key] = "\(old) \(arrow) \(new)" }
      }
    }
    return changes
  }
}
