import Dispatch

/// Observing the value of an expression over any objects.
extension ObservationController {
  /// Calls `handler` after each change of the value of `expression`.
  ///
  ///     observations.observe { cart.price + delivery.price } handler: { view, change in
  ///       view.show(change.newValue)
  ///     }
  ///
  /// The expression is an ``ObservableValue`` that the observation retains: what it reads is found
  /// by reading, and it runs again only if that has changed. Observers are notified if the value
  /// has changed. Each call is an observation of its own. An expression that reads nothing
  /// observable reports ``ObservationIssue/nothingObservable(keyPath:file:line:)``, and the token
  /// is inactive.
  ///
  /// - Parameters:
  ///   - expression: Runs at once, and on the thread that changes what it reads, with no lock held.
  ///     Retained until the observation ends: capture what it reads, and not the observer, which
  ///     would never be deallocated.
  ///   - options: What is delivered, and when.
  ///   - context: Distinguishes observations in descriptions.
  ///   - isolation: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  ///   - handler: Runs on the thread that made the change, before the assignment returns, with no
  ///     lock held. Released when the observation ends. `change.keyPath` is `\.value`.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(d), d being the number of properties that `expression` reads.
  @inlinable
  @discardableResult
  public func observe<Value>(
    _ expression: @escaping () -> Value, options: ObservationOptions = .old,
    context: ObservationContext? = nil, isolation: (any Actor)? = #isolation,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping (Observer, ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    observeValue(
      of: ObservableValue(expression, file: file, line: line), options, context, isolation, file,
      line, handler: handler)
  }

  /// Calls `handler` on a queue with each change of the value of `expression`.
  ///
  /// Everything is as with ``observe(_:options:context:isolation:file:line:handler:)`` and
  /// ``observe(_:_:options:context:on:coalescing:file:line:handler:)``.
  ///
  /// - Parameters:
  ///   - expression: Runs at once, and on the thread that changes what it reads. Retained until the
  ///     observation ends.
  ///   - options: What is delivered; `.initial` on the queue too, before all changes.
  ///   - context: Distinguishes observations in descriptions.
  ///   - queue: Serial or concurrent.
  ///   - coalescing: Which changes are joined.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  ///   - handler: Runs on the queue, with no lock held.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(d), d being the number of properties that `expression` reads.
  @discardableResult
  public func observe<Value: Sendable>(
    _ expression: @escaping () -> Value, options: ObservationOptions = .old,
    context: ObservationContext? = nil, on queue: DispatchQueue,
    coalescing: ObservationCoalescing = .none, file: String = #fileID, line: UInt = #line,
    handler: @escaping @Sendable (Observer, ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    let value = ObservableValue(expression, file: file, line: line)
    let queued = QueuedHandler(
      ObservationHandler<Observer, ObservableValue<Value>, Value> { observer, _, change in
        handler(observer, change)
      }, on: queue, coalescing: coalescing)
    return register(
      value,
      ObservationRequest(
        .reading(\ObservableValue<Value>.value), options: options, context: context,
        isOneOfMany: true, coalescing: coalescing, file: file, line: line),
      isolation: nil, prepare: queued.begin
    ) { (_, _, change: ObservedChange<Value>) in
      withExtendedLifetime(value) { _ = queued.add(change) }
    }
  }

  /// Calls `handler` on the main actor with each change of the value of `expression`.
  ///
  /// Everything is as with ``observe(_:options:context:isolation:file:line:handler:)`` and
  /// ``observeOnMainActor(_:_:options:context:coalescing:file:line:handler:)``.
  ///
  /// - Parameters:
  ///   - expression: Runs at once, and on the thread that changes what it reads. Retained until the
  ///     observation ends.
  ///   - options: What is delivered; `.initial` on the main actor too, before all changes.
  ///   - context: Distinguishes observations in descriptions.
  ///   - coalescing: Which changes are joined.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  ///   - handler: Runs on the main thread, with no lock held.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(d), d being the number of properties that `expression` reads.
  @discardableResult
  public func observeOnMainActor<Value: Sendable>(
    _ expression: @escaping () -> Value, options: ObservationOptions = .old,
    context: ObservationContext? = nil, coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @MainActor (Observer, ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    observe(
      expression, options: options, context: context, on: .main, coalescing: coalescing,
      file: file, line: line
    ) { observer, change in
      // Unchecked, because it does not change threads here: the job that loaded it runs on the main
      // thread.
      nonisolated(unsafe) let observer = observer
      MainActor.assumeIsolated { handler(observer, change) }
    }
  }

  /// Runs `body` now, and again after each change or transaction that changed something which it
  /// has read.
  ///
  ///     observations.autorun { view in
  ///       view.show(cart.price + delivery.price)
  ///     }
  ///
  /// It has its place in the order of registration among the observers of what it reads. What a
  /// handler or another `autorun` inside of it reads is not among its reads. One that sets what it
  /// reads runs again, 100 times at most, and then reports
  /// ``ObservationIssue/cycle(keyPath:file:line:)``. One that reads nothing observable runs once,
  /// reports ``ObservationIssue/nothingObservable(keyPath:file:line:)``, and the token is inactive.
  ///
  /// - Parameters:
  ///   - isolation: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  ///   - body: Runs at once, and on the thread that changes what it reads, with no lock held; not
  ///     once the deinit of the observer has begun. Released when the observation ends. Capture
  ///     what it reads, and reach the observer by the parameter.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: That of `body`, and O(d), d being the number of properties that it reads.
  @discardableResult
  public func autorun(
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    _ body: @escaping (Observer) -> Void
  ) -> ObservationToken {
    let store = store
    let required = isolation.map {
      HandlerIsolation(
        to: $0,
        of: ObservationRequest(
          .reading(\ObservableValue<Void>.value), file: file, line: line))
    }
    let value = ObservableValue(
      { [required] in
        guard let observer = store.observer else { return }
        required?.check(deliveryOf: store)
        // Safe: `init` of the controller took it as an `Observer`.
        body(unsafeDowncast(observer, to: Observer.self))
      }, file: file, line: line)
    return observeValue(of: value, [], nil, isolation, file, line, isAutorun: true) { _, _ in }
  }

  @inlinable
  func observeValue<Value>(
    of value: ObservableValue<Value>, _ options: ObservationOptions, _ context: ObservationContext?,
    _ isolation: (any Actor)?, _ file: String, _ line: UInt,
    isAutorun: Bool = false, prepare: ((ObservationToken) -> Void)? = nil,
    handler: @escaping (Observer, ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    var request = ObservationRequest(
      .reading(\ObservableValue<Value>.value), options: options, context: context,
      isOneOfMany: true, file: file, line: line)
    request.isAutorun = isAutorun
    return register(value, request, isolation: isolation, prepare: prepare) {
      (observer, _, change: ObservedChange<Value>) in
      // Retained by the handler, whether the controller retains objects or not.
      withExtendedLifetime(value) { handler(observer, change) }
    }
  }
}

// MARK: - Waiting for a condition

extension ObservationController {
  /// Calls `perform` once `condition` holds: at once, or after the change by which it does. Then
  /// the observation ends.
  ///
  ///     observations.when({ download.isComplete }) { view in view.close() }
  ///
  /// Everything else is as with ``observe(_:options:context:isolation:file:line:handler:)``.
  ///
  /// - Parameters:
  ///   - condition: Runs at once, and on the thread that changes what it reads, with no lock held.
  ///     Retained until the observation ends.
  ///   - isolation: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  ///   - perform: Called at most once, with no lock held, before this returns or on the thread that
  ///     makes the change. The observation has ended by then.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(d), d being the number of properties that `condition` reads.
  @discardableResult
  public func when(
    _ condition: @escaping () -> Bool, isolation: (any Actor)? = #isolation,
    file: String = #fileID, line: UInt = #line, perform: @escaping (Observer) -> Void
  ) -> ObservationToken {
    let own = TokenReference()
    return observeValue(
      of: ObservableValue(condition, file: file, line: line), .initial, nil, isolation, file, line,
      prepare: { own.token = $0 },
      handler: { observer, change in
        guard change.newValue, let token = own.token, token.isActive else { return }
        token.invalidate()
        perform(observer)
      })
  }

  /// Waits until `condition` holds.
  ///
  ///     try await observations.when { download.isComplete }
  ///
  /// - Parameters:
  ///   - condition: Runs at once, and on the thread that changes what it reads, with no lock held.
  ///     Retained until this returns.
  ///   - isolation: The actor that waits; never blocked.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  /// - Throws: `CancellationError` if the task is cancelled, or the observation ends before: with
  ///   the controller, by `unobserveAll`, or since `condition` reads nothing observable; at the
  ///   next change at the latest where the observer has been deallocated.
  /// - Complexity: O(d), d being the number of properties that `condition` reads.
  public func when(
    _ condition: @escaping () -> Bool, isolation: isolated (any Actor)? = #isolation,
    file: String = #fileID, line: UInt = #line
  ) async throws {
    let waiting = ConditionWaiting()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard waiting.begin(continuation) else { return }
        // Released when the observation ends, however that comes about.
        let end = ReleaseAction { waiting.resume(with: .failure(CancellationError())) }
        let token = when(
          condition, isolation: isolation, file: file, line: line,
          perform: { _ in withExtendedLifetime(end) { waiting.resume(with: .success(())) } })
        if store.isDone(token) { token.invalidate() }
        waiting.end(token)
      }
    } onCancel: {
      waiting.cancel()
    }
  }
}

/// The token of an observation, for its own handler, which it retains. Set before the first
/// delivery.
private final class TokenReference {
  weak var token: ObservationToken?
}

/// A task that waits for a condition, and is resumed once, by whoever comes first: the condition,
/// the end of the observation, or the cancellation of the task.
private final class ConditionWaiting: Sendable {
  private struct State {
    var continuation: CheckedContinuation<Void, any Error>?
    weak var token: ObservationToken?
    var isCancelled = false
  }

  private let state = Locked(State())

  /// - Returns: `false` if the task has been cancelled, and is resumed by this.
  func begin(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.continuation = continuation }
      return state.isCancelled
    }
    if isCancelled { continuation.resume(throwing: CancellationError()) }
    return !isCancelled
  }

  /// Has a cancellation end an observation.
  func end(_ token: ObservationToken) {
    let isCancelled = state.withLock { state in
      state.token = token
      return state.isCancelled
    }
    if isCancelled { token.invalidate() }
  }

  func cancel() {
    let token = state.withLock { state in
      state.isCancelled = true
      return state.token
    }
    resume(with: .failure(CancellationError()))
    token?.invalidate()
  }

  /// Resumes the task with no lock held; nothing happens if that has been done.
  func resume(with result: Result<Void, any Error>) {
    state.withLock { $0.continuation.take() }?.resume(with: result)
  }
}
