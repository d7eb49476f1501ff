#if Foundation
  import Dispatch
  import Foundation
  import Synchronization

  /// Observing the notifications of a notification center.
  extension ObservationController {
    /// Calls `handler` with each notification of this name.
    ///
    ///     observations.observe(.accountDidChange, from: account) { viewModel, notification in
    ///       viewModel.reload(notification.userInfo)
    ///     }
    ///
    /// Each call is an observation of its own, also for one name. It ends with the controller, and
    /// is an observation of `sender`, or of `center` where there is no sender: ``unobserve(_:)``
    /// with that object ends it. In descriptions its key path is `\Notification.self`, and its
    /// context the name. When an unretained sender is deallocated, it ends when the tables are next
    /// used.
    ///
    /// - Parameters:
    ///   - name: Name of the notifications.
    ///   - sender: The object whose notifications are wanted; `nil` for all senders. Kept alive
    ///     until it is unobserved, if the controller retains; never by the center.
    ///   - center: Where they are posted. Keeps neither handler, observer nor controller alive.
    ///     Kept alive itself if there is no sender and the controller retains.
    ///   - isolation: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it.
    ///   - file: File of the call, for issues and descriptions.
    ///   - line: Line of the call, for issues and descriptions.
    ///   - handler: Runs on the thread that posts, before posting returns, with no lock held. A
    ///     notification that is posted inside of it is delivered at once, as centers do. The center
    ///     decides which of several handlers is called first. Released when the observation ends.
    /// - Returns: A token that ends this observation alone.
    /// - Complexity: O(1), and what the center takes to add an observer. Each notification
    ///   of the name costs as much as comparing its sender, if that is another one.
    @discardableResult
    public func observe(
      _ name: Notification.Name, from sender: AnyObject? = nil,
      in center: NotificationCenter = .default,
      isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
      handler: @escaping (Observer, Notification) -> Void
    ) -> ObservationToken {
      let request = ObservationRequest(notification: name, file: file, line: line)
      let (link, end) = NotificationLink.follow(name, from: sender, in: center)
      return register(sender ?? center, request, in: link.subject, isolation) {
        (observer, notification: Notification) in
        withExtendedLifetime(end) { handler(observer, notification) }
      }
    }
  }

  /// Observing notifications with a block that runs on a queue or on the main actor, wherever they
  /// are posted.
  extension ObservationController {
    /// Calls `handler` on `queue` with each notification of this name.
    ///
    ///     observations.observe(.accountDidChange, from: account, on: indexing) {
    ///       index, notification in
    ///       index.reload(notification.userInfo)
    ///     }
    ///
    /// Notifications are delivered one by one in their order, each by a job that is added before
    /// posting returns; with another coalescing than ``ObservationCoalescing/none`` the last of
    /// those that wait. Nothing is delivered when the observation has ended, or observer or sender
    /// have been deallocated. Each call is an observation of its own, which ends with the
    /// controller.
    ///
    /// - Parameters:
    ///   - name: Name of the notifications.
    ///   - sender: The object whose notifications are wanted; `nil` for all senders. Kept alive
    ///     until it is unobserved, if the controller retains.
    ///   - center: Where they are posted. Kept alive itself if there is no sender and the
    ///     controller retains.
    ///   - queue: Serial or concurrent.
    ///   - coalescing: Which notifications are left out in favour of later ones.
    ///   - file: File of the call, for issues and descriptions.
    ///   - line: Line of the call, for issues and descriptions.
    ///   - handler: Runs on the queue, with no lock held. Released when the observation ends.
    ///     Observer and notification are handed over as they are: use of them what may be used
    ///     there.
    /// - Returns: A token that ends this observation alone.
    /// - Complexity: O(1), what the center takes to add an observer, and a job on the queue for
    ///   each delivery.
    @discardableResult
    public func observe(
      _ name: Notification.Name, from sender: AnyObject? = nil,
      in center: NotificationCenter = .default, on queue: DispatchQueue,
      coalescing: ObservationCoalescing = .none, file: String = #fileID, line: UInt = #line,
      handler: @escaping @Sendable (Observer, Notification) -> Void
    ) -> ObservationToken {
      let request = ObservationRequest(notification: name, file: file, line: line)
      let (link, end) = NotificationLink.follow(name, from: sender, in: center)
      return register(
        sender ?? center, request, in: link.subject, on: queue, coalescing, retaining: end,
        handler: handler)
    }

    /// Calls `handler` on the main actor with each notification of this name.
    ///
    ///     observations.observeOnMainActor(.accountDidChange, from: account) {
    ///       viewModel, notification in
    ///       viewModel.reload(notification.userInfo)
    ///     }
    ///
    /// A job on the main queue delivers the notification, also if it is posted on the main thread.
    /// Each call is an observation of its own, which ends with the controller.
    ///
    /// - Parameters:
    ///   - name: Name of the notifications.
    ///   - sender: The object whose notifications are wanted; `nil` for all senders. Kept alive
    ///     until it is unobserved, if the controller retains.
    ///   - center: Where they are posted. Kept alive itself if there is no sender and the
    ///     controller retains.
    ///   - coalescing: Which notifications are left out in favour of later ones.
    ///   - file: File of the call, for issues and descriptions.
    ///   - line: Line of the call, for issues and descriptions.
    ///   - handler: Runs on the main thread, with no lock held. Released when the observation ends.
    /// - Returns: A token that ends this observation alone.
    /// - Complexity: O(1), what the center takes to add an observer, and a job on the main queue
    ///   for each delivery.
    @discardableResult
    public func observeOnMainActor(
      _ name: Notification.Name, from sender: AnyObject? = nil,
      in center: NotificationCenter = .default, coalescing: ObservationCoalescing = .none,
      file: String = #fileID, line: UInt = #line,
      handler: @escaping @MainActor (Observer, Notification) -> Void
    ) -> ObservationToken {
      observe(
        name, from: sender, in: center, on: .main, coalescing: coalescing, file: file, line: line
      ) { observer, notification in
        // Unchecked, because they do not change threads here: the job that loaded them runs on the
        // main thread.
        nonisolated(unsafe) let (observer, notification) = (observer, notification)
        MainActor.assumeIsolated { handler(observer, notification) }
      }
    }
  }

  extension ObservationRequest {
    fileprivate init(notification name: Notification.Name, file: String, line: UInt) {
      self.init(
        KeyPathAccess(naming: \Notification.self), context: ObservationContext(name.rawValue),
        cause: .notification, file: file, line: line)
    }
  }

  extension ReleaseAction {
    /// Takes an observation off its center. A function of its own, by which `.ci/leaks.supp` names
    /// the weak reference to the default center.
    fileprivate convenience init(
      removing receipt: any NSObjectProtocol, from center: NotificationCenter
    ) {
      // Unchecked, because it is only handed back.
      nonisolated(unsafe) let receipt = receipt
      self.init { [weak center] in center?.removeObserver(receipt) }
    }
  }

  /// Reference of a center to the subject of an observation.
  ///
  ///     store ──▶ info ──▶ handler ──▶ end ──▶ receipt ──▶ link ──▶ subject     strong
  ///                ▲                    ┆                   ▲         │
  ///                │                    └┄┄▶ center ────────┘         │         weak, strong
  ///                └──────────────────────────────────────────────────┘         strong, until it ends
  ///
  /// Taken off the center when the observation releases its handler: outside of every lock,
  /// wherever it ends. Once it has, the center refers to no object of the user.
  private final class NotificationLink {
    /// Lists the observation until it ends.
    let subject = Subject()

    /// Sender of the wanted notifications; `nil` for all senders. Only compared: a delivery checks
    /// whether the root of the info still exists.
    private let sender: ObjectIdentifier?

    /// Orders posts after `init` for ThreadSanitizer, which does not see the center's lock on every
    /// platform.
    private let fence = Atomic<Bool>(false)

    private init(from sender: AnyObject?) {
      self.sender = sender.map { ObjectIdentifier($0) }
      fence.store(true, ordering: .releasing)
    }

    /// - Returns: The link, and what takes it off the center when it is released.
    static func follow(
      _ name: Notification.Name, from sender: AnyObject?, in center: NotificationCenter
    ) -> (link: NotificationLink, end: ReleaseAction) {
      let link = NotificationLink(from: sender)
      // The sender is not passed on: some centers keep it alive. The notification, which is not
      // `Sendable`, stays on the thread that posts it: a center without a queue calls the block
      // there, and the handler has returned before the block does. A handler that belongs to an
      // actor is checked as all are.
      let receipt = center.addObserver(forName: name, object: nil, queue: nil) { link.receive($0) }
      return (link, ReleaseAction(removing: receipt, from: center))
    }

    func receive(_ notification: Notification) {
      _ = fence.load(ordering: .acquiring)
      // A value, which may have posted it too, is boxed by an object of its own.
      let isWanted =
        sender == nil || sender == notification.object.map { ObjectIdentifier($0 as AnyObject) }
      guard isWanted, let info = subject.latestInfos.first else { return }
      AccessTracker.withoutTracking {
        DeliveryProbe.record(.post(name: notification.name.rawValue)) {
          ObservationDispatcher.deliverDirectly(notification, to: info)
        }
      }
    }
  }

  /// Everything is immutable or atomic.
  extension NotificationLink: Sendable {}
#endif
