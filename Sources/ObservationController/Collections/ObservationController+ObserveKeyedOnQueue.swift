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
    typealias Handler = ObservationHandler<Observer, Object, KeyedChange<Table>>
    let changes = QueuedChanges<DeliveredTable<Table>>(followsElements: !items.isEmpty)
    let queued = QueuedHandler(
      Handler { handler($0, $1, $2.newValue) }, on: queue, coalescing: coalescing,
      joining: changes)
    var request = ObservationRequest(
      KeyPathAccess(naming: keyPath), options: options.subtracting(.prior), context: context,
      file: file, line: line)
    request.keepsElements = true
    let front: Handler = QueuedObservationHandler(queued) { _, _, change in
      _ = queued.add(
        old: nil, new: ValueBox(WaitingKeyedChanges<Table>(change.newValue)), change.kind)
    }
    return store.addKeyed(
      object, request, witness, items, of: Table.self, handler: front,
      prepare: { token, initial in
        changes.begin(with: initial)
        queued.begin(for: token)
      },
      invoke: Handler.invocation)
  }
}
