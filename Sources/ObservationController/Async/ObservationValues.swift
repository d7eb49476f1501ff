/// A value, the current one first, and then each that it changes to, for a `for await` loop.
///
/// Made by ``ObservationController/values(of:_:bufferingPolicy:file:line:)``. Values wait in a buffer
/// until the loop takes them.
///
/// It ends, and its observation does, as ``ObservationChanges`` tells; like that, it is for one loop.
public struct ObservationValues<Value> {
  private let stream: AsyncStream<Value>

  init(_ stream: AsyncStream<Value>) {
    self.stream = stream
  }
}

extension ObservationValues: AsyncSequence {
  public typealias Element = Value
  public typealias Failure = Never

  public func makeAsyncIterator() -> Iterator {
    Iterator(base: stream.makeAsyncIterator())
  }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var base: AsyncStream<Value>.Iterator

    public mutating func next() async -> Value? {
      await base.next()
    }

    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async -> Value? {
      await base.next(isolation: actor)
    }
  }
}

/// A stream may be handed on where its elements may be.
extension ObservationValues: Sendable where Value: Sendable {}
