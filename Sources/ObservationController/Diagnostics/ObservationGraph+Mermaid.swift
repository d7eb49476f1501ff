extension ObservationGraph {
  /// The graph as a Mermaid flowchart, which GitHub and many editors draw in Markdown.
  ///
  /// A frame is an object, with its properties inside. A solid line keeps alive what it leads to, a
  /// dotted one does not.
  ///
  /// - Complexity: O(n log n) in nodes and edges.
  public var mermaid: String {
    let lines = nodes.filter { $0.owner == nil }.flatMap(mermaidNode) + edges.map(mermaidEdge)
    return "flowchart LR\n" + lines.map { "  \($0)\n" }.joined()
  }

  private func mermaidNode(_ node: Node) -> [String] {
    let properties = nodes.filter { $0.owner == node.id }
    let title = Self.entities(node.name)
    if node.kind == .controller { return ["n\(node.id)([\"\(title)\"])"] }
    if properties.isEmpty { return ["n\(node.id)[\"\(title)\"]"] }
    return ["subgraph n\(node.id)[\"\(title)\"]"]
      + properties.map { "  n\($0.id)[\"\(Self.entities(Self.title(of: $0)))\"]" } + ["end"]
  }

  private func mermaidEdge(_ edge: Edge) -> String {
    // What a line in the colour of its kind shows in Graphviz is said here.
    let isNamed = edge.kind == .sets || edge.kind == .reads
    let label = isNamed ? edge.kind.rawValue : edge.label
    let text = label.isEmpty ? "" : "|\"\(Self.entities(label))\"|"
    return "n\(edge.from) \(edge.isStrong ? "-->" : "-.->")\(text) n\(edge.to)"
  }

  /// For text between double quotes, where `#` begins an entity and what looks like a tag is one.
  private static func entities(_ text: String) -> String {
    text.replacing([
      "#": "#35;", "\"": "#quot;", "&": "#amp;", "<": "#lt;", ">": "#gt;", "`": "#96;",
      "\n": "<br>",
    ])
  }
}
