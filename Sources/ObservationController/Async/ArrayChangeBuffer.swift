import Dispatch

/// Changes of an array that wait for a loop, without the array: that would be copied by each edit.
final class ArrayChangeBuffer<Element: Sendable> {
  private struct State {
    var queue = DeliveryQueue<PendingChange>()

    /// Time at which the last change was taken.
    var lastTaken: Duration?

    /// Time before which nothing is taken, where each change begins that anew.
    var due: Duration?
  }

  private let state = Locked(State())

  /// The array that the loop knows, and that alone uses, once the observation has begun.
  private var delivered = DeliveredArray<Element>()

  private let options: ObservationOptions
  private let coalescing: ObservationCoalescing

  init(_ options: ObservationOptions, _ coalescing: ObservationCoalescing) {
    (self.options, self.coalescing) = (options, coalescing)
  }
}

extension ArrayChangeBuffer {
  /// Begins with the elements as they are.
  func begin(with change: ArrayChange<Element>) {
    _ = delivered.apply(WaitingArrayChanges(change), options: [])
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

  /// The next change; `nil` if none waits. What has cancelled out is left out.
  func take() -> ArrayChange<Element>? {
    while let waiting = state.withLock({ state in
      state.due = nil
      return state.queue.removeFirst(through: .max)?.new
    }) {
      // With no lock held: elements may be compared.
      let changes = waiting.value(as: WaitingArrayChanges<Element>.self)
      guard let change = delivered.apply(changes, options: options) else { continue }
      let now = DeliveryClock.current.now()
      state.withLock { $0.lastTaken = now }
      return change
    }
    return nil
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

/// The state is locked, `delivered` belongs to the loop, the rest is immutable. Changes of
/// `Sendable` elements move to the loop.
extension ArrayChangeBuffer: @unchecked Sendable {}
