import Dispatch

/// Observing with a block that runs on the main actor, wherever the change is made.
extension ObservationController {
  /// Calls `handler` on the main actor with each change of the value at `keyPath`.
  ///
  ///     observations.observeOnMainActor(download, \.progress, coalescing: .interval(.milliseconds(16))) {
  ///       view, _, change in view.bar.progress = change.newValue
  ///     }
  ///
  /// Always later, also if the change is made on the main thread: a job on the main queue delivers
  /// it, in the order of all other jobs there. Once the observation has been ended on the main
  /// actor, nothing follows. Everything else is as with
  /// ``observe(_:_:options:context:on:coalescing:file:line:handler:)``.
  ///
  /// - Parameters:
  ///   - object: Kept alive until it is unobserved, if the controller retains; not by changes that
  ///     wait.
  ///   - keyPath: The values go to another thread, so that they have to be `Sendable`.
  ///   - options: What is delivered; `.initial` on the main actor too, before all changes.
  ///   - context: Distinguishes observations of one object and key path.
  ///   - coalescing: Which changes are joined: none, those made before a delivery begins, or those
  ///     of an interval. What draws wants an interval.
  ///   - file: Where the registration stands, for issues and descriptions.
  ///   - line: Likewise.
  ///   - handler: Runs on the main thread, with no lock held. Released when the observation ends.
  ///     Observer and object are handed over as they are: if the object is changed on another
  ///     thread, take the values from the change.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: As ``observe(_:_:options:context:isolation:file:line:handler:)``, and a job on
  ///   the main queue for each delivery.
  @discardableResult
  public func observeOnMainActor<Object: AnyObject, Value: Sendable>(
    _ object: Object, _ keyPath: KeyPath<Object, Value>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    coalescing: ObservationCoalescing = .none, file: String = #fileID, line: UInt = #line,
    handler: @escaping @MainActor (Observer, Object, ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    // Jobs on the main queue run in their order, which tasks on the main actor do not promise.
    observe(
      object, keyPath, options: options, context: context, on: .main, coalescing: coalescing,
      file: file, line: line
    ) { observer, object, change in
      // Unsafe because they do not change threads here: the job that loaded them runs on the main
      // thread. That a handler uses on it only what may be used there is the duty of the caller who
      // asked for one on the main actor; see the documentation of `handler`.
      nonisolated(unsafe) let (observer, object) = (observer, object)
      MainActor.assumeIsolated { handler(observer, object, change) }
    }
  }
}
