/// The user's handler of an event, a hook or a notification behind a reference, with its types; see
/// `ObservationHandler`.
@usableFromInline
final class InputHandler<Observer: AnyObject, Input, Output> {
  @usableFromInline let call: (Observer, Input) -> Output

  @usableFromInline
  init(_ call: @escaping (Observer, Input) -> Output) {
    self.call = call
  }

  /// Answers a hook. Safe as `ObservationHandler.invocation` is; the new value that a hook delivers
  /// is a `HookQuestion` that waits for its answer.
  @inlinable
  static var answering: ObservationRegistration.Invocation {
    { handler, _, observer, _, delivery in
      let question = UnsafeMutableRawPointer(mutating: delivery.new)
        .assumingMemoryBound(to: HookQuestion<Input, Output>.self)
      question.pointee.answer = unsafeDowncast(handler, to: Self.self).call(
        unsafeDowncast(observer, to: Observer.self), question.pointee.input)
    }
  }

  /// Receives an event or a notification, which is delivered as new value.
  @inlinable
  static var receiving: ObservationRegistration.Invocation {
    { handler, _, observer, _, delivery in
      _ = unsafeDowncast(handler, to: Self.self).call(
        unsafeDowncast(observer, to: Observer.self),
        delivery.new.assumingMemoryBound(to: Input.self).pointee)
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

extension ObservationController {
  /// Erases the types of a handler and registers it; every `observe` of an event and `handle` of a
  /// hook ends here.
  ///
  /// - Parameters:
  ///   - source: The event or the hook, of which `subject` lists the handlers. The key path of the
  ///     observation is its `\.self`.
  ///   - invoke: Calls handlers of these types.
  @inlinable
  func register<Source: AnyObject, Input, Output>(
    _ source: Source, _ subject: Subject, _ cause: ObservationDispatcher.DeliveryCause,
    by handlerKind: ObservationDescription.HandlerKind = .block,
    invoke: @escaping ObservationRegistration.Invocation,
    _ isolation: (any Actor)?, _ file: String, _ line: UInt,
    handler: @escaping (Observer, Input) -> Output
  ) -> ObservationToken {
    let request = ObservationRequest(
      KeyPathAccess(naming: \Source.self), options: [], context: nil, handlerKind: handlerKind,
      isOneOfMany: true, file: file, line: line)
    let handler = ObservationDispatcher.checking(isolation, of: request, cause, around: handler)
    let registration = store.registration(for: request, invoke: invoke)
    return store.add(
      source, at: registration, property: subject, handler: InputHandler(handler)
    ).info
  }
}
