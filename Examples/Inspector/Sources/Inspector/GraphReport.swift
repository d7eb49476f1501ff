import Hummingbird
import ObservationController

/// The graph around one object, as the page draws it.
struct GraphReport: Encodable, Sendable {
  /// Which observations the graph is of.
  enum Side: String, Encodable, Sendable {
    /// Those of the object's properties.
    case observed

    /// Those that the object has made.
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

  struct Cycle: Encodable, Sendable {
    let kind: String
    let places: [String]
    let text: String
  }

  /// The numbers of nodes and edges that are drawn: more can't be read.
  static let limits = (nodes: 300, edges: 600)

  let object: ObjectReader.ObjectRow
  let side: Side
  let nodes: [Node]
  let edges: [Edge]
  let cycles: [Cycle]

  /// The numbers of nodes and edges that are left out.
  let moreNodes: Int
  let moreEdges: Int

  /// - Parameter side: `nil` for the observations of the object, or, where there are none, those
  ///   that it has made.
  /// - Throws: An error of status 404 if no such object is observed or observes.
  static func around(
    _ id: String, _ side: Side?, by reader: ObjectReader
  ) async throws -> GraphReport {
    // Names the computed properties.
    _ = try await ObservationList.all(by: reader) { isOf(id, $0) }
    let report = try await reader.read { find(id, by: reader).map { Self($0, side, reader) } }
    guard let report else {
      throw HTTPError(
        .notFound, message: "No object at address \(id) observes or is observed (any more).")
    }
    return report
  }

  /// By the address, among the objects of observations: an address from outside is never followed.
  private static func find(_ id: String, by reader: ObjectReader) -> AnyObject? {
    for observation in ObservationDispatcher.shared.observations {
      for case let object? in [observation.object, observation.observer]
      where ObjectReader.id(of: object) == id {
        return object
      }
    }
    return nil
  }

  private static func isOf(_ id: String, _ observation: ObservationDescription) -> Bool {
    [observation.object, observation.observer].contains { $0.map(ObjectReader.id) == id }
  }

  private init(_ object: AnyObject, _ side: Side?, _ reader: ObjectReader) {
    let reads = reader.readsObjects
    let observed = ObservationGraph(of: object, readsObjects: reads)
    let isObserved = side == .observed || side == nil && !observed.nodes.isEmpty
    let graph = isObserved ? observed : ObservationGraph(observedBy: object, readsObjects: reads)
    self.object = reader.row(of: object)
    self.side = isObserved ? .observed : .observer
    // Owners stand before their properties, so that none is missing.
    nodes = graph.nodes.prefix(Self.limits.nodes).map { node in
      Node(id: node.id, kind: node.kind.rawValue, name: node.name, owner: node.owner)
    }
    let count = nodes.count
    let drawn = graph.edges.filter { $0.from < count && $0.to < count }
    edges = drawn.prefix(Self.limits.edges).map { edge in
      Edge(
        kind: edge.kind.rawValue, from: edge.from, to: edge.to, isStrong: edge.isStrong,
        label: edge.label, place: edge.file.flatMap { file in edge.line.map { "\(file):\($0)" } })
    }
    cycles = graph.cycles.map {
      Cycle(kind: $0.kind.rawValue, places: $0.places, text: $0.description)
    }
    (moreNodes, moreEdges) = (graph.nodes.count - count, graph.edges.count - edges.count)
  }
}
