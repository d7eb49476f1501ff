/// An edit of an array. Elements are named by slots of nodes, indices wrap around.
enum ArrayEdit: Equatable {
  case append(Int)
  case insert(Int, at: Int)
  case replace(Int, with: Int)
  case remove(at: Int)
  case removeLast
  case removeNode(Int)
  case removeAll
  case swap(Int, Int)
  case move(Int, to: Int)
  case setElements([Int])
}

extension ArrayEdit {
  /// The slots of the elements that it names.
  var slots: [Int] {
    switch self {
    case .append(let slot), .insert(let slot, _), .replace(_, let slot), .removeNode(let slot):
      [slot]
    case .setElements(let slots): slots
    case .remove, .removeLast, .removeAll, .swap, .move: []
    }
  }

  /// The statement on `list`, which has so many elements; `nil` if there is nothing to do.
  var swift: String {
    func index(_ number: Int) -> String { "\(number) % list.count" }
    return switch self {
    case .append(let slot): "if let node = nodes[\(slot)] { list.append(node) }"
    case .insert(let slot, let at):
      "if let node = nodes[\(slot)] { list.insert(node, at: \(at) % (list.count + 1)) }"
    case .replace(let at, let slot):
      "if !list.isEmpty, let node = nodes[\(slot)] { list[\(index(at))] = node }"
    case .remove(let at): "if !list.isEmpty { list.remove(at: \(index(at))) }"
    case .removeLast: "if !list.isEmpty { list.removeLast() }"
    case .removeNode(let slot): "if let node = nodes[\(slot)] { list.remove(node) }"
    case .removeAll: "list.removeAll()"
    case .swap(let one, let other):
      "if !list.isEmpty { list.swapAt(\(index(one)), \(index(other))) }"
    case .move(let from, let to):
      "if !list.isEmpty { list.move(from: \(index(from)), to: \(index(to))) }"
    case .setElements(let slots):
      "list.setElements([\(slots.map { "nodes[\($0)]" }.joined(separator: ", "))].compactMap { $0 })"
    }
  }
}
