import Dispatch
import Synchronization

/// A user's handler, and the deliveries that wait for it: until the initial one has been made, or
/// for a queue that the handler runs on.
///
/// The thread that makes a change adds it here. For a queue there is a job for each delivery, so
/// that deliveries run between the user's own blocks in the order of events.
///
///     token ──▶ handler ──▶ queued handler ──▶ deliveries ◀── jobs on the queue     strong
///       ▲                                       │    └──▶ user's closure, values that wait
///       └───────────────────────────────────────┘
///
/// Only the observation retains it. Its deinit ends the deliveries: that releases closure, values
/// and token, so that remaining jobs do nothing. Neither observer nor observed object is retained
/// in between.
@usableFromInline
final class QueuedHandler {
  let deliveries: QueuedDeliveries

  /// Whether a change is joined with the one that waits.
  private let isJoining: Bool

  /// Delivers one change. One block for all jobs, which a queue need not copy.
  private let job: @Sendable @convention(block) () -> Void

  /// Whether changes need not wait any more, as they always do for a queue. Written under the lock.
  @usableFromInline var isOpen: Bool { deliveries.isOpen.load(ordering: .acquiring) }

  /// - Parameter joining: Of what is joined in a way of its own.
  @usableFromInline
  init(
    _ handler: AnyObject, on target: DispatchQueue? = nil,
    coalescing: ObservationCoalescing = .none, joining: QueuedJoining? = nil
  ) {
    let deliveries = QueuedDeliveries(to: handler, on: target, coalescing, joining)
    (self.deliveries, isJoining) = (deliveries, coalescing != .none)
    job = { deliveries.deliverNext() }
  }

  deinit { deliveries.end() }
}

extension QueuedHandler {
  /// Receives the token of a new observation before its first delivery on the queue.
  @usableFromInline
  func begin(for token: ObservationToken) {
    let count = deliveries.state.withLock { state in
      state.token = token
      return state.queue.count
    }
    // Jobs that ran before have found no token.
    for _ in 0..<count { deliveries.target?.async(execute: job) }
  }

  /// Adds a change behind all others. The initial one is the first: changes that other threads make
  /// before it wait for that at the registration.
  ///
  /// - Returns: Whether it waits; if not, the caller calls the handler.
  @inlinable @discardableResult
  func add<Value>(_ change: ObservedChange<Value>) -> Bool {
    guard !isOpen else { return false }
    return add(
      old: change.oldValue.map { ValueBox($0) }, new: ValueBox(change.newValue), change.kind)
  }

  @usableFromInline
  func add(old: ValueBox?, new: ValueBox, _ kind: ObservationDelivery.Kind) -> Bool {
    // Traces show that the change waits from here on, and why.
    var cause: UInt64 = 0
    if DeliveryProbe.isInstalled {
      let token = deliveries.state.withLock { $0.token }
      cause = DeliveryProbe.current
      if let token { DeliveryProbe.diagnostics?.handOver(cause, to: token) }
    }
    // A value in between is released with it, outside of the lock.
    let change = PendingChange(old: old, new: new, cause: cause)
    change.kind = kind
    let due = deliveries.rest.map { DeliveryClock.current.now() + $0 }
    var (needsJob, last): (Bool, Duration?) = (false, nil)
    var joined: AnyObject?
    defer { withExtendedLifetime(joined) {} }
    let waits = deliveries.state.withLock { state in
      guard !deliveries.isOpen.load(ordering: .relaxed) else { return false }
      if isJoining, let waiting = state.queue.first {
        // What joins an initial delivery does not make that wait.
        if waiting.kind != .initial { state.due = due }
        // One delivery for both: the first old and the last new value. An initial one stays one.
        (waiting.isMerged, waiting.cause) = (true, change.cause)
        guard let joining = state.joining else {
          swap(&waiting.new, &change.new)
          return true
        }
        joined = waiting.new.flatMap { joining.join(new, to: $0) }
        return true
      }
      state.queue.append(change)
      (needsJob, last) = (true, state.lastTime)
      if kind != .initial { state.due = due }
      return true
    }
    if needsJob { addJob(after: last, isDue: kind == .initial) }
    return waits
  }

  /// Adds a job to the queue, after the rest of the interval that the last delivery has begun, or
  /// when the source may have rested for long enough.
  private func addJob(after last: Duration?, isDue: Bool) {
    guard let target = deliveries.target else { return }
    if let rest = deliveries.rest, !isDue { return DeliveryClock.current.put(job, target, rest) }
    if let interval = deliveries.interval, let last {
      let delay = last + interval - DeliveryClock.current.now()
      if delay > .zero { return DeliveryClock.current.put(job, target, delay) }
    }
    target.async(execute: job)
  }
}

/// A handler that adds its changes to a `QueuedHandler`.
@usableFromInline
final class QueuedObservationHandler<Observer: AnyObject, Object: AnyObject, Value>:
  ObservationHandler<Observer, Object, Value>, QueuedFront
{
  let deliveries: QueuedDeliveries

  @usableFromInline
  init(_ queued: QueuedHandler, _ call: @escaping Call) {
    deliveries = queued.deliveries
    super.init(call)
  }
}

extension QueuedDeliveries {
  /// The handler that the changes are delivered to; `nil` once the observation has ended.
  var handler: AnyObject? { state.withLock(\.handler) }

  /// Replaces the handler, unless the observation has ended, or the handler has other types.
  ///
  /// - Returns: What is no longer used, to be released outside of every lock.
  func replaceHandler(by new: AnyObject) -> AnyObject? {
    state.withLock { state in
      guard let old = state.handler, type(of: old) == type(of: new) else { return nil }
      return exchange(&state.handler, with: new)
    }
  }
}

/// The changes that wait for a `QueuedHandler`, without what adds them.
final class QueuedDeliveries {
  /// Queue that the handler runs on; `nil` for the thread that makes the change.
  let target: DispatchQueue?

  /// Shortest time from the beginning of a delivery to the next one.
  let interval: Duration?

  /// Time from the last change to its delivery.
  let rest: Duration?

  struct State {
    /// The user's `ObservationHandler`, with the types that the registration of the token has;
    /// `nil` once the observation has ended, as the token.
    var handler: AnyObject?

    /// Joins changes, where there is more to it than taking the last value.
    var joining: QueuedJoining?

    /// Set before the first job.
    var token: ObservationToken?

    var queue = DeliveryQueue<PendingChange>()

    /// Time at which the last delivery began, where there is one for each interval; `nil` once that
    /// was left out, since the interval before it is over.
    var lastTime: Duration?

    /// Time before which nothing is delivered, where each change begins that anew.
    var due: Duration?
  }

  let state: Locked<State>

  /// See `QueuedHandler.isOpen`.
  let isOpen = Atomic(false)

  /// How many jobs have changes to deliver; the one that finds none delivers for those that come
  /// meanwhile.
  private let jobs = Atomic<Int>(0)

  init(
    to handler: AnyObject, on target: DispatchQueue?, _ coalescing: ObservationCoalescing,
    _ joining: QueuedJoining? = nil
  ) {
    self.target = target
    interval = if case .interval(let time) = coalescing { time } else { nil }
    rest = if case .debounce(let time) = coalescing, time > .zero { time } else { nil }
    state = Locked(State(handler: handler, joining: joining), .queue)
  }

  /// Releases handler, token and changes when the observation has ended. Nothing is added any more.
  func end() {
    withExtendedLifetime(state.withLock { exchange(&$0, with: State()) }) {}
  }
}

// MARK: - Delivering

extension QueuedDeliveries {
  /// Delivers on this thread what has waited for the initial delivery. Later changes do not wait.
  func open(for token: ObservationToken) {
    _ = state.withLock { $0.queue.begin(through: .max) }
    AccessTracker.withoutTracking {
      var handler: AnyObject?
      BeforePassing(deliveries: self, token: token).drain(&handler)
    }
  }

  /// What has waited for the initial delivery, each change with the handler by then.
  private struct BeforePassing: QueueOwner {
    let deliveries: QueuedDeliveries
    let token: ObservationToken

    func takeNext(in handler: inout AnyObject?, cutOff: inout [PendingChange]) -> PendingChange? {
      // Released outside of the lock.
      let last = handler.take()
      defer { withExtendedLifetime(last) {} }
      return deliveries.state.withLock { state in
        handler = state.handler
        let change = handler == nil ? nil : state.queue.next(cutOff: &cutOff)
        if change == nil, cutOff.isEmpty { deliveries.isOpen.store(true, ordering: .releasing) }
        return change
      }
    }

    func deliver(_ change: PendingChange, in handler: inout AnyObject?) {
      guard let handler else { return }
      deliveries.deliver(change, to: token, by: handler)
    }

    func report(_ cutOff: [PendingChange], in _: inout AnyObject?) {
      for change in cutOff where change.noteReport() {
        ObservationDispatcher.reportCycle(of: token)
      }
    }
  }

  /// Delivers the first change that waits, or leaves it to a job that is running already: on a
  /// concurrent queue two deliveries neither overlap nor overtake each other.
  func deliverNext() {
    guard jobs.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    repeat {
      guard let (change, token, handler) = takeNext() else { continue }
      // A path may be being evaluated further up the stack, by a getter that runs the main queue.
      AccessTracker.withoutTracking {
        DeliveryProbe.resume(change.cause) { deliver(change, to: token, by: handler) }
      }
    } while jobs.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue > 0
  }

  private func takeNext() -> (PendingChange, ObservationToken, AnyObject)? {
    let now = (interval ?? rest).map { _ in DeliveryClock.current.now() }
    var delay: Duration?
    let next = state.withLock { state -> (PendingChange, ObservationToken, AnyObject)? in
      if let due = state.due, let now, due > now, !state.queue.isEmpty {
        delay = due - now
        return nil
      }
      guard let token = state.token, let handler = state.handler,
        let change = state.queue.removeFirst(through: .max)
      else { return nil }
      (state.lastTime, state.due) = (now, nil)
      return (change, token, handler)
    }
    // The source has not rested since the job was put on the queue.
    if let delay, let target {
      DeliveryClock.current.put({ self.deliverNext() }, target, delay)
    }
    return next
  }

  /// Calls the handler, unless observation, object or observer has ended since the change was made.
  private func deliver(
    _ change: PendingChange, to token: ObservationToken, by handler: AnyObject
  ) {
    guard let object = token.object else {
      DeliveryProbe.record(.skip(token, .ended))
      return
    }
    // Several changes may have led back to where the first began.
    let joining = state.withLock(\.joining)
    guard let waiting = change.new,
      let new = joining == nil ? waiting : joining?.take(waiting, for: token),
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

/// How changes of a collection are joined on their way to a queue.
///
/// A change that waits is a box of the subclass's choice, never the collection: that would be
/// copied by each change of it. The collection as it was delivered last belongs to the deliveries.
@usableFromInline
class QueuedJoining {
  /// Adds a change to the one that waits. Under a lock: runs no code of the user's.
  ///
  /// - Returns: What is no longer used, to be released outside of the lock.
  func join(_ new: ValueBox, to waiting: ValueBox) -> AnyObject? { nil }

  /// The change to deliver, of the type that the handler takes; `nil` if nothing has changed.
  ///
  /// Called by one thread at a time, for each change that has waited, in their order.
  func take(_ waiting: ValueBox, for token: ObservationToken) -> ValueBox? { nil }
}

/// The state is locked, and the handler called by one thread at a time. Values may move to another
/// thread: observing on a queue requires `Sendable` values.
extension QueuedDeliveries: @unchecked Sendable {}

/// Clock and timer of ``ObservationCoalescing/interval(_:)`` and
/// ``ObservationCoalescing/debounce(_:)``.
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
