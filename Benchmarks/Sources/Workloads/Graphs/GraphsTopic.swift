import OpenCombine

/// Graphs of derived values, by this library and by the plain graph.
///
/// An operation is a write, after which the last value is read. What this library has to get right
/// is what the plain graph does: the values read, how many were computed, and how many effects were
/// called.
enum GraphsTopic {
  static var comparisons: [Comparison] {
    GraphShape.allCases.map { shape in
      var workloads = [
        workload(.observed, shape, ObservedGraph.self), workload(.plain, shape, PlainGraph.self),
      ]
      // `onChange` comes before a value is stored, so that it may count what did not change.
      if shape.isFlat {
        workloads.append(workload(.observable, shape, ObservableGraph.self, isMinimal: false))
      }
      if let published = PublishedGraph(shape) { workloads.append(published.workload) }
      return Comparison(
        "graph-\(shape.rawValue)", count: shape.writes * shape.repetitions, isCountFixed: true,
        measures: [.time, .values], workloads)
    }
  }

  /// - Parameter isMinimal: Whether as little has to be computed as by the plain graph.
  private static func workload<P: GraphPeer>(
    _ peer: Peer, _ shape: GraphShape, _: P.Type, isMinimal: Bool = true
  ) -> Workload {
    Workload(peer) { count in
      let graph = Graph(shape, by: P.self)
      graph.perform(0..<count)
      return Run {
        graphCounts = GraphCounts()
        graph.perform(count..<2 * count)
      } isRight: {
        withExtendedLifetime(graph) { isRight(shape, count, isMinimal: isMinimal) }
      } values: {
        graphCounts.values
      }
    }
  }

  static func isRight(_ shape: GraphShape, _ count: Int, isMinimal: Bool) -> Bool {
    let counts = graphCounts
    let plain = plainCounts(shape, count)
    graphCounts = counts
    return isMinimal ? counts == plain : counts.sum == plain.sum
  }

  /// Counts of the plain graph, kept for the next round.
  private static func plainCounts(_ shape: GraphShape, _ count: Int) -> GraphCounts {
    let key = "\(shape) \(count)"
    if let known = known[key] { return known }
    let graph = Graph(shape, by: PlainGraph.self)
    graph.perform(0..<count)
    graphCounts = GraphCounts()
    graph.perform(count..<2 * count)
    known[key] = graphCounts
    return graphCounts
  }

  /// Used by one thread.
  nonisolated(unsafe) private static var known: [String: GraphCounts] = [:]
}

/// The graphs that OpenCombine can build: those where each value derives from one other. It joins
/// values that derive from one property only by way of states that never were.
private struct PublishedGraph {
  private let shape: GraphShape

  init?(_ shape: GraphShape) {
    guard [.avoidable, .broad, .deep, .repeated].contains(shape) else { return nil }
    self.shape = shape
  }

  var workload: Workload {
    Workload(.published) { [self] count in
      let head = CurrentValueSubject<Int, Never>(0)
      var last = 0
      let chains = chains(from: head)
      let sinks = chains.enumerated().map { place, chain in
        let isLast = place == chains.count - 1
        return chain.sink {
          if isLast { last = $0 }
          graphCounts.effects += 1
        }
      }
      let write = { (number: Int) in
        head.value = number % shape.writes + 1
        graphCounts.sum &+= last
      }
      for number in 0..<count { write(number) }
      return Run {
        graphCounts = GraphCounts()
        for number in count..<2 * count { write(number) }
      } isRight: {
        withExtendedLifetime(sinks) { GraphsTopic.isRight(shape, count, isMinimal: true) }
      } values: {
        graphCounts.values
      }
    }
  }

  private func chains(
    from head: CurrentValueSubject<Int, Never>
  ) -> [AnyPublisher<Int, Never>] {
    switch shape {
    case .avoidable:
      let second = value(value(head) { $0 }) { _ in 0 }.removeDuplicates()
      return [value(value(value(second) { $0 + 1 }) { $0 + 2 }) { $0 + 3 }]
    case .broad:
      return (0..<50).map { index in value(value(head) { $0 + index }) { $0 + 1 } }
    case .deep:
      return [(0..<50).reduce(head.eraseToAnyPublisher()) { chain, _ in value(chain) { $0 + 1 } }]
    default:
      return [value(head) { $0 * 30 }]
    }
  }

  private func value(
    _ before: some Publisher<Int, Never>, _ body: @escaping (Int) -> Int
  ) -> AnyPublisher<Int, Never> {
    before.map {
      graphCounts.values += 1
      return body($0)
    }.eraseToAnyPublisher()
  }
}
