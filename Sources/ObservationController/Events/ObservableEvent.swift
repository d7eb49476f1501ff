/// Something that happens, with a payload that says what: no value is kept, and nobody is asked.
///
/// What target and action are to a button:
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
///       private func save() { … }
///     }
///
///     saveButton.tapped.send()
///
/// Everybody who observes an event is told, in the order of registration; one that nobody observes
/// costs one test. A controller that retains keeps the event alive until it is unobserved, not the
/// object that it belongs to.
///
/// In the tables an observation of an event is one of its key path `\.self`.
public final class ObservableEvent<Payload> {
  /// Holds the observations. Part of the event, and first of the properties: `send` asks it whether
  /// there are any.
  @usableFromInline let subject = Subject()

  /// Makes an event that nobody observes yet.
  ///
  /// - Complexity: O(1).
  public init() {}
}

extension ObservableEvent {
  /// Tells everybody who observes the event, before it returns.
  ///
  /// Nothing happens if nobody does. What is sent during a delivery of the same event waits until
  /// that has reached everybody, so that each observer sees the events in the same order:
  /// - from inside a handler, it is delivered before the outer `send` returns. Handlers that send the
  ///   event again and again are stopped after 100 deliveries by
  ///   ``ObservationIssue/cycle(keyPath:file:line:)``; what they have still sent is dropped.
  /// - on another thread, `send` returns, and the thread that is delivering delivers it too. Handlers
  ///   that belong to an actor need an event that is only sent there.
  ///
  /// A handler that is registered after the event has been sent is not told of it, one that has ended
  /// before its turn neither. Transactions do not hold events back.
  ///
  /// - Parameter payload: Kept until everybody has been told.
  /// - Complexity: O(n) in the observations of the event.
  @inlinable
  public func send(_ payload: Payload) {
    guard subject.isObserved else { return }
    subject.deliverEvent(payload, of: self)
  }
}

extension ObservableEvent where Payload == Void {
  /// Tells everybody who observes the event, before it returns; as `send(())`.
  ///
  /// - Complexity: O(n) in the observations of the event.
  @inlinable
  public func send() {
    send(())
  }
}

extension ObservableEvent {
  /// What observations of an event have in place of the key path of a property.
  @usableFromInline
  static var keyPath: AnyKeyPath { \ObservableEvent.self }
}

extension ObservableEvent: CyclicSource {
  var graphName: String { "sent" }

  static func cycleDescription(rounds: Int) -> String {
    "sent by its own handlers \(rounds) times in a row: stopped delivering, the rest is dropped"
  }
}

/// A payload may be delivered on another thread than the one that sent it, which is all that an event
/// shares: the subject is `Sendable`.
extension ObservableEvent: Sendable where Payload: Sendable {}

extension Subject {
  /// Delivers an event to each active observation before it returns, or queues it behind the event that is
  /// being delivered. An event stores nothing, and no transaction holds it back.
  @usableFromInline
  func deliverEvent<Payload>(_ payload: Payload, of event: AnyObject) {
    let cause = DeliveryProbe.record(.send(self, of: event))
    withUnsafePointer(to: payload) { payload in
      deliver(
        of: event, old: nil, new: payload, after: nil, ValueCopier(Payload.self), cause: cause)
    }
  }
}
