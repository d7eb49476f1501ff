import Synchronization

/// The arguments of a call of `observe` that do not depend on types.
@usableFromInline
struct ObservationRequest {
  @usableFromInline let keyPath: AnyKeyPath
  @usableFromInline let options: ObservationOptions
  @usableFromInline let context: ObservationContext?
  let handlerKind: ObservationDescription.HandlerKind
  let file: String
  let line: UInt

  /// The properties of elements that are followed, where an array is observed as such.
  let elementKeyPaths: [AnyKeyPath]?

  /// Whether it is delivered to before all others; see `ObservationToken.nextSerial`.
  @usableFromInline var isEarly = false

  /// Whether the observed object is held weakly even by a controller that retains.
  var holdsWeakly = false

  /// Whether registering it again is another observation: of events, hooks, notifications and sequences.
  var isOneOfMany = false

  /// The property that a binding sets: registering it again is the same observation only if it sets that.
  var target: BindingTarget?

  /// Whether old values are needed even if the options do not ask for them.
  var needsOld = false

  @usableFromInline
  init(
    keyPath: AnyKeyPath, options: ObservationOptions, context: ObservationContext?,
    handlerKind: ObservationDescription.HandlerKind, elementKeyPaths: [AnyKeyPath]? = nil,
    file: String, line: UInt
  ) {
    self.keyPath = keyPath
    self.options = options
    self.context = context
    self.handlerKind = handlerKind
    self.elementKeyPaths = elementKeyPaths
    self.file = file
    self.line = line
  }
}

extension ObservationRequest {
  var isOfArray: Bool { elementKeyPaths != nil }

  /// Whether it calls a handler, and registering it again is the same observation.
  var isUsual: Bool { target == nil && !isOneOfMany }

  /// The request for a part of an observation.
  func part(
    _ keyPath: AnyKeyPath, options: ObservationOptions
  ) -> ObservationRequest {
    ObservationRequest(
      keyPath: keyPath, options: options, context: context, handlerKind: handlerKind,
      file: file, line: line)
  }

  /// A request of which each call is an observation of its own: of events, hooks and notifications.
  @usableFromInline
  static func oneOfMany(
    _ keyPath: AnyKeyPath, context: ObservationContext? = nil,
    handlerKind: ObservationDescription.HandlerKind, file: String, line: UInt
  ) -> ObservationRequest {
    var request = ObservationRequest(
      keyPath: keyPath, options: [], context: context, handlerKind: handlerKind, file: file,
      line: line)
    request.isOneOfMany = true
    return request
  }
}

// MARK: - Bindings

/// The property that a binding sets, which distinguishes it from other bindings.
@usableFromInline
final class BindingTarget {
  /// Held weakly.
  private let reference: WeakReference
  let keyPath: AnyKeyPath

  /// Whether another info, the partner, sets the source in turn.
  let isTwoWay: Bool

  private let keyPathHash = Atomic<Int>(0)

  /// The info that ends with this one. Guarded by the lock of the store; `nil` once it has
  /// ended.
  var partnerLocked: ObservationInfo?

  init(_ object: AnyObject, _ keyPath: AnyKeyPath, isTwoWay: Bool) {
    reference = WeakReference(object)
    self.keyPath = keyPath
    self.isTwoWay = isTwoWay
  }

  /// `nil` once its deinit has begun.
  var object: AnyObject? { reference.object }

  /// Equal for equal targets, once it has been prepared.
  var hash: Int { keyPathHash.load(ordering: .relaxed) &+ reference.identity.hashValue }

  /// Calls the `hash(into:)` of subscript indices; not under a lock.
  func prepareHash() {
    keyPathHash.store(keyPath.hashValue, ordering: .relaxed)
  }

  /// Calls the `==` of a key path; not under a lock.
  func isSame(as other: BindingTarget?) -> Bool {
    guard let other, isTwoWay == other.isTwoWay else { return false }
    return isProperty(of: other.object, at: other.keyPath)
  }

  /// Whether it is this property of an object that still exists. Calls the `==` of a key path; not under a
  /// lock.
  func isProperty(of object: AnyObject?, at keyPath: AnyKeyPath) -> Bool {
    guard let own = self.object, own === object else { return false }
    return self.keyPath == keyPath
  }
}

extension BindingTarget {
  /// The request for the source.
  func request(
    of keyPath: AnyKeyPath, options: ObservationOptions = .initial, holdsWeakly: Bool = false,
    file: String, line: UInt
  ) -> ObservationRequest {
    var request = ObservationRequest(
      keyPath: keyPath, options: options, context: nil, handlerKind: .binding,
      file: file, line: line)
    request.target = self
    request.holdsWeakly = holdsWeakly
    return request
  }
}

/// The partner is guarded by the lock of the store, everything else is immutable, key paths
/// included.
extension BindingTarget: @unchecked Sendable {}
