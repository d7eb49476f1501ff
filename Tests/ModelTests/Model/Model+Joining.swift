/// C11: what a transaction changes in an array, edits and elements, is one change.
extension Model {
  /// Follows an edit of an array inside of a transaction.
  func noteOrigins(of place: Place, after event: ArrayDelivery) {
    guard let index = transaction!.held.firstIndex(where: { $0.place == place }) else { return }
    for part in transaction!.held[index].origins.indices {
      let old = transaction!.held[index].origins[part]
      var new = old
      if event.kind == .setting {
        new = event.elements.map { _ in -1 }
      } else {
        for from in event.positions.compactMap(\.from).sorted(by: >) { new.remove(at: from) }
        let arriving = event.positions.filter { $0.to != nil }.sorted { $0.to! < $1.to! }
        for position in arriving {
          new.insert(position.from.map { old[$0] } ?? -1, at: position.to!)
        }
      }
      transaction!.held[index].origins[part] = new
    }
  }

  /// Has each observation of an array join the changes of its elements; it is notified of all where
  /// it would be of the first.
  ///
  /// - Parameters:
  ///   - begun: The properties that are not being delivered already.
  ///   - held: All changes of the transaction.
  func joinElements(of begun: [(Place, Turn)], _ held: [Transaction.Held], id: Int) {
    var joining: [(registration: Registration, changes: [(node: Int, old: Value, new: Value)])] = []
    for (place, turn) in begun where place.property == .a {
      for index in turn.waiting.indices {
        let change = turn.waiting[index]
        for registration in change.registrations where follows(registration, place) {
          turn.waiting[index].joined.append(registration)
          if !joining.contains(where: { $0.registration === registration }) {
            joining.append((registration, []))
          }
          guard let following = registration.array, following.elements.contains(place.node),
            nodes[registration.object] != nil,
            !registration.options.contains(.distinct) || change.old != change.new,
            let known = joining.firstIndex(where: { $0.registration === registration })
          else { continue }
          joining[known].changes.append((place.node, change.old, change.new))
        }
      }
    }
    for (registration, changes) in joining where !changes.isEmpty {
      join(changes, of: registration, held, id: id)
    }
  }

  private func follows(_ registration: Registration, _ place: Place) -> Bool {
    registration.isActive && registration.array?.followsElements ?? false
      && !registration.dependencies.contains(place)
  }

  private func join(
    _ changes: [(node: Int, old: Value, new: Value)], of registration: Registration,
    _ held: [Transaction.Held], id: Int
  ) {
    guard let following = registration.array else { return }
    let elements = arrays[following.array]
    var edit: ArrayDelivery?
    if let last = registration.queue.last, last.id == id, case .array(let event) = last.what {
      edit = event
    }
    if edit?.kind == .setting { return }
    // The origins of the elements, as this observation knows them.
    let content = held.first {
      $0.place == Place(node: following.array, property: .content)
    }
    let part = content?.parts.firstIndex { $0.registrations.contains { $0 === registration } }
    let origins = edit == nil ? Array(elements.indices) : content!.origins[part!]
    let changed = elements.indices.filter { index in
      origins[index] >= 0 && changes.contains { $0.node == elements[index] }
    }
    guard !changed.isEmpty else { return }
    var event = ArrayDelivery(
      kind: .batch, elements: elements, oldElements: edit?.oldElements ?? elements,
      changed: changed)
    let isEdited = edit != nil && origins != Array((edit!.oldElements ?? []).indices)
    if changes.count == 1, !isEdited {
      event = ArrayDelivery(
        kind: .element,
        positions: changed.map { .init(node: changes[0].node, from: $0, to: $0) },
        elements: elements, oldElements: elements, old: changes[0].old, new: changes[0].new)
    }
    guard edit == nil else {
      let last = registration.queue.indices.last!
      registration.queue[last] = QueuedChange(
        id: id, isEdit: registration.queue[last].isEdit, what: .array(event))
      return
    }
    enqueue(event, by: registration, id: id, isEdit: false)
  }
}
