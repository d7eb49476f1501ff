/// Lifetimes.
///
/// A node is retained by slots, links, retaining controllers, and by changes under way; a
/// controller by slots and by its observer, if that owns it. An object is deallocated at its last
/// release.
extension Model {
  func value(of place: Place) -> Value {
    if place.property == .content { return .nodes(arrays[place.node]) }
    return nodes[place.node]?.values[place.property.rawValue] ?? .nothing
  }

  func store(_ value: Value, at place: Place) {
    if case .nodes(let elements) = value {
      arrays[place.node] = elements
    } else {
      nodes[place.node]?.values[place.property.rawValue] = value
    }
    collect()
  }

  // MARK: Retaining

  func with(_ slot: Int, _ body: (Int) -> Void) {
    guard let node = nodeSlots[slot] else { return }
    holding([.node(node)]) { body(node) }
  }

  func withList(_ slot: Int, _ body: (Int) -> Void) {
    with(slot) { node in
      let list = value(of: Place(node: node, property: .list))
      guard case .array(let array) = list else { return }
      holding([list]) { body(array) }
    }
  }

  func withController(_ slot: Int, _ body: (Int) -> Void) {
    guard let controller = controllerSlots[slot] else { return }
    heldControllers.append(controller)
    body(controller)
    heldControllers.removeLast()
    collect()
  }

  func with(_ controllerSlot: Int, _ slot: Int, _ body: (Int, Int) -> Void) {
    with(slot) { node in withController(controllerSlot) { body($0, node) } }
  }

  /// Retains `values` meanwhile.
  func holding(_ values: [Value], _ body: () -> Void) {
    let values = values.filter(\.isReference)
    guard !values.isEmpty else { return body() }
    heldValues += values
    body()
    heldValues.removeLast(values.count)
    collect()
  }

  // MARK: Deallocating

  /// C13.
  func retainsObject(_ registration: Registration) -> Bool {
    guard let controller = controllers[registration.controller] else { return false }
    return controller.retains && controller.observer != registration.object
  }

  /// The retained nodes, by number.
  private func heldNodes() -> [Bool] {
    var held = nodes.map { _ in false }
    for case let node? in nodeSlots { held[node] = true }
    for registration in registrations {
      if retainsObject(registration) { held[registration.object] = true }
      if fault == .retainsObserver, let controller = controllers[registration.controller] {
        held[controller.observer] = true
      }
    }
    for value in allValues {
      switch value {
      case .node(let node): held[node] = true
      case .nodes(let nodes): for node in nodes { held[node] = true }
      case .array(let array): for node in arrays[array] { held[node] = true }
      case .nothing, .int, .ints: break
      }
    }
    return held
  }

  /// Stored values, and changes under way. C15: a value only until it is delivered.
  private var allValues: [Value] {
    var values = heldValues
    for case let node? in nodes {
      values.append(node.values[Property.link.rawValue])
      values.append(node.values[Property.list.rawValue])
    }
    for turn in turns.values {
      for change in turn.waiting { values += [change.old, change.new] }
    }
    for registration in registrations {
      values += [registration.old].compactMap { $0 }
      for change in registration.queue { values += change.values }
    }
    for held in transaction?.held ?? [] {
      values += held.keptValues
      if held.keepsObject { values.append(held.place.object) }
    }
    return values
  }

  /// C15: a transaction's held values of an object are released with the object.
  private func forgetHeldChanges(of node: Int) {
    for index in transaction?.held.indices ?? 0..<0
    where transaction?.held[index].place.object == .node(node) {
      transaction?.held[index].parts = []
    }
  }

  private func isHeld(controller: Int) -> Bool {
    controllerSlots.contains(controller) || heldControllers.contains(controller)
      || nodes.contains { $0?.owned.contains(controller) ?? false }
  }

  /// C14: a deallocated object ends its observations.
  func collect() {
    while true {
      let held = heldNodes()
      let unretainedNodes = nodes.indices.filter { nodes[$0] != nil && !held[$0] }
      let unretainedControllers = controllers.indices.filter {
        controllers[$0] != nil && !isHeld(controller: $0)
      }
      guard !unretainedNodes.isEmpty || !unretainedControllers.isEmpty else { return }
      for node in unretainedNodes {
        nodes[node] = nil
        turns = turns.filter { $0.key.object != .node(node) }
        forgetHeldChanges(of: node)
      }
      for registration in registrations
      where unretainedNodes.contains(registration.object)
        || unretainedControllers.contains(registration.controller)
      {
        registration.isActive = false
        (registration.queue, registration.old) = ([], nil)
      }
      registrations.removeAll { !$0.isActive }
      for controller in unretainedControllers { controllers[controller] = nil }
    }
  }
}

extension Value {
  fileprivate var isReference: Bool {
    switch self {
    case .node, .nodes, .array: true
    case .nothing, .int, .ints: false
    }
  }
}

extension Place {
  /// The owner of the property.
  var object: Value { property == .content ? .array(node) : .node(node) }
}

extension QueuedChange {
  var values: [Value] {
    switch what {
    case .value(let old, let new, _): [old ?? .nothing, new]
    case .array(let event):
      [
        .nodes(event.elements), .nodes(event.oldElements ?? []),
        .nodes(event.positions.map(\.node)),
      ]
    }
  }
}
