/// The changes of one value, in their order, for a `for await` loop.
///
/// Made by ``ObservationController/changes(of:_:options:bufferingPolicy:file:line:)``. Changes wait in
/// a buffer until the loop takes them; while they do, they keep their values alive, and nothing else.
///
/// The loop ends, after what is in the buffer, when the observation does: when the object or key path
/// is unobserved, when the controller or an unretained object goes, and when the observer goes, which
/// is its end at the latest with the next change if the controller stays. The observation ends when
/// nobody is left to take changes: when the loop's task is cancelled, and when the sequence and its
/// iterators have gone. To leave the loop by `break` is enough if nobody else holds the sequence.
///
///     @MainActor
///     final class Badge {
///       func follow(_ account: Account) {
///         let changes = observations.changes(of: account, \.unread)
///         // Held weakly: the loop waits as long as the controller lives, which `self` owns.
///         task = Task { [weak self] in
///           for await change in changes { self?.show(change.newValue) }
///         }
///       }
///     }
///
/// It is for one loop, as an `AsyncStream` is: where several iterators take from it, each change goes
/// to one of them. Ask the controller again for another sequence of the same changes.
public struct ObservationChanges<Value> {
  private let stream: AsyncStream<ObservedChange<Value>>

  init(_ stream: AsyncStream<ObservedChange<Value>>) {
    self.stream = stream
  }
}

extension ObservationChanges: AsyncSequence {
  /// One change.
  public typealias Element = ObservedChange<Value>

  /// Nothing fails: a sequence ends, and never throws.
  public typealias Failure = Never

  /// Takes one change after the other, for one task at a time. Keeps the observation going as long
  /// as it is held.
  ///
  /// `next()` waits if there is no change yet. It returns `nil` when the observation has ended and all
  /// changes before that have been taken, and when the task is cancelled, which ends the observation.
  public typealias Iterator = AsyncStream<ObservedChange<Value>>.Iterator

  /// Begins to take changes. Several iterators share them: each change goes to one of them.
  ///
  /// - Complexity: O(1).
  public func makeAsyncIterator() -> Iterator {
    stream.makeAsyncIterator()
  }
}

/// A stream may be handed on where its elements may be.
extension ObservationChanges: Sendable where Value: Sendable {}
