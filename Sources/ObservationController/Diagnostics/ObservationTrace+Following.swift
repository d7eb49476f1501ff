extension ObservationTrace {
  /// Records events from now on, on all threads, and hands them out as they come.
  ///
  ///     for await event in ObservationTrace.events() {
  ///       print(event)                       // "\Clock.date of Clock@6020 was set"
  ///     }
  ///
  /// An event is handed out when it begins, and so before what it leads to, and without its
  /// duration. Its ``Event/cause`` is that of an event which has been handed out, unless that was
  /// dropped. ``ObservationTrace/mark(_:)-type.method`` adds labels. While nothing follows or
  /// records, setting a property is no slower.
  ///
  /// Retains no observer, object or value.
  ///
  /// - Parameters:
  ///   - capacity: The number of events to keep for a loop that falls behind, at least one; the
  ///     oldest are dropped, and counted in ``Events/droppedCount``.
  ///   - readsObjects: Whether to find out names by reading the observed objects, on this thread,
  ///     as ``learnNames()`` does.
  /// - Returns: A sequence for one loop, which ends when the task is cancelled. Recording ends when
  ///   the sequence and its iterator are released.
  /// - Complexity: O(1); recording an event is O(1).
  public static func events(capacity: Int = 1_000, readsObjects: Bool = true) -> Events {
    if readsObjects { learnAllNames() }
    return Events(following: Tracer.Follower(capacity: max(capacity, 1)))
  }

  /// Events of all threads as they are recorded, from
  /// ``ObservationTrace/events(capacity:readsObjects:)``.
  public struct Events: AsyncSequence, Sendable {
    public typealias Element = Event

    private let following: Following

    fileprivate init(following follower: Tracer.Follower) {
      following = Following(follower)
    }

    /// The number of events that were dropped, because the loop took them too slowly.
    ///
    /// - Complexity: O(1).
    public var droppedCount: Int { Tracer.shared.withLock { _ in following.follower.droppedCount } }

    public func makeAsyncIterator() -> Iterator { Iterator(following: following) }

    /// Takes the events of a sequence. Two iterators share them.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let following: Following

      /// The next event, when there is one; `nil` once the task is cancelled.
      public mutating func next() async -> Event? { await following.next() }
    }
  }
}

extension ObservationTrace.Events {
  /// Has a follower record until this is released.
  ///
  ///     loop ─▶ sequence, iterator ─▶ following ─▶ follower ◀─ tracer      strong
  fileprivate final class Following: Sendable {
    let follower: ObservationTrace.Tracer.Follower

    init(_ follower: ObservationTrace.Tracer.Follower) {
      self.follower = follower
      ObservationTrace.Tracer.begin(follower)
    }

    deinit { ObservationTrace.Tracer.end(follower) }

    func next() async -> ObservationTrace.Event? {
      while !Task.isCancelled {
        if let event = ObservationTrace.Tracer.shared.withLock({ _ in follower.takeFirst() }) {
          return event.named
        }
        await withTaskCancellationHandler {
          await withCheckedContinuation { continuation in
            // Not where an event has come meanwhile, or the task has been cancelled.
            let isDue = ObservationTrace.Tracer.shared.withLock { _ in
              follower.wait(continuation, unless: Task.isCancelled)
            }
            if isDue { continuation.resume() }
          }
        } onCancel: {
          for loop in ObservationTrace.Tracer.shared.withLock({ _ in follower.takeWaiting() }) {
            loop.resume()
          }
        }
      }
      return nil
    }
  }
}

extension ObservationTrace.Tracer {
  /// Events that wait for a loop.
  final class Follower: Recorder, @unchecked Sendable {
    private let capacity: Int

    /// The oldest first, behind those that have been taken.
    private var events: [ObservationTrace.Event] = []
    private var taken = 0

    private(set) var droppedCount = 0

    /// Loops, while no event waits for them.
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(capacity: Int) { self.capacity = capacity }

    /// - Complexity: O(1) amortised.
    override func append(_ event: ObservationTrace.Event) -> [CheckedContinuation<Void, Never>] {
      if events.count - taken == capacity {
        taken += 1
        droppedCount += 1
      }
      if taken > capacity {
        events.removeFirst(taken)
        taken = 0
      }
      events.append(event)
      return takeWaiting()
    }

    func takeFirst() -> ObservationTrace.Event? {
      guard taken < events.count else { return nil }
      taken += 1
      return events[taken - 1]
    }

    /// Has a loop wait for the next event.
    ///
    /// - Returns: `true`, and nothing happens, if it need not.
    func wait(_ continuation: CheckedContinuation<Void, Never>, unless isCancelled: Bool) -> Bool {
      if isCancelled || taken < events.count { return true }
      waiting.append(continuation)
      return false
    }

    func takeWaiting() -> [CheckedContinuation<Void, Never>] { exchange(&waiting, with: []) }
  }
}

extension ObservationTrace.Event {
  /// With the names of properties that are known by now.
  fileprivate var named: Self {
    var event = self
    event.property = property.map(KeyPathNames.naming)
    return event
  }
}
