import Foundation
import ObservationController

/// Traces and graphs of the library, and the keys of the Demo, in words.
enum Explanation {
  /// How a line came to be drawn the last time, from what began it to the line.
  static func why(_ line: DisplayLine, _ events: [ObservationTrace.Event]) -> [StyledText] {
    let labels = LineChange.allCases.map(line.traceLabel)
    guard let drawn = events.last(where: { $0.kind == .mark && labels.contains($0.detail ?? "") })
    else { return [" It was not, lately. The next time is explained here."] }
    var chain = [drawn]
    while let cause = chain[0].cause, let event = events.first(where: { $0.id == cause }) {
      chain.insert(event, at: 0)
    }
    let start = events.last { $0.kind == .mark && $0.cause == nil && $0.id < chain[0].id }
    return [StyledText(" After \(start?.detail ?? "the start"):", .dim)]
      + chain.compactMap { sentence($0).map { "   " + $0 } }
  }

  private static func sentence(_ event: ObservationTrace.Event) -> StyledText? {
    let property = StyledText(name(event.property ?? "a property"), .name)
    let observer = StyledText(name(event.observer ?? "somebody"), .strong)
    let place = StyledText(" (\(file(event.place ?? "")))", .dim)
    switch event.kind {
    case .transaction: return "a transaction began, which notifies nobody before its end;"
    case .set: return property + " of \(name(event.object ?? "an object")) was set;"
    case .send: return "the event " + StyledText(name(event.object ?? ""), .name) + " was sent;"
    case .delivery: return "so " + observer + " was notified for " + property + place + ";"
    case .mark:
      let change = (event.detail ?? "").prefix { $0 != ":" }.dropFirst("line ".count)
      return StyledText("so its line \(change == "is now" ? "became different" : "\(change)").")
    default: return nil
    }
  }

  /// Observers that read a property of the object with `label`, and these properties.
  static func who(_ graph: ObservationGraph, observing label: String) -> [StyledText] {
    let nodes = graph.nodes
    guard let subject = nodes.first(where: { $0.name.contains(label) }) else { return [] }
    // The graph merges elements of an array that are read alike into one node.
    let elements = nodes.filter { $0.name.hasPrefix("\(subject.name.prefix { $0 != " " }) ×") }.map(
      \.id)
    let lines = graph.edges.filter { $0.kind == .observes }.compactMap { edge -> StyledText? in
      let owner = graph.edges.first { $0.kind == .owns && $0.to == edge.from }?.from
      guard let observer = owner.map({ name(nodes[$0].name) }) else { return nil }
      let isView = observer.hasPrefix("ObservableArray")
      let read = graph.edges.filter { $0.kind == .reads && $0.from == edge.to }.map { nodes[$0.to] }
        .filter { $0.owner == subject.id || isView && $0.owner.map(elements.contains) ?? false }
      guard !read.isEmpty else { return nil }
      return " " + StyledText(isView ? "A live view" : observer, .strong) + " reads "
        + StyledText(Set(read.map { name($0.name) }).sorted().joined(separator: ", "), .name)
        + StyledText(isView ? "" : " for \(name(nodes[edge.to].name))")
        + StyledText(" (\(file(edge.file ?? "")):\(edge.line ?? 0))", .dim)
    }
    return Array(lines.suffix(8))
  }

  /// The keys, with what they have set.
  static func keys(of table: ProcessTableViewModel) -> [StyledText] {
    let filter = table.filter.isEmpty ? "none" : PrintableText.escaping(table.filter)
    return [
      ("/", "filter by command or number", filter),
      ("s", "sort by the next column, or p m n c by one", table.order.rawValue),
      ("k", "threads of the kernel", table.showsKernelThreads ? "shown" : "hidden"),
      ("w", "why the selected row was drawn", ""), ("o", "observers of its process", ""),
      ("Esc", "close this, then remove the filter, then the selection", ""), ("q", "quit", ""),
    ].map { key, meaning, state in
      StyledText(" " + key.padding(toLength: 4, withPad: " ", startingAt: 0), .strong)
        + StyledText(meaning) + StyledText(state.isEmpty ? "" : ": ", .dim)
        + StyledText(state, .name)
    }
  }

  /// The text between the quotes of a label; otherwise the bare name of a type or property.
  private static func name(_ text: String) -> String {
    if text.hasSuffix("”"), let label = text.split(separator: "“").last {
      return String(label.dropLast())
    }
    let name = text.prefix { $0 != "@" && $0 != " " }
    return String(name.first == "\\" ? name.drop { $0 != "." }.dropFirst() : name)
  }

  private static func file(_ place: String) -> String {
    place.split(separator: "/").last.map(String.init) ?? place
  }
}
