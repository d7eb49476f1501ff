/// Answering hooks.
extension ObservationController {
  /// Has `handler` answer `hook`, until the observation ends or somebody registers after it.
  ///
  ///     observations.handle(document.shouldClose) { editor, document in
  ///       editor.asksToDiscard(document)
  ///     }
  ///
  /// Each call is an observation of its own; the last one decides.
  ///
  /// - Parameters:
  ///   - hook: Kept alive until it is unobserved, if the controller retains.
  ///   - isolation: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it.
  ///   - file: Where the registration stands, for issues and descriptions.
  ///   - line: Likewise.
  ///   - handler: Runs on the thread that asks, with no lock held, also on several at once if the hook
  ///     is asked there. May ask the hook again. Released when the observation ends.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(1), however many observations of `hook` there are.
  @inlinable
  @discardableResult
  public func handle<Input, Output>(
    _ hook: ObservableHook<Input, Output>,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    handler: @escaping (Observer, Input) -> Output
  ) -> ObservationToken {
    let request = ObservationRequest.oneOfMany(
      ObservableHook<Input, Output>.keyPath, handlerKind: .block, file: file, line: line)
    var handler = handler
    assert(
      {
        handler = ObservationDispatcher.checking(
          isolation, of: request, .question, around: handler)
        return true
      }())
    let registration = store.registration(
      for: request, valueType: Input.self,
      invoke: InputHandler<Observer, Input, Output>.answering)
    return store.add(
      hook, request, at: registration, property: hook.subject, handler: InputHandler(handler)
    ).info
  }
}
