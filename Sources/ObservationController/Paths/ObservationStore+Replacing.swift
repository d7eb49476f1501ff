/// Observing again from the same place in the source: a new handler for an observation (C17).
extension ObservationStore {
  /// Has the handler of `info`, which was not registered since `existing` is the same observation,
  /// take the place of the handler of that, if both are from the same line of code.
  ///
  /// Nothing else changes: options, place in the order and deliveries that wait stay. A delivery of
  /// the handler that is under way ends with the old one. Not of a binding, whose closures belong
  /// to its end.
  func replaceHandler(of existing: ObservationInfo, by info: ObservationInfo) {
    guard existing.registration.binding == nil,
      existing.registration.hasPlace(of: info.registration),
      let new = info.arraySink?.state.withLock(\.handler) ?? info.handler
    else { return }
    // The front of an initial delivery, which will not come.
    replaceHandler(of: existing, by: Self.behindInitial(new).last ?? new)
  }

  /// Replaces the handler by another one of the same types, unless the observation has ended.
  private func replaceHandler(of info: ObservationInfo, by new: AnyObject) {
    // Released outside of the lock.
    let pendingReleases = state.withLock { _ -> [AnyObject?] in
      guard info.isActive else { return [] }
      if let sink = info.arraySink {
        let old = sink.state.withLock(\.handler)
        switch (old as? any QueuedFront, new as? any QueuedFront) {
        case (nil, nil): return [old, sink.state.withLock { exchange(&$0.handler, with: new) }]
        case (let old?, let new?):
          // As below.
          return [old, new.deliveries.handler.flatMap(old.deliveries.replaceHandler)]
        default: return [old]
        }
      }
      guard let front = info.handler else { return [] }
      let handlers = Self.behindInitial(front)
      let old = handlers.last ?? front
      if let old = old as? any QueuedFront {
        // Changes that wait are delivered to the new handler, on the queue that was given first.
        guard let new = (new as? any QueuedFront)?.deliveries.handler else { return [front] }
        return [front, old.deliveries.replaceHandler(by: new)]
      }
      guard type(of: old) == type(of: new) else { return [front] }
      // Changes may wait behind a front for the end of the initial delivery.
      if let initial = (front as? any QueuedFront)?.deliveries,
        !initial.isOpen.load(ordering: .acquiring)
      {
        return [front, initial.replaceHandler(by: new)]
      }
      return [front, replaceHandlerLocked(of: info, by: new)]
    }
    withExtendedLifetime(pendingReleases) {}
  }

  /// Replaces the handler, if it is still `old`.
  func replaceHandler(of info: ObservationInfo, _ old: AnyObject, by new: AnyObject?) {
    let pendingRelease = state.withLock { _ -> AnyObject? in
      guard info.isActive, info.handler === old, let new else { return nil }
      return replaceHandlerLocked(of: info, by: new)
    }
    withExtendedLifetime(pendingRelease) {}
  }

  /// - Returns: What is no longer used, to be released outside of every lock.
  private func replaceHandlerLocked(of info: ObservationInfo, by new: AnyObject) -> AnyObject? {
    if let path = info.path { return path.state.withLock { _ in info.replaceHandler(by: new) } }
    // Safe: listed, since it is active; see `SubjectReference`.
    return info.link?.subject._withUnsafeGuaranteedRef { $0.replaceHandler(of: info, by: new) }
  }

  /// The handlers behind one that has changes wait for the end of an initial delivery.
  private static func behindInitial(_ handler: AnyObject) -> [AnyObject] {
    Array(
      sequence(state: handler) { handler in
        guard let front = handler as? any QueuedFront, front.deliveries.target == nil,
          let next = front.deliveries.handler
        else { return nil }
        handler = next
        return next
      })
  }
}

/// A handler that adds its changes to those that wait for another one.
protocol QueuedFront: AnyObject {
  var deliveries: QueuedDeliveries { get }
}
