/// Stored properties as derived values and key paths see them. A property has a vertex once one of
/// them has read it, which belongs to the subject, and is freed with it.
extension Subject {
  /// Records that the getter of `reader` reads the property. Before the value is read: what is
  /// stored after this marks the reader.
  func noteRead(by reader: Node.Reference, of owner: ObjectIdentifier) {
    let isReadyPath = reader.state & Node.State.kinds == Node.State.path
    let bits = isReadyPath ? Phase.isRead : Phase.isRead | Phase.isPrepared
    let isMarked = phase.load(ordering: .relaxed) & bits == bits
    let vertex = (isMarked ? self.vertex : nil) ?? makeVertex(of: owner, bits)
    if isAtomic { reader.note(Node.State.shared) }
    // Without the lock. A thread that marks at this moment stored before, and with the lock of the
    // value, which the reader takes next.
    if reader.pass(vertex) { return }
    let lock = reader.vertex.lockGraph(joining: vertex)
    reader.read(vertex)
    lock.unlock()
  }

  /// - Returns: The vertex of the property, made by the first reader.
  private func makeVertex(
    of owner: ObjectIdentifier, _ bits: Phase.RawValue
  ) -> Vertex.Reference {
    // Before another thread can find the vertex and depend on it: changes from now on are marked.
    withLock { _ = phase.bitwiseOr(bits, ordering: .relaxed) }
    if let vertex { return vertex }
    let size = MemoryLayout<Vertex>.stride
    let new = UnsafeMutableRawPointer.allocate(
      byteCount: isAtomic ? size + MemoryLayout<ObjectIdentifier>.size : size,
      alignment: MemoryLayout<Vertex>.alignment
    ).bindMemory(to: Vertex.self, capacity: 1)
    new.initialize(to: Vertex(of: self))
    if isAtomic {
      UnsafeMutableRawPointer(new + 1).storeBytes(of: owner, as: ObjectIdentifier.self)
    }
    guard let other = setVertex(new) else { return new }
    new.deinitialize(count: 1)
    new.deallocate()
    return other
  }

  /// The object that the property belongs to. An atomic one does not know it: that of which it was
  /// first read stands behind its vertex.
  var ownerInGraph: ObjectIdentifier? {
    guard isAtomic, let vertex else { return owner }
    // Safe: `makeVertex` has stored it there.
    return UnsafeRawPointer(vertex + 1).load(as: ObjectIdentifier.self)
  }

  /// Takes the property out of the graph. Called by the deinit.
  func leaveGraph() {
    guard let vertex else { return }
    vertex.leaveGraph(as: nil, of: ownerInGraph.map { UInt(bitPattern: $0) } ?? 0)
    vertex.deinitialize(count: 1)
    vertex.deallocate()
    ThreadCell.releasePending()
  }

  /// Whether an assignment has to be compared: a derived value is clean that has read the property.
  @usableFromInline
  var needsComparison: Bool {
    guard let vertex, let lock = vertex.lockGraph() else { return false }
    defer { lock.unlock() }
    return (0..<vertex.dependents.count).contains {
      vertex.dependents.edges[$0].node.state & (Node.State.dirty | Node.State.path) == 0
    }
  }

  /// Says whether two values of the property cannot be told apart. With no lock held.
  @usableFromInline
  func equality(of type: Any.Type) -> ValueEquality.Equality {
    guard !isAtomic, let vertex else { return ValueComparison.of(type).areSame }
    return vertex.equality(of: type)
  }

  /// Marks what derives from the property, right after the store. Of a property that several
  /// threads may change, under its lock: who reads the value after that finds nothing clean that is
  /// older.
  ///
  /// `ThreadCell.releasePending` has to follow once no lock is held, and the change has its turn,
  /// is queued or held: the deinit of a value that is out of date may set the property again.
  ///
  /// - Parameter isEqual: Whether an equal value was assigned, which is a change for key paths
  ///   alone.
  func markAndCollect(isEqual: Bool = false) -> Dependents {
    guard let vertex, let lock = vertex.lockGraph() else { return Dependents() }
    if vertex.pointee.state.load(ordering: .relaxed) & Node.State.mutating != 0 {
      endMutation(of: vertex, lock)
    }
    let cell = ThreadCell.own
    cell.mark(from: vertex, isEqual: isEqual)
    lock.unlock()
    var dependents = cell.takeCollected()
    // Also those that another change of the transaction has marked: the first of them to have its
    // turn delivers them.
    if ObservationTransaction.current != nil {
      directPaths.visit { _ = dependents.paths.insertIfNew($0) }
    }
    return dependents
  }

  /// Marks what derives from the property before a store, where a path of the graph has prior
  /// deliveries, or Observation waits for a change, which is notified.
  ///
  /// - Returns: The paths that have.
  @discardableResult
  func markAndCollectPrior(isEqual: Bool) -> InfoList {
    guard let vertex, let lock = vertex.lockGraph() else { return .none }
    let cell = ThreadCell.own
    cell.announce(from: vertex, isEqual: isEqual)
    lock.unlock()
    let paths = cell.takeCollected().paths.filter { $0.traits.contains(.prior) }
    // Taken first: `onChange` closures may make changes of their own.
    if !cell.pointee.announced.isEmpty {
      for registrar in exchange(&cell.pointee.announced, with: []) { registrar.willChange() }
    }
    return paths
  }

  /// Notifies Observation of what derives from the property, before a store. In a transaction too,
  /// as it is of stored properties.
  @inline(__always)
  func notifyObservation(isEqual: Bool = false) {
    guard let graph = vertex?.pointee.graph.load(ordering: .acquiring), graph.hasAwaitedNodes else {
      return
    }
    AccessTracker.withoutTracking { _ = markAndCollectPrior(isEqual: isEqual) }
  }

  /// Whether a key path in the graph of the property has prior deliveries.
  ///
  /// - Complexity: O(1).
  var hasPriorPaths: Bool {
    vertex?.pointee.graph.load(ordering: .acquiring)?.hasPriorPaths ?? false
  }

  /// The key paths that read the property directly.
  ///
  /// - Complexity: O(n) in what reads the property directly.
  var directPaths: InfoList {
    guard let vertex, let lock = vertex.lockGraph() else { return .none }
    defer { lock.unlock() }
    var paths = InfoList.none
    vertex.visitPaths(isDeep: false) { path in
      // Alive as long as it is observed.
      guard path.state & Node.State.observed != 0,
        let info = path.pointee.subject.load(ordering: .acquiring)
      else { return }
      // Safe: what marking collects of a path.
      paths.insert(unsafeDowncast(info.takeUnretainedValue(), to: ObservationInfo.self))
    }
    return paths
  }

  /// Has the observers of what derives from the property wait for the end of a mutation in place:
  /// their getters would read the property meanwhile, which traps.
  @usableFromInline
  func beginMutation(of object: AnyObject) {
    // The end of a mutation of a copy is not noticed.
    guard isOwned(by: object), let vertex, let lock = vertex.lockGraph() else { return }
    _ = vertex.pointee.state.bitwiseOr(Node.State.mutating, ordering: .relaxed)
    lock.countMutations(by: 1)
    lock.unlock()
  }

  /// Collects what has waited for the end of a mutation in place, in the same critical section, so
  /// that no other thread delivers it; what depends on another mutation waits again.
  private func endMutation(of vertex: Vertex.Reference, _ lock: GraphLock.Reference) {
    _ = vertex.pointee.state.bitwiseAnd(~Node.State.mutating, ordering: .relaxed)
    lock.countMutations(by: -1)
    let cell = ThreadCell.own
    var collected: Set<ObjectIdentifier> = []
    lock.pointee.postponed.removeAll { waiting in
      guard waiting.vertex == vertex else { return false }
      if collected.insert(ObjectIdentifier(waiting.subject)).inserted {
        cell.collect(.passUnretained(waiting.subject))
      }
      return true
    }
  }

  /// Delivers what derives from the property, which has no observers, or has the transaction of
  /// this thread hold it.
  ///
  /// - Parameter dependents: Includes paths only in a transaction.
  func finish(_ dependents: Dependents, afterChangeOf object: AnyObject) {
    let transaction = ObservationTransaction.current
    // Changes of a property that has observers are recorded with their delivery.
    let cause =
      isObserved && dependents.paths.isEmpty
      ? DeliveryProbe.current
      : DeliveryProbe.set(
        self, of: object, isNotified: !dependents.isEmpty, waits: transaction != nil)
    guard !dependents.isEmpty else { return }
    if let transaction { return transaction.hold(dependents, of: self, of: object) }
    DeliveryProbe.within(cause) { dependents.deliver(of: object, through: Self.nextChangeID()) }
  }
}

extension UnsafeMutablePointer<ThreadCell> {
  /// Takes what marking has collected.
  fileprivate func takeCollected() -> Dependents {
    var dependents = Dependents()
    for index in 0..<pointee.collected.count {
      // Retained when it was collected. Safe: nothing else is, see `Node.subject`.
      let object = pointee.collected[index].takeRetainedValue()
      if type(of: object) == ObservationInfo.self {
        dependents.paths.insert(unsafeDowncast(object, to: ObservationInfo.self))
      } else {
        dependents.derived.append(unsafeDowncast(object, to: Subject.self))
      }
    }
    pointee.collected.removeAll(from: 0)
    return dependents
  }
}
