/// Counts the rounds of deliveries that go on because handlers change again what they are told of (C8).
///
/// A delivery is a round if its handlers have left more that waits. However much that is, it may come to
/// an end: a handler that numbers a thousand elements anew has made one round. One that never leaves
/// alone what it is told of makes one after the other.
struct DeliveryRounds {
  private var count = 0

  /// `SmallQueue.additions` when the last change was taken; `nil` if none has been yet.
  private var additions: Int?

  /// Before the first delivery.
  init() {}

  /// After a change has been taken that was alone, to be delivered now.
  init<Change>(afterTakingFrom queue: SmallQueue<Change>) {
    additions = queue.additions
  }

  var areCycle: Bool { count >= ObservationDispatcher.maximumRounds }

  /// Looks at what the last delivery has left.
  mutating func update<Change: MadeByThread>(_ queue: SmallQueue<Change>) {
    let added = queue.additions - (additions ?? queue.additions)
    // What other threads change is no cycle, however much it is.
    if added > 0, queue.contains(amongLast: added, where: { $0.maker == .current }) { count += 1 }
  }

  /// Notes that `change` has been taken, to be delivered next.
  mutating func begin<Change: MadeByThread>(
    _ change: Change, from queue: SmallQueue<Change>
  ) {
    if change.maker != .current { count = 0 }
    additions = queue.additions
  }
}

/// A change that knows which thread made it.
protocol MadeByThread {
  var maker: ThreadIdentity { get }
}
