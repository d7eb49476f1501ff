import Dispatch

/// Observing with a block that runs on a queue.
extension ObservationController {
  /// Calls `handler` on `queue` with each change of the value at `keyPath`.
  ///
  ///     observations.observe(document, \.text, on: indexing, coalescing: .latest) {
  ///       index, _, change in
  ///       index.update(change.newValue)
  ///     }
  ///
  /// Changes are delivered one by one in their order, also on a concurrent queue, each by a job
  /// that is added to the queue before the assignment returns; ``ObservationCoalescing`` joins
  /// several. A job that runs when the observation has ended, or when observer or object has been
  /// deallocated, does nothing: no delivery follows an end that was made on a serial `queue`.
  /// Changes that wait keep their values until then, or until the observation ends.
  ///
  /// Observing an object, key path and context again returns the first token, with or without a
  /// queue. From the same line of code the new handler takes the place of the old one, on the queue
  /// that was given first; otherwise the first one stays, which is reported, as
  /// ``observe(_:_:options:context:isolation:file:line:handler:)`` says. So are key paths that read
  /// no observable property.
  ///
  /// - Parameters:
  ///   - object: Kept alive until it is unobserved, if the controller retains; not by changes that
  ///     wait.
  ///   - keyPath: A property, or any nested or computed path. The values move to another thread, so
  ///     that they have to be `Sendable`.
  ///   - options: What is delivered; `.initial` on the queue too, before all changes.
  ///   - context: Distinguishes observations of one object and key path.
  ///   - queue: Serial or concurrent.
  ///   - coalescing: Which changes are joined: none, those made before a delivery begins, those of
  ///     an interval, or those made until nothing has changed for some time.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  ///   - handler: Runs on the queue, with no lock held. Released when the observation ends, at the
  ///     latest when the call already running has returned. Observer and object are handed over as
  ///     they are: use of them what may be used on that queue. They may be deallocated on it too,
  ///     if the last reference elsewhere is released during the call.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: As ``observe(_:_:options:context:isolation:file:line:handler:)``, and a job on
  ///   the queue for each delivery.
  @inlinable @inline(__always)
  @discardableResult
  public func observe<Object: AnyObject, Value: Sendable>(
    _ object: Object, _ keyPath: consuming KeyPath<Object, Value>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    on queue: DispatchQueue, coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @Sendable (Observer, Object, ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    let queued = QueuedHandler(ObservationHandler(handler), on: queue, coalescing: coalescing)
    return register(
      object,
      ObservationRequest(
        .reading(consume keyPath), options: options, context: context, coalescing: coalescing,
        file: file, line: line),
      isolation: nil, prepare: queued.begin, queued: queued,
      handler: { (_, _, change: ObservedChange<Value>) in queued.add(change) })
  }
}

/// Observing with a block that runs on the main actor, wherever the change is made.
extension ObservationController {
  /// Calls `handler` on the main actor with each change of the value at `keyPath`.
  ///
  ///     observations.observeOnMainActor(
  ///       download, \.progress, coalescing: .interval(.milliseconds(16))
  ///     ) { view, _, change in
  ///       view.bar.progress = change.newValue
  ///     }
  ///
  /// A job on the main queue delivers the change, also if it is made on the main thread, in the
  /// order of all other jobs there. No delivery follows an end that was made on the main actor.
  /// Everything else is as with ``observe(_:_:options:context:on:coalescing:file:line:handler:)``.
  ///
  /// - Parameters:
  ///   - object: Kept alive until it is unobserved, if the controller retains; not by changes that
  ///     wait.
  ///   - keyPath: The values move to another thread, so that they have to be `Sendable`.
  ///   - options: What is delivered; `.initial` on the main actor too, before all changes.
  ///   - context: Distinguishes observations of one object and key path.
  ///   - coalescing: Which changes are joined: none, those made before a delivery begins, those of
  ///     an interval, or those made until nothing has changed for some time. Drawing wants an
  ///     interval.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  ///   - handler: Runs on the main thread, with no lock held. Released when the observation ends.
  ///     Observer and object are handed over as they are: if the object is changed on another
  ///     thread, take the values from the change.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: As ``observe(_:_:options:context:isolation:file:line:handler:)``, and a job on
  ///   the main queue for each delivery.
  @inlinable @inline(__always)
  @discardableResult
  public func observeOnMainActor<Object: AnyObject, Value: Sendable>(
    _ object: Object, _ keyPath: consuming KeyPath<Object, Value>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    coalescing: ObservationCoalescing = .none, file: String = #fileID, line: UInt = #line,
    handler: @escaping @MainActor (Observer, Object, ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    // Jobs on the main queue run in their order, which tasks on the main actor do not promise.
    observe(
      object, consume keyPath, options: options, context: context, on: .main,
      coalescing: coalescing, file: file, line: line
    ) { observer, object, change in
      // Unchecked, because they do not change threads here: the job that loaded them runs on the
      // main thread. The documentation of `handler` says what it may use of them.
      nonisolated(unsafe) let (observer, object) = (observer, object)
      MainActor.assumeIsolated { handler(observer, object, change) }
    }
  }
}
