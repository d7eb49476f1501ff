import Foundation
import ObservationController

/// Traces and graphs of the library, and the keys of the Demo, in words.
enum Explanation {
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
      ("Enter", "the page of the selected process, where x ends it", ""),
      ("w", "why the selected row was drawn", ""), ("o", "observers of its process", ""),
      ("Esc", "close this, then the page, then remove the filter, the selection", ""),
      ("q", "quit", ""),
    ].map { key, meaning, state in
      StyledText(" " + key.padding(toLength: 6, withPad: " ", startingAt: 0), .strong)
        + StyledText(meaning) + StyledText(state.isEmpty ? "" : ": ", .dim)
        + StyledText(state, .name)
    }
  }

  /// The text between the quotes of a label; otherwise the bare name of a type or property.
  static func name(_ text: String) -> String {
    if text.hasSuffix("”"), let label = text.split(separator: "“").last {
      return String(label.dropLast())
    }
    let name = text.prefix { $0 != "@" && $0 != " " }
    return String(name.first == "\\" ? name.drop { $0 != "." }.dropFirst() : name)
  }

  static func file(_ place: String) -> String {
    place.split(separator: "/").last.map(String.init) ?? place
  }
}
