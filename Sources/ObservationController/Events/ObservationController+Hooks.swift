/// Answering hooks.
extension ObservationController {
  /// Has `handler` answer `hook`, until the observation ends or another handler is registered.
  ///
  ///     observations.handle(document.shouldClose) { editor, document in
  ///       editor.asksToDiscard(document)
  ///     }
  ///
  /// Each call is an observation of its own; the last one answers.
  ///
  /// - Parameters:
  ///   - hook: Kept alive until it is unobserved, if the controller retains.
  ///   - isolation: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  ///   - handler: Runs on the thread that asks, with no lock held, also on several at once if the
  ///     hook is asked there. May ask the hook again. Released when the observation ends.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(1), however many observations of `hook` there are.
  @inlinable
  @discardableResult
  public func handle<Input, Output>(
    _ hook: ObservableHook<Input, Output>,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    handler: @escaping (Observer, Input) -> Output
  ) -> ObservationToken {
    register(
      hook, ObservableHook<Input, Output>.keyPath, hook.subject, .question,
      invoke: InputHandler<Observer, Input, Output>.answering, isolation, file, line,
      handler: handler)
  }
}
