import Dispatch

/// The deliveries of one observation that wait to be made on a queue.
///
/// The thread that makes a change puts it in here, and a job on the queue that delivers it. There is
/// a job for each change, so that they run between the user's own blocks in the order of events.
///
///     token ──▶ handler ──▶ mailbox ──▶ user's closure, values that wait     strong
///       ▲                   │     ▲
///       └┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┘     └┄┄ jobs on the queue                      weak
///
/// Nothing but the observation keeps a mailbox: with its end go closure and values, and jobs that
/// are left find nothing to do. Neither observer nor observed object is kept alive in between.
final class Mailbox {
  private let queue: DispatchQueue

  /// The user's `ObservationHandler`, with the types that the site of the token has.
  private let handler: AnyObject

  /// Whether at most one delivery waits.
  private let isCoalescing: Bool

  private struct State {
    weak var token: ObservationToken?

    /// Whether jobs are put on the queue: from when the token is known and, where an initial delivery
    /// was asked for, that one stands before all others.
    var isOpen = false

    /// Each with a job on the queue or a share, once the mailbox is open.
    var waiting = Queue<WaitingDelivery>()

    /// Whether a job is at work.
    var isDelivering = false

    /// How many deliveries other jobs have left to the one at work.
    var shares = 0
  }

  private let state = Locked(State())

  init(handler: AnyObject, on queue: DispatchQueue, isCoalescing: Bool) {
    self.queue = queue
    self.handler = handler
    self.isCoalescing = isCoalescing
  }
}

// MARK: - Putting in

extension Mailbox {
  /// Begins to deliver for `token`; what other threads may have put in before is delivered now.
  func begin(for token: ObservationToken) {
    let count = state.withLock { state in
      state.token = token
      guard !token.site.options.contains(.initial) else { return 0 }
      state.isOpen = true
      return state.waiting.count
    }
    enqueueJobs(count)
  }

  /// Puts in a change, behind all others unless it is the initial one.
  func put(old: ValueBox?, new: ValueBox, kind: ObservationDelivery.Kind) {
    var delivery = WaitingDelivery(old: old, new: new, kind: kind)
    if Tracer.isOn { noteHandOver(of: &delivery) }
    let isInitial = kind == .initial
    var merged: WaitingDelivery?
    let count = state.withLock { state in
      if isCoalescing, let other = state.waiting.removeFirst() {
        merged = other
        state.waiting.append(
          isInitial ? delivery.followed(by: other) : other.followed(by: delivery))
      } else if isInitial {
        state.waiting.prepend(delivery)
      } else {
        state.waiting.append(delivery)
      }
      guard state.isOpen else {
        state.isOpen = isInitial
        return isInitial ? state.waiting.count : 0
      }
      return merged == nil ? 1 : 0
    }
    // The value in between is freed here, outside of the lock.
    withExtendedLifetime(merged) {}
    enqueueJobs(count)
  }

  /// Has traces say that it waits from here on, and why.
  @inline(never)
  private func noteHandOver(of delivery: inout WaitingDelivery) {
    delivery.cause = Tracer.current
    if let token = state.withLock({ $0.token }) {
      Tracer.noteHandOver(delivery.cause, of: token.serial)
    }
  }

  private func enqueueJobs(_ count: Int) {
    for _ in 0..<count {
      queue.async { [weak self] in self?.deliverNext() }
    }
  }
}

// MARK: - Delivering

extension Mailbox {
  /// Delivers the first delivery that waits, or leaves that to the job which is at work already: on a
  /// concurrent queue two deliveries neither overlap nor overtake each other.
  private func deliverNext() {
    let begins = state.withLock { state in
      guard state.isDelivering else {
        state.isDelivering = true
        return true
      }
      state.shares += 1
      return false
    }
    guard begins else { return }
    repeat {
      if let delivery = state.withLock({ $0.waiting.removeFirst() }) {
        // A path further up may be being evaluated, by a getter that has the main queue run.
        AccessTracker.withoutTracking {
          Tracer.resume(delivery.cause) { deliver(delivery) }
        }
      }
    } while takeShare()
  }

  private func takeShare() -> Bool {
    state.withLock { state in
      guard state.shares > 0 else {
        state.isDelivering = false
        return false
      }
      state.shares -= 1
      return true
    }
  }

  /// Calls the handler, unless observation, object or observer has gone since the change was made.
  private func deliver(_ delivery: WaitingDelivery) {
    guard let token = state.withLock({ $0.token }) else { return }
    guard token.isActive, let object = token.site.registry.object(of: token) else {
      if Tracer.isOn { Tracer.skip(token, .ended) }
      return
    }
    if delivery.isUndone(at: token.site) {
      if Tracer.isOn { Tracer.skip(token, .equal) }
      return
    }
    // Comparing calls the user's `==`, which may end the observation.
    guard token.isActive else { return }
    withExtendedLifetime(delivery) {
      ObservationRecipient.receiveAlone(
        delivery.delivery(at: token.site), of: object, info: token,
        handler: .passUnretained(handler))
    }
  }
}

/// The handler is immutable and made to be called on the queue, by one job at a time; the state is
/// locked. Values may go to another thread: whoever makes a mailbox asks for them to be `Sendable`.
extension Mailbox: @unchecked Sendable {}

/// A delivery that waits in a mailbox, with its values.
private struct WaitingDelivery {
  let old: ValueBox?
  let new: ValueBox
  let kind: ObservationDelivery.Kind

  /// Whether it stands for several changes.
  var isMerged = false

  /// What traces have recorded that put it here; 0 if they have not.
  var cause: UInt64 = 0

  /// One delivery for both: the first old and the last new value. An initial one stays one.
  func followed(by next: WaitingDelivery) -> WaitingDelivery {
    WaitingDelivery(old: old, new: next.new, kind: kind, isMerged: true, cause: next.cause)
  }

  /// Whether several changes led back to where the first began, and only a difference is wanted.
  func isUndone(at site: ObservationSite) -> Bool {
    guard isMerged, let areEqual = site.areEqual, let old else { return false }
    return areEqual(old.address, new.address)
  }

  /// The values at their addresses, valid as long as this; the old one only if it was asked for.
  func delivery(at site: ObservationSite) -> ObservationDelivery {
    ObservationDelivery(
      old: site.options.contains(.old) ? old?.address : nil, new: new.address, kind: kind)
  }
}
