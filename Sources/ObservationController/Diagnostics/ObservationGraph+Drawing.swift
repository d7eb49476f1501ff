// MARK: - Graphviz

extension ObservationGraph {
  /// The graph in the language of Graphviz: `dot -Tsvg graph.dot > graph.svg` draws it.
  ///
  /// A box is an object, with a row for each of its properties that is observed, read or set. A
  /// solid line is a strong reference, a dashed one a weak reference.
  ///
  /// - Complexity: O(n log n) in nodes and edges.
  public var dot: String {
    let observers = Set(edges.filter { $0.kind == .owns }.map(\.from))
    return """
      digraph observations {
        rankdir=LR;
        nodesep=0.25;
        ranksep=0.9;
        fontname="Helvetica";
        node [fontname="Helvetica", fontsize=11];
        edge [fontname="Helvetica", fontsize=9];
        labelloc=b;
        fontsize=10;
        label=<\(Self.legend)>;
      \(lines({ [dotNode($0, $1, isObserver: observers.contains($0.id))] }, dotEdge))}

      """
  }

  /// A line for each edge and each part of an object or controller, drawn with its properties.
  private func lines(_ draw: (Node, [Node]) -> [String], _ drawEdge: (Edge) -> String) -> String {
    let nodes = Dictionary(grouping: nodes, by: \.owner)
    return ((nodes[nil] ?? []).flatMap { draw($0, nodes[$0.id] ?? []) } + edges.map(drawEdge))
      .map { "  \($0)\n" }.joined()
  }

  private static let colors: [Edge.Kind: String] = [
    .observes: "#1b5cb8", .reads: "#a0522d", .sets: "#2b8a3e", .stores: "#666666",
    .notifies: "#999999",
  ]

  /// Meaning of the colours.
  private static let legend = [
    "blue boxes observe, by their controllers",
    colored(.observes, "→ observes: how, and where in the source"), colored(.reads, "→ reads"),
    colored(.sets, "→ a binding sets"), colored(.stores, "→ holds in a property"),
    "solid: keeps alive", "dashed: does not",
  ].joined(separator: " &nbsp;·&nbsp; ")

  private static func colored(_ kind: Edge.Kind, _ text: String) -> String {
    "<font color=\"\(colors[kind] ?? "")\">\(text)</font>"
  }

  private func dotNode(_ node: Node, _ properties: [Node], isObserver: Bool) -> String {
    if node.kind == .controller {
      return """
        n\(node.id) [shape=ellipse, style=filled, fillcolor="#fff4d6", fontsize=9, \
        label=\(node.name.quoted())];
        """
    }
    let color = isObserver ? "#cfe3ff" : "#e3f2df"
    let rows = properties.map { property in
      """
      <tr><td port="p\(property.id)" align="left">\(Self.escaped(Self.title(of: property)))</td></tr>
      """
    }
    return """
      n\(node.id) [shape=plain, label=<<table border="0" cellborder="1" cellspacing="0" \
      cellpadding="4"><tr><td port="h" bgcolor="\(color)"><b>\(Self.escaped(node.name))</b>\
      </td></tr>\(rows.joined())</table>>];
      """
  }

  private static let attributes: [Edge.Kind: [String]] = [
    .owns: ["weight=4"], .notifies: ["constraint=false", "arrowsize=0.6"],
    .reads: ["arrowhead=vee"], .stores: ["fontcolor=\"#666666\"", "arrowhead=open"],
  ]

  private func dotEdge(_ edge: Edge) -> String {
    var attributes = ["style=\(edge.isStrong ? "solid" : "dashed")"]
    if let color = Self.colors[edge.kind] { attributes.append("color=\"\(color)\"") }
    attributes += Self.attributes[edge.kind] ?? []
    let label = edge.kind == .stores ? ".\(edge.label)" : edge.label
    if !label.isEmpty { attributes.append("label=\(label.quoted())") }
    // From the right of a row to the left of another one; a loop stays on the right.
    let isLoop = nodes[edge.from].owner != nil && nodes[edge.from].owner == nodes[edge.to].owner
    let from = dotEnd(edge.from, side: "e")
    let to = dotEnd(edge.to, side: isLoop ? "e" : "w")
    return "\(from) -> \(to) [\(attributes.joined(separator: ", "))];"
  }

  private func dotEnd(_ id: Node.ID, side: String) -> String {
    if let owner = nodes[id].owner { return "n\(owner):p\(id):\(side)" }
    return nodes[id].kind == .object ? "n\(id):h" : "n\(id)"
  }

  static func title(of property: Node) -> String {
    property.kind == .derived ? "\(property.name) (derived)" : property.name
  }

  /// Escapes text between tags.
  private static func escaped(_ text: String) -> String {
    text.replacing([
      "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "\n": "<br/>",
    ])
  }
}

// MARK: - Mermaid

extension ObservationGraph {
  /// The graph as a Mermaid flowchart, which GitHub and many editors draw in Markdown.
  ///
  /// A frame is an object, with its properties inside. A solid line is a strong reference, a dotted
  /// one a weak reference.
  ///
  /// - Complexity: O(n log n) in nodes and edges.
  public var mermaid: String { "flowchart LR\n" + lines(mermaidNode, mermaidEdge) }

  private func mermaidNode(_ node: Node, _ properties: [Node]) -> [String] {
    let title = Self.entities(node.name)
    if node.kind == .controller { return ["n\(node.id)([\"\(title)\"])"] }
    if properties.isEmpty { return ["n\(node.id)[\"\(title)\"]"] }
    return ["subgraph n\(node.id)[\"\(title)\"]"]
      + properties.map { "  n\($0.id)[\"\(Self.entities(Self.title(of: $0)))\"]" } + ["end"]
  }

  private func mermaidEdge(_ edge: Edge) -> String {
    // Graphviz shows the kind by its colour.
    let isNamed = edge.kind == .sets || edge.kind == .reads
    let label = isNamed ? edge.kind.rawValue : edge.label
    let text = label.isEmpty ? "" : "|\"\(Self.entities(label))\"|"
    return "n\(edge.from) \(edge.isStrong ? "-->" : "-.->")\(text) n\(edge.to)"
  }

  /// Escapes text between double quotes, where `#` begins an entity, and tags are read as such.
  private static func entities(_ text: String) -> String {
    text.replacing([
      "#": "#35;", "\"": "#quot;", "&": "#amp;", "<": "#lt;", ">": "#gt;", "`": "#96;",
      "\n": "<br>",
    ])
  }
}

extension String {
  /// By scalars: a quotation mark with an accent is one character, and still a quotation mark.
  ///
  /// - Parameter control: Replaces other control characters: by spaces, since XML does not allow
  ///   them.
  func replacing(
    _ replacements: [Unicode.Scalar: String], control: (Unicode.Scalar) -> String = { _ in " " }
  ) -> String {
    unicodeScalars.map { replacements[$0] ?? ($0 < " " ? control($0) : String($0)) }.joined()
  }

  /// A string of Graphviz or JSON, in double quotes.
  func quoted(control: (Unicode.Scalar) -> String = { _ in " " }) -> String {
    let text = replacing(["\\": "\\\\", "\"": "\\\"", "\n": "\\n"], control: control)
    return "\"\(text)\""
  }
}
