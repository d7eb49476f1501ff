import Dispatch
import Synchronization

/// A user's handler, and the deliveries that wait for it: until the initial one has been made, or for a
/// queue that the handler runs on.
///
/// The thread that makes a change puts it in here. For a queue there is a job for each delivery, so that
/// they run between the user's own blocks in the order of events.
///
///     token ──▶ handler ──▶ queued handler ──▶ user's closure, values that wait     strong
///       ▲                    │     ▲
///       └┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┘     └┄┄ jobs on the queue                             weak
///
/// Nothing but the observation keeps it: closure and values are freed with its end, and jobs that
/// are left find nothing to do. Neither observer nor observed object is kept alive in between.
final class QueuedHandler {
  /// The user's `ObservationHandler`, with the types that the registration of the token has.
  private let handler: AnyObject

  /// Where the handler runs; `nil` on the thread that makes the change.
  private let target: DispatchQueue?

  /// Whether at most one delivery waits.
  private let isCoalescing: Bool

  /// How long after the beginning of a delivery the next one begins at the earliest.
  private let interval: Duration?

  private struct State {
    weak var token: ObservationToken?

    /// Whether deliveries are made: from when the token is known and, where an initial delivery was
    /// asked for, that one stands before all others.
    var isOpen = false

    /// Numbered one after the other; 0 is the initial delivery.
    var queue = DeliveryQueue()
    var lastID: UInt64 = 0

    /// When the last delivery has begun, where there is one for each interval.
    var lastTime: Duration?
  }

  private let state = Locked(State())

  /// Whether nothing has to wait any more; for a queue never.
  private let isPassing = Atomic(false)

  init(
    _ handler: AnyObject, on target: DispatchQueue? = nil, coalescing: ObservationCoalescing = .none
  ) {
    (self.handler, self.target) = (handler, target)
    isCoalescing = coalescing != .none
    interval = if case .interval(let interval) = coalescing { interval } else { nil }
  }
}

// MARK: - Putting in

extension QueuedHandler {
  /// Has a change wait, behind all others unless it is the initial one.
  ///
  /// - Returns: Whether it does; if not, the caller calls the handler.
  func put<Value>(_ change: ObservedChange<Value>) -> Bool {
    guard !isPassing.load(ordering: .acquiring) else { return false }
    return put(
      old: change.oldValue.map { ValueBox($0) }, new: ValueBox(change.newValue), change.kind)
  }

  private func put(old: ValueBox?, new: ValueBox, _ kind: ObservationDelivery.Kind) -> Bool {
    // Traces show that the change waits from here on, and why.
    var cause: UInt64 = 0
    if DeliveryProbe.isInstalled, target != nil {
      let token = state.withLock { $0.token }
      cause = token.map { DeliveryProbe.record(.handOver($0)) } ?? DeliveryProbe.current
    }
    let isInitial = kind == .initial
    var merged: PendingChange?
    let (isWaiting, count) = state.withLock { [cause] state -> (Bool, Int) in
      guard target != nil || !state.isOpen else { return (false, 0) }
      merged = isCoalescing ? state.queue.removeFirst() : nil
      if merged == nil, !isInitial { state.lastID += 1 }
      // One delivery for both: the first old and the last new value. An initial one stays one.
      let isLast = !isInitial || merged == nil
      let change = PendingChange(
        id: merged?.id ?? (isInitial ? 0 : state.lastID),
        old: isInitial ? old : merged.map(\.old) ?? old, new: isLast ? new : merged?.new,
        cause: isLast ? cause : merged?.cause ?? cause)
      change.kind = isInitial ? kind : merged?.kind ?? kind
      change.isMerged = merged != nil
      if isInitial { state.queue.prependInitial(change) } else { state.queue.append(change) }
      guard !state.isOpen, target != nil else { return (true, merged == nil ? 1 : 0) }
      state.isOpen = isInitial
      return (true, isInitial ? state.queue.count : 0)
    }
    // The value in between is freed here, outside of the lock.
    withExtendedLifetime(merged) {}
    enqueueJobs(count)
    return isWaiting
  }

  /// Puts a job on the queue for each of so many deliveries; one that would come too early after another
  /// one, later.
  private func enqueueJobs(_ count: Int) {
    guard let target else { return }
    for _ in 0..<count {
      if let delay, delay > .zero {
        DeliveryClocks.current.put({ [weak self] in self?.deliverNext() }, on: target, after: delay)
      } else {
        target.async { [weak self] in self?.deliverNext() }
      }
    }
  }

  /// What is left of the interval that the last delivery has begun.
  private var delay: Duration? {
    guard let interval, let last = state.withLock({ $0.lastTime }) else { return nil }
    return last + interval - DeliveryClocks.current.now
  }
}

// MARK: - Delivering

extension QueuedHandler {
  /// Begins to deliver on the queue; what other threads may have put in before is delivered now.
  func begin(for token: ObservationToken) {
    let count = state.withLock { state in
      state.token = token
      guard !token.registration.options.contains(.initial) else { return 0 }
      state.isOpen = true
      return state.queue.count
    }
    enqueueJobs(count)
  }

  /// Makes the initial delivery on this thread, delivers what has waited for it, and has nothing wait
  /// from then on.
  ///
  /// - Parameter value: `nil` if nobody asked for an initial delivery.
  func open(for token: ObservationToken, with value: ValueBox?) {
    let initial = value.map { PendingChange(new: $0) }
    initial?.kind = .initial
    state.withLock { state in
      if let initial { state.queue.prependInitial(initial) }
      state.queue.reach(.max)
      state.queue.begin()
    }
    while let change = nextBeforePassing(for: token) { deliver(change, to: token) }
  }

  private func nextBeforePassing(for token: ObservationToken) -> PendingChange? {
    var dropped: [PendingChange] = []
    let change = state.withLock { state in
      let change = state.queue.next(dropped: &dropped)
      state.isOpen = change == nil
      return change
    }
    if change == nil { isPassing.store(true, ordering: .releasing) }
    for change in dropped where change.noteReport() { ObservationDispatcher.reportCycle(of: token) }
    return change
  }

  /// Delivers the first delivery that waits, or leaves that to the job which is at work already: on a
  /// concurrent queue two deliveries neither overlap nor overtake each other.
  private func deliverNext() {
    guard state.withLock({ $0.queue.beginNext() }) else { return }
    while let change = take() {
      guard let token = state.withLock({ $0.token }) else { continue }
      // A path further up may be being evaluated, by a getter that has the main queue run.
      AccessTracker.withoutTracking {
        DeliveryProbe.resume(change.cause) { deliver(change, to: token) }
      }
    }
  }

  private func take() -> PendingChange? {
    let now = interval.map { _ in DeliveryClocks.current.now }
    return state.withLock { state in
      let change = state.queue.take()
      if change != nil { state.lastTime = now }
      return change
    }
  }

  /// Calls the handler, unless observation, object or observer has ended since the change was made.
  private func deliver(_ change: PendingChange, to token: ObservationToken) {
    guard token.isActive, let object = token.registration.store.object(of: token) else {
      DeliveryProbe.record(.skip(token, .ended))
      return
    }
    // Several changes may have led back to where the first began.
    guard let new = change.new,
      !change.isMerged || !token.leavesOut(change.old?.address, new.address)
    else { return }
    // Comparing calls the user's `==`, which may end the observation.
    guard token.isActive else { return }
    withExtendedLifetime(change) {
      let old = token.registration.options.contains(.old) ? change.old?.address : nil
      ObservationRecipient.receiveAlone(
        ObservationDelivery(old: old, new: new.address, kind: change.kind), of: object,
        info: token, handler: .passUnretained(handler))
    }
  }
}

/// The handler is immutable and made to be called on the queue, by one job at a time; the state is
/// locked. Values may go to another thread: whoever makes one for a queue asks for them to be `Sendable`.
extension QueuedHandler: @unchecked Sendable {}
