import Synchronization

/// Holds changes back that other threads tell before the initial delivery has been made.
///
///     handler ──▶ gate ──▶ user's closure     strong
final class InitialGate<Observer: AnyObject, Object: AnyObject, Value> {
  private let handler: (Observer, Object, ObservedChange<Value>) -> Void

  private struct Waiting {
    let change: ObservedChange<Value>

    /// What other threads change is no cycle, however much it is.
    let teller = ThreadIdentity.current
  }

  /// Changes that wait; `nil` once the gate is open.
  private let waiting = Locked<[Waiting]?>([])

  private let isOpen = Atomic(false)

  init(_ handler: @escaping (Observer, Object, ObservedChange<Value>) -> Void) {
    self.handler = handler
  }

  /// Calls the handler, or has the change wait.
  func admit(_ observer: Observer, _ object: Object, _ change: ObservedChange<Value>) {
    if !isOpen.load(ordering: .acquiring), wait(change) { return }
    handler(observer, object, change)
  }

  private func wait(_ change: ObservedChange<Value>) -> Bool {
    waiting.withLock { waiting in
      waiting?.append(Waiting(change: change))
      return waiting != nil
    }
  }

  /// Makes the initial delivery, delivers what has waited for it, and opens the gate.
  ///
  /// - Parameter value: `nil` if nobody asked for an initial delivery.
  func open(_ info: ObservationInfo, of object: Object, with value: Value?) {
    if let value {
      tell(
        ObservedChange(oldValue: nil, newValue: value, site: info.site, kind: .initial), info,
        object)
    }
    // As `DeliveryRounds`: a handler that sets one thing twice would otherwise double what waits each time.
    var rounds = 0
    while let next = takeWaiting() {
      if !next.contains(where: { $0.teller == .current }) { rounds = 0 }
      guard rounds < ObservationDispatcher.maximumRounds else {
        ObservationDispatcher.reportCycle(of: info)
        rounds = 0
        continue
      }
      for waiting in next {
        let count = ownWaitingCount
        tell(waiting.change, info, object)
        if ownWaitingCount > count { rounds += 1 }
      }
    }
    isOpen.store(true, ordering: .releasing)
  }

  /// How many changes of this thread wait: told by it, so made by its handlers.
  private var ownWaitingCount: Int {
    waiting.withLock { $0?.count { $0.teller == .current } ?? 0 }
  }

  private func tell(
    _ change: ObservedChange<Value>, _ info: ObservationInfo, _ object: Object
  ) {
    guard info.isActive else { return }
    guard let observer = info.site.registry.observer else {
      return ObservationRecipient.observerHasGone(from: info)
    }
    // Safe: the registry of this observation is that of a controller for an `Observer`.
    let typed = unsafeDowncast(observer, to: Observer.self)
    if Tracer.isOn {
      Tracer.deliver(to: info, of: object, change.kind) { handler(typed, object, change) }
    } else {
      handler(typed, object, change)
    }
  }

  /// - Returns: `nil` if nothing waits, and nothing will.
  private func takeWaiting() -> [Waiting]? {
    waiting.withLock { waiting in
      guard let next = waiting, !next.isEmpty else {
        waiting = nil
        return nil
      }
      waiting = []
      return next
    }
  }
}
