/// Observing several key paths of one object with one call, their values as `Any`.
///
/// Each key path is an observation of its own: the change says which one it is, and the tokens come
/// in the order of the key paths. An empty list reports
/// ``ObservationIssue/emptyKeyPaths(file:line:)`` and registers nothing. A key path that is listed
/// twice is observed once.
extension ObservationController {
  /// Calls `handler` after each change of the value at any of `keyPaths`.
  ///
  ///     observations.observeEach(person, \.name, \.age) { viewModel, person, change in
  ///       viewModel.note(change.keyPath, change.newValue)
  ///     }
  ///
  /// - Parameter handler: Runs as the handler of
  ///   ``observe(_:_:options:context:isolation:file:line:handler:)`` does.
  /// - Returns: A token for each key path.
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

  /// The same with the key paths in an array.
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
