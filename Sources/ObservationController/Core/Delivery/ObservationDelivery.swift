/// One change on its way to the handlers, its values behind pointers.
///
/// Erasing the values keeps the path from subject to handler free of generics: one compiled loop
/// serves every property, and only the handler's own closure, specialised where `observe` is
/// called, reads the pointers with their type.
@usableFromInline
struct ObservationDelivery {
  @usableFromInline
  enum Kind: UInt8, Sendable {
    case initial, prior, change
  }

  /// The value before the change; `nil` where there is none or no info asked for it.
  @usableFromInline let old: UnsafeRawPointer?

  /// The value to deliver as new. Both pointers are valid until the handler returns.
  @usableFromInline let new: UnsafeRawPointer

  @usableFromInline let kind: Kind

  /// Lends the addresses of kept values as a delivery. In one frame, since handlers may set other
  /// properties, and so on.
  @inline(__always)
  static func withValues<Result>(
    _ old: ValueBox?, _ new: ValueBox, kind: Kind = .change,
    _ body: (ObservationDelivery) -> Result
  ) -> Result {
    defer {
      withExtendedLifetime(old) {}
      withExtendedLifetime(new) {}
    }
    let words = (old?.words ?? (0, 0), new.words)
    return withUnsafePointer(to: words) { words in
      let place = UnsafeRawPointer(words)
      return body(
        ObservationDelivery(
          old: old.map { $0.storage?.address ?? place },
          new: new.storage?.address ?? place + MemoryLayout<ValueBox.Words>.size, kind: kind))
    }
  }

  /// The delivery without the old value, for an info that did not ask for it.
  @inline(__always)
  func limited(to traits: ObservationInfo.Traits) -> ObservationDelivery {
    ObservationDelivery(old: traits.contains(.old) ? old : nil, new: new, kind: kind)
  }

  /// The typed change for the handler registered at `registration`.
  ///
  /// Safe because the pointers come from values of the type that the key path of `registration`
  /// names.
  @inlinable
  func change<Value>(of type: Value.Type, at registration: ObservationRegistration)
    -> ObservedChange<Value>
  {
    ObservedChange(
      oldValue: old.map { $0.load(as: Value.self) },
      newValue: new.load(as: Value.self),
      registration: registration, kind: kind)
  }
}

/// The observer that is being notified, held for as long as consecutive deliveries go to it.
///
/// Loading a weak reference is more than half of the cost of a delivery; consecutive infos of one
/// controller share one load.
struct ObservationRecipient {
  /// Address of the store of the observer, to compare; 0 before the first delivery.
  private var store: UInt = 0

  private var observer: AnyObject?

  /// Calls a handler, unless the observation has ended or the observer's deinit has begun.
  ///
  /// Leaves it to the next delivery to notice that the handler has released the observer: behind
  /// the last one, and before that of another controller, it is released anyway.
  ///
  /// - Parameters:
  ///   - handler: Held by the caller; `nil` for that of the info, which the list of infos holds.
  ///   - isTraced: Whether a trace records; asked once for a list of infos.
  @inline(__always)
  mutating func receive(
    _ delivery: ObservationDelivery, of object: AnyObject, info: ObservationInfo,
    handler: Unmanaged<AnyObject>? = nil, isTraced: Bool = DeliveryProbe.isInstalled
  ) {
    let registration = info.registration
    let store = UInt(bitPattern: ObjectIdentifier(registration.store))
    if store == self.store {
      releaseIfLast()
    } else {
      self.store = store
      // Released before the next one is loaded: an observer may own several controllers, and a
      // handler have dropped the last other reference to it.
      observer = nil
      observer = registration.store.observer
    }
    // Asked last: the observer of the delivery before may just have been deallocated, and have
    // ended this observation in its deinit. But before the handler is read, which another thread
    // takes away if the observation ended before this delivery began.
    guard info.isActive, let handler = handler ?? info.unretainedHandler else { return }
    // Borrowed: a copy is expensive, since the reference counts of an object with weak references
    // lie outside of it.
    guard let borrowed = observer.map({ Unmanaged.passUnretained($0) }) else {
      return ObservationDispatcher.observerHasGone(from: info)
    }

    LockRank.assertNoneIsHeld()
    func call() {
      borrowed._withUnsafeGuaranteedRef { observer in
        handler._withUnsafeGuaranteedRef { handler in
          registration.invoke(
            handler, registration, observer, object, delivery.limited(to: info.traits))
        }
      }
    }
    guard isTraced else { return call() }
    DeliveryProbe.record(.delivery(info, of: object, delivery.kind), around: call)
  }

  /// Releases the observer if a handler has dropped the last other reference: its deinit runs now,
  /// before the next delivery, rather than after the last one.
  @inline(__always)
  mutating func releaseIfLast() {
    if isKnownUniquelyReferenced(&observer) { observer = nil }
  }

  /// Receives one delivery.
  ///
  /// - Parameter handler: Held here: another thread, or the handler itself, may end the observation
  ///   meanwhile.
  @inline(never)
  static func receiveAlone(
    _ delivery: ObservationDelivery, of object: AnyObject, info: ObservationInfo, handler: AnyObject
  ) {
    var recipient = ObservationRecipient()
    recipient.receive(delivery, of: object, info: info, handler: .passUnretained(handler))
    withExtendedLifetime(handler) {}
  }
}

/// The user's handler behind a reference, with its types.
///
/// An object rather than an erased closure, because a delivery can borrow an object: loading a
/// closure from a variable retains and releases it.
@usableFromInline
class ObservationHandler<Observer: AnyObject, Object: AnyObject, Value> {
  @usableFromInline typealias Call = (Observer, Object, ObservedChange<Value>) -> Void

  @usableFromInline final let call: Call

  @inlinable
  init(_ call: @escaping Call) {
    self.call = call
  }

  /// A handler that traps where it is called outside of the actor that it was registered on: in a
  /// debug build of the client always, in a release build where `isShared` says so.
  ///
  /// - Parameters:
  ///   - isShared: Whether another thread can be the cause of a call, now or later.
  ///   - request: Evaluated only where calls are checked.
  @inlinable
  convenience init(
    on isolation: (any Actor)?, isShared: Bool, _ request: @autoclosure () -> ObservationRequest,
    _ call: @escaping Call
  ) {
    var isChecked = isShared
    assert(
      {
        isChecked = true
        return true
      }())
    if isChecked, let isolation {
      let required = HandlerIsolation(to: isolation, of: request())
      self.init { observer, object, change in
        required.check(deliveryOf: object)
        call(observer, object, change)
      }
    } else {
      self.init(call)
    }
  }

  /// Calls a handler whose type is known to its registration alone.
  ///
  /// Captures nothing, so that it costs no allocation, and is specialised where `observe` is
  /// called: an unspecialised one is several times slower. The downcasts
  /// are safe: an info takes handler and registration from the same call of `register`, the store's
  /// observer is an `Observer`, and an info is only delivered to with the object that it was
  /// registered for.
  @inlinable
  static var invocation: ObservationRegistration.Invocation {
    { handler, registration, observer, object, delivery in
      let handler = unsafeDowncast(handler, to: ObservationHandler.self)
      let observer = unsafeDowncast(observer, to: Observer.self)
      let object = unsafeDowncast(object, to: Object.self)
      // Values can be lent that refer to what they need by bits which are the same wherever they
      // stand. Those that hold a weak reference can't; they are copied. Known when `observe` is
      // compiled where its types are, so that one of the two ways is left.
      guard _isBitwiseTakable(Value.self) else {
        return handler.call(observer, object, delivery.change(of: Value.self, at: registration))
      }
      ObservationDelivery.LentChange.with(delivery, at: registration) {
        handler.call(observer, object, $0.change)
      }
    }
  }
}

extension ObservationRegistration {
  /// Calls a handler: handler, registration, observer, observed object, delivery.
  @usableFromInline
  typealias Invocation =
    (AnyObject, ObservationRegistration, AnyObject, AnyObject, ObservationDelivery) -> Void
}

extension ObservationDelivery {
  /// A change that is lent to a handler: it counts no reference, of its values or of its
  /// registration.
  ///
  /// Making an `ObservedChange` retains what it refers to and drops it after the call: 40
  /// instructions and two atomic operations for the registration, and as much for each value that
  /// is a string, an array or an object. This one is never destroyed in return for never having
  /// retained anything. A handler that keeps its change copies it, and then retains as always.
  ///
  /// Not copyable, which is what makes the compiler lend `change` where it stands: the handler
  /// would get a copy of any other.
  @usableFromInline
  struct LentChange<Value>: ~Copyable {
    @usableFromInline let change: ObservedChange<Value>

    @inlinable
    init(_ change: consuming ObservedChange<Value>) {
      self.change = change
    }

    /// Calls `body` with the change that `delivery` stands for.
    ///
    /// Sound because the values are moved here bit by bit and the registration by its reference,
    /// but stay with the caller, who holds them until `body` has returned; and nothing is destroyed
    /// here.
    ///
    /// The memory has room for what is written to it, once, so that it needs no check of the stack,
    /// which would also stand in each thunk where the compiler merges handlers of one shape: about
    /// 20 instructions for each delivery.
    @inlinable @inline(__always)
    static func with(
      _ delivery: ObservationDelivery, at registration: ObservationRegistration,
      _ body: (borrowing Self) -> Void
    ) {
      _withUnprotectedUnsafeTemporaryAllocation(of: Self.self, capacity: 1) { place in
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
}
