/// The user's handler behind a reference, with its types.
///
/// An object rather than an erased closure, because a delivery can borrow an object: loading a
/// closure from a variable retains and releases it.
@usableFromInline
final class ObservationHandler<Observer: AnyObject, Object: AnyObject, Value> {
  @usableFromInline let call: (Observer, Object, ObservedChange<Value>) -> Void

  @inlinable
  init(_ call: @escaping (Observer, Object, ObservedChange<Value>) -> Void) {
    self.call = call
  }

  /// Calls a handler whose type is known to its registration alone.
  ///
  /// Captures nothing, so that it costs no allocation, and is specialised where `observe` is
  /// called: an unspecialised one is several times slower. The downcasts
  /// are safe: an info takes handler and registration from the same call of `register`, the store's
  /// observer is an `Observer`, and an info is only delivered to with the object that it was
  /// registered for.
  @inlinable
  static var invocation: ObservationInvocation {
    { handler, registration, observer, object, delivery in
      let handler = unsafeDowncast(handler, to: Self.self)
      let observer = unsafeDowncast(observer, to: Observer.self)
      let object = unsafeDowncast(object, to: Object.self)
      guard LentChange<Value>.isPossible else {
        return handler.call(observer, object, delivery.change(of: Value.self, at: registration))
      }
      LentChange.with(delivery, at: registration) { handler.call(observer, object, $0.change) }
    }
  }

  /// Reads the key path. Captures nothing, and is specialised, as `invocation`; the downcasts are
  /// safe for the same reasons.
  @inlinable
  static var reading: ObservationReading {
    { registration, object in
      let keyPath = unsafeDowncast(registration.keyPath, to: KeyPath<Object, Value>.self)
      return ValueBox(unsafeDowncast(object, to: Object.self)[keyPath: keyPath])
    }
  }
}

/// Reads the key path of a registration from an object.
@usableFromInline
typealias ObservationReading = (ObservationRegistration, AnyObject) -> ValueBox

/// Calls a handler: handler, registration, observer, observed object, delivery.
@usableFromInline
typealias ObservationInvocation =
  (AnyObject, ObservationRegistration, AnyObject, AnyObject, ObservationDelivery) -> Void

/// A change that is lent to a handler: it counts no reference, of its values or of its
/// registration.
///
/// Making an `ObservedChange` retains what it refers to and drops it after the call: 40
/// instructions and two atomic operations for the registration, and as much for each value that is
/// a string, an array or an object. This one is never destroyed in return for never having retained
/// anything. A handler that keeps its change copies it, and then retains as always.
///
/// Not copyable, which is what makes the compiler lend `change` where it stands: the handler would
/// get a copy of any other.
@usableFromInline
struct LentChange<Value>: ~Copyable {
  @usableFromInline let change: ObservedChange<Value>

  @inlinable
  init(_ change: consuming ObservedChange<Value>) {
    self.change = change
  }

  /// Whether values of this type can be lent: they refer to what they need by bits that are the
  /// same wherever they stand. Those that hold a weak reference can't; they are copied.
  ///
  /// Known when `observe` is compiled where its types are, so that one of the two ways is left.
  @inlinable
  static var isPossible: Bool {
    @inline(__always) get { _isBitwiseTakable(Value.self) }
  }

  /// Calls `body` with the change that `delivery` stands for.
  ///
  /// Sound because the values are moved here bit by bit and the registration by its reference, but
  /// stay with the caller, who holds them until `body` has returned; and nothing is destroyed here.
  @inlinable @inline(__always)
  static func with(
    _ delivery: ObservationDelivery, at registration: ObservationRegistration,
    _ body: (borrowing Self) -> Void
  ) {
    withUnsafeTemporaryAllocation(of: Self.self, capacity: 1) { place in
      let lent = place.baseAddress.unsafelyUnwrapped
      lent.initialize(
        to: Self(
          ObservedChange(
            oldValue: delivery.old.map { Self.lend($0) }, newValue: Self.lend(delivery.new),
            registration: Unmanaged.passUnretained(registration).takeRetainedValue(),
            kind: delivery.kind)))
      body(lent.pointee)
    }
  }

  /// The value at `address`, which stays there.
  @inlinable @inline(__always)
  static func lend(_ address: UnsafeRawPointer) -> Value {
    UnsafeMutableRawPointer(mutating: address).assumingMemoryBound(to: Value.self).move()
  }
}
