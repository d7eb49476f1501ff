import Synchronization

/// The arguments of a call of `observe` that do not depend on types.
@usableFromInline
struct ObservationRequest {
  let keyPath: AnyKeyPath
  @usableFromInline let options: ObservationOptions
  let context: ObservationContext?
  let handlerKind: ObservationDescription.HandlerKind
  let file: String
  let line: UInt

  /// The properties of elements that are followed, where an array is observed as such.
  let elementKeyPaths: [AnyKeyPath]?

  /// Whether it is delivered to before all others; see `ObservationToken.nextEarlySerial`.
  @usableFromInline var isEarly = false

  /// Whether the observed object is held weakly even by a controller that retains.
  var holdsWeakly = false

  var purpose = ObservationPurpose.observation

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
    request.purpose = .oneOfMany
    return request
  }
}

// MARK: - Purpose

/// The purpose of an observation, which distinguishes it from others of the same key path and context.
enum ObservationPurpose {
  /// Calls a handler: registering it again is the same observation.
  case observation

  /// Calls a handler, one of many: registering it again is another observation.
  case oneOfMany

  /// Sets a property: registering it again is the same observation if it sets the same property.
  case binding(BindingTarget)
}

extension ObservationPurpose {
  var isObservation: Bool {
    if case .observation = self { true } else { false }
  }

  var isOneOfMany: Bool {
    if case .oneOfMany = self { true } else { false }
  }

  /// Calls the `==` of a key path; not under a lock.
  func isSame(as other: ObservationPurpose) -> Bool {
    switch (self, other) {
    case (.observation, .observation): true
    case (.binding(let target), .binding(let other)): target.isSame(as: other)
    default: false
    }
  }

  /// Whether it ends as soon as the observer is found to be gone, and does not wait for the
  /// controller's deinit: the loop over a sequence waits for its end.
  var endsWithObserver: Bool { !isObservation }

  /// The property that a binding sets.
  var target: BindingTarget? {
    if case .binding(let target) = self { target } else { nil }
  }

  /// Whether there is nothing left to do: the object to be set is gone.
  var isDone: Bool {
    if case .binding(let target) = self { target.object == nil } else { false }
  }
}

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
  private var partner: ObservationInfo?

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
  func isSame(as other: BindingTarget) -> Bool {
    isTwoWay == other.isTwoWay && isProperty(of: other.object, at: other.keyPath)
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
    request.purpose = .binding(self)
    request.holdsWeakly = holdsWeakly
    return request
  }

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
