/// Deliveries that wait for no turn: questions of hooks, and notifications.
extension ObservationDispatcher {
  /// Calls the handler of `info` at once, also inside another delivery to it.
  ///
  /// Nothing happens if the observation has ended, or the observer or the observed object has begun
  /// to go.
  ///
  /// - Parameter value: What the handler takes, whose type the caller knows.
  static func deliverDirectly(_ value: UnsafeRawPointer, to info: ObservationInfo) {
    guard info.isActive, let target = info.registration.store.directTarget(of: info) else { return }
    // Held here: nothing keeps another thread, or the handler itself, from ending the observation.
    withExtendedLifetime(target.handler) {
      ObservationRecipient.receiveAlone(
        ObservationDelivery(old: nil, new: value, kind: .change), of: target.object, info: info,
        handler: .passUnretained(target.handler))
    }
  }
}

extension ObservationStore {
  /// What a direct delivery has to hold, `nil` if there is nobody to notify.
  func directTarget(of info: ObservationInfo) -> (object: AnyObject, handler: AnyObject)? {
    // The handler is cleared under this lock, since nobody delivers by the turn of the info's subject;
    // what is handed out is released outside of it.
    state.withLock { _ in
      guard let object = info.objectLocked, let handler = info.handler else { return nil }
      return (object, handler)
    }
  }
}
