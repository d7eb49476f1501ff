#if Foundation
  import Foundation

  /// Observing what is posted to a notification center.
  extension ObservationController {
    /// Calls `handler` with each notification of this name.
    ///
    ///     observations.observe(.accountDidChange, from: account) { viewModel, notification in
    ///       viewModel.reload(notification.userInfo)
    ///     }
    ///
    /// Each call is an observation of its own, also of the same name. It ends with the controller, and
    /// is an observation of `sender`, or of `center` where there is no sender: ``unobserve(_:)`` with
    /// that object ends it. In descriptions its key path is `\Notification.self`, and its context the
    /// name. When an unretained sender goes, it ends when the tables are next used.
    ///
    /// - Parameters:
    ///   - name: What the notifications are called.
    ///   - sender: The object whose notifications are wanted; `nil` for those of everybody. Kept alive
    ///     until it is unobserved, if the controller retains; never by the center.
    ///   - center: Where they are posted. Keeps neither handler, observer nor controller alive. Kept
    ///     alive itself if there is no sender and the controller retains.
    ///   - isolation: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it.
    ///   - file: Where the registration stands, for issues and descriptions.
    ///   - line: Likewise.
    ///   - handler: Runs on the thread that posts, before posting returns, with no lock held. A
    ///     notification that is posted inside of it is delivered at once, as centers do. The center
    ///     decides who of several is told first. Released when the observation ends.
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
      let request = ObservationRequest.oneOfMany(
        \Notification.self, context: ObservationContext(name.rawValue), handlerKind: .block,
        file: file, line: line)
      var handler = handler
      assert(
        {
          handler = ObservationDispatcher.checking(
            isolation, of: request, .notification, around: handler)
          return true
        }())
      return store.add(
        sender ?? center, request, invoke: NotificationHandler<Observer>.invocation
      ) {
        let receipt = NotificationLink(to: $0, from: sender).connect(to: center, name)
        return NotificationHandler(center, receipt: receipt, call: handler)
      }.info
    }
  }
#endif
