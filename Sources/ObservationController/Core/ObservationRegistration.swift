import Synchronization

/// What was registered, and where: all of an observation info that does not depend on the object.
///
/// Immutable but for what it remembers, so that infos registered in a loop share one, and so that a change which a user
/// keeps can refer to it without keeping a handler or an object alive.
///
///     ObservedChange ──▶ registration ◀── info        strong
///                         │
///                         └──▶ store ┄┄▶ observer   strong, then weak
@usableFromInline
final class ObservationRegistration {
  @usableFromInline let keyPath: AnyKeyPath
  @usableFromInline let context: ObservationContext?
  let store: ObservationStore
  let file: String
  let line: UInt
  @usableFromInline let options: ObservationOptions
  let handlerKind: ObservationDescription.HandlerKind

  /// Number by which diagnostics know the name of the key path; 0 until they need it.
  let name = Atomic<UInt16>(0)

  /// The properties of elements that are followed, where an array is observed as such.
  let elementKeyPaths: [AnyKeyPath]?

  let purpose: ObservationPurpose

  /// See `ObservationRequest`.
  let needsOld: Bool

  /// Calls the handlers registered here, which all have the types of the key path.
  let invoke: ObservationInvocation

  /// Reads the key path; `nil` for what is no property.
  let read: ObservationReading?

  /// Compares two values of the key path's type; set for `.distinct` alone.
  let areEqual: Equality?

  /// The last class for whose objects the key path was found to be a property, 0 if none.
  private let propertyOwner = Atomic<UInt>(0)

  /// The hash of the key path; 0 until somebody needs it.
  private let ownKeyPathHash = Atomic<Int>(0)

  /// Whether the key path is a chain of properties: 0 if not known yet, 1 if not, 2 if it is.
  private let chain = Atomic<UInt8>(0)

  typealias Equality = (UnsafeRawPointer, UnsafeRawPointer) -> Bool

  init(
    store: ObservationStore, request: ObservationRequest,
    invoke: @escaping ObservationInvocation, read: ObservationReading? = nil,
    areEqual: Equality? = nil
  ) {
    self.read = read
    self.store = store
    self.keyPath = request.keyPath
    self.context = request.context
    self.options = request.options
    self.handlerKind = request.handlerKind
    self.elementKeyPaths = request.elementKeyPaths
    self.purpose = request.purpose
    self.needsOld = request.needsOld
    self.file = request.file
    self.line = request.line
    self.invoke = invoke
    self.areEqual = areEqual
  }

  /// Whether the same line of code registered the same thing before.
  func matches(_ request: ObservationRequest) -> Bool {
    // Identity, not `==`: a literal in a loop is one object, and comparing the components of key
    // paths would cost more than a registration of its own.
    keyPath === request.keyPath && line == request.line
      && options == request.options && handlerKind == request.handlerKind
      && context == request.context && file == request.file
      && hasSameElements(as: request) && purpose.isObservation
      && request.purpose.isObservation && needsOld == request.needsOld
  }

  /// Whether the key path was found to be a property of another object of the same class.
  func isKnownProperty(of object: AnyObject) -> Bool {
    propertyOwner.load(ordering: .relaxed) == Self.bits(of: object)
  }

  /// Remembers that it is.
  func knowProperty(of object: AnyObject) {
    propertyOwner.store(Self.bits(of: object), ordering: .relaxed)
  }

  /// Whether the key path is one property after the other, from `root`. Remembered: to find out takes as
  /// long as the rest of a registration.
  func isChain(_ accesses: PropertyAccesses, from root: AnyObject) -> Bool {
    let known = chain.load(ordering: .relaxed)
    guard known == 0 else { return known == 2 }
    let isChain = accesses.areChain(at: keyPath, from: root)
    chain.store(isChain ? 2 : 1, ordering: .relaxed)
    return isChain
  }

  /// Hashes what `InfoIndex` finds infos by. Calls the `hash(into:)` of subscript indices; not under a lock.
  func prepareHash() {
    guard keyPathHash == nil else { return }
    purpose.target?.prepareHash()
    ownKeyPathHash.store(Self.hash(of: keyPath), ordering: .releasing)
  }

  /// `nil` until it has been prepared.
  var keyPathHash: Int? {
    let hash = ownKeyPathHash.load(ordering: .acquiring)
    return hash == 0 ? nil : hash
  }

  /// Never 0. Not under a lock.
  static func hash(of keyPath: AnyKeyPath) -> Int {
    let hash = keyPath.hashValue
    return hash == 0 ? 1 : hash
  }

  /// Tells classes apart.
  private static func bits(of object: AnyObject) -> UInt {
    UInt(bitPattern: ObjectIdentifier(type(of: object)))
  }

  @inline(__always)
  private func hasSameElements(as request: ObservationRequest) -> Bool {
    guard let elementKeyPaths else { return !request.isOfArray }
    return request.elementKeyPaths?.elementsEqual(elementKeyPaths, by: ===) ?? false
  }

  /// Whether this is what another registration of the same key path and context asks for.
  ///
  /// Calls the `==` of a key path; not under a lock.
  func isSame(as request: ObservationRequest) -> Bool {
    context == request.context && (elementKeyPaths != nil) == request.isOfArray
      && !request.purpose.isOneOfMany && keyPath == request.keyPath
      && purpose.isSame(as: request.purpose)
  }
}

/// Everything is immutable, key paths included, or atomic, or guarded as `BindingTarget` says; the closures
/// capture nothing but types.
extension ObservationRegistration: @unchecked Sendable {}

/// The arguments of a call of `observe` that do not depend on types.
@usableFromInline
struct ObservationRequest {
  let keyPath: AnyKeyPath
  @usableFromInline let options: ObservationOptions
  let context: ObservationContext?
  let handlerKind: ObservationDescription.HandlerKind
  let file: String
  let line: UInt

  /// See `ObservationRegistration`.
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

  /// The same for a part of what was registered.
  func part(
    _ keyPath: AnyKeyPath, options: ObservationOptions
  ) -> ObservationRequest {
    ObservationRequest(
      keyPath: keyPath, options: options, context: context, handlerKind: handlerKind,
      file: file, line: line)
  }
}
