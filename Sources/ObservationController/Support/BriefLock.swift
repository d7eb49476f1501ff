import Synchronization

/// A lock for a few instructions in which nothing of a user's runs, taken and given back by hand.
///
/// Where nobody else wants it, one atomic operation takes it and one gives it back; a lock of
/// the system takes many more. Who finds it taken sleeps at a condition. Made of
/// what ThreadSanitizer knows. As a global it needs no check for its initialisation.
struct BriefLock: ~Copyable {
  private let state = Atomic<State.RawValue>(State.free)

  private enum State {
    typealias RawValue = UInt8

    static var free: RawValue { 0 }
    static var taken: RawValue { 1 }

    /// Taken, and somebody may be asleep.
    static var awaited: RawValue { 2 }
  }

  /// Where the threads sleep that wait for any lock of this type.
  private static let sleepers = SystemCondition()

  init() {}

  @inline(__always)
  borrowing func lock() {
    let isTaken = state.compareExchange(
      expected: State.free, desired: State.taken, successOrdering: .acquiring,
      failureOrdering: .relaxed
    ).exchanged
    if !isTaken { waitAndLock() }
  }

  @inline(__always)
  borrowing func unlock() {
    if state.exchange(State.free, ordering: .releasing) == State.awaited { wakeSleepers() }
  }

  @inline(never)
  private borrowing func waitAndLock() {
    Self.sleepers.lock()
    // Marked before falling asleep: who gives the lock back after that comes to wake, for which it needs
    // the condition, and that is only given back by falling asleep. Taken as awaited, since others may
    // still sleep.
    while state.exchange(State.awaited, ordering: .acquiring) != State.free {
      Self.sleepers.wait()
    }
    Self.sleepers.unlock()
  }

  @inline(never)
  private borrowing func wakeSleepers() {
    Self.sleepers.lock()
    Self.sleepers.broadcast()
    Self.sleepers.unlock()
  }
}
