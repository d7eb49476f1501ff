import ObservationController

extension ArrayEdit {
  /// Makes the edit; nothing happens if a slot is empty or there is no such element.
  ///
  /// - Parameter named: The nodes in `slots`.
  func apply(to list: ObservableArray<Node>, named nodes: [Node?]) {
    let node = nodes.first ?? nil
    let count = list.count
    switch self {
    case .append: if let node { list.append(node) }
    case .insert(_, let at): if let node { list.insert(node, at: at % (count + 1)) }
    case .replace(let at, _): if let node, count > 0 { list[at % count] = node }
    case .remove(let at): if count > 0 { list.remove(at: at % count) }
    case .removeLast: if count > 0 { list.removeLast() }
    case .removeNode: if let node { list.remove(node) }
    case .removeAll: list.removeAll()
    case .swap(let one, let other): if count > 0 { list.swapAt(one % count, other % count) }
    case .move(let from, let to): if count > 0 { list.move(from: from % count, to: to % count) }
    case .setElements: list.setElements(nodes.compactMap { $0 })
    }
  }
}
