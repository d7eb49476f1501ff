import Hummingbird
import ObservationController

/// The graph around one object, as the page draws it.
struct GraphReport: Encodable, Sendable {
  /// The observations that the graph is of: those of the object's properties, or those that it has
  /// made.
  enum Side: String, Encodable, Sendable {
    case observed
    case observer
  }

  struct Node: Encodable, Sendable {
    let id: Int
    let kind: String
    let name: String
    let owner: Int?
  }

  struct Edge: Encodable, Sendable {
    let kind: String
    let from: Int
    let to: Int
    let isStrong: Bool
    let label: String
    let place: String?
  }

  /// The numbers of nodes and edges that are drawn: more can't be read.
  static let limits = (nodes: 300, edges: 600)

  let object: ObjectReader.ObjectRow
  let side: Side
  let nodes: [Node]
  let edges: [Edge]
  let cycles: [String]

  /// The number of nodes and edges that are left out.
  let more: Int

  /// - Parameters:
  ///   - id: The address, which is compared with those of objects, and never followed.
  ///   - side: `nil` for the observations of the object, or else those that it has made.
  /// - Throws: An error of status 404 if no such object is observed or observes.
  static func around(
    _ id: String, _ side: Side?, by reader: ObjectReader
  ) async throws -> GraphReport {
    let isOf = { @Sendable (item: ObservationDescription) in
      [item.object, item.observer].first { $0.map(ObjectReader.id) == id } ?? nil
    }
    // Names the computed properties.
    _ = await ObservationList.all(by: reader) { isOf($0) != nil }
    let report = await reader.read {
      ObservationDispatcher.shared.observations.lazy.compactMap(isOf).first
        .map { Self($0, side, reader) }
    }
    if let report { return report }
    throw HTTPError(.notFound, message: "No object at \(id) observes or is observed (any more).")
  }

  private init(_ object: AnyObject, _ side: Side?, _ reader: ObjectReader) {
    let reads = reader.readsObjects
    let observed = ObservationGraph(of: object, readsObjects: reads)
    let isObserved = side == .observed || side == nil && !observed.nodes.isEmpty
    let graph = isObserved ? observed : ObservationGraph(observedBy: object, readsObjects: reads)
    (self.object, self.side) = (reader.row(of: object), isObserved ? .observed : .observer)
    // Owners stand before their properties, so that none is missing.
    nodes = graph.nodes.prefix(Self.limits.nodes).map {
      Node(id: $0.id, kind: $0.kind.rawValue, name: $0.name, owner: $0.owner)
    }
    let count = nodes.count
    edges = graph.edges.filter { $0.from < count && $0.to < count }.prefix(Self.limits.edges).map {
      edge in
      Edge(
        kind: edge.kind.rawValue, from: edge.from, to: edge.to, isStrong: edge.isStrong,
        label: edge.label, place: edge.file.map { "\($0):\(edge.line ?? 0)" })
    }
    cycles = graph.cycles.map(\.description)
    more = graph.nodes.count - count + graph.edges.count - edges.count
  }
}
