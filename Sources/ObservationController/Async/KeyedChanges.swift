/// The changes of a dictionary or a set that wait for a loop.
struct KeyedChanges<Table: KeyedTable> where Table.Key: Sendable, Table.Item: Sendable {
  let signals: AsyncStream<Void>
  let buffer: CollectionChangeBuffer<DeliveredTable<Table>>

  func makeIterator() -> CollectionChangeIterator<DeliveredTable<Table>> {
    CollectionChangeIterator(signals: signals.makeAsyncIterator(), buffer: buffer)
  }
}

extension KeyedChanges: Sendable {}

extension ObservationController {
  /// Registers the observation of a sequence of changes of a dictionary or a set.
  func changes<Object: AnyObject, Table: KeyedTable>(
    _ object: Object, _ keyPath: AnyKeyPath, _ witness: ArrayWitness,
    _ items: [PartialKeyPath<Table.Item>], _ options: ObservationOptions,
    _ coalescing: ObservationCoalescing, _ file: String, _ line: UInt
  ) -> KeyedChanges<Table> where Table.Key: Sendable, Table.Item: Sendable {
    typealias Handler = ObservationHandler<Observer, Object, KeyedChange<Table>>
    let options = options.subtracting(.prior)
    let buffer = CollectionChangeBuffer<DeliveredTable<Table>>(
      options, coalescing, followsElements: !items.isEmpty)
    let signals = stream(
      of: KeyPathAccess(naming: keyPath), options, .bufferingNewest(1), file: file, line: line
    ) { (request, send: @escaping (()) -> Void) in
      var request = request
      request.keepsElements = true
      return store.addKeyed(
        object, request, witness, items, of: Table.self,
        handler: Handler { _, _, change in
          buffer.add(change.newValue)
          send(())
        },
        prepare: { buffer.begin(with: $1) }, invoke: Handler.invocation)
    }
    return KeyedChanges(signals: signals, buffer: buffer)
  }
}
