/// Arrays: every observer of an array notes an edit at once, and is notified of it in its turn.
extension Model {
  func observeArray(
    _ observation: Observation, followsElements: Bool, on controller: Int, _ node: Int, call: Int
  ) -> Registration {
    if case .array(let array) = evaluate(.list, of: node).value {
      closeBatch(of: Place(node: array, property: .content))
    }
    // C17.
    let first = registrations.first {
      $0.controller == controller && $0.object == node && $0.context == observation.context
        && $0.array != nil
    }
    if let first {
      // From the same line.
      first.call = call
      return first
    }
    let (list, reads) = evaluate(.list, of: node)
    guard case .array(let array) = list else { fatalError("\(list) is no array") }
    let registration = Registration(
      controller: controller, object: node, path: .list,
      options: observation.options.subtracting([.prior]), context: observation.context,
      kind: .block, call: call, serial: nextSerial(),
      array: Following(array: array, elements: arrays[array], followsElements: followsElements),
      dependencies: reads)
    registrations.append(registration)
    // C3.
    if observation.options.contains(.initial) {
      holding([.nodes(arrays[array])]) {
        notify(registration, ArrayDelivery(kind: .initial, elements: arrays[array]))
      }
    }
    return registration
  }

  // MARK: Edits

  func edit(_ array: Int, _ edit: ArrayEdit) {
    let named = edit.slots.map { nodeSlots[$0] }
    holding(named.map { $0.map { .node($0) } ?? .nothing }) {
      guard let result = edit.result(in: arrays[array], named: named) else { return }
      change(
        Place(node: array, property: .content), next: nil, event: result
      ) { _ in .nodes(result.elements) }
    }
  }

  /// All edits are one change.
  func batch(_ array: Int, _ edits: [ArrayEdit]) {
    // Each is recorded by itself.
    if transaction != nil {
      for edit in edits { self.edit(array, edit) }
      return
    }
    var elements = arrays[array]
    var isEdited = false
    for edit in edits {
      let named = edit.slots.map { nodeSlots[$0] }
      guard let result = edit.result(in: elements, named: named) else { continue }
      (elements, isEdited) = (result.elements, true)
    }
    guard isEdited else { return }
    change(
      Place(node: array, property: .content), next: nil,
      event: ArrayDelivery(kind: .batch, elements: elements)
    ) { _ in .nodes(elements) }
  }

  /// Queues an edit with all observers of the array, before any of them is notified.
  func noteEdit(_ event: ArrayDelivery, of place: Place, id: Int, by listeners: [Registration]) {
    for registration in listeners {
      guard registration.isActive, let following = registration.array,
        role(of: registration, at: place) == .content
      else { continue }
      following.lastEdit = id
      note(event, from: following.elements, by: registration, id: id, isEdit: true)
    }
  }

  private func note(
    _ event: ArrayDelivery, from old: [Int], by registration: Registration, id: Int, isEdit: Bool
  ) {
    guard nodes[registration.object] != nil else { return }
    // C5.
    let isEqual = registration.options.contains(.distinct) && old == event.elements
    if let following = registration.array {
      for node in event.elements where !following.elements.contains(node) {
        following.arrivals[node] = id
      }
      following.elements = event.elements
    }
    if isEqual, registration.array?.isOutOfStep != true { return }
    var event = event
    event.oldElements = old
    enqueue(event, by: registration, id: id, isEdit: isEdit)
  }

  func enqueue(
    _ event: ArrayDelivery, by registration: Registration, id: Int, isEdit: Bool
  ) {
    var event = event
    // C8: observers that have missed changes receive all elements.
    if registration.array?.isOutOfStep == true {
      event = ArrayDelivery(kind: .setting, elements: event.elements, oldElements: [])
    }
    registration.array?.isOutOfStep = false
    registration.queue.append(QueuedChange(id: id, isEdit: isEdit, what: .array(event)))
  }

  /// C8: drops waiting changes.
  func discardChanges(of registration: Registration) {
    guard !registration.queue.isEmpty else { return }
    registration.queue = []
    registration.array?.isOutOfStep = true
  }

  /// Current observers receive one batch, and later ones the next.
  private func closeBatch(of place: Place) {
    guard let index = transaction?.held.firstIndex(where: { $0.place == place }),
      let held = transaction?.held[index], !held.isClosed
    else { return }
    let known = held.parts.flatMap(\.registrations)
    let last = held.parts.indices.last!
    transaction!.held[index].isClosed = true
    transaction!.held[index].parts[last].registrations = listeners(of: place).filter { listener in
      !known.contains { $0 === listener }
        && (listener.array != nil || held.readers.contains { $0 === listener })
    }
  }

  /// C11: all edits of an array in a transaction are one batch.
  func noteEditsOfTransaction(id: Int) {
    for held in transaction?.held ?? [] { closeBatch(of: held.place) }
    for held in transaction?.held ?? [] where held.place.property == .content {
      for part in held.parts {
        noteEdit(
          ArrayDelivery(kind: .batch, elements: arrays[held.place.node]), of: held.place, id: id,
          by: part.registrations)
      }
    }
  }

  /// The path leads to another array.
  func arrayDidChange(_ registration: Registration, _ following: Following, to new: Value, id: Int)
  {
    guard registration.old != nil, case .array(let array) = new else { return }
    // Earlier edits of the array in the transaction are part of it.
    let isEdit = following.lastEdit == id
    if isEdit, following.array == array { return }
    var old = following.elements
    if isEdit, let last = registration.queue.last, last.id == id, case .array(let edit) = last.what
    {
      registration.queue.removeLast()
      old = edit.oldElements ?? old
    }
    following.array = array
    note(
      ArrayDelivery(kind: .setting, elements: arrays[array]), from: old, by: registration, id: id,
      isEdit: false)
  }

  // MARK: Elements

  /// A change of an element is delivered with its indices at that time, unless the element has left
  /// since, also where it has come back.
  func deliverElement(_ registration: Registration, _ change: Change, of node: Int) {
    guard let following = registration.array, following.elements.contains(node),
      nodes[registration.object] != nil, following.arrivals[node] ?? 0 <= change.id,
      !registration.options.contains(.distinct) || change.old != change.new
    else { return }
    let elements = arrays[following.array]
    let places = elements.indices.filter { elements[$0] == node }
    guard !places.isEmpty else { return }
    let event = ArrayDelivery(
      kind: .element,
      positions: places.map { ArrayDelivery.Position(node: node, from: $0, to: $0) },
      elements: elements, oldElements: elements, old: change.old, new: change.new)
    if registration.isDelivering || !registration.queue.isEmpty || following.isOutOfStep {
      lastChange += 1
      enqueue(event, by: registration, id: lastChange, isEdit: false)
      deliver(registration, through: lastChange)
    } else {
      registration.isDelivering = true
      let additions = registration.additions
      holding([.nodes(elements), .node(registration.object)]) { notify(registration, event) }
      deliverReached(registration, rounds: registration.additions > additions ? 1 : 0)
    }
  }

  // MARK: Delivering

  func notify(_ registration: Registration, _ event: ArrayDelivery) {
    guard registration.isActive, let observer = observer(of: registration) else { return }
    var delivery = event
    (delivery.observer, delivery.object) = (observer, registration.object)
    (delivery.context, delivery.registration) = (registration.context, registration.call)
    if !registration.options.contains(.old) { delivery.oldElements = nil }
    holding([.node(observer), .node(registration.object)]) {
      noteDelivery {
        write(.deliveredArray(delivery))
        runScript(registration.context)
      }
    }
  }
}

extension ArrayEdit {
  /// The array after the edit, and its change; `nil` if it does nothing.
  ///
  /// - Parameter named: The nodes in `slots`.
  fileprivate func result(in elements: [Int], named: [Int?]) -> ArrayDelivery? {
    typealias Position = ArrayDelivery.Position
    let count = elements.count
    let node = named.first ?? nil
    var new = elements
    switch self {
    case .append:
      guard let node else { return nil }
      new.append(node)
      return ArrayDelivery(
        kind: .insertion, positions: [Position(node: node, to: count)], elements: new)
    case .insert(_, let at):
      guard let node else { return nil }
      let index = at % (count + 1)
      new.insert(node, at: index)
      return ArrayDelivery(
        kind: .insertion, positions: [Position(node: node, to: index)], elements: new)
    case .replace(let at, _):
      guard let node, count > 0 else { return nil }
      let index = at % count
      new[index] = node
      return ArrayDelivery(
        kind: .replacement,
        positions: [Position(node: elements[index], from: index), Position(node: node, to: index)],
        elements: new)
    case .remove(let at): return count > 0 ? Self.removal([at % count], of: elements) : nil
    case .removeLast: return count > 0 ? Self.removal([count - 1], of: elements) : nil
    case .removeNode:
      return Self.removal(elements.indices.filter { elements[$0] == node }, of: elements)
    case .removeAll: return Self.removal(Array(elements.indices), of: elements)
    case .swap(let one, let other):
      guard count > 0, one % count != other % count else { return nil }
      let (low, high) = (min(one % count, other % count), max(one % count, other % count))
      new.swapAt(low, high)
      return ArrayDelivery(
        kind: .move,
        positions: [
          Position(node: elements[low], from: low, to: high),
          Position(node: elements[high], from: high, to: low),
        ], elements: new)
    case .move(let from, let to):
      guard count > 0, from % count != to % count else { return nil }
      let moved = new.remove(at: from % count)
      new.insert(moved, at: to % count)
      return ArrayDelivery(
        kind: .move, positions: [Position(node: moved, from: from % count, to: to % count)],
        elements: new)
    case .setElements:
      return ArrayDelivery(kind: .setting, elements: named.compactMap { $0 })
    }
  }

  private static func removal(_ indices: [Int], of elements: [Int]) -> ArrayDelivery? {
    guard !indices.isEmpty else { return nil }
    return ArrayDelivery(
      kind: .removal,
      positions: indices.map { ArrayDelivery.Position(node: elements[$0], from: $0) },
      elements: elements.indices.filter { !indices.contains($0) }.map { elements[$0] })
  }
}
