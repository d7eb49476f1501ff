/// Follows a nested or computed key path for one observation info: a node of the graph that nothing
/// reads, and which works as a derived value does.
///
/// The node depends on the properties that the key path read when it was last evaluated. A change
/// of one of them marks it; it is evaluated after the store, or at the end of a transaction, and a
/// change from the value that it read last to the new one is queued, which is delivered when the
/// delivery of the property reaches the info. It is never read before a store.
///
///     info ──▶ path ──▶ memory of the node, value read last, queued changes      strong
///       ▲┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┘                                address, while it is observed
///
/// A path that reads a single atomic property is delivered each change of that, and is no node
/// until it reads something else: see `PathObservation+Pinned.swift`.
class PathObservation: DerivedNode, Sink {
  struct State {
    /// The value read last, see `keepsValue`: that before the next change.
    var kept: ValueBox?

    /// How many transactions, batches and changes with prior deliveries evaluate the path at their
    /// end, and whether a thread evaluates it: other changes are left to them.
    var holds = 0

    /// The derived values that the path had read before what is held back.
    var before: [DerivedRead]?

    /// Whether the prior delivery of the next change has been made; otherwise it comes later, in
    /// its turn.
    var hasPrior = false

    /// Changes to deliver, in the order in which they were made.
    var queue = DeliveryQueue<PendingChange>()
  }

  /// One evaluation after changes.
  struct Evaluation {
    /// `nil` until the getter has returned.
    var value: ValueBox?

    /// The derived properties as they were before what was held back.
    var before: [DerivedRead]?

    /// Whether these have the values that they had then, and nothing else has been assigned.
    var isBack = false
  }

  final let registration: ObservationRegistration
  /// Access of the key path. Here, which saves counting references in each reading.
  private final let use: KeyPathAccess.Closure
  /// Guards the handler of the info as well.
  final let state: Locked<State>
  /// Whether the value that was read last is kept: where an old value is asked for, and of a
  /// derived property.
  final let keepsValue: Bool
  /// Whether it is a derived property, which changes when its value does: where another thread was
  /// computing that, it is not known whether it has.
  final let isOfDerived: Bool
  /// The only property that it reads, if several threads may change that, until it reads something
  /// else. Guarded by the lock of the store: a check of exclusivity would be a second one.
  @exclusivity(unchecked) final var pin: PropertyAccesses.Pin?
  /// What the getter has returned last, until it is taken. Belongs to the thread that computes the
  /// node, then to the one that takes it, under the lock of the graph.
  @exclusivity(unchecked) final var result = Evaluation()
  final var separateToken: ObservationToken?

  /// - Parameters:
  ///   - registration: Names the path in issues, and says which values are needed.
  ///   - root: The object that it starts from.
  ///   - accesses: What the key path has read; `nil` for a part of an array, which is a node also
  ///     where it reads a single atomic property.
  init(
    _ registration: ObservationRegistration, from root: AnyObject,
    reading accesses: PropertyAccesses? = nil
  ) {
    let options = registration.options
    (self.registration, use) = (registration, registration.request.access.use)
    isOfDerived =
      accesses?.only?.derived != nil
      && accesses?.property(of: root, at: registration.keyPath) != nil
    keepsValue = isOfDerived || !options.isDisjoint(with: [.old, .prior, .distinct])
    pin = options.contains(.prior) ? nil : accesses?.pin(of: root)
    state = Locked(State(), .path)
    super.init(
      file: registration.file, line: registration.line,
      evaluate: { root, node in
        unsafeDowncast(node, to: PathObservation.self).run(root)
        // Not compared, since nothing reads a path.
        return true
      })
    node.pointee.ownerBits.store(UInt(bitPattern: ObjectIdentifier(root)), ordering: .relaxed)
    node.state |= Node.State.path
    if options.contains(.prior) { node.state |= Node.State.prior }
    if let accesses { registration.noteChain(of: accesses, from: root) }
  }

  final override var place: Place {
    Place(keyPath: registration.keyPath, file: file, line: line)
  }

  override final class func reportCycle(at place: Place, way: [CycleStep]?, of owner: AnyObject) {
    ObservationDispatcher.reportCycle(
      .cycle(keyPath: place.keyPath, file: place.file, line: place.line))
  }

  override final class func rootWillDeallocate(of info: AnyObject) {
    // Safe: what marking collects of a path.
    let info = unsafeDowncast(info, to: ObservationInfo.self)
    info.path?.rootWillDeallocate(of: info)
  }

  override final class func linkWillDeallocate(of info: AnyObject) {
    // Safe: what marking collects of a path.
    let info = unsafeDowncast(info, to: ObservationInfo.self)
    info.path?.endIfRootIsGone(info)
  }

  /// Evaluates the key path.
  func read(_ root: AnyObject) -> ValueBox { KeyPathAccess.box(root, by: use) }

  /// Ends what has to end with the object that the path starts from.
  func rootWillDeallocate(of info: ObservationInfo) { info.registration.store.end(info) }

  final func endIfRootIsGone(_ info: ObservationInfo) {
    // Loaded outside of locks: this may be the last reference to it.
    if info.isActive, info.object == nil { rootWillDeallocate(of: info) }
  }

  /// Whether the array that it leads to has edits that a transaction has yet to have recorded.
  var awaitsEdits: Bool { false }

  /// Whether the path has yet to be evaluated after a change of what it reads, or a mutation in
  /// place of that, or changes are queued or being taken.
  final var isAhead: Bool {
    let lock = node.vertex.lockOwnGraph()
    // One that is marked as undelivered waits for a change that may never come.
    let isDue = !node.vertex.isClean && node.state & Node.State.undelivered == 0
    let isMutating = lock.hasMutations && node.mutatedSource != nil
    lock.unlock()
    return isDue || isMutating
      || state.withLock { $0.holds > 0 || $0.queue.isDelivering || !$0.queue.isEmpty }
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
      guard !next.vertex.isClean, next.state & Node.State.undelivered == 0 else { continue }
      next.state |= Node.State.undelivered
      for vertex in next.readVertices where vertex.isNode { rest.append(vertex.node) }
    }
    lock.unlock()
  }

  var joiner: (any Sink)? { nil }

  func beginMutation(of owner: ObjectIdentifier) {}

  func endMutation(of owner: ObjectIdentifier) {}

  func deliverPostponed() {}

  func discard(through id: UInt64) {
    // Freed outside of the lock.
    while let dropped = state.withLock({ $0.queue.removeFirst(through: id) }) {
      withExtendedLifetime(dropped) {}
    }
  }

  /// Has changes that a cycle was cut off with be one, from the value that was delivered last.
  final func merge(_ ids: ClosedRange<UInt64>) {
    // Freed outside of the lock.
    withExtendedLifetime(state.withLock { $0.queue.merge(ids) }) {}
  }

  /// What to keep of a value, and the value again; `nil` if it is gone by then.
  ///
  /// An array is kept weakly, see `ArrayPath`; other values as they are.
  func kept(of value: ValueBox) -> ValueBox { value }
  func value(of kept: ValueBox) -> ValueBox? { kept }

  /// Leaves changes to a transaction, a batch or a change with prior deliveries, until that
  /// evaluates the path.
  func hold() {
    if state.withLock({
      $0.holds += 1
      return $0.holds == 1
    }) {
      noteDerivedReads()
    }
  }

  /// Ends what `hold` has begun; `didChange` has to follow.
  final func endHold() { state.withLock { $0.holds -= 1 } }

  /// Evaluates and delivers a change of which nothing else is notified, as a rule without queuing
  /// it.
  func didChangeAlone(
    _ info: ObservationInfo, id: UInt64, to recipient: inout ObservationRecipient
  ) {
    do {
      // Freed before what comes next.
      var change: PathObservation.Change?
      guard evaluate(info, id: id, isAlone: true, &change) else {
        return deliver(info, through: id, to: &recipient)
      }
      if let change {
        ObservationDelivery.withValues(change.old, change.new) {
          let handler = Unmanaged.passUnretained(change.handler)
          if info.isPart {
            ObservationDispatcher.deliver(
              $0, of: change.object, toPart: info, handler: handler, to: &recipient)
          } else {
            recipient.receive($0, of: change.object, info: info, handler: handler)
          }
        }
      }
    }
    if !state.withLock({ $0.queue.endIfEmpty() }) { deliverReached(info, to: &recipient) }
  }

  /// Evaluates the path and queues the change after a change of what it reads.
  ///
  /// A getter that sets a dependency, or makes a handler set one, changes the path with this
  /// change.
  func didChange(_ info: ObservationInfo, id: UInt64) {
    var change: PathObservation.Change?
    _ = evaluate(info, id: id, isAlone: false, &change)
  }
}

/// `state` is locked, `result` follows the turn to compute and the lock of the graph, the rest is
/// immutable or atomic.
extension PathObservation: @unchecked Sendable {}
