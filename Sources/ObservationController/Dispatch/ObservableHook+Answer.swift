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
    let infos = subject.latestInfos.all
    switch levels.withLock({ $0.enter() }) {
    case .ask:
      // Not around the default, which may ask the hook itself as a recursive function does.
      defer { levels.withLock { $0.leave() } }
      return Tracer.tell(.question, "\\\(Self.self)", self) {
        answer(of: infos, to: input)
      }
    case .report:
      // Known to be there: this is asked by a handler.
      if let info = infos.last(where: \.isActive) { ObservationDispatcher.reportCycle(of: info) }
      return nil
    case .decline:
      return nil
    }
  }

  private func answer(of infos: ContiguousArray<ObservationInfo>, to input: Input) -> Output? {
    var question = HookQuestion<Input, Output>(input: input)
    return withUnsafeMutablePointer(to: &question) { question in
      for info in infos.reversed() {
        ObservationDispatcher.deliverDirectly(question, to: info)
        if let answer = question.pointee.answer { return answer }
      }
      return nil
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

/// The user's handler of a hook behind a reference, with its types; see `ObservationHandler`.
@usableFromInline
final class HookHandler<Observer: AnyObject, Input, Output> {
  @usableFromInline let call: (Observer, Input) -> Output

  @usableFromInline
  init(_ call: @escaping (Observer, Input) -> Output) {
    self.call = call
  }

  /// Safe as `ObservationHandler.invocation` is; what a hook delivers as new value is a `HookQuestion`
  /// that waits for its answer.
  @inlinable
  static var invocation: ObservationInvocation {
    { handler, _, observer, _, delivery in
      let question = UnsafeMutableRawPointer(mutating: delivery.new)
        .assumingMemoryBound(to: HookQuestion<Input, Output>.self)
      question.pointee.answer = unsafeDowncast(handler, to: Self.self).call(
        unsafeDowncast(observer, to: Observer.self), question.pointee.input)
    }
  }
}
