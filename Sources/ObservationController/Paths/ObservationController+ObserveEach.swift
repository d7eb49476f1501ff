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
  ///   - isolation: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it.
  ///   - file: File of the registration, for issues and descriptions.
  ///   - line: Line of the registration, for issues and descriptions.
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
    registerEach(
      object, keyPaths, options, context, .block, isolation, file, line, handler: handler)
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
      object, keyPaths, options, context, .block, isolation, file, line, handler: handler)
  }
}

/// Observing several key paths at once with a method of the observer, or with its delegate method.
extension ObservationController {
  /// Calls `action` on the observer after each change of the value at any of `keyPaths`.
  ///
  ///     observations.observeEach(person, \.name, \.age, action: PersonViewModel.reload)
  ///
  /// `action` is a method without parameters. It runs as the handler of
  /// ``observe(_:_:options:context:isolation:file:line:handler:)`` does.
  ///
  /// - Returns: A token for each key path, in their order.
  /// - Complexity: That of observing one key path, for each.
  @discardableResult
  public func observeEach<Object: AnyObject>(
    _ object: Object, _ keyPaths: PartialKeyPath<Object>...,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> () -> Void
  ) -> [ObservationToken] {
    observeEach(
      object, keyPaths, options: options, context: context, isolation: isolation,
      file: file, line: line, action: action)
  }

  /// Calls `action` after each change of the values at the key paths of an array. `action` runs as
  /// the handler of ``observe(_:_:options:context:isolation:file:line:handler:)`` does.
  ///
  /// - Returns: A token for each key path, in their order.
  /// - Complexity: That of observing one key path, for each.
  @discardableResult
  public func observeEach<Object: AnyObject>(
    _ object: Object, _ keyPaths: [PartialKeyPath<Object>],
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> () -> Void
  ) -> [ObservationToken] {
    registerEach(
      object, keyPaths, options, context, .action, isolation, file, line
    ) { observer, _, _ in action(observer)() }
  }

  /// Calls `action` on the observer with each change of the value at any of `keyPaths`.
  ///
  /// `action` is a method that takes an ``ObservedChange`` of any value, whose key path says which
  /// it is. It runs as the handler of ``observe(_:_:options:context:isolation:file:line:handler:)``
  /// does.
  ///
  /// - Returns: A token for each key path, in their order.
  /// - Complexity: That of observing one key path, for each.
  @discardableResult
  public func observeEach<Object: AnyObject>(
    _ object: Object, _ keyPaths: PartialKeyPath<Object>...,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> (ObservedChange<Any>) -> Void
  ) -> [ObservationToken] {
    observeEach(
      object, keyPaths, options: options, context: context, isolation: isolation,
      file: file, line: line, action: action)
  }

  /// Calls `action` after each change of the values at the key paths of an array. `action` runs as
  /// the handler of ``observe(_:_:options:context:isolation:file:line:handler:)`` does.
  ///
  /// - Returns: A token for each key path, in their order.
  /// - Complexity: That of observing one key path, for each.
  @discardableResult
  public func observeEach<Object: AnyObject>(
    _ object: Object, _ keyPaths: [PartialKeyPath<Object>],
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> (ObservedChange<Any>) -> Void
  ) -> [ObservationToken] {
    registerEach(
      object, keyPaths, options, context, .action, isolation, file, line
    ) { observer, _, change in action(observer)(change) }
  }

  /// Calls `action` on the observer with each change of the value at any of `keyPaths`.
  ///
  /// `action` is a method that takes an ``ObservedChange`` of any value, and the observed object.
  /// It runs as the handler of ``observe(_:_:options:context:isolation:file:line:handler:)`` does.
  ///
  /// - Returns: A token for each key path, in their order.
  /// - Complexity: That of observing one key path, for each.
  @discardableResult
  public func observeEach<Object: AnyObject>(
    _ object: Object, _ keyPaths: PartialKeyPath<Object>...,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> (ObservedChange<Any>, Object) -> Void
  ) -> [ObservationToken] {
    observeEach(
      object, keyPaths, options: options, context: context, isolation: isolation,
      file: file, line: line, action: action)
  }

  /// Calls `action` after each change of the values at the key paths of an array. `action` runs as
  /// the handler of ``observe(_:_:options:context:isolation:file:line:handler:)`` does.
  ///
  /// - Returns: A token for each key path, in their order.
  /// - Complexity: That of observing one key path, for each.
  @discardableResult
  public func observeEach<Object: AnyObject>(
    _ object: Object, _ keyPaths: [PartialKeyPath<Object>],
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> (ObservedChange<Any>, Object) -> Void
  ) -> [ObservationToken] {
    registerEach(
      object, keyPaths, options, context, .action, isolation, file, line
    ) { observer, object, change in action(observer)(change, object) }
  }
}

extension ObservationController where Observer: ObservationDelegate {
  /// Calls ``ObservationDelegate/observeValue(at:of:change:context:)`` of the observer after each
  /// change of the value at any of `keyPaths`.
  ///
  /// It is called on the thread that made the change, before the assignment returns, once for each
  /// change of each key path, with no lock held.
  ///
  /// - Returns: A token for each key path, in their order.
  /// - Complexity: That of observing one key path, for each.
  @discardableResult
  public func observeEach<Object: AnyObject>(
    _ object: Object, _ keyPaths: PartialKeyPath<Object>...,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line
  ) -> [ObservationToken] {
    observeEach(
      object, keyPaths, options: options, context: context, isolation: isolation,
      file: file, line: line)
  }

  /// Notifies the observer's delegate method of each change of the values at the key paths of an
  /// array. The method is called on the thread that made the change, before the assignment returns,
  /// once for each change of each key path, with no lock held.
  ///
  /// - Returns: A token for each key path, in their order.
  /// - Complexity: That of observing one key path, for each.
  @discardableResult
  public func observeEach<Object: AnyObject>(
    _ object: Object, _ keyPaths: [PartialKeyPath<Object>],
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line
  ) -> [ObservationToken] {
    registerEach(
      object, keyPaths, options, context, .delegate, isolation, file, line
    ) { observer, object, change in
      observer.observeValue(
        at: change.keyPath, of: object, change: change, context: change.context)
    }
  }
}
