/// The user's handler behind a reference, with its types.
///
/// An object rather than an erased closure, because a delivery can borrow an object: loading a
/// closure from a variable retains and releases it, 40 instructions and two atomic operations.
@usableFromInline
final class ObservationHandler<Observer: AnyObject, Object: AnyObject, Value> {
  @usableFromInline let call: (Observer, Object, ObservedChange<Value>) -> Void

  @inlinable
  init(_ call: @escaping (Observer, Object, ObservedChange<Value>) -> Void) {
    self.call = call
  }

  /// Calls a handler whose type is known to its site alone.
  ///
  /// Captures nothing, so that it costs no allocation, and is specialised where `observe` is
  /// called: an unspecialised one costs about 1,000 instructions for each delivery. The downcasts
  /// are safe: an info takes handler and site from the same call of `register`, the registry's
  /// observer is an `Observer`, and an info is only delivered to with the object that it was
  /// registered for.
  @inlinable
  static var invocation: ObservationInvocation {
    { handler, site, observer, object, delivery in
      let handler = unsafeDowncast(handler, to: Self.self)
      let observer = unsafeDowncast(observer, to: Observer.self)
      let object = unsafeDowncast(object, to: Object.self)
      guard LentChange<Value>.isPossible else {
        return handler.call(observer, object, delivery.change(of: Value.self, at: site))
      }
      LentChange.with(delivery, at: site) { handler.call(observer, object, $0.change) }
    }
  }

  /// Reads the key path. Captures nothing, and is specialised, as `invocation`; the downcasts are safe for
  /// the same reasons.
  @inlinable
  static var reading: ObservationReading {
    { site, object in
      let keyPath = unsafeDowncast(site.keyPath, to: KeyPath<Object, Value>.self)
      return ValueBox(unsafeDowncast(object, to: Object.self)[keyPath: keyPath])
    }
  }
}

/// Reads the key path of a site from an object.
@usableFromInline
typealias ObservationReading = (ObservationSite, AnyObject) -> ValueBox

/// Calls a handler: handler, site, observer, observed object, delivery.
@usableFromInline
typealias ObservationInvocation =
  (AnyObject, ObservationSite, AnyObject, AnyObject, ObservationDelivery) -> Void
