import Synchronization

/// The property that a binding sets, by which it is told apart from others.
@usableFromInline
final class BindingTarget {
  /// Held weakly.
  private let reference: WeakReference
  let keyPath: AnyKeyPath

  /// Whether another info sets the source in turn: its partner.
  let isTwoWay: Bool

  private let keyPathHash = Atomic<Int>(0)

  /// The info that ends with this one. Guarded by the lock of the store; `nil` once it has
  /// ended.
  private var partner: ObservationInfo?

  init(_ object: AnyObject, _ keyPath: AnyKeyPath, isTwoWay: Bool) {
    reference = WeakReference(object)
    self.keyPath = keyPath
    self.isTwoWay = isTwoWay
  }

  /// `nil` once it has begun to go.
  var object: AnyObject? { reference.object }

  /// The same for targets that are the same, once it has been prepared.
  var hash: Int { keyPathHash.load(ordering: .relaxed) &+ reference.identity.hashValue }

  /// Calls the `hash(into:)` of subscript indices; not under a lock.
  func prepareHash() {
    keyPathHash.store(keyPath.hashValue, ordering: .relaxed)
  }

  /// Calls the `==` of a key path; not under a lock.
  func isSame(as other: BindingTarget) -> Bool {
    isTwoWay == other.isTwoWay && isProperty(of: other.object, at: other.keyPath)
  }

  /// Whether it is this property of an object that is still there. Likewise.
  func isProperty(of object: AnyObject?, at keyPath: AnyKeyPath) -> Bool {
    guard let own = self.object, own === object else { return false }
    return self.keyPath == keyPath
  }
}

extension BindingTarget {
  /// What to register for the source.
  func request(
    of keyPath: AnyKeyPath, options: ObservationOptions = .initial, holdsWeakly: Bool = false,
    file: String, line: UInt
  ) -> ObservationRequest {
    var request = ObservationRequest(
      keyPath: keyPath, options: options, context: nil, handlerKind: .binding,
      file: file, line: line)
    request.purpose = .binding(self)
    request.holdsWeakly = holdsWeakly
    return request
  }
}

// MARK: - The partner

extension BindingTarget {
  var partnerLocked: ObservationInfo? { partner }

  func setPartnerLocked(_ info: ObservationInfo) {
    partner = info
  }

  func takePartnerLocked() -> ObservationInfo? {
    defer { partner = nil }
    return partner
  }
}

/// The partner is guarded by the lock of the store, everything else is immutable, key paths
/// included.
extension BindingTarget: @unchecked Sendable {}
