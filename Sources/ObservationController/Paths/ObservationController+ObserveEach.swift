/// Observing several key paths of one object with one call, their values as `Any`.
///
/// Each key path is an observation of its own: the change says which one it is, and the tokens come
/// in the order of the key paths. An empty list reports
/// ``ObservationIssue/emptyKeyPaths(file:line:)`` and registers nothing. A key path that is listed
/// twice is observed once.
extension ObservationController {
  /// Calls `handler` after each change of the value at any of `keyPaths`.
  ///
  /// Each key path is an observation of its own; one that is listed twice, or observed already with
  /// the same context, is observed once. An empty list reports
  /// ``ObservationIssue/emptyKeyPaths(file:line:)`` and registers nothing; so does a key path that
  /// reads nothing observable, with ``ObservationIssue/nothingObservable(keyPath:file:line:)``, and
  /// the others are registered.
  ///
  ///     observations.observeEach(person, \.name, \.age) { viewModel, person, change in
  ///       viewModel.note(change.keyPath, change.newValue)
  ///     }
  ///
  /// - Parameters:
  ///   - object: Kept alive until it is unobserved, if the controller retains.
  ///   - keyPaths: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has them.
  ///   - options: What is delivered, and when; `.initial` once for each key path.
  ///   - context: Distinguishes observations of one object and key path.
  ///   - isolation: As there.
  ///   - file: Where the registration stands, for issues and descriptions.
  ///   - line: Likewise.
  ///   - handler: Runs on the thread that made the change, before the assignment returns, once for
  ///     each change of each key path, with no lock held. Released when all these observations have
  ///     ended.
  /// - Returns: A token for each key path, in their order.
  /// - Complexity: That of observing one, for each.
  @discardableResult
  public func observeEach<Object: AnyObject>(
    _ object: Object, _ keyPaths: PartialKeyPath<Object>...,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    handler: @escaping (Observer, Object, ObservedChange<Any>) -> Void
  ) -> [ObservationToken] {
    observeEach(
      object, keyPaths, options: options, context: context, isolation: isolation,
      file: file, line: line, handler: handler)
  }

  /// Calls `handler` after each change of the values at the key paths of an array.
  ///
  /// `handler` runs on the thread that made the change, before the assignment returns, once for
  /// each change of each key path, with no lock held.
  ///
  /// - Returns: A token for each key path, in their order.
  /// - Complexity: That of observing one key path, for each.
  @discardableResult
  public func observeEach<Object: AnyObject>(
    _ object: Object, _ keyPaths: [PartialKeyPath<Object>],
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    handler: @escaping (Observer, Object, ObservedChange<Any>) -> Void
  ) -> [ObservationToken] {
    registerEach(
      object, keyPaths, options, context, .block, isolation, file, line
    ) { observer, object, change in handler(observer, object, change) }
  }
}
