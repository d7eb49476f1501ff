import ObservationController

extension ObservationGraph {
  /// Each edge on a line: its origin, its label, its target.
  var lines: [String] {
    edges.map { edge in
      "\(title(edge.from)) \(edge.kind)\(edge.isStrong ? "" : " weakly") \(title(edge.to))"
    }
  }

  func lines(_ kinds: Edge.Kind...) -> [String] {
    zip(edges, lines).filter { kinds.contains($0.0.kind) }.map(\.1)
  }

  private func title(_ id: Node.ID) -> String {
    let node = nodes[id]
    return (node.owner.map { nodes[$0].name + "." } ?? "") + node.name
  }
}
