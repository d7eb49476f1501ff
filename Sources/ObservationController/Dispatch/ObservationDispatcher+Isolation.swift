import Foundation

extension ObservationDispatcher {
  /// Wraps a handler so that delivering it outside of the actor where it was registered stops the
  /// program with a message that names both. Debug builds only.
  ///
  /// - Parameter isolation: Held weakly, since it may be the observer.
  @usableFromInline
  static func checking<Observer, Object, Value>(
    _ isolation: (any Actor)?,
    around handler: @escaping (Observer, Object, ObservedChange<Value>) -> Void
  ) -> (Observer, Object, ObservedChange<Value>) -> Void {
    guard let isolation else { return handler }
    return { [weak isolation] observer, object, change in
      let site = change.site
      isolation?.preconditionIsolated(
        """
        The handler registered at \(site.file):\(site.line) belongs to \(name(of: isolation)), but \
        \(site.keyPath) was changed on \(currentThreadName), outside of it. Change the property on \
        \(name(of: isolation)), or observe it from where it is changed.
        """)
      handler(observer, object, change)
    }
  }

  private static func name(of isolation: (any Actor)?) -> String {
    isolation.map { String(describing: type(of: $0)) } ?? "an actor that has gone"
  }

  private static var currentThreadName: String {
    if Thread.isMainThread { return "the main thread" }
    if let name = Thread.current.name, !name.isEmpty { return "the thread \"\(name)\"" }
    return "another thread (\(Thread.current))"
  }
}
