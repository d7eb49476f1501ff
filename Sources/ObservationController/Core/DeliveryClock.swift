import Dispatch

/// Clock and timer of ``ObservationCoalescing/interval(_:)``.
package protocol DeliveryClock: Sendable {
  /// Time since some fixed moment.
  var now: Duration { get }

  /// Puts `job` on `queue` once `delay` is over.
  func put(_ job: @escaping @Sendable () -> Void, on queue: DispatchQueue, after delay: Duration)
}

/// The clock of Dispatch.
private struct DispatchClock: DeliveryClock {
  var now: Duration { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }

  func put(_ job: @escaping @Sendable () -> Void, on queue: DispatchQueue, after delay: Duration) {
    let (seconds, attoseconds) = delay.components
    let time =
      DispatchTime.now() + .seconds(Int(clamping: seconds))
      + .nanoseconds(Int(attoseconds / 1_000_000_000))
    queue.asyncAfter(deadline: time, execute: job)
  }
}

/// The clock of all observations, which tests replace by one that they step.
package enum DeliveryClocks {
  private static let clock = Locked<any DeliveryClock>(DispatchClock())

  package static var current: any DeliveryClock {
    get { clock.withLock { $0 } }
    set { clock.withLock { $0 = newValue } }
  }
}
