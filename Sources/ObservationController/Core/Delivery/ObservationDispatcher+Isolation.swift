import Dispatch

#if Foundation
  import Foundation
#endif

/// The actor that a handler was registered on, and has to be called on.
///
/// A store that is made elsewhere would call it there, which the compiler can't see. Checked before
/// each call.
/// Pinned by IsolationTests, also in a release build.
@usableFromInline
final class HandlerIsolation {
  /// Whether it is the main actor, by far the most frequent, and checked without asking the actor.
  private let isMainActor: Bool

  /// Weak, since it may be the observer. `nil` for the main actor, which is always there: loading a
  /// weak reference would cost more than the check.
  private weak var actor: (any Actor)?

  private let request: ObservationRequest

  @usableFromInline
  init(to actor: any Actor, of request: ObservationRequest) {
    isMainActor = actor === MainActor.shared
    self.actor = isMainActor ? nil : actor
    self.request = request
  }

  /// Traps with a message that names actor, thread and place, unless this code runs on the actor.
  ///
  /// Nothing happens if the actor has been deallocated.
  @usableFromInline
  func check(deliveryOf object: AnyObject) {
    if isMainActor {
      // The run time would trap on its own account, and leave out the message.
      if !Self.isOnMainActor { fatalError(violation(of: MainActor.self, by: object)) }
    } else if let actor {
      // The run time names the actor that it expected, and leaves out the message, where it can
      // tell on its own that this is another one.
      actor.preconditionIsolated(violation(of: type(of: actor), by: object))
    }
  }
}

extension HandlerIsolation {
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

  /// - Parameter object: Object that the delivery is of.
  private func violation(of actor: Any.Type, by object: AnyObject) -> String {
    let cause = request.cause.rawValue
    let others =
      switch (request.cause, isMainActor) {
      case (.change, true):
        "observe it by observeOnMainActor, which delivers on \(actor) wherever it is changed"
      case (.change, false):
        "follow it by changes(of:_:) in a task on \(actor), wherever it is changed"
      default:
        "register the handler where it is \(cause)"
      }
    return """
      The handler registered at \(request.place) belongs to \(actor), but \(name(in: object)) \
      was \(cause) on \(Self.currentThreadName), outside of it. Do that on \(actor), or \(others).
      """
  }

  /// Name of what is delivered: a property by its own, not by the address that Swift prints.
  private func name(in object: AnyObject) -> String {
    if let notification = request.notification { return "the notification \(notification)" }
    let infos = ObservationDispatcher.shared.infos(of: object, at: request.keyPath)
    infos.first.map { DeliveryProbe.diagnostics?.learnNames(of: $0) }
    DeliveryProbe.diagnostics?.learnNames(of: [request.keyPath], in: object)
    return KeyPathNames.literal(of: request.keyPath)
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
}

extension ObservationDispatcher {
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
