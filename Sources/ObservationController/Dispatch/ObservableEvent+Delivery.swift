extension ObservableEvent {
  @usableFromInline
  func deliver(_ payload: Payload) {
    subject.deliverEvent(payload, of: self)
  }
}

/// The user's handler of an event behind a reference, with its types; see `ObservationHandler`.
@usableFromInline
final class EventHandler<Observer: AnyObject, Payload> {
  @usableFromInline let call: (Observer, Payload) -> Void

  @usableFromInline
  init(_ call: @escaping (Observer, Payload) -> Void) {
    self.call = call
  }

  /// Safe as `ObservationHandler.invocation` is; what an event delivers as new value is a payload.
  @inlinable
  static var invocation: ObservationInvocation {
    { handler, _, observer, _, delivery in
      unsafeDowncast(handler, to: Self.self).call(
        unsafeDowncast(observer, to: Observer.self),
        delivery.new.assumingMemoryBound(to: Payload.self).pointee)
    }
  }
}
