#if Foundation
  import Foundation

  extension ObservationStore {
    /// Registers an observation of notifications.
    ///
    /// The observed object is the sender; without one the center.
    func addNotification<Observer: AnyObject>(
      _ name: Notification.Name, from sender: AnyObject?, in center: NotificationCenter,
      _ request: ObservationRequest,
      handler: @escaping (Observer, Notification) -> Void
    ) -> ObservationInfo {
      let object = sender ?? center
      let info = ObservationInfo(
        registration: registration(
          for: request, valueType: Notification.self,
          invoke: NotificationHandler<Observer>.invocation),
        root: root(for: object, request), handler: nil)
      let receipt = NotificationLink(to: info, from: sender).connect(to: center, name)
      let erased = NotificationHandler(center, receipt: receipt, call: handler)
      let registered = add(info, of: object, request).info
      // Not before: another thread may be posting already, and would end what is in no table yet if the
      // observer has gone. Nor if it has ended since, or nobody would take the handler out again. Pinned
      // by NotificationLifetimeTests.
      withExtendedLifetime(erased) {
        state.withLock { _ in
          if info.isActive { info.handler = erased }
        }
      }
      return registered
    }
  }
#endif
