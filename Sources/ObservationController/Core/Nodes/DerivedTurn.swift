import Synchronization

/// Delivery of a derived property, at the turn of its subject, and the value that was delivered
/// last. Made when the property is first observed.
///
///     object ──▶ derived node ──▶ subject ──▶ turn       strong
///                     ▲┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┘           address
///
/// A stored property is delivered from the value before to the value after each change. A derived
/// one is delivered as it is at its turn, from the value last delivered: what changed before that
/// is one change.
final class DerivedTurn {
  /// A value of the property.
  struct Value {
    let box: ValueBox

    /// `Node.version` by then; 0 if a thread has computed the value for itself.
    let version: UInt32

    static var none: Value { Value(box: ValueBox(()), version: 0) }
  }

  /// One delivery of the value to the observers, empty until the first of them is reached.
  private struct Round {
    /// Held for as long as the delivery takes.
    var owner: AnyObject?
    var old = Value.none
    var new = Value.none

    /// Whether observers are notified of the values.
    var isChange = false

    /// Whether an observation has begun with a value of its own.
    var hasBeginnings = false
  }

  private struct State {
    /// How many observations there are.
    var observers = 0

    /// `nil` while there are none.
    var last: Value?

    /// Values that observations have begun with to which nothing has been delivered yet.
    var beginnings: [ObjectIdentifier: Value] = [:]
  }

  private let state = Locked(State(), .turn)

  /// The delivery under way. Belongs to the thread that has the turn: a check of exclusivity would
  /// be a second one.
  @exclusivity(unchecked) private var round = Round()

  /// Never retained, since that might end the node under a lock. Used while an info is on the list,
  /// which the deinit of the node empties first, or by `settledValue`.
  private let node: Unmanaged<DerivedProperty>

  /// That of the node, for as long as it may be used.
  let memory: Node.Reference

  /// Whether the deinit of the node has begun.
  private let isDetached = Atomic<Bool>(false)

  /// How many changes that transactions hold back will deliver it.
  private let holds = Atomic<Int>(0)

  /// Lock of the graph that the node is a part of, retained.
  private let graph: GraphLock.Reference

  /// Compares two values of the property.
  private let comparison: ValueComparison

  init(_ node: DerivedProperty, in graph: GraphLock.Reference) {
    (self.node, memory, self.graph) = (.passUnretained(node), node.node, graph)
    comparison = .of(type(of: node.place.keyPath).valueType)
    graph.retain()
  }

  deinit { graph.release() }
}

extension DerivedTurn {
  /// Called by the deinit of the node, once there are no observations.
  func detach() { isDetached.store(true, ordering: .relaxed) }

  /// The object, for as long as the caller needs it; `nil` if its deinit has begun.
  private var owner: AnyObject? {
    let lock = graph.lockRoot()
    defer { lock.unlock() }
    // The deinit of the node takes the lock after `detach`, before it frees the memory.
    return isDetached.load(ordering: .relaxed) ? nil : memory.owner
  }

  /// The value as it is now; `nil` if the deinit of the node has begun.
  ///
  /// - Parameter owner: The object, held by the caller, which holds the node.
  private func settledValue(of owner: AnyObject) -> Value? {
    // Set by this thread, where the storage of a living object was replaced.
    guard !isDetached.load(ordering: .relaxed) else { return nil }
    // Held: getters may replace the storage.
    return withExtendedLifetime(owner) { node.takeUnretainedValue().settledValue(of: owner) }
  }
}

// MARK: - Observations

extension DerivedTurn {
  /// Notes the value that an observation begins with, which is about to be registered.
  func willInsert(_ info: ObservationInfo, of owner: AnyObject) {
    let value = settledValue(of: owner)
    state.withLock { $0.beginnings[ObjectIdentifier(info)] = value }
  }

  /// Forgets the value that an observation began with.
  @discardableResult
  func takeBeginning(of info: ObservationInfo) -> Value? {
    state.withLock { $0.beginnings.removeValue(forKey: ObjectIdentifier(info)) }
  }

  /// Under the lock of the store: no value is freed.
  func didInsert() {
    state.withLock { state in
      state.observers += 1
      memory.setObserved(true)
    }
  }

  /// Called before an observation is removed, under the lock of the store: the subject may be
  /// deallocated after that.
  ///
  /// - Returns: Values kept for the observation, to be freed outside of every lock.
  func willRemove(_ info: ObservationInfo) -> Any {
    state.withLock { state in
      state.observers -= 1
      if state.observers == 0 { memory.setObserved(false) }
      let own = state.beginnings.removeValue(forKey: ObjectIdentifier(info))
      return (own, state.observers == 0 ? state.last.take() : nil)
    }
  }
}

// MARK: - The turn

extension DerivedTurn {
  /// Has changes of other threads leave the delivery to that of a transaction, as they do with a
  /// path that it has open.
  func countHolds(by count: Int) { holds.wrappingAdd(count, ordering: .relaxed) }

  /// Whether the observers are notified when a transaction or a mutation in place has ended.
  func isPostponed(_ subject: Subject) -> Bool {
    // A transaction that ends now settles the value after this thread has marked it.
    if holds.load(ordering: .relaxed) > 0 { return true }
    guard graph.hasMutations else { return false }
    let lock = graph.lockRoot()
    defer { lock.unlock() }
    // As in `owner`.
    return !isDetached.load(ordering: .relaxed) && memory.postponeForMutation(subject, lock)
  }

  /// Takes the turn, which is that of the subject.
  ///
  /// - Returns: `false` if a thread has it, which delivers again then.
  func begin(_ subject: Subject) -> Bool {
    if subject.beginDeliveryAtOnce() || subject.beginDelivery() { return true }
    return !subject.hasDeferredChanges
      && subject.enqueue(SubjectChange(cause: DeliveryProbe.current), toLatestInfos: true)
  }

  /// Delivers the value to an observer, if it is another one than was delivered to it last. The
  /// caller has the turn.
  func deliver(
    to info: ObservationInfo, through id: UInt64, recipient: inout ObservationRecipient
  ) {
    guard info.isActive else { return }
    if round.owner == nil { evaluate(&round, of: info.object) }
    guard let owner = round.owner else { return }
    let beginning = round.hasBeginnings ? takeBeginning(of: info) : nil
    guard beginning.map({ differ($0, round.new) }) ?? round.isChange else { return }
    ObservationDelivery.withValues((beginning ?? round.old).box, round.new.box) {
      ObservationDispatcher.deliver($0, of: owner, to: info, through: id, recipient: &recipient)
    }
  }

  /// Takes the value as it is now for the one that is delivered last.
  ///
  /// - Parameters:
  ///   - round: Stays empty if the deinit of the object has begun.
  ///   - owner: The object.
  private func evaluate(_ round: inout Round, of owner: AnyObject?) {
    guard let owner, let new = settledValue(of: owner) else { return }
    var last: Value? = new
    round.hasBeginnings = state.withLock { state in
      if state.observers > 0 { swap(&state.last, &last) }
      return !state.beginnings.isEmpty
    }
    round.new = new
    round.old = last ?? new
    round.isChange = differ(round.old, new)
    round.owner = owner
  }

  /// Compares two values, while the object is held.
  private func differ(_ old: Value, _ new: Value) -> Bool {
    new.differs(from: old, by: comparison)
  }

  /// Delivers what has changed since, and gives the turn back.
  func end(_ subject: Subject) {
    // Has the subject. The values are freed before queued changes are delivered.
    let owner = takeRound().owner
    // Queued changes are delivered with an object of their own.
    subject.endDelivery(of: subject)
    withExtendedLifetime(owner) {}
  }

  /// Delivers what has changed while the caller, who has the turn, was delivering.
  ///
  /// - Parameter watch: Watches each call, near the end of a cycle.
  func deliver(toEach infos: InfoList, watch: CycleWatch? = nil) {
    if let watch {
      infos.visit { info in
        if watch.leavesOut(info) { return passOver(info) }
        watch.call(info) {
          var recipient = ObservationRecipient()
          deliver(to: info, through: .max, recipient: &recipient)
        }
      }
    } else {
      var recipient = ObservationRecipient()
      infos.visit { deliver(to: $0, through: .max, recipient: &recipient) }
    }
    _ = takeRound()
  }

  /// Takes the value for delivered to an observer that keeps a cycle going. The caller has the
  /// turn.
  func passOver(_ info: ObservationInfo) {
    if round.owner == nil { evaluate(&round, of: info.object) }
    takeBeginning(of: info)
  }

  /// Ends the delivery. The caller frees the values, and releases the object.
  private func takeRound() -> Round { exchange(&round, with: Round()) }

  /// Takes the value for delivered that a cycle has led to. Another thread may have the turn by
  /// now.
  func passOver() {
    var round = Round()
    evaluate(&round, of: owner)
  }
}

/// `state` is locked, `round` belongs to the thread that has the turn, the rest is atomic or set
/// once.
extension DerivedTurn: @unchecked Sendable {}
