import ObservationController
import TestSupport

/// Replays the changes of an array of a node, or of a live view of it.
final class RandomArrayWatch {
  enum Source: CaseIterable {
    case list, spares, view
  }

  private weak var node: RandomNode?
  private let source: Source
  private let replay: ArrayReplay<RandomNode>
  private let name: String
  private lazy var observations = ObservationController(observer: self, retainsObserved: false)
  private var isOver = false
  private var isDeliveredTwice = false

  /// The array that is viewed, and its view.
  private let viewed: ObservableArray<RandomNode>
  private let view: ObservableArray<RandomNode>

  init(_ node: RandomNode, _ source: Source, follows: Bool, then act: @escaping () -> Void) {
    self.node = node
    self.source = source
    let elements: [PartialKeyPath<RandomNode>] = follows ? [\.a, \.branch] : []
    name = "\(node).\(source) \(elements.count)"
    viewed = node.list
    view =
      follows
      ? viewed.filtered(on: [\.branch]) { $0.branch > 0 } : viewed.filtered(on: [\.b]) { $0.b > 0 }
    isByBranch = follows
    replay = ArrayReplay(
      source == .view ? view.elements : source == .list ? node.list.elements : node.spares)
    switch source {
    case .list:
      observations.observeArray(node, \.list, elements: elements) { watch, _, change in
        watch.replay.receive(change)
        act()
      }
    case .spares:
      observations.observeArray(node, \.spares, elements: elements) { watch, _, change in
        watch.replay.receive(change)
        act()
      }
    case .view:
      observations.observeArray(view) { watch, _, change in
        watch.replay.receive(change)
        act()
      }
    }
  }

  private let isByBranch: Bool

  func begin() { _ = replay.takeChanges() }

  /// The array once, and each property of each element.
  func checkDeliveredOnce() {
    var seen: Set<[AnyHashable]> = []
    for change in replay.changes {
      let key: [AnyHashable] =
        change.kind == .element ? [change.entries[0].element, change.elementKeyPath!] : []
      if !seen.insert(key).inserted { isDeliveredTwice = true }
    }
  }

  func findFlaws() -> [String] {
    var flaws = replay.flaws
    if isDeliveredTwice { flaws.append("delivered twice: \(replay.changes)") }
    let shown = viewed.elements.filter { isByBranch ? $0.branch > 0 : $0.b > 0 }
    if view.elements != shown { flaws.append("shows \(view) of \(viewed)") }
    if let node, !isOver {
      let elements =
        source == .view ? shown : source == .list ? node.list.elements : node.spares
      if elements != replay.elements { flaws.append("has \(replay.elements) of \(elements)") }
    }
    return flaws.map { "\(name): \($0)" }
  }

  func end() {
    isOver = true
    observations.unobserveAll()
  }
}
