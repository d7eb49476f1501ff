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
    let subject: Subject

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
    /// getters; the path then changes once, with the outermost.
    var openChanges = 0

    /// The value before the outermost open change.
    var old: ValueBox?

    /// Whether a dependency changed while the path was being evaluated after a change.
    var isOutOfDate = false

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
  }

  /// Evaluates the key path. Holds nothing but the key path.
  let read: (AnyObject) -> ValueBox

  /// Guarded by the lock of the info's registry, without which no info is put on a subject.
  var dependencies: [Dependency]

  /// Guards the handler of the info as well.
  let state = Locked(State())

  init(dependencies: [Dependency], read: @escaping (AnyObject) -> ValueBox) {
    self.dependencies = dependencies
    self.read = read
  }

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
  }

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
}

// MARK: - Changes of dependencies

extension PathObservation {
  /// Notes the value before a dependency changes, and delivers it where `.prior` asks for that.
  ///
  /// The prior delivery waits for its turn while earlier changes of the path do.
  func willChange(_ info: ObservationInfo, to recipient: inout ObservationRecipient) {
    let isOutermost = state.withLock { state in
      state.openChanges += 1
      return state.openChanges == 1
    }
    guard isOutermost, info.isActive, !info.traits.isDisjoint(with: [.old, .prior, .distinct]),
      let object = info.site.registry.object(of: info)
    else { return }
    let old = AccessTracker.withoutTracking { read(object) }
    let deliversPrior = state.withLock { state in
      state.old = old
      guard info.traits.contains(.prior) else { return false }
      state.owesPrior = state.isDelivering || !state.queue.isEmpty
      guard !state.owesPrior else { return false }
      state.isDelivering = true
      return true
    }
    if deliversPrior {
      deliver(info, object, old: old, new: old, kind: .prior, to: &recipient)
      deliverReached(info, to: &recipient)
    }
  }

  /// Evaluates the path after a dependency changed, hooks it to what it reads now, and queues the
  /// change.
  func didChange(_ info: ObservationInfo, id: UInt64) {
    let isOutermost = state.withLock { state in
      guard state.openChanges > 1 else { return true }
      state.openChanges -= 1
      state.isOutOfDate = true
      return false
    }
    guard isOutermost else { return }
    // The change is closed only when it has been read: a getter that sets one of its dependencies,
    // or makes a handler set one, changes the path with this change. What it read before is then
    // read again.
    var new: ValueBox?
    var rounds = 0
    repeat {
      guard rounds < ObservationDispatcher.maximumRounds else {
        ObservationDispatcher.reportCycle(of: info)
        break
      }
      rounds += 1
      state.withLock { $0.isOutOfDate = false }
      new = info.isActive ? readAndRehook(info) : nil
    } while state.withLock({ $0.isOutOfDate })
    let (old, owesPrior) = state.withLock { state in
      defer { (state.openChanges, state.old, state.owesPrior) = (0, nil, false) }
      return (state.old, state.owesPrior)
    }
    guard let new else { return }
    if let areEqual = info.site.areEqual, let old, areEqual(old.address, new.address) { return }
    enqueue(Change(id: id, old: old, new: new, owesPrior: owesPrior), for: info)
  }

  private func readAndRehook(_ info: ObservationInfo) -> ValueBox? {
    guard let object = info.site.registry.object(of: info) else { return nil }
    var value: ValueBox?
    let accesses = AccessTracker.track { value = read(object) }
    info.site.registry.rehook(info, to: accesses, of: object)
    return value
  }
}
