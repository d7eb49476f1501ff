/// Observing with a loop.
extension ObservationController {
  /// The changes of the value at `keyPath`, one by one, from now on.
  ///
  ///     for await change in observations.changes(of: account, \.balance) {
  ///       ledger.append(change.newValue - (change.oldValue ?? 0))
  ///     }
  ///
  /// The observation begins with this call, so that no change before the loop is lost. Each call
  /// makes an observation of its own. ``ObservationChanges`` says when it ends.
  ///
  /// A key path that reads no observable property reports
  /// ``ObservationIssue/nothingObservable(keyPath:file:line:)``; the sequence then ends at once, as
  /// it does if the observer has been deallocated.
  ///
  /// - Parameters:
  ///   - object: Kept alive until the observation ends, if the controller retains.
  ///   - keyPath: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it. The
  ///     values may go to another thread, so that they have to be `Sendable`.
  ///   - options: Options of the observation: `.initial` and `.prior` are elements too.
  ///   - bufferingPolicy: Policy for changes that the loop has not taken yet.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  /// - Returns: A sequence for one loop.
  /// - Complexity: As ``observe(_:_:options:context:isolation:file:line:handler:)``.
  public func changes<Object: AnyObject, Value: Sendable>(
    of object: Object, _ keyPath: KeyPath<Object, Value>,
    options: ObservationOptions = .old,
    bufferingPolicy: AsyncStream<ObservedChange<Value>>.Continuation.BufferingPolicy = .unbounded,
    file: String = #fileID, line: UInt = #line
  ) -> ObservationChanges<Value> {
    ObservationChanges(
      stream(of: keyPath, options, bufferingPolicy, file: file, line: line) {
        request, source in
        register(object, keyPath, request, isolation: nil) { source.send($2) }
      })
  }

  /// The value at `keyPath`, and the new one after each change from now on.
  ///
  ///     for await name in observations.values(of: person, \.name) {
  ///       title = name
  ///     }
  ///
  /// Everything else is as with ``changes(of:_:options:bufferingPolicy:file:line:)``.
  ///
  /// - Parameters:
  ///   - object: Kept alive until the observation ends, if the controller retains.
  ///   - keyPath: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it; its
  ///     values have to be `Sendable`.
  ///   - bufferingPolicy: Policy for values that the loop has not taken yet; `.bufferingNewest(1)`
  ///     where only the latest one matters.
  ///   - isolation: Not used: the compiler prefers the method for `Observable` objects to this one
  ///     only if both have these parameters.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  /// - Returns: A sequence for one loop.
  /// - Complexity: As ``observe(_:_:options:context:isolation:file:line:handler:)``.
  public func values<Object: AnyObject, Value: Sendable>(
    of object: Object, _ keyPath: KeyPath<Object, Value>,
    bufferingPolicy: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line
  ) -> ObservationValues<Value> {
    ObservationValues(
      stream(of: keyPath, .initial, bufferingPolicy, file: file, line: line) {
        request, source in
        register(object, keyPath, request, isolation: nil) { source.send($2.newValue) }
      })
  }

  /// A stream that an observation of its own feeds, and which ends with it.
  ///
  /// - Parameter register: Registers the observation, whose handler keeps the source of the stream.
  func stream<Element: Sendable>(
    of keyPath: AnyKeyPath, _ options: ObservationOptions,
    _ bufferingPolicy: AsyncStream<Element>.Continuation.BufferingPolicy, file: String, line: UInt,
    register: (ObservationRequest, StreamSource<Element>) -> ObservationToken
  ) -> AsyncStream<Element> {
    var request = ObservationRequest(
      keyPath: keyPath, options: options, context: nil, handlerKind: .block, file: file, line: line)
    request.isOneOfMany = true
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self, bufferingPolicy: bufferingPolicy)
    let token = register(request, StreamSource(continuation))
    continuation.onTermination = { [weak token] _ in token?.invalidate() }
    store.endIfOrphaned(token)
    return stream
  }
}
