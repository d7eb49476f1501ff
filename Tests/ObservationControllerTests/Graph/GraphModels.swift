import Foundation
import ObservationController
import TestSupport

final class Pulse {
  @Observed var rate = 60
}

final class Otter {
  @Observed var name = "Rex"
  @Observed var friend: Otter?
  let pulse = Pulse()
  @Derived({ (otter: Otter) in otter.name + "!" }) var call: String
  var greeting: String { "Hello, " + name }
  let barked = ObservableEvent<Int>()
}

final class Raft {
  @Observed var otters: ObservableArray<Otter> = []
  @AtomicObserved var count = 0
}

/// Observes what a test tells it to.
class Warden {
  private(set) lazy var observations = ObservationController(observer: self)
}

extension ObservationGraph {
  /// Each edge on a line: what it leads from, what it says, what it leads to.
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
