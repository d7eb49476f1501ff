#if Foundation
  import Foundation
  import Synchronization

  /// The user's handler of notifications behind a reference, and what takes it off its center.
  ///
  ///     store ──▶ info ──▶ handler ──▶ receipt ──▶ link     strong
  ///                    ▲         ┆           ▲          ┆
  ///                    ┆         └┄▶ center ─┘          ┆      weak, strong
  ///                    └┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┘      weak
  ///
  /// An info drops its handler when the observation ends, outside of every lock; so the center forgets
  /// the link, whoever ended it, and had nothing of the user's anyway.
  final class NotificationHandler<Observer: AnyObject> {
    private let call: (Observer, Notification) -> Void
    private weak var center: NotificationCenter?
    private let receipt: any NSObjectProtocol

    init(
      _ center: NotificationCenter, receipt: any NSObjectProtocol,
      call: @escaping (Observer, Notification) -> Void
    ) {
      self.center = center
      self.receipt = receipt
      self.call = call
    }

    deinit {
      center?.removeObserver(receipt)
    }

    /// Safe as `ObservationHandler.invocation` is; what a center delivers as new value is a
    /// `Notification`.
    static var invocation: ObservationInvocation {
      { handler, _, observer, _, delivery in
        unsafeDowncast(handler, to: Self.self).call(
          unsafeDowncast(observer, to: Observer.self),
          delivery.new.assumingMemoryBound(to: Notification.self).pointee)
      }
    }
  }

  /// What a center holds of an observation: nothing that it would keep alive.
  final class NotificationLink {
    private let info: WeakReference

    /// The one whose notifications are wanted; `nil` for those of everybody. Only compared: a delivery
    /// finds out whether the object is still the one that was there, which is the root of the info.
    private let sender: ObjectIdentifier?

    /// Tells ThreadSanitizer that whoever posts comes after `init`: that is the business of the center's
    /// lock, which it does not see on every platform.
    private let fence = Atomic<Bool>(false)

    init(to info: ObservationInfo, from sender: AnyObject?) {
      self.info = WeakReference(info)
      self.sender = sender.map { ObjectIdentifier($0) }
      fence.store(true, ordering: .releasing)
    }

    /// Has `center` deliver from now on.
    ///
    /// - Returns: What is needed to take the link off the center.
    func connect(
      to center: NotificationCenter, _ name: Notification.Name
    ) -> any NSObjectProtocol {
      // The center is not told the sender: some keep it alive. The notification, which is not
      // `Sendable`, stays on the thread that posts it: a center without a queue calls the block there,
      // and the handler has returned before the block does. A handler that belongs to an actor is
      // checked as all are.
      center.addObserver(forName: name, object: nil, queue: nil) { self.receive($0) }
    }

    private func receive(_ notification: Notification) {
      _ = fence.load(ordering: .acquiring)
      guard isWanted(notification), let info = info.object else { return }
      AccessTracker.withoutTracking {
        DeliveryProbe.record(.post(name: notification.name.rawValue)) {
          withUnsafePointer(to: notification) {
            // Safe: `init` took it as one.
            ObservationDispatcher.deliverDirectly(
              $0, to: unsafeDowncast(info, to: ObservationInfo.self))
          }
        }
      }
    }

    /// Whether `notification` was posted by the sender.
    private func isWanted(_ notification: Notification) -> Bool {
      guard let sender else { return true }
      // A value may have posted it too, and would be boxed to be compared.
      guard let object = notification.object, type(of: object) is AnyClass else { return false }
      return sender == ObjectIdentifier(object as AnyObject)
    }
  }

  /// Everything is immutable or atomic.
  extension NotificationLink: Sendable {}

  extension Notification: Postable {}
#endif
