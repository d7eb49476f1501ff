import Dispatch

#if Foundation
  import Foundation
#endif

extension ObservationDispatcher {
  /// Stops the program with a message that names the actor and the place, unless this code runs on
  /// the actor.
  @usableFromInline
  static func requireIsolation(to actor: any Actor, of request: ObservationRequest) {
    // The run time stops on its own account, and leaves out the message; the main actor, by far
    // the most frequent, is checked before that. For other actors the run time names
    // the one that it expected.
    if actor === MainActor.shared, !isOnMainActor {
      fatalError(violation(of: actor, at: request))
    }
    actor.preconditionIsolated(violation(of: actor, at: request))
  }

  /// Not only the main thread: on Linux other threads run the main queue, and with it the main
  /// actor, as soon as an asynchronous `main` waits for something.
  /// Pinned by DemoProcessTests.test_demo_terminated_endsAsAfterItsSamples.
  private static var isOnMainActor: Bool {
    ThreadIdentity.isMain || DispatchQueue.getSpecific(key: mainQueueKey) != nil
  }

  private static let mainQueueKey = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()

  private static func violation(of actor: any Actor, at request: ObservationRequest) -> String {
    let cause = request.cause.rawValue
    let name = request.notification.map { "the notification \($0)" } ?? "\(request.keyPath)"
    return """
      The handler registered at \(request.place) belongs to \(type(of: actor)), but \
      \(name) was \(cause) on \(currentThreadName), outside of it. \
      Do that on \(type(of: actor)), or register the handler where it is \(cause).
      """
  }

  private static var currentThreadName: String {
    if ThreadIdentity.isMain { return "the main thread" }
    #if Foundation
      if let name = Thread.current.name, !name.isEmpty { return "the thread \"\(name)\"" }
      return "another thread (\(Thread.current))"
    #else
      return "another thread"
    #endif
  }

  /// Cause of a call of a handler, as the message of a trap names it, and graphs the events and
  /// hooks.
  @usableFromInline
  enum DeliveryCause: String, Sendable {
    case change = "changed"
    case event = "sent"
    case question = "asked"
    case notification = "posted"
  }
}
