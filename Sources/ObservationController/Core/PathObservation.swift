/// Follows a nested or computed key path for one observation info: a node of the graph that nothing
/// reads.
///
/// The node depends on the properties that the key path read when it was last evaluated. A change
/// of one of them marks it; it is evaluated after the store, and the values before and after are
/// queued as one change, which is delivered when the delivery of the property reaches the info. The
/// value before is the one kept since the last change, if it is plain (see `PlainValue`); others
/// may hold objects, and are read before the store.
///
///     info ──▶ path ──▶ memory of the node, queued changes      strong
///       ▲┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┘                               address, while it is observed
///
/// A path that reads a single atomic property is delivered each change of that, and is no node
/// until it reads something else: see `PathObservation+Pinned.swift`.
class PathObservation: DerivedNode, Sink {
  struct State {
    /// How many changes of properties are open: from `willChange` or `openChange` to the end of
    /// `didChange`, which the last one to end evaluates. They nest where one property is set inside
    /// the in-place mutation of another, or by the path's own getters, and overlap where several
    /// threads change properties that are atomic. A transaction keeps one open until it ends.
    var openChanges = 0
    /// The value before the first open change, once that has been noted.
    var old: ValueBox?
    /// The threads that evaluate the path to note it: a getter that sets a dependency comes by
    /// again.
    var noters: Set<ThreadIdentity> = []
    /// Whether the prior delivery of the open change has been made before the store; otherwise it
    /// comes later, in its turn.
    var hasPrior = false
    /// The value at the last evaluation, if it is plain and old values are needed, or that of a
    /// derived property, which keeps it too: then nothing is evaluated before a store.
    var kept: ValueBox?
    /// The derived properties that the path had read before the first open change.
    var before: [DerivedRead]?
    /// Changes to deliver, in the order in which they were made.
    var queue = DeliveryQueue<PendingChange>()
  }

  /// One evaluation after changes.
  struct Evaluation {
    /// `nil` until the getter has returned.
    var value: ValueBox?
    /// The derived properties as they were before the changes.
    var before: [DerivedRead]?
    /// Whether these have the values that they had then, and nothing else has been assigned.
    var isBack = false
  }

  final let registration: ObservationRegistration
  /// Access of the key path. Here, which saves counting references in each reading.
  private final let use: KeyPathAccess.Closure
  /// Guards the handler of the info as well. Taken after the lock of the graph.
  final let state: Locked<State>
  /// Whether the value after an evaluation is the one before the next change.
  final let keepsValue: Bool
  /// Whether it is a derived property, which changes when its value does: where another thread was
  /// computing that, it is not known whether it has.
  final let isOfDerived: Bool
  /// The only property that it reads, if several threads may change that, until it reads something
  /// else. Guarded by the lock of the store: a check of exclusivity would be a second one.
  @exclusivity(unchecked) final var pin: PropertyAccesses.Pin?
  /// Result of the last run of the getter. Belongs to the thread that computes the node, then to
  /// the one that takes it, under the lock of the graph.
  @exclusivity(unchecked) final var result = Evaluation()

  /// - Parameters:
  ///   - registration: Names the path in issues, and says which values are needed.
  ///   - root: The object that it starts from.
  ///   - accesses: What the key path has read; `nil` for a part of an array, which is a node also
  ///     where it reads a single atomic property.
  ///   - isPlain: Whether the values are plain, see `PlainValue`.
  init(
    _ registration: ObservationRegistration, from root: AnyObject,
    reading accesses: PropertyAccesses? = nil, isPlain: Bool = false
  ) {
    let options = registration.options
    let needsOld = !options.isDisjoint(with: [.old, .prior, .distinct])
    (self.registration, use) = (registration, registration.request.access.use)
    isOfDerived =
      accesses?.only?.derived != nil
      && accesses?.property(of: root, at: registration.keyPath) != nil
    keepsValue = isOfDerived || isPlain && needsOld
    pin = options.contains(.prior) ? nil : accesses?.pin(of: root)
    state = Locked(State())
    super.init(
      file: registration.file, line: registration.line,
      evaluate: { root, node in
        unsafeDowncast(node, to: PathObservation.self).run(root)
        // Not compared, since nothing reads a path.
        return true
      })
    node.pointee.ownerBits.store(UInt(bitPattern: ObjectIdentifier(root)), ordering: .relaxed)
    node.state |= Node.State.path
    // Otherwise the value before an assignment is kept, or not needed.
    if options.contains(.prior) || needsOld && !keepsValue { node.state |= Node.State.actsBefore }
    if let accesses { registration.noteChain(of: accesses, from: root) }
  }

  final override var place: Place {
    Place(keyPath: registration.keyPath, file: file, line: line)
  }

  override final class func reportCycle(at place: Place, way: [AnyKeyPath]?, of owner: AnyObject) {
    ObservationDispatcher.reportCycle(
      .cycle(keyPath: place.keyPath, file: place.file, line: place.line))
  }

  override final class func rootWillGo(of info: AnyObject) {
    // Safe: what marking collects of a path.
    let info = unsafeDowncast(info, to: ObservationInfo.self)
    info.path?.rootWillGo(of: info)
  }

  override final class func linkWillGo(of info: AnyObject) {
    // Safe: what marking collects of a path.
    let info = unsafeDowncast(info, to: ObservationInfo.self)
    info.path?.endIfRootIsGone(info)
  }

  /// Evaluates the key path.
  func read(_ root: AnyObject) -> ValueBox { KeyPathAccess.box(root, by: use) }

  /// Ends what has to end with the object that the path starts from.
  func rootWillGo(of info: ObservationInfo) { info.registration.store.end(info) }

  final func endIfRootIsGone(_ info: ObservationInfo) {
    // Loaded outside of locks: this may be the last reference to it.
    if info.isActive, info.object == nil { rootWillGo(of: info) }
  }

  /// Whether the array that it leads to has edits that a transaction has yet to have recorded.
  var awaitsEdits: Bool { false }

  /// Whether a property that the path reads is being changed, between what comes before a store and
  /// what comes after, or changes are queued or being taken.
  final var isAhead: Bool {
    state.withLock { $0.openChanges > 0 || $0.queue.isDelivering || !$0.queue.isEmpty }
  }

  /// Delivers the queued changes up to the one numbered `id`, oldest first.
  ///
  /// If they are being delivered already, by a frame below or by another thread, that one takes
  /// these too, after the current one: two changes never overlap and never overtake each other.
  func deliver(
    _ info: ObservationInfo, through id: UInt64, to recipient: inout ObservationRecipient
  ) {
    let isItsTurn = state.withLock { $0.queue.begin(through: id) }
    if isItsTurn { deliverReached(info, to: &recipient) }
  }

  /// Delivers what has changed since the path was attached. Later changes do not wait.
  func open(_ info: ObservationInfo) {
    state.withLock { $0.queue.begin() }
    var recipient = ObservationRecipient()
    AccessTracker.withoutTracking { deliverReached(info, to: &recipient) }
  }

  /// Leaves a change to be delivered with the next one.
  final func omitChange() {
    let lock = node.vertex.lockOwnGraph()
    // The next marking has to pass the derived values on the way too.
    var rest = [node]
    while let next = rest.popLast() {
      guard !next.vertex.isClean, next.state & Node.State.missed == 0 else { continue }
      next.state |= Node.State.missed
      for vertex in next.readVertices where vertex.isNode { rest.append(vertex.node) }
    }
    lock.unlock()
  }

  func discard(through id: UInt64) {
    // Freed outside of the lock.
    while let dropped = state.withLock({ $0.queue.removeFirst(through: id) }) {
      withExtendedLifetime(dropped) {}
    }
  }

  // MARK: Changes

  /// A change that is delivered at once.
  struct Change {
    let object: AnyObject
    let old: ValueBox?
    let new: ValueBox
    /// Kept alive while it runs, should another thread end the info.
    let handler: AnyObject
  }

  /// Ends an open change: evaluates the path, if what it reads has changed, and queues the change.
  /// If other changes are open, the last one to end does so.
  ///
  /// A getter that sets a dependency, or makes a handler set one, changes the path with this
  /// change.
  func didChange(_ info: ObservationInfo, id: UInt64) {
    var change: PathObservation.Change?
    _ = endChange(info, id: id, isAlone: false, &change)
  }
}

/// `state` is locked, `result` follows the turn to compute and the lock of the graph, the rest is
/// immutable or atomic.
extension PathObservation: @unchecked Sendable {}
