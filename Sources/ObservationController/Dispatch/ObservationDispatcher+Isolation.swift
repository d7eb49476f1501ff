import Foundation

extension ObservationDispatcher {
  /// Wraps a handler so that delivering it outside of the actor where it was registered stops the
  /// program with a message that names both. Debug builds only.
  ///
  /// - Parameter isolation: Held weakly, since it may be the observer.
  @usableFromInline
  static func checking<Observer, Object, Change>(
    _ isolation: (any Actor)?, of registration: ObservationRegistration,
    around handler: @escaping (Observer, Object, Change) -> Void
  ) -> (Observer, Object, Change) -> Void {
    guard let isolation else { return handler }
    return { [weak isolation] observer, object, change in
      if let isolation { requireIsolation(to: isolation, of: registration) }
      handler(observer, object, change)
    }
  }

  private static func requireIsolation(
    to actor: any Actor, of registration: ObservationRegistration
  ) {
    // The run time stops on its own account, and leaves out the message; the main actor, by far
    // the most frequent, can be told by its thread before it comes to that. For other actors the
    // run time names the one that it expected.
    if actor === MainActor.shared, !Thread.isMainThread {
      fatalError(violation(of: actor, at: registration))
    }
    actor.preconditionIsolated(violation(of: actor, at: registration))
  }

  private static func violation(of actor: any Actor, at registration: ObservationRegistration)
    -> String
  {
    """
    The handler registered at \(registration.file):\(registration.line) belongs to \(type(of: actor)), but \
    \(registration.keyPath) was changed on \(currentThreadName), outside of it. Change the property on \
    \(type(of: actor)), or observe it from where it is changed.
    """
  }

  private static var currentThreadName: String {
    if Thread.isMainThread { return "the main thread" }
    if let name = Thread.current.name, !name.isEmpty { return "the thread \"\(name)\"" }
    return "another thread (\(Thread.current))"
  }
}
