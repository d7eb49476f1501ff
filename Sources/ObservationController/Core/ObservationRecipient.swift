/// The observer that is being told, held for as long as consecutive deliveries go to it.
///
/// Loading a weak reference is more than half of the cost of a delivery; infos of one controller
/// that follow each other share one load.
struct ObservationRecipient {
  /// Whose observer it is; compared with, and alive as long as an info of the list is.
  private var store: Unmanaged<ObservationStore>?

  private var observer: AnyObject?

  /// The same, for calls to borrow: a copy costs 170 instructions, because the reference counts of
  /// an object with weak references lie outside of it.
  private var borrowed: Unmanaged<AnyObject>?

  init() {}

  /// Calls `handler` unless the observer has begun to go.
  ///
  /// - Parameter handler: Held by the info, which the list of infos holds.
  @inline(__always)
  mutating func receive(
    _ delivery: ObservationDelivery, of object: AnyObject, info: ObservationInfo,
    handler: Unmanaged<AnyObject>
  ) {
    let registration = info.registration
    prepare(for: registration)
    guard let borrowed else { return ObservationDispatcher.observerHasGone(from: info) }
    DeliveryProbe.record(.delivery(info, of: object, delivery.kind)) {
      Self.call(handler, registration, borrowed, object, delivery)
    }
    releaseIfLast()
  }

  /// The same as one of several deliveries in a row, between which nothing of a user's runs.
  ///
  /// Leaves it to the next one to see whether the handler has dropped the observer: behind the last
  /// one, and before that of another controller, it is released anyway, which saves 23 instructions
  /// and an atomic operation.
  @inline(__always)
  mutating func receiveNext(
    _ delivery: ObservationDelivery, of object: AnyObject, info: ObservationInfo
  ) {
    let registration = info.registration
    if !prepare(for: registration) { releaseIfLast() }
    // Asked last: the observer of the delivery before may just have gone, and have ended this
    // observation in its deinit. But before the handler is looked at, which another thread takes
    // away if the observation ended before this delivery began.
    guard info.isActive, let handler = info.unretainedHandler else { return }
    guard let borrowed else { return ObservationDispatcher.observerHasGone(from: info) }
    Self.call(handler, registration, borrowed, object, delivery)
  }

  /// Makes the observer of `registration` the one that is held.
  ///
  /// - Returns: Whether it was another one before.
  @inline(__always) @discardableResult
  private mutating func prepare(for registration: ObservationRegistration) -> Bool {
    let store = Unmanaged.passUnretained(registration.store)
    guard store.toOpaque() != self.store?.toOpaque() else { return false }
    self.store = store
    // Let go of before it is looked for: it may observe by several controllers, and a handler have
    // dropped it.
    borrowed = nil
    observer = nil
    observer = registration.store.observer
    borrowed = observer.map { .passUnretained($0) }
    return true
  }

  /// Releases the observer if a handler has dropped it: it goes now, before the next delivery,
  /// rather than after the last one.
  @inline(__always)
  mutating func releaseIfLast() {
    if isKnownUniquelyReferenced(&observer) {
      borrowed = nil
      observer = nil
    }
  }

  /// The same for one delivery.
  @inline(never)
  static func receiveAlone(
    _ delivery: ObservationDelivery, of object: AnyObject, info: ObservationInfo,
    handler: Unmanaged<AnyObject>
  ) {
    var recipient = ObservationRecipient()
    recipient.receive(delivery, of: object, info: info, handler: handler)
  }

  @inline(__always)
  private static func call(
    _ handler: Unmanaged<AnyObject>, _ registration: ObservationRegistration,
    _ observer: Unmanaged<AnyObject>,
    _ object: AnyObject, _ delivery: ObservationDelivery
  ) {
    observer._withUnsafeGuaranteedRef { observer in
      handler._withUnsafeGuaranteedRef { handler in
        registration.invoke(handler, registration, observer, object, delivery)
      }
    }
  }
}
