extension ObservableHook {
  /// Asks whoever handles the hook, or the default.
  @inlinable
  func answer(to input: Input) -> Output {
    if subject.isObserved, let answer = handlersAnswer(to: input) { return answer }
    return defaultHandler(input)
  }

  /// The answer of the last active info whose observer is alive.
  ///
  /// A question needs its answer now, so that it waits for no turn: the list is copied, and info and
  /// handler are held while it runs.
  ///
  /// - Returns: `nil` if there is none, or it has been asked too deep.
  @usableFromInline
  func handlersAnswer(to input: Input) -> Output? {
    let infos = subject.latestInfos
    switch levels.withLock({ $0.enter() }) {
    case .ask:
      // Not around the default, which may ask the hook itself as a recursive function does.
      defer { levels.withLock { $0.leave() } }
      return DeliveryProbe.record(.question(self, name: "\\\(Self.self)")) {
        answer(of: infos, to: input)
      }
    case .report:
      // Known to be there: this is asked by a handler.
      if let info = infos.lastResult({ $0.isActive ? $0 : nil }) {
        ObservationDispatcher.reportCycle(of: info)
      }
      return nil
    case .decline:
      return nil
    }
  }

  private func answer(of infos: InfoList, to input: Input) -> Output? {
    var question = HookQuestion<Input, Output>(input: input)
    return withUnsafeMutablePointer(to: &question) { question in
      infos.lastResult { info in
        ObservationDispatcher.deliverDirectly(question, to: info)
        return question.pointee.answer
      }
    }
  }
}

/// A question on its way to a handler, and the answer on its way back.
@usableFromInline
struct HookQuestion<Input, Output> {
  @usableFromInline let input: Input

  /// `nil` until a handler has answered.
  @usableFromInline var answer: Output?

  init(input: Input) {
    self.input = input
  }
}
