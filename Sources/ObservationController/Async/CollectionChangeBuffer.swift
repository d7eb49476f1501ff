import Dispatch

/// Changes of a collection that wait for a loop, without the collection: that would be copied by
/// each edit.
final class CollectionChangeBuffer<Delivered: DeliveredCollection>
where Delivered.Waiting.Change: Sendable {
  typealias Waiting = Delivered.Waiting
  typealias Change = Waiting.Change

  private struct State {
    var queue = DeliveryQueue<PendingChange>()

    /// Time at which the last change was taken.
    var lastTaken: Duration?

    /// Time before which nothing is taken, where each change begins that anew.
    var due: Duration?
  }

  private let state = Locked(State())

  /// The collection that the loop knows, and that alone uses, once the observation has begun.
  private var delivered: Delivered

  private let options: ObservationOptions
  private let coalescing: ObservationCoalescing

  init(
    _ options: ObservationOptions, _ coalescing: ObservationCoalescing, followsElements: Bool
  ) {
    delivered = Delivered(followsElements: followsElements)
    (self.options, self.coalescing) = (options, coalescing)
  }
}

extension CollectionChangeBuffer {
  /// Begins with the elements as they are.
  func begin(with change: Change) {
    _ = delivered.apply(Waiting(change), options: [])
  }

  /// Adds a change, made while no other one is added.
  func add(_ change: Change) {
    let new = Waiting(change)
    var due: Duration?
    if case .debounce(let rest) = coalescing, !new.isInitial {
      due = DeliveryClock.current.now() + rest
    }
    let replaced = state.withLock { state -> AnyObject? in
      state.due = due ?? state.due
      if coalescing != .none, let waiting = state.queue.first?.new {
        return waiting.value(as: Waiting.self).append(new)
      }
      state.queue.append(PendingChange(new: ValueBox(new)))
      return nil
    }
    withExtendedLifetime(replaced) {}
  }

  /// The next change; `nil` if none waits. What has cancelled out is left out.
  func take() -> Change? {
    while let waiting = state.withLock({ state in
      state.due = nil
      return state.queue.removeFirst(through: .max)?.new
    }) {
      // With no lock held: elements may be compared.
      let changes = waiting.value(as: Waiting.self)
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

/// The state is locked, `delivered` belongs to the loop, the rest is immutable. Changes that are
/// `Sendable` move to the loop.
extension CollectionChangeBuffer: @unchecked Sendable {}
