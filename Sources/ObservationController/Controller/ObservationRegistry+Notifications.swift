import Foundation

extension ObservationRegistry {
  /// Registers an observation of notifications.
  ///
  /// The observed object is the sender; without one the center.
  func addNotification<Observer: AnyObject>(
    _ name: Notification.Name, from sender: AnyObject?, in center: NotificationCenter,
    _ registration: ObservationRegistration,
    handler: @escaping (Observer, Notification) -> Void
  ) -> ObservationInfo {
    let object = sender ?? center
    // A subject of its own, by which the info is ended as any other, and which never delivers.
    let subject = Subject()
    let info = ObservationInfo(
      site: site(
        for: registration, valueType: Notification.self,
        invoke: NotificationHandler<Observer>.invocation),
      root: root(for: object, registration), source: .subject(SubjectLink(subject)), handler: nil)
    let receipt = NotificationLink(to: info, from: sender).connect(to: center, name)
    let erased = NotificationHandler(center, receipt: receipt, subject: subject, call: handler)
    // Locked, since another thread may be posting already.
    state.withLock { _ in info.handler = erased }
    return add(info, of: object, registration) { subject.insert(info) }.info
  }
}
