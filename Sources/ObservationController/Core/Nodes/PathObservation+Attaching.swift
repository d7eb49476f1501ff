/// The properties that a path depends on.
extension PathObservation {
  /// Has the path depend on what it has read, from now on.
  ///
  /// - Parameters:
  ///   - accesses: Emptied: of objects that the getter has made for itself, and which nothing else
  ///     holds, the path takes over what they depend on.
  ///   - value: The value that was read.
  ///   - root: The object to read it from again, where other threads may have changed what it has
  ///     read. What they change from then on waits until the caller calls `open`.
  /// - Returns: The value that the first change begins with.
  func attach(
    _ info: ObservationInfo, to accesses: inout PropertyAccesses, at value: ValueBox? = nil,
    rereadingFrom root: AnyObject?
  ) -> ValueBox? {
    if root != nil {
      state.withLock { $0.queue.begin() }
      hold()
    }
    let cell = ThreadCell.own
    var lock = node.vertex.lockOwnGraph()
    node.pointee.subject.store(.passUnretained(info), ordering: .releasing)
    node.state |= Node.State.observed
    if wantsPrior { lock.countPriorPaths(by: 1) }
    // As if its getter ran: nothing that is marked meanwhile is lost.
    cell.beginRun(node, lock)
    for access in accesses.all {
      access.subject?.noteRead(by: node, of: access.owner)
      access.derived?.noteRead(by: node)
    }
    accesses = PropertyAccesses()
    var value = value
    if let root {
      node.cursor = 0
      run(root)
      value = takeResult().value
    }
    // Freed outside of the lock. Nothing is kept once it has ended, by the getter or meanwhile:
    // nobody would take it out.
    let old = state.withLock { state -> ValueBox? in
      guard keepsValue, let value, info.isActive else { return nil }
      return exchange(&state.kept, with: kept(of: value))
    }
    withExtendedLifetime(old) {}
    lock = cell.endRun(node, isChanged: false).lock
    node.state &= ~Node.State.rewired
    if !node.vertex.isClean { node.state |= Node.State.undelivered }
    lock.unlock()
    // Ended meanwhile, perhaps before it was attached.
    if !info.isActive { leave() }
    if root != nil {
      let id = Subject.nextChangeID()
      endHold()
      didChange(info, id: id)
      var recipient = ObservationRecipient()
      // Only noted, since the turn is taken.
      deliver(info, through: id, to: &recipient)
    }
    return value
  }

  /// Takes the path out of the graph. Under the lock of the store; nothing is released.
  func leave() {
    let lock = node.vertex.lockOwnGraph()
    defer { lock.unlock() }
    if node.state & Node.State.observed != 0 {
      node.state &= ~Node.State.observed
      if wantsPrior { lock.countPriorPaths(by: -1) }
    }
    // Otherwise the thread that computes it does so.
    if node.state & Node.State.computing == 0 { node.truncateDependencies(to: 0) }
  }

  /// Whether it has a delivery before a property is stored.
  private var wantsPrior: Bool { node.state & Node.State.prior != 0 }

  /// Removes an info that has ended. Under the lock of the store.
  ///
  /// - Returns: What it held here, to be freed outside of every lock.
  func detachLocked(_ info: ObservationInfo) -> Any {
    if let pin { _ = pin.link.remove(info) }
    pin = nil
    leave()
    return state.withLock { state in
      (
        info.replaceHandler(by: nil), state.kept.take(), state.before.take(),
        state.queue.removeAll()
      )
    }
  }

  /// Property that a path depends on, for diagnostics: addresses, which are only compared.
  struct Dependency {
    /// The subject of a stored property, the storage of a derived one.
    let identity: ObjectIdentifier
    let owner: ObjectIdentifier?
  }

  /// The properties that the path reads directly. Under the lock of the store.
  var dependencies: [Dependency] {
    if let pin { return [pin.link.dependency] }
    let lock = node.vertex.lockOwnGraph()
    defer { lock.unlock() }
    return node.readVertices.map(\.dependency)
  }
}

extension UnsafeMutablePointer<Vertex> {
  /// Under the lock of the graph.
  fileprivate var dependency: PathObservation.Dependency {
    let object = pointee.object
    // Safe: the object of a vertex that is no node is a subject, which waits for the lock in its
    // deinit.
    guard isNode else { return unsafeBitCast(object, to: SubjectReference.self).dependency }
    let bits = node.pointee.ownerBits.load(ordering: .relaxed)
    return PathObservation.Dependency(
      identity: object, owner: unsafeBitCast(bits, to: ObjectIdentifier?.self))
  }
}

extension UnsafeMutablePointer<Node> {
  /// Whether the value has read a property of an object, also by way of derived ones. Under the
  /// lock of the store.
  func hasRead(propertyOf owner: ObjectIdentifier) -> Bool {
    guard let lock = vertex.lockGraph() else { return false }
    defer { lock.unlock() }
    return verticesBehind.contains { $0.dependency.owner == owner }
  }
}

extension SubjectReference {
  var dependency: PathObservation.Dependency {
    PathObservation.Dependency(
      identity: identity, owner: subject._withUnsafeGuaranteedRef { $0.ownerInGraph })
  }

  /// The node of a derived property, valid under the lock of a store that lists its observation.
  var derivedNode: Node.Reference? { subject._withUnsafeGuaranteedRef { $0.derived?.memory } }
}
