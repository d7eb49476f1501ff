import Observation

/// Registrar of Observation for the value of one node: a derived property of an `Observable`
/// object, or the elements of a collection.
///
///     tracked closure ─▶ access ─▶ the node is awaited ─▶ marked before a store: willChange
///                                                          after the store: didChange
///
///     derived node ──▶ registrar      strong
///          ▲┄┄┄┄┄┄┄┄┄┄┄┄┄┘            weak
///
/// Observation says neither whether a closure is being tracked nor whether one waits for a change.
/// But it keeps the key path of an access for as long as either is so, and `keyPath` is an object
/// that nothing else refers to. So where nothing tracks, reading the value costs little, and a
/// change nothing; `isReliable` makes sure of that in the process itself.
final class TrackingRegistrar: Observable {
  private let registrar = ObservationRegistrar()

  /// Guards `keyPath`: asking whether it is referred to counts as a change of the variable.
  private let lock = BriefLock()

  /// Never set after `init`.
  @exclusivity(unchecked) private var keyPath: KeyPath<TrackingRegistrar, Int>

  /// The node. Set once, in `init`.
  private(set) weak var node: DerivedNode?

  /// Whether a tracked closure has read the value since Observation was last notified. Guarded by
  /// the lock of the graph.
  var isAwaited = false

  /// Whether Observation is notified of the store that is to come. Guarded by the lock of the
  /// graph.
  var isOpen = false

  init(of node: DerivedNode?) {
    self.node = node
    // An argument makes the key path an object of its own.
    keyPath = \TrackingRegistrar[UInt(bitPattern: ObjectIdentifier(Self.self)).nonzeroBitCount]
  }

  /// The member that `keyPath` leads to.
  private subscript(number: Int) -> Int { number }
}

extension TrackingRegistrar {
  /// Has Observation note a reading.
  ///
  /// - Returns: Whether a closure is being tracked on this thread, or one waits already.
  func access() -> Bool {
    // Found out with another lock of the kind.
    let isReliable = Self.isReliable
    lock.lock(as: .leaf)
    defer { lock.unlock(as: .leaf) }
    registrar.access(self, keyPath: keyPath)
    return !isReliable || !isKnownUniquelyReferenced(&keyPath)
  }

  /// Whether a closure that has read the value is still being tracked, or waits for a change.
  private var hasReaders: Bool {
    lock.lock(as: .leaf)
    defer { lock.unlock(as: .leaf) }
    return !isKnownUniquelyReferenced(&keyPath)
  }

  private var heldKeyPath: KeyPath<TrackingRegistrar, Int> {
    lock.lock(as: .leaf)
    defer { lock.unlock(as: .leaf) }
    return keyPath
  }

  /// Notifies Observation before a store. With no lock held: calls `onChange` closures.
  ///
  /// The node stays awaited if a closure is being tracked just now, which waits from its end on, or
  /// has begun to be in one of these closures.
  func willChange() {
    registrar.willSet(self, keyPath: heldKeyPath)
    if hasReaders { node?.await(self) }
  }

  /// Notifies Observation after a store. With no lock held.
  ///
  /// Of a node that is still awaited the value is computed anew: marking stops at what is not
  /// clean, and the next change would not reach it.
  func didChange() {
    registrar.didSet(self, keyPath: heldKeyPath)
    node?.settleIfAwaited(self)
  }

  /// Whether Observation refers to the key path of an access while a closure is being tracked, and
  /// while it waits. If not, each reading counts as tracked.
  private static let isReliable: Bool = {
    var isNoted = false
    withObservationTracking {
      probe.registrar.access(probe, keyPath: probe.keyPath)
      isNoted = probe.hasReaders
    } onChange: {
    }
    let isKept = probe.hasReaders
    probe.registrar.willSet(probe, keyPath: probe.heldKeyPath)
    return isNoted && isKept
  }()

  private static let probe = TrackingRegistrar(of: nil)
}

/// `keyPath` and the flags are guarded, as they say; `node` is weak and set once.
extension TrackingRegistrar: @unchecked Sendable {}

// MARK: - Nodes

extension DerivedNode {
  /// Has Observation track the value. Before the node is first computed.
  @inline(never)
  final func makeTracked() {
    _ = registrar.storeIfNil(TrackingRegistrar(of: self))
    _ = node.vertex.pointee.state.bitwiseOr(Node.State.tracked, ordering: .releasing)
  }

  /// Has Observation note a reading of a node that it tracks.
  ///
  /// - Returns: The value, if it may be read without looking further.
  @inline(never)
  final func readTracked() -> Access? {
    guard let registrar = registrar.load() else { return nil }
    // Before the value is read, so that a change in between is noticed.
    if registrar.access() { self.await(registrar) }
    guard node.vertex.isClean, node.state & Node.State.shared == 0, slot != nil,
      ThreadCell.recording == nil
    else { return nil }
    return Access(kind: .value, lock: nil)
  }

  /// Has Observation note a reading of a value that nothing else reads, and whose changes marking
  /// would not find before it is computed.
  final func readIfTracked(of owner: AnyObject) {
    guard let registrar = registrar.load(), registrar.access() else { return }
    self.await(registrar)
    settleIfAwaited(registrar)
  }

  /// Has marking notify Observation of the next change.
  fileprivate final func await(_ registrar: TrackingRegistrar) {
    let lock = node.vertex.lockOwnGraph()
    if !registrar.isAwaited {
      registrar.isAwaited = true
      lock.countAwaitedNodes(by: 1)
    }
    lock.unlock()
  }

  fileprivate final func settleIfAwaited(_ registrar: TrackingRegistrar) {
    guard let lock = node.vertex.lockGraph() else { return }
    var isNeeded =
      registrar.isAwaited && node.state & Node.State.stale != 0
      && node.state & Node.State.computing == 0
    if isNeeded, lock.hasMutations, node.hasMutatedSource {
      // Its getter would read what is being mutated in place. The end of that leads here again.
      node.state |= Node.State.undelivered
      isNeeded = false
    }
    // Released behind the lock, which its deinit takes.
    let owner = isNeeded ? node.owner : nil
    lock.unlock()
    guard let owner else { return }
    ThreadContext.with(\.recorder, ThreadContext.Recorder()) {
      readUnrecorded(of: owner, ThreadCell.own).end()
    }
  }
}

extension UnsafeMutablePointer<ThreadCell> {
  /// Notes that a node which Observation tracks has been marked. Under the lock of the graph.
  @inline(never)
  func noteTracked(_ node: Node.Reference, _ stage: MarkingStage) {
    // The node is in the graph, so that its object has not released the registrar.
    guard let registrar = node.registrar else { return }
    if stage == .announced {
      guard node.endAwaiting(registrar) else { return }
      registrar.isOpen = true
      pointee.announced.append(registrar)
    } else if registrar.isOpen || registrar.isAwaited {
      registrar.isOpen = false
      pointee.stored.append(registrar)
    }
  }
}

extension UnsafeMutablePointer<Node> {
  fileprivate var registrar: TrackingRegistrar? {
    object._withUnsafeGuaranteedRef { $0.registrar.load() }
  }

  /// - Returns: Whether the node was awaited.
  fileprivate func endAwaiting(_ registrar: TrackingRegistrar) -> Bool {
    guard registrar.isAwaited else { return false }
    registrar.isAwaited = false
    vertex.pointee.graph.load(ordering: .acquiring)?.root.countAwaitedNodes(by: -1)
    return true
  }

  fileprivate var hasMutatedSource: Bool {
    sources.contains { $0.pointee.state.load(ordering: .relaxed) & Node.State.mutating != 0 }
  }

  /// Ends the tracking of a node that is being deallocated. Under the lock of the graph.
  func endTracking() { if let registrar { _ = endAwaiting(registrar) } }
}
