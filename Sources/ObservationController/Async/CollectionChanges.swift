/// The changes of a collection that wait for a loop: what each of the public sequences has.
struct CollectionChanges<Delivered: DeliveredCollection>
where Delivered.Waiting.Change: Sendable {
  typealias Change = Delivered.Waiting.Change

  let signals: AsyncStream<Void>
  let buffer: CollectionChangeBuffer<Delivered>

  struct Iterator {
    var signals: AsyncStream<Void>.Iterator
    let buffer: CollectionChangeBuffer<Delivered>

    /// Waits for a change; `nil` when the observation has ended and all changes before that have
    /// been taken, and when the task is cancelled.
    mutating func next() async -> Change? {
      while true {
        await buffer.pause()
        if !Task.isCancelled, let change = buffer.take() { return change }
        guard await signals.next() != nil else { return Task.isCancelled ? nil : buffer.take() }
      }
    }
  }

  func makeIterator() -> Iterator {
    Iterator(signals: signals.makeAsyncIterator(), buffer: buffer)
  }
}

extension CollectionChanges: Sendable {}

extension ObservationController {
  /// Registers the observation of a sequence of changes of a collection.
  ///
  /// - Parameters:
  ///   - followsElements: Whether changes of elements are delivered.
  ///   - register: Registers the handler; receives also what begins with the collection as it is.
  func changes<Object: AnyObject, Delivered: DeliveredCollection>(
    of object: Object, _ keyPath: AnyKeyPath, _ options: ObservationOptions,
    _ coalescing: ObservationCoalescing, followsElements: Bool, _ file: String, _ line: UInt,
    register: (
      ObservationRequest, ObservationHandler<Observer, Object, Delivered.Waiting.Change>,
      _ prepare: @escaping (ObservationToken, Delivered.Waiting.Change) -> Void
    ) -> ObservationToken
  ) -> CollectionChanges<Delivered> {
    let options = options.subtracting(.prior)
    let buffer = CollectionChangeBuffer<Delivered>(
      options, coalescing, followsElements: followsElements)
    let signals = stream(
      of: KeyPathAccess(naming: keyPath), options, .bufferingNewest(1), file: file, line: line
    ) { (request, send: @escaping (()) -> Void) in
      var request = request
      request.keepsElements = true
      let handler = ObservationHandler<Observer, Object, Delivered.Waiting.Change> { _, _, change in
        buffer.add(change.newValue)
        send(())
      }
      return register(request, handler) { buffer.begin(with: $1) }
    }
    return CollectionChanges(signals: signals, buffer: buffer)
  }

  /// Registers the observation of a sequence of changes of a dictionary or a set.
  func changes<Object: AnyObject, Table: KeyedTable>(
    _ object: Object, _ keyPath: AnyKeyPath, _ witness: ArrayWitness,
    _ items: [PartialKeyPath<Table.Item>], _ options: ObservationOptions,
    _ coalescing: ObservationCoalescing, _ file: String, _ line: UInt
  ) -> CollectionChanges<DeliveredTable<Table>>
  where Table.Key: Sendable, Table.Item: Sendable {
    changes(
      of: object, keyPath, options, coalescing, followsElements: !items.isEmpty, file, line
    ) { request, handler, prepare in
      store.addKeyed(
        object, request, witness, items, of: Table.self, handler: handler, prepare: prepare,
        invoke: type(of: handler).invocation)
    }
  }
}
