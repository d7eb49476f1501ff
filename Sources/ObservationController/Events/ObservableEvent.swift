/// Event of an object, sent with a payload; no value is kept.
///
/// Takes the place of target and action:
///
///     final class Button {
///       let tapped = ObservableEvent<Void>()
///     }
///
///     final class SettingsViewModel {
///       private lazy var observations = ObservationController(observer: self)
///
///       init(saveButton: Button) {
///         observations.observe(saveButton.tapped, action: SettingsViewModel.save)
///       }
///
///       func save() { … }
///     }
///
///     saveButton.tapped.send()
///
/// All observers of an event are notified, in the order of registration; an event without observers
/// costs one branch. A controller that retains keeps the event alive until it is unobserved, not
/// the object that it belongs to.
///
/// In the tables an observation of an event is one of its key path `\.self`.
public final class ObservableEvent<Payload> {
  /// Lists the observations.
  @usableFromInline let subject = Subject()

  /// Makes an event without observers.
  ///
  /// - Complexity: O(1).
  public init() {}
}

extension ObservableEvent {
  /// Notifies all observers of the event, before it returns.
  ///
  /// Nothing happens without observers. A payload sent during a delivery of the event waits until
  /// that has reached all observers, so that each observer sees the payloads in one order:
  /// - from inside a handler, it is delivered before the outer `send` returns. Handlers that send
  ///   the event again and again are stopped after 100 deliveries by
  ///   ``ObservationIssue/cycle(keyPath:file:line:)``; payloads that still wait are dropped.
  /// - on another thread, `send` returns, and the thread that is delivering delivers it too.
  ///   Handlers that belong to an actor need an event that is only sent there.
  ///
  /// A handler that is registered after the event has been sent is not called, nor is one that has
  /// ended before its turn. Transactions do not hold events back.
  ///
  /// - Parameter payload: Kept until all observers have been notified.
  /// - Complexity: O(n) in the observations of the event.
  @inlinable
  public func send(_ payload: Payload) {
    guard subject.isObserved else { return }
    deliver(payload)
  }

  /// Delivers an event to each active observation before it returns, or queues it behind the event
  /// that is being delivered. An event stores nothing, and no transaction holds it back.
  @usableFromInline
  func deliver(_ payload: Payload) {
    let cause = DeliveryProbe.record(.send(subject, of: self))
    withUnsafePointer(to: payload) { payload in
      subject.deliver(
        of: self, old: nil, new: payload, after: nil, ValueBox.Copier(Payload.self), cause: cause)
    }
  }
}

extension ObservableEvent where Payload == Void {
  /// Notifies all observers of the event, before it returns; short for `send(())`.
  ///
  /// - Complexity: O(n) in the observations of the event.
  @inlinable
  public func send() {
    send(())
  }
}

extension ObservableEvent: ObservationIssue.CyclicSource {
  static func cycleDescription(rounds: Int) -> String {
    "sent by its own handlers \(rounds) times in a row: stopped delivering, the rest is dropped"
  }
}

/// An event shares its payloads, which may be delivered on another thread than the one that sent
/// them, and its subject, which is `Sendable`.
extension ObservableEvent: Sendable where Payload: Sendable {}

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
    register(event, event.subject, .event, by: .block, isolation, file, line, handler: handler)
  }

  /// Calls `action` on the observer after each event.
  ///
  ///     observations.observe(saveButton.tapped, action: SettingsViewModel.save)
  ///
  /// `action` is a method without parameters, unapplied, so that the observer is not kept alive. It
  /// runs as the handler of ``observe(_:isolation:file:line:handler:)`` does. Each call is an
  /// observation of its own.
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
    register(event, event.subject, .event, by: .action, isolation, file, line) {
      (observer, _: Payload) in
      action(observer)()
    }
  }

  /// Calls `action` on the observer with each event.
  ///
  /// `action` is a method that takes the payload, unapplied, so that the observer is not kept
  /// alive. It runs as the handler of ``observe(_:isolation:file:line:handler:)`` does. Each call
  /// is an observation of its own.
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
    register(event, event.subject, .event, by: .action, isolation, file, line) {
      (observer, payload: Payload) in
      action(observer)(payload)
    }
  }
}

extension ObservationController {
  /// Registers a handler of an event or a hook, whose `subject` lists them. The key path of the
  /// observation is its `\.self`.
  @inlinable
  func register<Source: AnyObject, Input>(
    _ source: Source, _ subject: Subject, _ cause: ObservationDispatcher.DeliveryCause,
    by handlerKind: ObservationDescription.HandlerKind, _ isolation: (any Actor)?, _ file: String,
    _ line: UInt, handler: @escaping (Observer, Input) -> Void
  ) -> ObservationToken {
    let request = ObservationRequest(
      KeyPathAccess(naming: \Source.self), handlerKind: handlerKind, cause: cause, file: file,
      line: line)
    return register(source, request, in: subject, isolation, handler: handler)
  }

  /// Registers a handler of what is not the value of a property: of events, hooks, notifications
  /// and what Observation tracks.
  ///
  /// - Parameters:
  ///   - subject: Lists the handler. It has a subject of its own where it is delivered to directly.
  ///   - handler: Receives what is delivered as the new value.
  @inlinable
  func register<Source: AnyObject, Input>(
    _ source: Source, _ request: ObservationRequest, in subject: Subject,
    _ isolation: (any Actor)?, handler: @escaping (Observer, Input) -> Void
  ) -> ObservationToken {
    typealias Handler = ObservationHandler<Observer, Source, Input>
    let registration = ObservationRegistration(
      store: store, request: request, invoke: Handler.invocation)
    store.sweep(before: registration)
    let erased = Handler(on: isolation, isShared: true, request) { observer, _, change in
      handler(observer, change.newValue)
    }
    return store.add(source, at: registration, property: subject, handler: erased).info
  }
}
