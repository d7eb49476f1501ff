import Synchronization

/// One direction of a binding: the property that it sets, and the observation of its source.
///
///     info ──▶ registration ──▶ binding                    strong
///                                 └┄┄▶ object, info, partner    weak
///
/// A two-way binding consists of two directions, whose observations end together.
@usableFromInline
final class Binding {
  private let reference: WeakReference

  /// The property that is set.
  let access: KeyPathAccess

  /// The source of the values.
  let source: KeyPathAccess

  /// Whether another info sets the source in turn: the partner.
  let isTwoWay: Bool

  /// Whether the source is the property that is set.
  @usableFromInline let isOfItself: Bool

  /// Place in the source of a closure that sets the target in place of a key path.
  private let setter: String?

  /// The observation of the source. Set once, before a subject lists it.
  weak var info: ObservationInfo?

  /// The observation that ends together with it. Guarded by the lock of their store.
  weak var partner: ObservationInfo?

  private let keyPathHash = Atomic<Int>(0)

  /// Counts the values that have been made, to notice newer ones.
  private let lastTurn = Atomic<UInt64>(0)

  @usableFromInline
  init(
    from object: AnyObject, _ source: KeyPathAccess, to target: AnyObject,
    _ access: KeyPathAccess, isTwoWay: Bool = false, setter: String? = nil
  ) {
    reference = WeakReference(target)
    self.setter = setter
    (self.source, self.access, self.isTwoWay) = (source, access, isTwoWay)
    isOfItself = object === target && source.keyPath == access.keyPath
  }

  /// Request for the observation of the source.
  @usableFromInline
  func request(
    options: ObservationOptions = .initial, holdsWeakly: Bool = false, file: String, line: UInt
  ) -> ObservationRequest {
    var request = ObservationRequest(
      source, options: options, handlerKind: .binding, file: file, line: line)
    request.binding = self
    request.holdsWeakly = holdsWeakly
    return request
  }
}

// MARK: - Identity

extension Binding {
  var keyPath: AnyKeyPath { access.keyPath }

  /// Object to be set; `nil` once its `deinit` has begun.
  var object: AnyObject? { reference.object }

  /// Equal for bindings that set the same property, once it has been prepared.
  var hash: Int { keyPathHash.load(ordering: .relaxed) &+ reference.identity.hashValue }

  /// Calls the `hash(into:)` of subscript indices; not under a lock.
  func prepareHash() {
    keyPathHash.store(keyPath.hashValue, ordering: .relaxed)
  }

  /// Whether both set the same property of an object that still exists.
  ///
  /// Calls the `==` of a key path; not under a lock.
  func isSame(as other: Binding?) -> Bool {
    guard let other, let object, object === other.object else { return false }
    return isTwoWay == other.isTwoWay && setter == other.setter && keyPath == other.keyPath
  }
}

// MARK: - Ending

extension ObservationToken {
  /// Makes two infos end together: now, if one of them has ended already.
  @usableFromInline
  func pair(with other: ObservationInfo) {
    // At once: another thread may have ended one, bound again, and paired the other one anew, whose
    // partner ends with it then. Pinned by BindingStressTests.
    let isPaired = withStoreLock {
      guard isActive, other.isActive else { return false }
      for (info, partner) in [(self, other), (other, self)] {
        info.registration.binding?.partner = partner
      }
      return true
    }
    if !isPaired { registration.store.end([self, other]) }
  }

  /// The info that ends together with it.
  var partner: ObservationInfo? { withStoreLock { registration.binding?.partner } }

  /// The info of a pair that was registered first; itself if it has no partner.
  @usableFromInline var firstOfPair: ObservationInfo {
    partner.flatMap { $0.serial < serial ? $0 : nil } ?? self
  }
}

// MARK: - Setting

extension Binding {
  /// Whether values are still set.
  var isActive: Bool { info?.isActive ?? false }

  /// Object to be set. Ends the binding if the object has been deallocated.
  var objectOrEnd: AnyObject? {
    if let object { return object }
    info?.invalidate()
    return nil
  }

  /// Sets the property to the value that `make` returns.
  ///
  /// Nothing happens if the binding has ended meanwhile, or if a newer value has been set: `make`
  /// calls the user, who may set the source, and so may another thread during the initial delivery.
  /// Nor does setting the source itself to the value that it has, which would be a change of it.
  ///
  /// - Parameter make: Receives the object to be set, and, where that is the source, the value that
  ///   it has: its change may be out of date, and would be set after the later one.
  @usableFromInline
  func set(by make: (_ target: AnyObject, _ present: ValueBox?) -> ValueBox) {
    guard let object = objectOrEnd else { return }
    let turn = lastTurn.wrappingAdd(1, ordering: .relaxed).newValue
    let value = make(object, isOfItself ? source.box(object) : nil)
    guard isActive, lastTurn.load(ordering: .relaxed) == turn else { return }
    if isOfItself {
      let type: Any.Type = type(of: keyPath).valueType
      if access.box(object).equals(value, by: ValueEquality.forDistinct(of: type)) { return }
    }
    access.set(object, to: value)
  }
}

/// The partner is guarded by the lock of the store, the hash and the turn are atomic, the rest is
/// immutable once it is registered, key paths included.
extension Binding: @unchecked Sendable {}
