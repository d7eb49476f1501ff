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

  /// Begins to take values. Several iterators share them: each value goes to one of them.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: stream.makeAsyncIterator())
  }

  /// Takes one value after the other, for one task at a time. Keeps the observation going as long
  /// as it is held.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var base: AsyncStream<Value>.Iterator

    /// The next value; waits if there is none yet.
    ///
    /// `nil` when the observation has ended and all values before that have been taken, and when the
    /// task is cancelled, which ends the observation.
    public mutating func next() async -> Value? {
      await base.next()
    }

    /// As ``next()``, without leaving `actor` while it waits.
    ///
    /// - Parameter actor: Where the loop runs, which the compiler fills in.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async -> Value? {
      await base.next(isolation: actor)
    }
  }
}

/// A stream may be handed on where its elements may be.
extension ObservationValues: Sendable where Value: Sendable {}
