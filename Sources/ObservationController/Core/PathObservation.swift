import Synchronization

/// Follows a nested or computed key path for one observation info.
///
/// The path is attached to its dependencies, the properties that it read when it was last
/// evaluated. Each change of a dependency evaluates it after the store, and queues the values
/// before and after as one change; that is delivered when the delivery of the dependency reaches
/// the info. The value before is the one kept since the last change, if it is plain (see
/// `PlainValue`); others may hold objects, and are read before the store.
///
///     info ──▶ path ──▶ subjects of the dependencies      which list the info
///               └─────▶ queued changes                    only while a change is under way
class PathObservation: Sink {
  struct State {
    /// How many changes of dependencies are between `willChange` and the end of `didChange`. They
    /// nest where one property is set inside the in-place mutation of another, or by the path's own
    /// getters, and overlap where several threads change properties that are atomic; the path then
    /// changes once, with the last one to end. A transaction keeps one open until it ends.
    var openChanges = 0

    /// The value before the first open change, and whether it has been noted.
    var old: ValueBox?
    var isOldNoted = false

    /// The threads that evaluate the path to note it: a getter that sets a dependency comes by
    /// again.
    var noters: Set<ThreadIdentity> = []

    /// Whether a dependency has changed since the path began to be evaluated after a change.
    var isOutOfDate = false

    /// The thread that does so, the last one to end a change.
    var evaluator: ThreadIdentity?

    /// Whether the evaluation itself has changed a dependency: what other threads change is no
    /// cycle.
    var isOutOfDateByItself = false

    /// Whether the open change has its prior delivery later, in its turn.
    var owesPrior = false

    /// The value at the last evaluation, if it is plain and old values are needed: then nothing is
    /// evaluated before a store.
    var kept: ValueBox?
    let keepsValue: Bool

    /// Versions of the derived properties that it read then; `nil` if there were none.
    var versions: [Dependency.Version]?

    /// Keeps the values of those that it is not attached to itself.
    var followers: DerivedProperty.Followers?

    /// Changes to deliver, in the order in which they were made.
    var queue = DeliveryQueue()
  }

  /// Evaluates the key path. Retains no object and no handler.
  final let read: (AnyObject) -> ValueBox

  /// Guards the handler of the info as well.
  final let state: Locked<State>

  /// Guarded by the lock of the info's store, without which no info is put on a subject: a check of
  /// exclusivity would be a second one.
  @exclusivity(unchecked) final var dependencies: [Dependency]

  /// Index of each dependency, once one of them has been lost.
  final var places: [Subject.Link: Int]?

  /// Counts the dependencies whose objects have been deallocated. Counted under that lock, before a
  /// subject is freed and its address can be used again.
  final let losses = Atomic<UInt32>(0)

  /// Whether the value before an assignment is known, or not needed, so that nothing has to be done
  /// before.
  final let isReady: Bool

  /// Whether it has read a derived property, and whether it is attached to the stored properties
  /// behind one. Set by the thread that evaluates it, and never reset; read on any thread.
  final let storedReadsDerived = Atomic<Bool>(false)
  final let storedFlattensDerived = Atomic<Bool>(false)

  /// Whether it reads a single atomic property, and is evaluated when a change of that is
  /// delivered, see `deliverPinned`. Never set again.
  final let isPinned: Atomic<Bool>

  init(
    of object: AnyObject, _ accesses: PropertyAccesses, isPinned: Bool = false,
    keepsValue: Bool = false, isReady: Bool = false, read: @escaping (AnyObject) -> ValueBox
  ) {
    let root = ObjectIdentifier(object)
    dependencies = accesses.all.map { $0.dependency(of: root) }
    self.isPinned = Atomic(isPinned)
    self.isReady = isReady
    self.read = read
    state = Locked(State(keepsValue: keepsValue))
  }

  convenience init(
    of object: AnyObject, _ accesses: PropertyAccesses, _ registration: ObservationRegistration,
    pins: Bool, isPlain: Bool
  ) {
    let options = registration.options
    // A path is read. Unwrapped once, which saves counting references in each reading.
    let use = registration.request.access.use.unsafelyUnwrapped
    let needsOld = !options.isDisjoint(with: [.old, .prior, .distinct])
    registration.noteChain(of: accesses, from: object)
    self.init(
      of: object, accesses,
      isPinned: pins && !options.contains(.prior) && accesses.areOneAtomic,
      keepsValue: isPlain && needsOld,
      isReady: Self.isReady(options, isPlain: isPlain),
      read: { KeyPathAccess.box($0, by: use) })
  }

  /// Whether the array that it leads to has edits that a transaction has yet to have recorded.
  var awaitsEdits: Bool { false }

  /// Whether a dependency is being changed: between what comes before a store and what comes after.
  var isChanging: Bool { state.withLock { $0.openChanges > 0 } }

  /// Whether the value before an assignment is known, or not needed, so that nothing has to be done
  /// before.
  static func isReady(_ options: ObservationOptions, isPlain: Bool) -> Bool {
    !options.contains(.prior) && (isPlain || options.isDisjoint(with: [.old, .distinct]))
  }

  /// Whether a change is queued.
  func hasQueued(_ id: UInt64) -> Bool {
    state.withLock { $0.queue.contains(id) }
  }

  /// Queues a change, which is to be delivered when a dependency reaches the info.
  func enqueue(_ change: PendingChange, for info: ObservationInfo) {
    // Once it has ended, nobody takes the change out.
    state.withLock { if info.isActive { $0.queue.append(change) } }
  }

  func deliver(
    _ info: ObservationInfo, _ delivery: ObservationDelivery, of object: AnyObject,
    through id: UInt64, to recipient: inout ObservationRecipient
  ) {
    // Not with a change that changes no property which the path reads directly.
    if !actsBeforeStore {
      deliverPinned(info, delivery, to: &recipient)
    } else if !flattensDerived || hasQueued(id) {
      deliver(info, through: id, to: &recipient)
    }
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

  func discard(through id: UInt64) {
    // Freed outside of the lock.
    while let dropped = state.withLock({ state in
      state.queue.isEmpty(through: id) ? nil : state.queue.removeFirst()
    }) {
      withExtendedLifetime(dropped) {}
    }
  }

  func subjectWillGoLocked(_ subject: Subject, of info: ObservationInfo)
    -> ObservationStore.SinkLoss
  {
    _ = subject.remove(info)
    // Not found if another thread has attached the path to other properties just now.
    guard let dependency = removeDependency(on: subject) else { return ObservationStore.SinkLoss() }
    return dependency.isOfRoot ? rootWillGoLocked(info) : ObservationStore.SinkLoss()
  }

  /// Observations that end with the object that the path starts from. Under the lock of the store.
  func rootWillGoLocked(_ info: ObservationInfo) -> ObservationStore.SinkLoss {
    ObservationStore.SinkLoss(ended: info)
  }

  func detachLocked(_ info: ObservationInfo) -> Any {
    for dependency in dependencies { _ = dependency.link.remove(info) }
    setDependencies([])
    return end(info)
  }

  // MARK: - Changes of dependencies

  /// Opens a change, and notes the value before it, where that is needed.
  ///
  /// - Returns: The value, if this has noted it.
  final func noteOld(_ info: ObservationInfo) -> ValueBox? {
    let needsOld = !info.traits.isDisjoint(with: [.old, .prior, .distinct])
    noteDerived()
    var kept: ValueBox?
    let notes = state.withLock { state in
      state.openChanges += 1
      guard needsOld, !state.isOldNoted else { return false }
      guard let value = state.kept else { return state.noters.insert(.current).inserted }
      state.note(value, of: info)
      kept = value
      return false
    }
    guard notes else { return kept }
    let old = (info.isActive ? info.registration.store.object(of: info) : nil).map { object in
      AccessTracker.withoutTracking { read(object) }
    }
    // The first one to arrive here counts, also if it was not the first to open a change: no thread
    // has stored a value yet, since each of them comes here before.
    let isFirst = state.withLock { state in
      state.noters.remove(.current)
      guard !state.isOldNoted, let old else { return false }
      state.note(old, of: info)
      return true
    }
    return isFirst ? old : nil
  }

  /// Opens a change, notes the value before it, and delivers that where `.prior` asks for that.
  ///
  /// The prior delivery waits for its turn while earlier changes of the path do, and for the end of
  /// a transaction.
  final func willChange(_ info: ObservationInfo, to recipient: inout ObservationRecipient) {
    guard let old = noteOld(info), info.traits.contains(.prior),
      ObservationTransaction.current == nil, let object = info.registration.store.object(of: info)
    else { return }
    let isNext = state.withLock { state in
      guard state.queue.beginAlone() else { return false }
      state.owesPrior = false
      return true
    }
    guard isNext else { return }
    deliver(info, object, old: old, new: old, kind: .prior, to: &recipient)
    deliverReached(info, to: &recipient)
  }

  /// Evaluates the path after a dependency changed, attaches it to the properties that it reads
  /// now, and queues the change. If other changes are open, the last one to end does so.
  ///
  /// The change stays open meanwhile. A getter that sets a dependency, or makes a handler set one,
  /// changes the path with this change: the path is evaluated again. Changes of other threads are
  /// part of this change, or of one that is queued after it.
  func didChange(_ info: ObservationInfo, id: UInt64) {
    noteNew(info, id: id, opens: false)
  }

  private func noteNew(_ info: ObservationInfo, id: UInt64, opens: Bool) {
    var evaluation = Evaluation()
    _ = noteNew(info, id: id, opens: opens, takesTurn: false, &evaluation)
  }

  /// Evaluates the path after a derived property changed, unless it has been evaluated since.
  ///
  /// - Parameter versions: Those of the value now.
  final func derivedDidChange(
    _ info: ObservationInfo, of subject: Subject, _ versions: DerivedTurn.Versions, id: UInt64
  ) {
    if isOutOfDate(subject, versions) { noteNew(info, id: id, opens: true) }
  }

  /// Evaluates and delivers a change of which no other info is notified, as a rule without queuing
  /// it, which takes an object and three critical sections.
  final func didChangeAlone(
    _ info: ObservationInfo, id: UInt64, to recipient: inout ObservationRecipient
  ) {
    // Arrays have a queue of their own, and never are.
    assert(isReady)
    do {
      // Freed before what comes next.
      var evaluation = Evaluation()
      guard noteNew(info, id: id, opens: true, takesTurn: true, &evaluation) else {
        return deliver(info, through: id, to: &recipient)
      }
      // Moved, since copies would count references.
      if let object = evaluation.object.take(), let new = evaluation.value.take() {
        deliver(info, object, old: evaluation.old, new: new, kind: .change, to: &recipient)
      }
    }
    if !state.withLock({ $0.queue.endIfEmpty() }) { deliverReached(info, to: &recipient) }
  }
}
