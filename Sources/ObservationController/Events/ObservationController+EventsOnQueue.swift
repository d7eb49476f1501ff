import Dispatch

/// Observing events with a block that runs on a queue or on the main actor, wherever they are sent.
extension ObservationController {
  /// Calls `handler` on `queue` with each event that is sent.
  ///
  ///     observations.observe(download.finished, on: indexing) { index, file in
  ///       index.add(file)
  ///     }
  ///
  /// Each call is an observation of its own. Events are delivered one by one in their order, also
  /// on a concurrent queue, each by a job that is added before ``ObservableEvent/send(_:)``
  /// returns; with another coalescing than ``ObservationCoalescing/none`` the last of those that
  /// wait. Nothing is delivered when the observation has ended, or observer or event have been
  /// deallocated.
  ///
  /// - Parameters:
  ///   - event: Kept alive until it is unobserved, if the controller retains; not by events that
  ///     wait.
  ///   - queue: Serial or concurrent.
  ///   - coalescing: Which events are left out in favour of later ones.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  ///   - handler: Runs on the queue, with no lock held. Released when the observation ends. The
  ///     observer is handed over as it is: use of it what may be used on that queue.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(1), and a job on the queue for each delivery.
  @discardableResult
  public func observe<Payload: Sendable>(
    _ event: ObservableEvent<Payload>, on queue: DispatchQueue,
    coalescing: ObservationCoalescing = .none, file: String = #fileID, line: UInt = #line,
    handler: @escaping @Sendable (Observer, Payload) -> Void
  ) -> ObservationToken {
    let request = ObservationRequest(
      KeyPathAccess(naming: \ObservableEvent<Payload>.self), cause: .event, file: file, line: line)
    return register(event, request, in: event.subject, on: queue, coalescing, handler: handler)
  }

  /// Calls `handler` on the main actor with each event that is sent.
  ///
  ///     observations.observeOnMainActor(download.finished) { viewModel, file in
  ///       viewModel.show(file)
  ///     }
  ///
  /// A job on the main queue delivers the event, also if it is sent on the main thread, in the
  /// order of all other jobs there. Each call is an observation of its own.
  ///
  /// - Parameters:
  ///   - event: Kept alive until it is unobserved, if the controller retains; not by events that
  ///     wait.
  ///   - coalescing: Which events are left out in favour of later ones.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  ///   - handler: Runs on the main thread, with no lock held. Released when the observation ends.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(1), and a job on the main queue for each delivery.
  @discardableResult
  public func observeOnMainActor<Payload: Sendable>(
    _ event: ObservableEvent<Payload>, coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @MainActor (Observer, Payload) -> Void
  ) -> ObservationToken {
    observe(event, on: .main, coalescing: coalescing, file: file, line: line) {
      observer, payload in
      // Unchecked, because it does not change threads here: the job that loaded it runs on the main
      // thread.
      nonisolated(unsafe) let observer = observer
      MainActor.assumeIsolated { handler(observer, payload) }
    }
  }

  /// Registers a handler, which runs on a queue, of what is not the value of a property.
  ///
  /// - Parameters:
  ///   - subject: Lists the observation.
  ///   - retained: Kept until the observation ends.
  func register<Source: AnyObject, Input>(
    _ source: Source, _ request: ObservationRequest, in subject: Subject, on queue: DispatchQueue,
    _ coalescing: ObservationCoalescing, retaining retained: AnyObject? = nil,
    handler: @escaping @Sendable (Observer, Input) -> Void
  ) -> ObservationToken {
    typealias Handler = ObservationHandler<Observer, Source, Input>
    let queued = QueuedHandler(
      Handler { observer, _, change in handler(observer, change.newValue) }, on: queue,
      coalescing: coalescing)
    let registration = ObservationRegistration(
      store: store, request: request, invoke: Handler.invocation)
    store.sweep(before: registration)
    let front: Handler = QueuedObservationHandler(queued) { _, _, change in
      withExtendedLifetime(retained) { _ = queued.add(change) }
    }
    let token = store.add(source, at: registration, property: subject, handler: front).info
    queued.begin(for: token)
    return token
  }
}
