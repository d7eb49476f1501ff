import Dispatch

extension ObservationController {
  /// Registers a handler that runs on a queue; every observation of a dictionary or a set on a
  /// queue ends here.
  func observeKeyed<Object: AnyObject, Table: KeyedTable>(
    _ object: Object, _ keyPath: AnyKeyPath, _ witness: ArrayWitness,
    _ items: [PartialKeyPath<Table.Item>], _ options: ObservationOptions,
    _ context: ObservationContext?, on queue: DispatchQueue, _ coalescing: ObservationCoalescing,
    _ file: String, _ line: UInt,
    handler: @escaping @Sendable (Observer, Object, KeyedChange<Table>) -> Void
  ) -> ObservationToken where Table.Key: Sendable, Table.Item: Sendable {
    observe(
      keyPath, options, context, on: queue, coalescing, file, line,
      joining: QueuedChanges<DeliveredTable<Table>>(followsElements: !items.isEmpty),
      handler: handler
    ) { request, front, prepare in
      store.addKeyed(
        object, request, witness, items, of: Table.self, handler: front, prepare: prepare,
        invoke: ObservationHandler<Observer, Object, KeyedChange<Table>>.invocation)
    }
  }
}
