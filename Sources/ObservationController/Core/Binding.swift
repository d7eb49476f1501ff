import Synchronization

/// One direction of a binding: the property that it sets, and the observation of its source.
///
///     info ──▶ registration ──▶ binding ──▶ info, partner     strong, until the observation ends
///                                  └┄┄▶ object                weak
///
/// A two-way binding consists of two directions, whose observations end together.
@usableFromInline
final class Binding {
  private let reference: WeakReference

  /// The property that is set.
  @usableFromInline let access: KeyPathAccess

  /// Whether another info sets the source in turn: the partner.
  let isTwoWay: Bool

  /// Whether the source is the property that is set.
  @usableFromInline let isOfItself: Bool

  struct State {
    /// The observation of the source; `nil` before it is registered, and after its end.
    var info: ObservationInfo?

    /// The observation that ends together with `info`.
    var partner: ObservationInfo?
  }

  /// Taken under the lock of the store, too.
  private let state = Locked(State())

  /// Set with the end of both observations.
  private let hasEnded = Atomic(false)

  private let keyPathHash = Atomic<Int>(0)

  /// Counts the values that have been made, to notice newer ones.
  private let lastTurn = Atomic<UInt64>(0)

  @usableFromInline
  init(
    to object: AnyObject, _ access: KeyPathAccess, of source: AnyObject,
    _ sourceAccess: KeyPathAccess, isTwoWay: Bool = false
  ) {
    reference = WeakReference(object)
    self.access = access
    self.isTwoWay = isTwoWay
    isOfItself = object === source && access.keyPath == sourceAccess.keyPath
  }

  /// Request for the observation of the source.
  @usableFromInline
  func request(
    of access: KeyPathAccess, options: ObservationOptions = .initial, holdsWeakly: Bool = false,
    file: String, line: UInt
  ) -> ObservationRequest {
    var request = ObservationRequest(
      access, options: options, handlerKind: .binding, file: file, line: line)
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
    return isTwoWay == other.isTwoWay && keyPath == other.keyPath
  }
}

// MARK: - Ending

extension Binding {
  /// Whether values are still set; also before the observation of the source is known.
  @usableFromInline
  var isActive: Bool { !hasEnded.load(ordering: .acquiring) }

  /// Receives the observation of the source, before its initial delivery.
  @usableFromInline
  func begin(_ info: ObservationInfo) {
    state.withLock { $0.info = info }
    // Another thread may have ended it before it was known here.
    if !info.isActive { withExtendedLifetime(takeInfos()) {} }
  }

  /// Forgets both observations when one of them ends.
  ///
  /// - Returns: What has to be released outside of the store's lock.
  func takeInfos() -> State? {
    state.withLock { state in
      guard state.info != nil else { return nil }
      defer {
        state = State()
        hasEnded.store(true, ordering: .releasing)
      }
      return state
    }
  }

  var partner: ObservationInfo? {
    get { state.withLock { $0.partner } }
    set { state.withLock { $0.partner = newValue } }
  }
}

extension ObservationStore {
  /// Makes two infos end together: now, if one of them has ended already.
  @usableFromInline
  func pair(_ first: ObservationInfo, _ second: ObservationInfo) {
    let isPaired = state.withLock { _ in
      guard first.isActive, second.isActive else { return false }
      first.registration.binding?.partner = second
      second.registration.binding?.partner = first
      return true
    }
    if !isPaired { end([first, second]) }
  }

  /// The info of a pair that was registered first; `info` itself if it has no partner.
  @usableFromInline
  func first(ofPairWith info: ObservationInfo) -> ObservationInfo {
    guard let partner = info.registration.binding?.partner, partner.serial < info.serial
    else { return info }
    return partner
  }
}

// MARK: - Setting

extension Binding {
  /// Object to be set. Ends the binding if the object has been deallocated.
  @usableFromInline
  var objectOrEnd: AnyObject? {
    if let object { return object }
    state.withLock { $0.info }?.invalidate()
    return nil
  }

  /// Sets the property to the value that `make` returns.
  ///
  /// Nothing happens if the binding has ended meanwhile, or if a newer value has been set: `make`
  /// calls the user, who may set the source, and so may another thread during the initial delivery.
  @inlinable
  func set<Value>(by make: (AnyObject) -> Value) {
    guard let object = objectOrEnd else { return }
    let turn = nextTurn()
    let value = make(object)
    guard isCurrent(turn), !isOfItself || !isSettled(value, of: object) else { return }
    access.set(object, to: value)
  }

  @usableFromInline
  func nextTurn() -> UInt64 { lastTurn.wrappingAdd(1, ordering: .relaxed).newValue }

  @usableFromInline
  func isCurrent(_ turn: UInt64) -> Bool { isActive && lastTurn.load(ordering: .relaxed) == turn }

  /// Whether setting the property to `value` would change nothing, where setting it is a change of
  /// the source, which sets it again.
  @usableFromInline
  func isSettled<Value>(_ value: Value, of object: AnyObject) -> Bool {
    withUnsafePointer(to: value) { value in
      access.box(object)?.withAddress {
        ValueEquality.forDistinct(of: Value.self)(value, $0)
      } ?? false
    }
  }
}

/// The state is locked, the hash and the turn are atomic, the rest is immutable, key paths
/// included.
extension Binding: @unchecked Sendable {}
