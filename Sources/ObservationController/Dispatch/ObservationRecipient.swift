/// The observer that is being told, held for as long as consecutive deliveries go to it.
///
/// Loading a weak reference is more than half of the cost of a delivery; infos of one controller
/// that follow each other share one load.
struct ObservationRecipient {
  /// Whose observer it is; compared with, and alive as long as an info of the list is.
  private var registry: Unmanaged<ObservationRegistry>?
  private var observer: AnyObject?

  init() {}

  /// Calls `handler` unless the observer has begun to go.
  @inline(__always)
  mutating func receive(
    _ delivery: ObservationDelivery, of object: AnyObject, info: ObservationInfo,
    handler: Unmanaged<AnyObject>
  ) {
    let site = info.site
    let registry = Unmanaged.passUnretained(site.registry)
    if registry.toOpaque() != self.registry?.toOpaque() {
      observer = site.registry.observer
      self.registry = registry
    }
    guard observer != nil else { return }
    Self.call(handler, site, observer.unsafelyUnwrapped, object, delivery)
    // A handler may have dropped the observer: it goes now, before the next delivery, rather than
    // after the last one.
    if isKnownUniquelyReferenced(&observer) { observer = nil }
  }

  /// The same where nothing follows.
  @inline(__always)
  static func receive(
    _ delivery: ObservationDelivery, of object: AnyObject, info: ObservationInfo,
    handler: Unmanaged<AnyObject>
  ) {
    let site = info.site
    guard let observer = site.registry.observer else { return }
    call(handler, site, observer, object, delivery)
  }

  /// Calls with handler and observer borrowed from those who hold them: the info, which the list
  /// of infos holds, and the caller. Copies would cost 40 and 170 instructions, the latter because
  /// the reference counts of an object with weak references lie outside of it.
  @inline(__always)
  private static func call(
    _ handler: Unmanaged<AnyObject>, _ site: ObservationSite, _ observer: AnyObject,
    _ object: AnyObject, _ delivery: ObservationDelivery
  ) {
    Unmanaged.passUnretained(observer)._withUnsafeGuaranteedRef { observer in
      handler._withUnsafeGuaranteedRef { handler in
        site.invoke(handler, site, observer, object, delivery)
      }
    }
  }
}
