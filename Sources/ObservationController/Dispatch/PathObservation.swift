import Synchronization

/// Follows a nested or computed key path for one observation info.
///
/// The path hangs on its dependencies, the properties that it read when it was last evaluated. Each
/// change of a dependency evaluates it twice, before and after the store, and queues the two values
/// as one change; that is delivered when the delivery of the dependency reaches the info. Between
/// changes no value is kept.
///
///     info ──▶ path ──▶ subjects of the dependencies      which list the info
///               └─────▶ queued changes                    only while a change is under way
class PathObservation {
  /// A property that the path reads.
  struct Dependency: Hashable {
    /// Not counted, see `SubjectLink`.
    unowned(unsafe) let subject: Subject

    /// Whether the property is one of the observed object's own.
    let isOfRoot: Bool

    static func == (left: Self, right: Self) -> Bool {
      left.subject === right.subject
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(ObjectIdentifier(subject))
    }
  }

  struct State {
    /// How many changes of dependencies are between `willChange` and the end of `didChange`. They
    /// nest where one property is set inside the in-place mutation of another, or by the path's own
    /// getters, and overlap where several threads change properties that are atomic; the path then
    /// changes once, with the last one to end. A transaction keeps one open until it ends.
    var openChanges = 0

    /// The value before the first open change, and whether it has been noted.
    var old: ValueBox?
    var isOldNoted = false

    /// The threads that evaluate the path to note it: a getter that sets a dependency comes by again.
    var noters = ThreadSet()

    /// Whether a dependency has changed since the path began to be evaluated after a change.
    var isOutOfDate = false

    /// The thread that does so, the last one to end a change.
    var evaluator: ThreadIdentity?

    /// Whether the evaluation itself has changed a dependency: what other threads change is no cycle.
    var isOutOfDateByItself = false

    /// Whether the open change has its prior delivery later, in its turn.
    var owesPrior = false

    /// Changes to deliver, in the order in which they were made.
    var queue = SmallQueue<Change>()

    /// Up to which change the queue may be delivered now.
    var reached: UInt64 = 0

    /// Whether a thread delivers the queue.
    var isDelivering = false
  }

  struct Change {
    let id: UInt64
    let old: ValueBox?
    let new: ValueBox
    let owesPrior: Bool

    /// What other threads change is no cycle, however much it is.
    let maker = ThreadIdentity.current
  }

  /// Evaluates the key path. Holds nothing but the key path.
  let read: (AnyObject) -> ValueBox

  /// Guarded by the lock of the info's registry, without which no info is put on a subject.
  var dependencies: [Dependency]

  /// Guards the handler of the info as well.
  let state = Locked(State())

  /// The subject of an atomic property, if the path was found to read nothing else.
  private let onlySubject: ObjectIdentifier?

  /// Whether that is still so. Never becomes `true` again.
  private let isPinned: Atomic<Bool>

  init(
    dependencies: [Dependency], pinnedTo subject: ObjectIdentifier? = nil,
    read: @escaping (AnyObject) -> ValueBox
  ) {
    self.dependencies = dependencies
    self.read = read
    onlySubject = subject
    isPinned = Atomic(subject != nil)
  }

  convenience init(
    of object: AnyObject, _ accesses: PropertyAccesses, _ options: ObservationOptions,
    pins: Bool = true, read: @escaping (AnyObject) -> ValueBox
  ) {
    let pinned = pins && !options.contains(.prior) ? accesses.pinnable?.subject : nil
    self.init(
      dependencies: accesses.all.map { $0.dependency(of: object) },
      pinnedTo: pinned.map { ObjectIdentifier($0) }, read: read)
  }

  /// The subject of the one property that the path reads, where it is evaluated when a change of that
  /// is told: for the values before and after just that change, whatever other threads have changed
  /// since. See `deliverPinned`.
  var pinnedSubject: ObjectIdentifier? {
    isPinned.load(ordering: .acquiring) ? onlySubject : nil
  }

  func unpin() { isPinned.store(false, ordering: .releasing) }

  /// Whether a dependency is being changed: between what comes before a store and what comes after.
  var isChanging: Bool { state.withLock { $0.openChanges > 0 } }

  // What a path that is part of something larger does in its own way.

  /// What ends with the object that the path starts from: the info itself, unless it is part of
  /// following an array.
  var role: Role { .observation }

  enum Role {
    case observation

    /// Leads to the array: the token of the follower ends.
    case array(ArrayFollower)

    /// Starts from an element of the array: the follower forgets that.
    case element(ArrayFollower)

    /// Leads to what a derived property reads.
    case cache(DerivedPath)
  }

  /// Whether this only notes that something is out of date, and has nobody to tell.
  var isCache: Bool { false }

  /// Queues a change, which is to be delivered when a dependency reaches the info.
  func enqueue(_ change: Change, for info: ObservationInfo) {
    state.withLock { $0.queue.append(change) }
  }

  /// Delivers the queued changes up to the one numbered `id`, oldest first.
  ///
  /// If they are being delivered already, by a frame below or by another thread, that one takes
  /// these too, after the current one: two changes never overlap and never overtake each other.
  func deliver(
    _ info: ObservationInfo, through id: UInt64, to recipient: inout ObservationRecipient
  ) {
    let begins = state.withLock { state in
      state.reached = max(state.reached, id)
      guard !state.isDelivering, let first = state.queue.first, first.id <= id else { return false }
      state.isDelivering = true
      return true
    }
    if begins { deliverReached(info, to: &recipient) }
  }

  /// Drops the queued changes up to the one numbered `id`, which a cycle kept from being delivered.
  func discard(through id: UInt64) {
    // Freed outside of the lock.
    while let dropped = state.withLock({ state in
      state.queue.first.map { $0.id <= id } ?? false ? state.queue.removeFirst() : nil
    }) {
      withExtendedLifetime(dropped) {}
    }
  }

  // MARK: - Changes of dependencies

  /// Notes the value before a dependency changes in a transaction, and leaves the prior delivery to
  /// its end.
  func willChange(_ info: ObservationInfo) {
    _ = noteOld(info)
  }

  /// Notes the value before a dependency changes, and delivers it where `.prior` asks for that.
  ///
  /// The prior delivery waits for its turn while earlier changes of the path do.
  func willChange(_ info: ObservationInfo, to recipient: inout ObservationRecipient) {
    guard let (object, old) = noteOld(info), info.traits.contains(.prior) else { return }
    let isNext = state.withLock { state in
      guard !state.isDelivering, state.queue.isEmpty else { return false }
      (state.isDelivering, state.owesPrior) = (true, false)
      return true
    }
    guard isNext else { return }
    deliver(info, object, old: old, new: old, kind: .prior, to: &recipient)
    deliverReached(info, to: &recipient)
  }

  /// Opens a change.
  ///
  /// - Returns: The observed object and the value, if this has noted it.
  private func noteOld(_ info: ObservationInfo) -> (AnyObject, ValueBox)? {
    let thread = ThreadIdentity.current
    let notes = state.withLock { state in
      state.openChanges += 1
      guard !state.isOldNoted, !info.traits.isDisjoint(with: [.old, .prior, .distinct]) else {
        return false
      }
      return state.noters.insert(thread)
    }
    guard notes else { return nil }
    let object = info.isActive ? info.site.registry.object(of: info) : nil
    let old = object.map { object in AccessTracker.withoutTracking { read(object) } }
    // The first one to come so far counts, also if it was not the first to open a change: nobody has
    // stored anything yet, since each of them comes here before.
    let isFirst = state.withLock { state in
      state.noters.remove(thread)
      guard !state.isOldNoted, let old else { return false }
      (state.old, state.isOldNoted) = (old, true)
      state.owesPrior = info.traits.contains(.prior)
      return true
    }
    guard isFirst, let object, let old else { return nil }
    return (object, old)
  }

  /// Evaluates the path after a dependency changed, hooks it to what it reads now, and queues the
  /// change. If other changes are open, the last one to end does so.
  ///
  /// The change stays open meanwhile. A getter that sets a dependency, or makes a handler set one,
  /// changes the path with this change: what it read before is read again. What another thread
  /// changes is told by this change, or by one that is queued after it.
  func didChange(_ info: ObservationInfo, id: UInt64) {
    if state.withLock({ $0.leaveToOthers() }) { return }
    var rounds = 1
    while true {
      let new = readAndRehook(info)
      let isCycle = rounds == ObservationDispatcher.maximumRounds && isOutOfDateByItself
      if isCycle { ObservationDispatcher.reportCycle(of: info) }
      let (old, owesPrior, isSettled) = state.withLock { state in
        if state.isOutOfDateByItself { rounds += 1 }
        return (
          state.old, state.owesPrior, isCycle || state.openChanges == 1 && !state.isOutOfDate
        )
      }
      if isSettled {
        if let new, !isEqual(old, new, for: info) {
          enqueue(Change(id: id, old: old, new: new, owesPrior: owesPrior), for: info)
        }
        if isCycle { return state.withLock { $0.end(leadingTo: new, of: info) } }
        if state.withLock({ $0.close(leadingTo: new, of: info) }) { return }
      } else if state.withLock({ $0.leaveToOthers() }) {
        return
      }
    }
  }

  var isOutOfDateByItself: Bool { state.withLock { $0.isOutOfDateByItself } }

  private func isEqual(_ old: ValueBox?, _ new: ValueBox, for info: ObservationInfo) -> Bool {
    guard let areEqual = info.site.areEqual, let old else { return false }
    return areEqual(old.address, new.address)
  }

  /// - Returns: `nil` if the observation or its object has ended.
  func readAndRehook(_ info: ObservationInfo) -> ValueBox? {
    state.withLock { $0.beginEvaluation() }
    guard info.isActive, let object = info.site.registry.object(of: info) else { return nil }
    var value: ValueBox?
    var rounds = 0
    while true {
      rounds += 1
      let accesses = AccessTracker.track { value = read(object) }
      let hasNew = info.site.registry.rehook(info, to: accesses, of: object)
      guard hasNew, accesses.areShared, rounds < ObservationDispatcher.maximumRounds else {
        return value
      }
      // Again: a thread that was about to store a value when the path was hooked to the property has
      // opened no change here; and what was read is the value before, if it was read before that, or
      // if a derived property has kept it. Pinned by AtomicJoiningTests.
      accesses.waitForChangesUnderWay()
    }
  }
}

extension PathObservation.State {
  fileprivate mutating func beginEvaluation() {
    (isOutOfDate, isOutOfDateByItself, evaluator) = (false, false, .current)
  }

  /// Whether nothing has changed since, or somebody else evaluates the path again.
  var isSettled: Bool { openChanges > 1 || !isOutOfDate }

  /// Ends one of several open changes.
  ///
  /// - Returns: `false` if there is no other.
  fileprivate mutating func leaveToOthers() -> Bool {
    guard openChanges > 1 else { return false }
    openChanges -= 1
    isOutOfDate = true
    if evaluator == .current { isOutOfDateByItself = true }
    return true
  }

  /// Ends the open change that has led to `new`, unless that is out of date already.
  ///
  /// - Returns: Whether another evaluation is left to somebody else, or not needed.
  mutating func close(leadingTo new: ValueBox?, of info: ObservationInfo) -> Bool {
    guard openChanges > 1 || isOutOfDate else {
      close()
      return true
    }
    // What is told next begins where this ended.
    if isOldNoted { (old, owesPrior) = (new, info.traits.contains(.prior)) }
    return leaveToOthers()
  }

  /// Ends the open change that has led to `new`.
  mutating func end(leadingTo new: ValueBox?, of info: ObservationInfo) {
    if openChanges == 1 { isOutOfDate = false }
    _ = close(leadingTo: new, of: info)
  }

  private mutating func close() {
    (openChanges, old, isOldNoted, owesPrior, evaluator) = (0, nil, false, false, nil)
  }
}
