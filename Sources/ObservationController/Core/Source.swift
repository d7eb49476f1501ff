import Synchronization

/// Vertex of a stored property, made when a derived value first reads it.
///
/// Belongs to the subject of the property, and is freed with it.
struct Source: ~Copyable {
  typealias Reference = UnsafeMutablePointer<Source>

  /// First, so that the address of a source is that of its vertex.
  var vertex = Vertex(state: 0)

  /// Takes the source out of the graph, under the lock of that, before it is deallocated.
  fileprivate let subject: Unmanaged<Subject>

  fileprivate var details: Details?

  /// Parts that only some properties need, in memory of their own: each property that is read has a
  /// source.
  fileprivate indirect enum Details {
    /// The object that an atomic property belongs to, and its lock.
    case atomic(owner: ObjectIdentifier, lock: ExclusiveLock)

    /// Compares two values of another property, once an assignment has been compared. Used by the
    /// thread that changes the property.
    case equality(ValueEquality.Equality)
  }
}

extension UnsafeMutablePointer<Source> {
  /// A source begins with its vertex, in memory of the source's.
  @inline(__always)
  var vertex: Vertex.Reference {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: Vertex.self)
  }

  /// The property as the evaluation of a path reads it; `nil` once its deinit has begun, which
  /// waits for the lock of the graph. Under that lock.
  var access: PropertyAccess? {
    // Through a weak reference, which does not retain what is in its deinit. Nothing that is
    // released meanwhile is the last reference to a subject that is not: its deinit takes the lock.
    let subject = pointee.subject.retain()
    defer { subject.release() }
    let reference = subject._withUnsafeGuaranteedRef { WeakReference($0) }
    return reference.object.map { subject in
      let subject = unsafeDowncast(subject, to: Subject.self)
      guard case .atomic(let owner, let lock) = pointee.details else {
        return PropertyAccess(subject: subject, owner: subject.knownOwner, keyPath: nil)
      }
      return PropertyAccess(subject: subject, owner: owner, keyPath: nil, lock: lock)
    }
  }
}

/// Stored properties as derived values see them.
extension Subject {
  /// Records that the getter of `reader` reads the property. Before the value is read: what is
  /// stored after this marks the reader.
  func noteRead(by reader: Node.Reference, of owner: ObjectIdentifier, lock: ExclusiveLock?) {
    let vertex = (source ?? makeSource(of: owner, lock: lock)).vertex
    if lock != nil { reader.note(Node.State.shared) }
    // Without the lock. A thread that marks at this moment stored before, and with the lock of the
    // value, which the reader takes next.
    if reader.pass(vertex) { return }
    let lock = reader.vertex.lockGraph(joining: vertex)
    reader.read(vertex)
    lock.unlock()
  }

  private func makeSource(of owner: ObjectIdentifier, lock: ExclusiveLock?) -> Source.Reference {
    let new = Source.Reference.allocate(capacity: 1)
    let details = lock.map { Source.Details.atomic(owner: owner, lock: $0) }
    new.initialize(to: Source(subject: .passUnretained(self), details: details))
    // Before another thread can find the source and depend on it: changes from now on are marked.
    withLock { _ = phase.bitwiseOr(Subject.Phase.isRead, ordering: .relaxed) }
    guard let other = setSource(new) else { return new }
    new.deinitialize(count: 1)
    new.deallocate()
    return other
  }

  /// Takes the property out of the graph. Called by the deinit.
  func leaveGraph() {
    guard let source else { return }
    source.vertex.leaveGraph(as: nil)
    source.deinitialize(count: 1)
    source.deallocate()
    ThreadCell.existing?.freeDropped()
  }

  /// Whether an assignment has to be compared: a derived value is clean that has read the property.
  @usableFromInline
  var needsComparison: Bool {
    guard let vertex = source?.vertex, let lock = vertex.lockGraph()
    else { return false }
    defer { lock.unlock() }
    return (0..<vertex.dependents.count).contains {
      let node = Node.Reference(at: vertex.dependents.vertex(at: $0))
      return node.state & Node.State.dirty == 0
    }
  }

  /// How the values of the property are compared. With no lock held.
  @usableFromInline
  func equality(of type: Any.Type) -> (UnsafeRawPointer, UnsafeRawPointer) -> Bool {
    guard !isAtomic, let source else {
      return ValueEquality.equality(of: type)
    }
    if case .equality(let known) = source.pointee.details { return known }
    let new = ValueEquality.equality(of: type)
    source.pointee.details = .equality(new)
    return new
  }

  /// Marks the values that derive from the property, right after the store. For a property that
  /// several threads may change, under its lock: who reads the value after that finds nothing clean
  /// that is older.
  ///
  /// `ThreadCell.freeDropped` has to follow when no lock is held.
  func mark() {
    guard let vertex = source?.vertex, let lock = vertex.lockGraph()
    else { return }
    if isBeingMutated {
      endMutation(of: vertex, lock)
    }
    ThreadCell.own.mark(from: vertex)
    lock.unlock()
  }

  /// Marks what derives from the property, right after the store.
  ///
  /// `ThreadCell.freeDropped` has to follow once the change has its turn, is queued or held: the
  /// deinit of a value that is out of date may set the property again.
  ///
  /// - Returns: The derived properties whose observers are to be notified.
  func markAndCollect() -> [Subject] {
    mark()
    return Self.takeCollected()
  }

  /// Whether a path over the property, which lists it, has to wait for the end of a mutation in
  /// place. Under the lock of the store, and so without a closure or an operator that would retain
  /// the subject in a build that is not optimised: see `Subject.Link`.
  var isPostponedHeld: Bool {
    guard let derived else { return isBeingMutated }
    return derived.isPostponedHeld(self)
  }

  /// Whether the property is being mutated in place, and a derived value has read it before.
  var isBeingMutated: Bool {
    source.map {
      $0.vertex.pointee.state.load(ordering: .relaxed) & Node.State.mutating != 0
    } ?? false
  }

  /// Has the observers of what derives from the property wait for the end of a mutation in place:
  /// their getters would read the property meanwhile, which traps.
  @usableFromInline
  func beginMutation(of object: AnyObject) {
    // The end of a mutation of a copy is not noticed.
    guard isOwned(by: object), let vertex = source?.vertex, let lock = vertex.lockGraph()
    else { return }
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
    lock.pointee.postponed.removeAll { waiting in
      guard waiting.vertex == vertex.address else { return false }
      let subject = Unmanaged.passUnretained(waiting.subject)
      let isCollected = (0..<cell.pointee.collected.count).contains {
        cell.pointee.collected[$0].toOpaque() == subject.toOpaque()
      }
      if !isCollected { cell.collect(subject) }
      return true
    }
  }

  /// - Returns: The derived properties that this thread has found by marking, whose observers are
  ///   to be notified.
  static func takeCollected() -> [Subject] {
    guard let cell = ThreadCell.existing else { return [] }
    defer { cell.pointee.collected.removeAll(from: 0) }
    return (0..<cell.pointee.collected.count).map {
      // Safe: marking collects `DerivedProperty.observedSubject` alone, and retains it.
      unsafeDowncast(cell.pointee.collected[$0].takeRetainedValue(), to: Subject.self)
    }
  }

  /// Delivers what derives from the property, or has the transaction of this thread hold it.
  func finish(_ derived: [Subject], afterChangeOf object: AnyObject) {
    guard !derived.isEmpty else { return }
    let transaction = ObservationTransaction.current
    // Changes of a property that has observers are recorded with their delivery.
    let cause =
      isObserved
      ? DeliveryProbe.current
      : DeliveryProbe.set(self, of: object, isNotified: true, waits: transaction != nil)
    if let transaction { return transaction.hold(derived, of: self) }
    DeliveryProbe.within(cause) {
      let change = PendingChange(id: Self.nextChangeID())
      change.derived = derived
      change.evaluatePaths()
      change.deliverDerived()
    }
  }
}
