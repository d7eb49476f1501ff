import Dispatch

/// Changes of an array that wait for a loop, without the array: that would be copied by each edit.
final class ArrayChangeBuffer<Element: Sendable> {
  private struct State {
    var queue = DeliveryQueue<PendingChange>()

    /// The array that the loop knows.
    var delivered = DeliveredArray<Element>()

    /// Time at which the last change was taken.
    var lastTaken: Duration?

    /// Time before which nothing is taken, where each change begins that anew.
    var due: Duration?
  }

  private let state = Locked(State())
  private let options: ObservationOptions
  private let coalescing: ObservationCoalescing

  init(_ options: ObservationOptions, _ coalescing: ObservationCoalescing) {
    (self.options, self.coalescing) = (options, coalescing)
  }
}

extension ArrayChangeBuffer {
  /// Begins with the elements as they are.
  func begin(with change: ArrayChange<Element>) {
    let changes = WaitingArrayChanges(change)
    state.withLock { _ = $0.delivered.apply(changes, options: []) }
  }

  func add(_ change: ArrayChange<Element>) {
    let new = WaitingArrayChanges(change)
    var due: Duration?
    if case .debounce(let rest) = coalescing, change.kind != .initial {
      due = DeliveryClock.current.now() + rest
    }
    let replaced = state.withLock { state -> AnyObject? in
      state.due = due ?? state.due
      if coalescing != .none, let waiting = state.queue.first?.new {
        return waiting.value(as: WaitingArrayChanges<Element>.self).append(new)
      }
      state.queue.append(PendingChange(new: ValueBox(new)))
      return nil
    }
    withExtendedLifetime(replaced) {}
  }

  /// The next change; `nil` if none waits. What it consists of is released outside of the lock.
  func take() -> ArrayChange<Element>? {
    while true {
      let (waiting, change) = state.withLock { state -> (PendingChange?, ArrayChange<Element>?) in
        guard let waiting = state.queue.removeFirst(through: .max), let new = waiting.new else {
          return (nil, nil)
        }
        let changes = new.value(as: WaitingArrayChanges<Element>.self)
        let change = state.delivered.apply(changes, options: options)
        if change != nil { (state.lastTaken, state.due) = (DeliveryClock.current.now(), nil) }
        return (waiting, change)
      }
      // Cancelled out, where there is no change.
      guard change == nil, waiting != nil else { return change }
    }
  }

  /// Waits until the next change may be taken, if there is one.
  func pause() async {
    while let delay, delay > .zero {
      await withCheckedContinuation { done in
        DeliveryClock.current.put({ done.resume() }, .global(), delay)
      }
    }
  }

  private var delay: Duration? {
    let now = DeliveryClock.current.now()
    return state.withLock { state in
      guard !state.queue.isEmpty else { return nil }
      if case .interval(let interval) = coalescing {
        return state.lastTaken.map { $0 + interval - now }
      }
      return state.due.map { $0 - now }
    }
  }
}

/// The state is locked, the rest immutable. Changes of `Sendable` elements move to the loop.
extension ArrayChangeBuffer: @unchecked Sendable {}
