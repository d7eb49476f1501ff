import Synchronization

/// Storage of a derived property: its node, and the subject that lists what observes it.
///
///     object ──▶ derived property ──▶ subject      strong
@usableFromInline
final class DerivedProperty: DerivedNode {
  /// Storage that one thread computes the value by for itself.
  @usableFromInline
  convenience init(like other: DerivedProperty) {
    self.init(isLasting: false, file: other.file, line: other.line, evaluate: other.evaluate)
  }

  override class func reportCycle(at place: Place, way: [CycleStep]?, of owner: AnyObject) {
    let issue: ObservationIssue =
      if let way {
        .derivedCycle(
          keyPaths: DerivedCycleObjects.note(way), file: place.file, line: place.line)
      } else {
        .cycle(keyPath: place.keyPath, file: place.file, line: place.line)
      }
    DeliveryProbe.diagnostics?.learnNames(of: way?.map(\.keyPath) ?? [place.keyPath], in: owner)
    ObservationDispatcher.reportCycle(issue)
  }

  /// Ends what observes the property, whose object is being deallocated.
  deinit {
    guard let subject = observedSubject else { return }
    // Marking collects the subject no more, once nothing is left.
    subject.endInfos()
    subject.derived?.detach()
    Unmanaged.passUnretained(subject).release()
  }
}

extension DerivedProperty {
  /// Has the property notify its own subject from now on.
  ///
  /// - Parameter owner: The object, held by the caller.
  /// - Returns: Where to register an observation, as for a stored property. `nil` if other threads
  ///   may change the value: it is followed as a path then.
  func prepareToBeObserved(of owner: AnyObject) -> Subject? {
    guard let graph = node.vertex.pointee.graph.load(ordering: .acquiring),
      settledValue(of: owner) != nil, node.state & Node.State.shared == 0
    else { return nil }
    if let observedSubject { return observedSubject }
    #if canImport(ObjectiveC)
      let lock = node.vertex.lockGraph()
      node.keepOwner(owner)
      lock?.unlock()
    #endif
    let new = Unmanaged<AnyObject>.passRetained(
      Subject(owner: owner, derived: DerivedTurn(self, in: graph)))
    let isFirst = node.pointee.subject.compareExchange(
      expected: nil, desired: new, ordering: .acquiringAndReleasing
    ).exchanged
    if !isFirst { new.release() }
    return observedSubject
  }

  /// Whether the value was computed from others, or others from it; if not, it never changes.
  var isInGraph: Bool {
    guard let lock = node.vertex.lockGraph() else { return false }
    defer { lock.unlock() }
    return node.dependencies.count + node.vertex.dependents.count > 0
  }

  /// The subject of the property; `nil` before it is first observed.
  var observedSubject: Subject? {
    // Retained by `prepareToBeObserved`, which alone sets it, until the deinit.
    node.pointee.subject.load(ordering: .acquiring).map {
      unsafeDowncast($0.takeUnretainedValue(), to: Subject.self)
    }
  }

  /// The value as it is now, with no lock held.
  ///
  /// - Returns: `nil` if this thread computes it. While another one does, the value as this thread
  ///   computes it for itself.
  func settledValue(of owner: AnyObject) -> DerivedTurn.Value? {
    AccessTracker.withoutTracking {
      let access = readUnrecorded(of: owner, ThreadCell.own)
      defer { access.end() }
      if access.kind == .value { return storedValue }
      guard access.kind == .compute else { return nil }
      let own = DerivedProperty(like: self)
      guard let keyPath, own.isOwned(by: owner, { keyPath }) else { return nil }
      return own.settledValue(of: owner).map { DerivedTurn.Value(box: $0.box, version: 0) }
    }
  }

  /// The value that was computed last, also if it is out of date; `nil` while a thread computes it.
  /// Under the lock of the graph.
  var latestValueLocked: DerivedTurn.Value? {
    node.state & Node.State.computing == 0 ? storedValue : nil
  }

  /// The value that is stored. Under the lock of the graph, or where the value is clean and no
  /// other thread changes it.
  private var storedValue: DerivedTurn.Value? {
    slot == nil
      ? nil : DerivedTurn.Value(box: node.pointee.box, version: node.pointee.version)
  }
}

extension DerivedTurn.Value {
  /// Whether the value of a property cannot be told apart from an earlier one. With no lock held.
  func isSame(as old: Self, at keyPath: @autoclosure () -> AnyKeyPath) -> Bool {
    if let isSame = isSameVersion(as: old) { return isSame }
    return AccessTracker.withoutTracking {
      old.box.equals(box, by: ValueComparison.of(type(of: keyPath()).valueType).areSame)
    }
  }

  /// Whether observers are notified of the value of a property after an earlier one. Calls the
  /// user's `==`, with no lock held.
  func differs(from old: Self, by comparison: ValueComparison) -> Bool {
    if let isSame = isSameVersion(as: old), isSame || comparison.isExact { return !isSame }
    return AccessTracker.withoutTracking { !old.box.equals(box, by: comparison.areUnchanged) }
  }

  /// Whether the node has found that it cannot tell the values apart: `nil` if there may be others
  /// between them.
  private func isSameVersion(as old: Self) -> Bool? {
    guard old.version != 0, version != 0, version &- old.version <= 1 else { return nil }
    return old.version == version
  }
}

// MARK: - Under the lock of a store

/// Functions of the node's memory: nothing may retain the derived property there, whose deinit
/// takes that lock, and which another thread may be deallocating.
extension UnsafeMutablePointer<Node> {
  /// Has marking collect the property as long as it has observers.
  func setObserved(_ isObserved: Bool) {
    let lock = vertex.lockGraph()
    state = isObserved ? state | Node.State.observed : state & ~Node.State.observed
    // Marked since its value was computed for an observation: the next change collects it.
    if isObserved, !vertex.isClean { state |= Node.State.undelivered }
    lock?.unlock()
  }

  /// Has the delivery of a derived property, or the evaluation of a path, wait, if a property that
  /// it depends on is being mutated in place. Under the lock of the graph.
  ///
  /// - Parameter collected: What is collected then.
  /// - Complexity: O(n) in what lies behind the value; see `GraphLock.hasMutations`.
  func postponeForMutation(_ collected: AnyObject, _ lock: GraphLock.Reference) -> Bool {
    guard let mutatedSource else { return false }
    lock.pointee.postponed.append((mutatedSource, collected))
    return true
  }

  /// A property behind the value that is being mutated in place. Under the lock of the graph.
  var mutatedSource: Vertex.Reference? {
    sources.last { $0.pointee.state.load(ordering: .relaxed) & Node.State.mutating != 0 }
  }
}

// MARK: - Paths

extension DerivedProperty {
  /// Has a path whose getter counts as running depend on the property, which it has read.
  func noteRead(by reader: Node.Reference) {
    let lock = reader.vertex.lockGraph(joining: node.vertex)
    reader.read(node.vertex)
    if node.state & Node.State.shared != 0 { reader.note(Node.State.shared) }
    // Marked by another thread since.
    if !node.vertex.isClean { reader.note(Node.State.check) }
    lock.unlock()
  }

  /// The subjects of the stored properties that the value was computed from, directly or by way of
  /// other derived values, each once, in the order in which they were read.
  var sources: [ObjectIdentifier] {
    guard let lock = node.vertex.lockGraph() else { return [] }
    defer { lock.unlock() }
    return node.sources.map { $0.pointee.object }
  }
}

/// As `DerivedNode`; the rest is immutable or atomic.
extension DerivedProperty: @unchecked Sendable {}
