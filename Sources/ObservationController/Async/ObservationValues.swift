/// A value, the current one first, and then each that it changes to, for a `for await` loop.
///
/// Made by ``ObservationController/values(of:_:bufferingPolicy:isolation:file:line:)-bssh``. Values wait
/// in a buffer until the loop takes them.
///
/// It ends, and its observation does, as ``ObservationChanges`` tells; like that, it is for one loop.
public struct ObservationValues<Value> {
  private let stream: AsyncStream<Value>

  init(_ stream: AsyncStream<Value>) {
    self.stream = stream
  }
}

extension ObservationValues: AsyncSequence {
  /// One value.
  public typealias Element = Value

  /// Nothing fails: a sequence ends, and never throws.
  public typealias Failure = Never

  /// Takes one value after the other, for one task at a time. Keeps the observation going as long
  /// as it is held.
  ///
  /// `next()` waits if there is no value yet. It returns `nil` when the observation has ended and all
  /// values before that have been taken, and when the task is cancelled, which ends the observation.
  public typealias Iterator = AsyncStream<Value>.Iterator

  /// Begins to take values. Several iterators share them: each value goes to one of them.
  ///
  /// - Complexity: O(1).
  public func makeAsyncIterator() -> Iterator {
    stream.makeAsyncIterator()
  }
}

/// A stream may be handed on where its elements may be.
extension ObservationValues: Sendable where Value: Sendable {}
