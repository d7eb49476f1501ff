/// Observing events.
extension ObservationController {
  /// Calls `handler` with each event that is sent.
  ///
  ///     observations.observe(download.finished) { viewModel, file in
  ///       viewModel.show(file)
  ///     }
  ///
  /// Each call is an observation of its own; all of them are notified, in the order of
  /// registration.
  ///
  /// - Parameters:
  ///   - event: Kept alive until it is unobserved, if the controller retains.
  ///   - isolation: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  ///   - handler: Runs on the thread that sends, before ``ObservableEvent/send(_:)`` returns, once
  ///     for each event, with no lock held; if several threads send at once, on one of them, and
  ///     never twice at a time. Released when the observation ends.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(1), however many observations of `event` there are.
  @inlinable
  @discardableResult
  public func observe<Payload>(
    _ event: ObservableEvent<Payload>,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    handler: @escaping (Observer, Payload) -> Void
  ) -> ObservationToken {
    register(event, by: .block, isolation, file, line, handler: handler)
  }

  /// Calls `action` on the observer after each event.
  ///
  ///     observations.observe(saveButton.tapped, action: SettingsViewModel.save)
  ///
  /// `action` is a method without parameters, unapplied, so that the observer is not kept alive. It
  /// runs as the handler of ``observe(_:isolation:file:line:handler:)`` does, and is registered
  /// likewise.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(1), however many observations of `event` there are.
  @inlinable
  @discardableResult
  public func observe<Payload>(
    _ event: ObservableEvent<Payload>,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> () -> Void
  ) -> ObservationToken {
    register(event, by: .action, isolation, file, line) { observer, _ in action(observer)() }
  }

  /// Calls `action` on the observer with each event.
  ///
  /// `action` is a method that takes the payload, unapplied, so that the observer is not kept
  /// alive. It runs as the handler of ``observe(_:isolation:file:line:handler:)`` does, and is
  /// registered likewise.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(1), however many observations of `event` there are.
  @inlinable
  @discardableResult
  public func observe<Payload>(
    _ event: ObservableEvent<Payload>,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> (Payload) -> Void
  ) -> ObservationToken {
    register(event, by: .action, isolation, file, line) { observer, payload in
      action(observer)(payload)
    }
  }
}

extension ObservationController {
  @inlinable
  func register<Payload>(
    _ event: ObservableEvent<Payload>, by handlerKind: ObservationDescription.HandlerKind,
    _ isolation: (any Actor)?, _ file: String, _ line: UInt,
    handler: @escaping (Observer, Payload) -> Void
  ) -> ObservationToken {
    register(
      event, ObservableEvent<Payload>.keyPath, event.subject, .event, by: handlerKind,
      invoke: InputHandler<Observer, Payload, Void>.receiving, isolation, file, line,
      handler: handler)
  }
}
