import Dispatch

/// Observing with a block that runs on a queue.
extension ObservationController {
  /// Calls `handler` on `queue` with each change of the value at `keyPath`.
  ///
  ///     observations.observe(document, \.text, on: indexing, coalescing: .latest) { index, _, change in
  ///       index.update(change.newValue)
  ///     }
  ///
  /// Changes are delivered one by one in their order, also on a concurrent queue, each by a job that
  /// is put on the queue before the assignment returns; ``ObservationCoalescing`` joins several. A job that runs when the observation has
  /// ended, or when observer or object has gone, does nothing: no delivery follows an end that was
  /// made on a serial `queue`. The values of a change wait until then, and go with the observation.
  ///
  /// It is the same observation as
  /// ``observe(_:_:options:context:isolation:file:line:handler:)`` of the same object, key path and
  /// context: the one that comes second changes nothing, returns the first token, and is reported, see
  /// there. Key paths that read no observable property are reported as there.
  ///
  /// - Parameters:
  ///   - object: Kept alive until it is unobserved, if the controller retains; not by changes that
  ///     wait.
  ///   - keyPath: As there. The values go to another thread, so that they have to be `Sendable`.
  ///   - options: As there; `.initial` is delivered on the queue too, before all changes.
  ///   - context: As there.
  ///   - queue: Serial or concurrent.
  ///   - coalescing: Which changes are joined: none, those made before a delivery begins, or those
  ///     of an interval.
  ///   - file: Where the registration stands, for issues and descriptions.
  ///   - line: Likewise.
  ///   - handler: Runs on the queue, with no lock held. Released when the observation ends, at the
  ///     latest when the call already running has returned. Observer and object are handed over as
  ///     they are: use of them what may be used on that queue. They may go on it too, if the last
  ///     reference elsewhere is given up during the call.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: As ``observe(_:_:options:context:isolation:file:line:handler:)``, and a job on
  ///   the queue for each delivery.
  @discardableResult
  public func observe<Object: AnyObject, Value: Sendable>(
    _ object: Object, _ keyPath: KeyPath<Object, Value>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    on queue: DispatchQueue, coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @Sendable (Observer, Object, ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    // Not inlinable, as `observe` without a queue is: a job costs more than specialising saves.
    var request = ObservationRequest(
      keyPath: keyPath, options: coalescing == .none ? options : options.subtracting(.prior),
      context: context, handlerKind: .block, file: file, line: line)
    request.needsOld = coalescing != .none && options.contains(.distinct)
    let queued = QueuedHandler(ObservationHandler(handler), on: queue, coalescing: coalescing)
    return register(
      object, keyPath, request, isolation: nil, prepare: { queued.begin(for: $0) },
      handler: { _, _, change in _ = queued.put(change) })
  }
}
