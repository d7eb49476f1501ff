/// Joining what a transaction has changed, edits and elements, to one change (C11).
extension ArraySink {
  /// Changes of elements that are being joined.
  struct JoinedElements {
    /// The elements, each once.
    var elements: [AnyObject] = []
    var identities: Set<ObjectIdentifier> = []

    /// Number of the event that a trace has recorded for the first change; 0 for none.
    var cause: UInt64 = 0

    /// The change, as long as it is of one property of one element.
    var only: (property: ElementProperty, change: ElementChange)?
  }

  var joiner: (any Sink)? { self }

  func beginJoining() -> ObservationInfo? {
    // A part without options, since it is notified of values of any type.
    let request = token.registration.request
    let new = part(
      ObservationRegistration(
        store: store, request: request.part(request.access, options: []),
        invoke: { _, _, _, _, _ in }),
      sink: self, kind: .part)
    return state.withLock { state in
      guard token.isActive, canJoin(state) else { return nil }
      if state.joint == nil { state.joint = new }
      isJoining.store(true, ordering: .relaxed)
      return state.joint
    }
  }

  /// Not while an array waits for the end of a batch around the transaction, nor where a plain one
  /// may be another by now.
  private func canJoin(_ state: State) -> Bool {
    guard witness.source != .values else { return !state.mayBeAhead && state.waiting.isEmpty }
    let array = witness.source == .root ? state.root.object : state.array
    return !((array as? any AnyObservableArray)?.isInBatch ?? true)
  }

  /// Adds a change of an element to those that are joined; one that is not followed any more is
  /// left out.
  ///
  /// - Returns: `false` if changes are not joined any more.
  func join(
    _ change: ElementChange, of element: AnyObject, at property: ElementProperty,
    by receiver: AnyObject
  ) -> Bool {
    // Released outside of the lock.
    var replaced: (property: ElementProperty, change: ElementChange)?
    defer { withExtendedLifetime(replaced) {} }
    return state.withLock { state in
      guard isJoining.load(ordering: .relaxed) else { return false }
      guard token.isActive, state.elements.contains(element),
        !state.elements.hasOwnInfo(element, receiver)
      else { return true }
      if state.joined.elements.isEmpty { state.joined.cause = DeliveryProbe.current }
      let isNew = state.joined.identities.insert(ObjectIdentifier(element)).inserted
      if isNew { state.joined.elements.append(element) }
      replaced = state.joined.only
      if state.joined.elements.count == 1, isNew {
        state.joined.only = (property, change)
      } else if state.joined.elements.count == 1, let only = replaced, only.property === property {
        // Two changes of a path that had waited.
        state.joined.only = (property, ElementChange(from: only.change.old, to: change.new))
      } else {
        state.joined.only = nil
      }
      return true
    }
  }

  func endJoining(as id: UInt64) {
    let joined = state.withLock { state in
      isJoining.store(false, ordering: .relaxed)
      state.joinedID = id
      return exchange(&state.joined, with: JoinedElements())
    }
    guard let first = joined.elements.first else { return }
    var changes: [ValueBox] = []
    func add(_ change: UnsafeRawPointer) { changes.append(witness.copier.box(change)) }
    let change = joined.only?.change ?? ElementChange()
    if joined.elements.count > 64 {
      // By one pass through the array.
      let (object, array) = state.withLock { ($0.root.object, $0.array) }
      let anywhere = ArrayWitness.Hint(index: -1, start: 0)
      if let container = witness.source == .array ? array : object {
        _ = witness.elementChange(first, joined.identities, container, anywhere, nil, change) {
          new, _ in add(new)
        }
      }
    } else {
      for element in joined.elements {
        _ = withChange(change, of: element, at: joined.only?.property) { new, _, _ in add(new) }
      }
    }
    let edit = state.withLock { $0.queue.last(numbered: id) }
    let keepsOld = token.registration.options.contains(.old)
    // Compared now that all have recorded it: an edit that `.distinct` leaves out has no part in
    // the change. Pinned by JoinedElementsTests.
    let leavesOutEdit =
      token.traits.contains(.distinct) && !(edit?.isMerged ?? true)
      && edit?.new.map(witness.isSame) ?? false
    guard
      let new = witness.join(
        leavesOutEdit ? nil : edit?.new, changes, joined.only != nil, keepsOld)
    else { return }
    if let edit {
      edit.new = new
    } else {
      DeliveryProbe.resume(joined.cause) { note(new, id: id, isOfElements: true) }
    }
  }

  /// Whether the transaction with this number has changed elements, of which the observation is yet
  /// to be notified.
  func hasJoined(as id: UInt64) -> Bool {
    !isJoining.load(ordering: .relaxed)
      && state.withLock { $0.joinedID == id && !$0.queue.isEmpty(through: id) }
  }
}

extension ArrayChange {
  /// Joins changes of elements, and an edit that was made before them.
  ///
  /// - Parameters:
  ///   - edit: `nil` if there was none.
  ///   - changes: Each of elements.
  ///   - isSingle: Whether there is one, of one property of one element.
  ///   - keepsOld: Whether the elements before are asked for.
  /// - Returns: `nil` if the edit includes the changes, or all elements have left.
  static func joining(
    _ edit: ArrayChange?, with changes: [ArrayChange], isSingle: Bool, keepsOld: Bool
  ) -> ArrayChange? {
    guard !(edit?.isOfEverything ?? false), let first = changes.first else { return nil }
    let entries = edit?.entries ?? []
    if isSingle, entries.isEmpty { return first.changedIndices.isEmpty ? nil : first }
    let came = Set(entries.lazy.filter { $0.oldIndex == nil }.map { $0.newIndex })
    let changed = Set(changes.lazy.flatMap { $0.changedIndices }).filter { !came.contains($0) }
    guard !changed.isEmpty else { return nil }
    let elements = edit?.elements ?? first.elements
    return ArrayChange(
      ArrayEdit(.batch, entries, changed: changed.sorted()), elements: elements,
      before: edit?.elementsBeforeEdit ?? (keepsOld ? elements : nil))
  }
}
