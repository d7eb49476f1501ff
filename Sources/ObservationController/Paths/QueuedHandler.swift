import Dispatch
import Synchronization

/// A user's handler, and the deliveries that wait for it: until the initial one has been made, or
/// for a queue that the handler runs on.
///
/// The thread that makes a change adds it here. For a queue there is a job for each delivery, so
/// that deliveries run between the user's own blocks in the order of events.
///
///     token ──▶ handler ──▶ queued handler ──▶ user's closure, values that wait     strong
///       ▲                    │     ▲
///       └┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┘     └┄┄ jobs on the queue                             weak
///
/// Only the observation retains it: its end releases closure and values, and remaining jobs do
/// nothing. Neither observer nor observed object is retained in between.
@usableFromInline
final class QueuedHandler {
  /// The user's `ObservationHandler`, with the types that the registration of the token has.
  private let handler: AnyObject

  /// Queue that the handler runs on; `nil` for the thread that makes the change.
  private let target: DispatchQueue?

  private let coalescing: ObservationCoalescing

  private struct State {
    weak var token: ObservationToken?

    /// Delivers one change. One closure for all jobs, since making a weak reference is expensive.
    /// `nil` until the token is known.
    var job: (@Sendable () -> Void)?

    /// Numbered one after the other.
    var queue = DeliveryQueue()
    var lastID: UInt64 = 0

    /// Time at which the last delivery began, where there is one for each interval; `nil` once that
    /// was left out, since the interval before it is over.
    var lastTime: Duration?
  }

  private let state = Locked(State())

  /// Whether changes need not wait any more, as they always do for a queue. Written under the lock.
  @usableFromInline let isOpen = Atomic(false)

  @usableFromInline
  init(
    _ handler: AnyObject, on target: DispatchQueue? = nil, coalescing: ObservationCoalescing = .none
  ) {
    (self.handler, self.target, self.coalescing) = (handler, target, coalescing)
  }

  /// Shortest time from the beginning of a delivery to the next one.
  private var interval: Duration? {
    if case .interval(let interval) = coalescing { interval } else { nil }
  }
}

// MARK: - Adding

extension QueuedHandler {
  /// Adds a change behind all others. The initial one is the first: changes that other threads make
  /// before it wait for that at the registration.
  ///
  /// - Returns: Whether it waits; if not, the caller calls the handler.
  @inlinable @discardableResult
  func add<Value>(_ change: ObservedChange<Value>) -> Bool {
    guard !isOpen.load(ordering: .acquiring) else { return false }
    return add(
      old: change.oldValue.map { ValueBox($0) }, new: ValueBox(change.newValue), change.kind)
  }

  @usableFromInline
  func add(old: ValueBox?, new: ValueBox, _ kind: ObservationDelivery.Kind) -> Bool {
    // Traces show that the change waits from here on, and why.
    var cause: UInt64 = 0
    if DeliveryProbe.isInstalled, target != nil {
      let token = state.withLock { $0.token }
      cause = token.map { DeliveryProbe.record(.handOver($0)) } ?? DeliveryProbe.current
    }
    // A value in between is released outside of the lock.
    var new = Optional(new)
    // With the time of the last delivery, in the one critical section of a change.
    var job: (call: @Sendable () -> Void, last: Duration?)?
    let waits = state.withLock { [cause] state in
      guard !isOpen.load(ordering: .relaxed) else { return false }
      if coalescing != .none, let waiting = state.queue.first {
        // One delivery for both: the first old and the last new value. An initial one stays one.
        (waiting.isMerged, waiting.cause) = (true, cause)
        swap(&waiting.new, &new)
        return true
      }
      state.lastID += 1
      let change = PendingChange(id: state.lastID, old: old, new: new, cause: cause)
      change.kind = kind
      state.queue.append(change)
      job = state.job.map { ($0, state.lastTime) }
      return true
    }
    if let job { enqueue(job.call, after: job.last) }
    return waits
  }

  /// Adds a job to the queue, after the rest of the interval that the last delivery has begun.
  private func enqueue(_ job: @escaping @Sendable () -> Void, after last: Duration?) {
    guard let target else { return }
    var delay = Duration.zero
    if let interval, let last { delay = last + interval - DeliveryClock.current.now() }
    if delay > .zero {
      DeliveryClock.current.put(job, target, delay)
    } else {
      target.async(execute: job)
    }
  }
}

// MARK: - Delivering

extension QueuedHandler {
  /// Receives the token of a new observation before its first delivery on the queue.
  @usableFromInline
  func begin(for token: ObservationToken) {
    state.withLock { state in
      state.token = token
      state.job = { [weak self] in self?.deliverNext() }
    }
  }

  /// Delivers on this thread what has waited for the initial delivery. Later changes do not wait.
  func open(for token: ObservationToken) {
    _ = state.withLock { $0.queue.begin(through: .max) }
    AccessTracker.withoutTracking {
      while let change = nextBeforePassing(for: token) { deliver(change, to: token) }
    }
  }

  private func nextBeforePassing(for token: ObservationToken) -> PendingChange? {
    var dropped: [PendingChange] = []
    let change = state.withLock { state in
      let change = state.queue.next(dropped: &dropped)
      if change == nil { isOpen.store(true, ordering: .releasing) }
      return change
    }
    for change in dropped where change.noteReport() { ObservationDispatcher.reportCycle(of: token) }
    return change
  }

  /// Delivers the first change that waits, or leaves it to a job that is running already: on a
  /// concurrent queue two deliveries neither overlap nor overtake each other.
  private func deliverNext() {
    var isFirst = true
    while let (change, token) = take(isFirst: isFirst) {
      isFirst = false
      guard let token else { continue }
      // A path may be being evaluated further up the stack, by a getter that runs the main queue.
      AccessTracker.withoutTracking {
        DeliveryProbe.resume(change.cause) { deliver(change, to: token) }
      }
    }
  }

  private func take(isFirst: Bool) -> (PendingChange, ObservationToken?)? {
    let now = interval.map { _ in DeliveryClock.current.now() }
    return state.withLock { state in
      guard !isFirst || state.queue.beginNext(), let change = state.queue.take() else { return nil }
      state.lastTime = now
      return (change, state.token)
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
      !change.isMerged || !token.leavesOut(change.old, new)
    else {
      // No delivery, so that it begins no interval.
      return state.withLock { $0.lastTime = nil }
    }
    // On the way to a queue the old value goes along: a joined delivery may need it to compare.
    let old = target == nil || token.registration.options.contains(.old) ? change.old : nil
    ObservationDelivery.withValues(old, new, kind: change.kind) {
      ObservationRecipient.receiveAlone($0, of: object, info: token, handler: handler)
    }
  }
}

/// The handler is immutable, and called on the queue by one job at a time; the state is locked.
/// Values may move to another thread: observing on a queue requires `Sendable` values.
extension QueuedHandler: @unchecked Sendable {}

/// Clock and timer of ``ObservationCoalescing/interval(_:)``.
package struct DeliveryClock: Sendable {
  /// Time since some fixed moment.
  package var now: @Sendable () -> Duration

  /// Puts a job on a queue once a delay is over.
  package var put:
    @Sendable (_ job: @escaping @Sendable () -> Void, DispatchQueue, _ delay: Duration) -> Void

  /// The clock of all observations, that of Dispatch, which tests replace by one that they step.
  package static var current: DeliveryClock {
    get { clock.withLock { $0 } }
    set { clock.withLock { $0 = newValue } }
  }

  private static let clock = Locked(
    DeliveryClock(
      now: { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) },
      put: { job, queue, delay in
        queue.asyncAfter(deadline: .now() + delay / .seconds(1), execute: job)
      }))
}
