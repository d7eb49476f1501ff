/// Follows a nested or computed key path for one observation info.
///
/// The path hangs on its dependencies, the properties that it read when it was last evaluated. Each
/// change of a dependency evaluates it twice, before and after the store, and queues the two values
/// as one change; that is delivered when the delivery of the dependency reaches the info. Between
/// changes no value is kept.
///
///     info ──▶ path ┄┄▶ subjects of the dependencies      unretained, cleared when they go
///               └─────▶ queued changes                    only while a change is under way
final class PathObservation {
  /// A property that the path reads.
  struct Dependency: Hashable {
    let subject: Unmanaged<Subject>

    /// Whether the property is one of the observed object's own.
    let isOfRoot: Bool

    static func == (left: Self, right: Self) -> Bool {
      left.subject.toOpaque() == right.subject.toOpaque()
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(subject.toOpaque())
    }

    func isOn(_ subject: Subject) -> Bool {
      self.subject.toOpaque() == Unmanaged.passUnretained(subject).toOpaque()
    }
  }

  private struct State {
    /// How many changes of dependencies are between `willChange` and `didChange`. They nest where
    /// one property is set inside the in-place mutation of another; the path then changes once,
    /// with the outermost.
    var openChanges = 0

    /// The value before the outermost open change.
    var old: ValueBox?

    var queue: [Change] = []

    /// Up to which change the queue may be delivered now.
    var reached: UInt64 = 0

    /// Whether a thread delivers the queue.
    var isDelivering = false
  }

  private struct Change {
    let id: UInt64
    let old: ValueBox?
    let new: ValueBox
    let needsPrior: Bool
  }

  /// Evaluates the key path. Holds nothing but the key path.
  private let read: (AnyObject) -> ValueBox

  /// Guarded by the lock of the info's registry, without which no info is put on a subject.
  var dependencies: [Dependency]

  /// Guards the handler of the info as well.
  private let state = Locked(State())

  init(dependencies: [Dependency], read: @escaping (AnyObject) -> ValueBox) {
    self.dependencies = dependencies
    self.read = read
  }
}

// MARK: - Changes of dependencies

extension PathObservation {
  /// Notes the value before a dependency changes.
  func willChange(_ info: ObservationInfo) {
    let isOutermost = state.withLock { state in
      state.openChanges += 1
      return state.openChanges == 1
    }
    guard isOutermost, !info.traits.isDisjoint(with: [.old, .prior, .distinct]),
      let object = info.site.registry.object(of: info)
    else { return }
    let old = AccessTracker.withoutTracking { read(object) }
    state.withLock { $0.old = old }
  }

  /// Evaluates the path after a dependency changed, hooks it to what it reads now, and queues the
  /// change.
  func didChange(_ info: ObservationInfo, in transition: Subject.Transition) {
    let (isOutermost, old) = state.withLock { state -> (Bool, ValueBox?) in
      state.openChanges -= 1
      guard state.openChanges == 0 else { return (false, nil) }
      defer { state.old = nil }
      return (true, state.old)
    }
    guard isOutermost, info.isActive, let object = info.site.registry.object(of: info) else {
      return
    }
    var value: ValueBox?
    let accesses = AccessTracker.track { value = read(object) }
    guard let new = value else { return }
    info.site.registry.rehook(info, to: accesses, of: object)
    if let areEqual = info.site.areEqual, let old, areEqual(old.address, new.address) { return }
    state.withLock { state in
      state.queue.append(
        Change(id: transition.id, old: old, new: new, needsPrior: !transition.isDelivering))
    }
  }
}

// MARK: - Delivery

extension PathObservation {
  /// Delivers the value that the path still has, before a dependency changes.
  func deliverPrior(_ info: ObservationInfo, to recipient: inout ObservationRecipient) {
    guard let object = info.site.registry.object(of: info) else { return }
    let current = AccessTracker.withoutTracking { read(object) }
    deliver(info, object, old: current, new: current, kind: .prior, to: &recipient)
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
    guard begins else { return }
    var rounds = 0
    while let change = nextChange(of: info, isCycle: rounds == ObservationDispatcher.maximumRounds)
    {
      rounds += 1
      guard let object = info.site.registry.object(of: info) else { continue }
      if change.needsPrior, info.traits.contains(.prior), let old = change.old {
        deliver(info, object, old: old, new: old, kind: .prior, to: &recipient)
      }
      deliver(info, object, old: change.old, new: change.new, kind: .change, to: &recipient)
    }
  }

  private func deliver(
    _ info: ObservationInfo, _ object: AnyObject, old: ValueBox?, new: ValueBox,
    kind: ObservationDelivery.Kind, to recipient: inout ObservationRecipient
  ) {
    // A copy, which keeps the handler alive while it runs, should another thread end the info.
    guard let handler = state.withLock({ _ in info.handler }) else { return }
    withExtendedLifetime((old, new, handler)) {
      let delivery = ObservationDelivery(
        old: old.map { UnsafeRawPointer($0.address) }, new: new.address, kind: kind)
      recipient.receive(
        delivery.limited(to: info.traits), of: object, info: info, handler: .passUnretained(handler)
      )
    }
  }

  /// The next change to deliver. If there is none, or `isCycle`, ends the delivery.
  private func nextChange(of info: ObservationInfo, isCycle: Bool) -> Change? {
    var dropped: [Change] = []
    let change = state.withLock { state -> Change? in
      if !isCycle, info.isActive, let first = state.queue.first, first.id <= state.reached {
        return state.queue.removeFirst()
      }
      state.isDelivering = false
      if isCycle || !info.isActive { swap(&dropped, &state.queue) }
      return nil
    }
    if isCycle, !dropped.isEmpty { ObservationDispatcher.reportCycle(of: info) }
    return change
  }

  /// Gives up everything that is kept for an ended info.
  ///
  /// - Returns: What the caller has to free outside of every lock.
  func end(_ info: ObservationInfo) -> AnyObject? {
    state.withLock { _ in
      defer { info.handler = nil }
      return info.handler
    }
  }
}
