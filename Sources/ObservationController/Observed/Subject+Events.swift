/// The way of an event, which has a subject as a property has one: a delivery, and nothing stored.
extension Subject {
  /// Delivers an event to every active info, before it returns; or has it wait for the one that is
  /// being delivered. Transactions do not hold it back.
  func deliverEvent<Payload>(_ payload: Payload, of event: AnyObject) {
    guard Tracer.isOn else { return deliverEvent(payload, of: event, cause: 0) }
    let cause = Tracer.set(self, of: event, .send)
    Tracer.within(cause) { deliverEvent(payload, of: event, cause: cause) }
  }

  private func deliverEvent<Payload>(_ payload: Payload, of event: AnyObject, cause: UInt64) {
    // What handlers read is not read by the path that may be being evaluated further up.
    AccessTracker.withoutTracking {
      guard beginDelivery() else {
        let waiting = DeferredChange(
          id: 0, old: nil, new: ValueBox(payload), needsPrior: false, infos: .none, paths: .none,
          maker: .current, cause: cause)
        if enqueue([waiting], toLatestInfos: true) { deliverQueued(of: event) }
        return
      }
      deliver(from: Payload?.none, to: payload, of: event, id: 0)
    }
  }
}
