/// C10: nested and computed paths.
extension Model {
  /// The value of a path, and the properties read on the way.
  func evaluate(_ path: Path, of node: Int) -> (value: Value, reads: [Place]) {
    var reads: [Place] = []
    func read(_ property: Property, of node: Int) -> Value {
      let place = Place(node: node, property: property)
      if !reads.contains(place) { reads.append(place) }
      return self.value(of: place)
    }
    func int(_ property: Property, of node: Int) -> Int {
      if case .int(let int) = read(property, of: node) { int } else { 0 }
    }
    func linked(_ node: Int) -> Int? {
      if case .node(let target) = read(.link, of: node) { target } else { nil }
    }
    func elements(_ node: Int) -> [Int] {
      guard case .array(let array) = read(.list, of: node),
        case .nodes(let nodes) = read(.content, of: array)
      else { return [] }
      return nodes
    }
    let value: Value =
      switch path {
      case .a, .b, .tags, .spot, .link, .list: read(path.property!, of: node)
      case .linkA: linked(node).map { read(.a, of: $0) } ?? .nothing
      case .linkLink: linked(node).map { read(.link, of: $0) } ?? .nothing
      case .linkLinkB: linked(node).flatMap(linked).map { read(.b, of: $0) } ?? .nothing
      case .linkTags: linked(node).map { read(.tags, of: $0) } ?? .nothing
      case .listCount: .int(elements(node).count)
      case .listFirstA: elements(node).first.map { read(.a, of: $0) } ?? .nothing
      case .sum: .int(int(.a, of: node) + int(.b, of: node))
      case .chosen:
        int(.a, of: node).isMultiple(of: 2)
          ? read(.b, of: node) : linked(node).map { read(.b, of: $0) } ?? .nothing
      case .total: .int(int(.a, of: node) * 100 + (linked(node).map { int(.a, of: $0) } ?? 0))
      case .plain: .int(0)
      }
    return (value, reads)
  }

  /// Notes the value before a dependency changes, until the last of the open changes has ended.
  func pathWillChange(_ path: Registration) {
    path.openChanges += 1
    guard path.openChanges == 1, nodes[path.object] != nil else { return }
    // C15: no other reference keeps it.
    guard path.asksForOld || path.array != nil else { return }
    path.old = evaluate(path.path, of: path.object).value
    path.owesPrior = path.options.contains(.prior) && path.array == nil
  }

  /// C4: delivers the value that is still there, once for the open changes. The prior delivery
  /// waits for its turn while earlier changes of the path do.
  func deliverPrior(of path: Registration) {
    guard let old = path.old, path.openChanges == 1, path.owesPrior, path.isActive,
      nodes[path.object] != nil, !path.isDelivering, path.queue.isEmpty
    else { return }
    path.owesPrior = false
    path.isDelivering = true
    if fault != .skipsPrior { notify(path, .prior, old: old, new: old) }
    deliverReached(path, rounds: 0)
  }

  /// Evaluates the path when the last of its open changes has ended.
  func pathDidChange(_ path: Registration, id: Int) {
    path.openChanges -= 1
    guard path.openChanges == 0 else { return }
    defer { (path.old, path.owesPrior) = (nil, false) }
    guard path.isActive, nodes[path.object] != nil else { return }
    let (new, reads) = evaluate(path.path, of: path.object)
    if let array = path.array { return arrayDidChange(path, array, to: new, id: id) }
    if fault == .keepsOldLink {
      path.dependencies += reads.filter { !path.dependencies.contains($0) }
    } else {
      path.dependencies = reads
    }
    if let old = path.old, isEqual(old, new, for: path) { return }
    path.queue.append(
      QueuedChange(
        id: id, what: .value(old: path.old, new: new, owesPrior: path.owesPrior)))
  }

  /// Delivers the changes of the path up to one, oldest first. Inside a delivery of the path they
  /// wait: each observer sees a contiguous chain (C7).
  func deliver(_ path: Registration, through id: Int) {
    path.reached = max(path.reached, id)
    guard !path.isDelivering, let first = path.queue.first, first.id <= id else { return }
    path.isDelivering = true
    deliverReached(path, rounds: 0)
  }

  func deliverReached(_ path: Registration, rounds: Int) {
    var rounds = rounds
    while path.isActive, let change = path.queue.first {
      guard rounds < Cycle.maximumRounds else {
        discardChanges(of: path)
        write(.issue(.cycle, path.path))
        break
      }
      guard change.id <= path.reached else { break }
      path.queue.removeFirst()
      let additions = path.additions
      defer { if path.additions > additions { rounds += 1 } }
      guard nodes[path.object] != nil else { continue }
      holding(change.values + [.node(path.object)]) {
        switch change.what {
        case .value(let old, let new, let owesPrior):
          if owesPrior, let old, fault != .skipsPrior { notify(path, .prior, old: old, new: old) }
          if path.isActive { notify(path, .change, old: old, new: new) }
        case .array(let event): notify(path, event)
        }
      }
    }
    path.isDelivering = false
    collect()
  }
}
