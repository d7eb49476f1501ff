/// Changes of a collection on their way to another thread, without the collection: that would be
/// copied by each edit.
///
/// Used by the thread that makes the changes and by the one that delivers them, one after the
/// other, under the lock of what holds them.
protocol WaitingChanges: AnyObject {
  /// What handlers, or loops, receive.
  associatedtype Change

  init(_ change: Change)

  /// Whether the first one is an initial delivery.
  var isInitial: Bool { get }

  /// Adds later changes. Under a lock: runs no code of the user's.
  ///
  /// - Returns: What is no longer used, to be released outside of every lock.
  func append(_ other: Self) -> AnyObject?
}

/// The collection as it was last delivered to an observation on another thread: changes that have
/// waited are applied to it, and delivered with it.
protocol DeliveredCollection {
  associatedtype Waiting: WaitingChanges

  /// Makes an empty one.
  ///
  /// - Parameter followsElements: Whether changes of their properties are delivered.
  init(followsElements: Bool)

  /// Applies changes that have waited, and makes one of them.
  ///
  /// - Parameter options: `.old` for the elements before; `.distinct` leaves out a change after
  ///   which the collection equals what it was.
  /// - Returns: `nil` if they have cancelled each other out.
  mutating func apply(_ changes: Waiting, options: ObservationOptions) -> Waiting.Change?
}

/// Joins changes of a collection that wait for a queue.
final class QueuedChanges<Delivered: DeliveredCollection>: QueuedJoining {
  typealias Waiting = Delivered.Waiting

  /// Used by whoever registers the observation, then by the jobs, one at a time.
  private var delivered: Delivered

  init(followsElements: Bool) { delivered = Delivered(followsElements: followsElements) }

  /// Begins with the elements as they are, for a new observation.
  func begin(with change: Waiting.Change) {
    _ = delivered.apply(Waiting(change), options: [])
  }

  override func join(_ new: ValueBox, to waiting: ValueBox) -> AnyObject? {
    waiting.value(as: Waiting.self).append(new.value(as: Waiting.self))
  }

  override func take(_ waiting: ValueBox, for token: ObservationToken) -> ValueBox? {
    delivered.apply(waiting.value(as: Waiting.self), options: token.registration.options).map {
      ValueBox($0)
    }
  }
}
