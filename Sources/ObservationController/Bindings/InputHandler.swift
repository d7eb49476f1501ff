/// The user's handler of an event or a hook behind a reference, with its types; see `ObservationHandler`.
@usableFromInline
final class InputHandler<Observer: AnyObject, Input, Output> {
  @usableFromInline let call: (Observer, Input) -> Output

  @usableFromInline
  init(_ call: @escaping (Observer, Input) -> Output) {
    self.call = call
  }

  /// Answers a hook. Safe as `ObservationHandler.invocation` is; what a hook delivers as new value is a
  /// `HookQuestion` that waits for its answer.
  @inlinable
  static var answering: ObservationInvocation {
    { handler, _, observer, _, delivery in
      let question = UnsafeMutableRawPointer(mutating: delivery.new)
        .assumingMemoryBound(to: HookQuestion<Input, Output>.self)
      question.pointee.answer = unsafeDowncast(handler, to: Self.self).call(
        unsafeDowncast(observer, to: Observer.self), question.pointee.input)
    }
  }

  /// Receives an event, which delivers its payload as new value.
  @inlinable
  static var receiving: ObservationInvocation {
    { handler, _, observer, _, delivery in
      _ = unsafeDowncast(handler, to: Self.self).call(
        unsafeDowncast(observer, to: Observer.self),
        delivery.new.assumingMemoryBound(to: Input.self).pointee)
    }
  }
}
