/// Observing with a loop.
extension ObservationController {
  /// The changes of the value at `keyPath`, one by one, from now on.
  ///
  ///     for await change in observations.changes(of: account, \.balance) {
  ///       ledger.append(change.newValue - (change.oldValue ?? 0))
  ///     }
  ///
  /// The observation begins with this call, so that nothing is lost before the loop does. It is one of
  /// its own: asking again makes another one, which gets the same changes. See
  /// ``ObservationChanges`` for when it ends.
  ///
  /// A key path that reads no observable property reports
  /// ``ObservationIssue/nothingObservable(keyPath:file:line:)``; the sequence then ends at once, as it
  /// does if the observer has gone.
  ///
  /// - Parameters:
  ///   - object: Kept alive until the observation ends, if the controller retains.
  ///   - keyPath: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it. The values
  ///     may go to another thread, so that they have to be `Sendable`.
  ///   - options: What is delivered: `.initial` and `.prior` are elements too.
  ///   - bufferingPolicy: What becomes of changes that nobody has taken yet.
  ///   - file: Where the registration stands, for issues and descriptions.
  ///   - line: Likewise.
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
  /// Everything else is as with ``changes(of:_:options:bufferingPolicy:file:line:)``; see
  /// ``ObservationValues`` for when it ends.
  ///
  /// - Parameters:
  ///   - object: Kept alive until the observation ends, if the controller retains.
  ///   - keyPath: As there; its values have to be `Sendable`.
  ///   - bufferingPolicy: What becomes of values that nobody has taken yet; `.bufferingNewest(1)`
  ///     where only the latest one matters.
  ///   - isolation: Not used: it is what the method for `Observable` objects has, which the compiler
  ///     prefers to this one only if both have the same parameters.
  ///   - file: Where the registration stands, for issues and descriptions.
  ///   - line: Likewise.
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
