/// Follows a nested or computed key path for one observation info.
///
/// The path hangs on its dependencies, the properties that it read when it was last evaluated. Each
/// change of a dependency evaluates it twice, before and after the store, and queues the two values
/// as one change; that is delivered when the delivery of the dependency reaches the info. Between
/// changes no value is kept.
///
///     info ──▶ path ──▶ subjects of the dependencies      which list the info
///               └─────▶ queued changes                    only while a change is under way
final class PathObservation {
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
    state.withLock {
      $0.queue.append(Change(id: id, old: old, new: new, owesPrior: owesPrior))
    }
  }

  private func readAndRehook(_ info: ObservationInfo) -> ValueBox? {
    guard let object = info.site.registry.object(of: info) else { return nil }
    var value: ValueBox?
    let accesses = AccessTracker.track { value = read(object) }
    info.site.registry.rehook(info, to: accesses, of: object)
    return value
  }
}
