/// Routes every change to the handlers, and knows everything that is observed.
///
/// The shared dispatcher is the only code that calls a user: handlers, actions, delegate methods.
/// It holds no lock while it does, and no observer or observed object between deliveries.
///
///     let dispatcher = ObservationDispatcher.shared
///     print(dispatcher.observations(of: person))      // who observes this person, and what
///     dispatcher.removeObservations(of: person)       // ends all of it
public final class ObservationDispatcher: Sendable {
  /// The dispatcher of all controllers.
  public static let shared = ObservationDispatcher()

  /// The controllers that exist. Unretained: a store is taken out by the deinit of its
  /// controller, before it goes.
  let stores = Locked<[ObjectIdentifier: Unmanaged<ObservationStore>]>([:])

  private init() {}
}

// MARK: - Delivery

extension ObservationDispatcher {
  /// How many changes in a row a property may make from inside its own delivery, before that
  /// counts as a cycle.
  static var maximumRounds: Int { ThreadContext.maximumRounds }

  /// Delivers a change to the only info of a property, while no thread is tracing.
  ///
  /// - Parameter info: Not retained: the list holds it, and is not edited until the delivery has ended.
  @inline(__always)
  static func deliver(
    _ delivery: ObservationDelivery, of object: AnyObject, toOnly info: Unmanaged<ObservationInfo>
  ) {
    info._withUnsafeGuaranteedRef { info in
      guard info.isActive, info.traits.isDisjoint(with: .special),
        let handler = info.unretainedHandler
      else { return deliver(delivery, of: object, toOnlySpecial: info) }
      let registration = info.registration
      guard let observer = registration.store.observer else { return observerHasGone(from: info) }
      handler._withUnsafeGuaranteedRef {
        registration.invoke($0, registration, observer, object, delivery.limited(to: info.traits))
      }
    }
  }

  @inline(never)
  private static func deliver(
    _ delivery: ObservationDelivery, of object: AnyObject, toOnlySpecial info: ObservationInfo
  ) {
    var recipient = ObservationRecipient()
    deliver(delivery, of: object, toSpecial: info, through: 0, recipient: &recipient)
  }

  /// Ends what does not wait for the controller to go.
  @inline(never)
  static func observerHasGone(from info: ObservationInfo) {
    DeliveryProbe.record(.skip(info, .observerGone))
    if info.registration.purpose.endsWithObserver { info.invalidate() }
  }
}
