import Synchronization

/// What was registered, and where: all of an observation info that does not depend on the object.
///
/// Immutable but for what it remembers, so that infos registered in a loop share one, and so that a change which a user
/// keeps can refer to it without keeping a handler or an object alive.
///
///     ObservedChange ──▶ site ◀── info        strong
///                         │
///                         └──▶ registry ┄┄▶ observer   strong, then weak
@usableFromInline
final class ObservationSite {
  @usableFromInline let keyPath: AnyKeyPath
  @usableFromInline let context: ObservationContext?
  let registry: ObservationRegistry
  let file: String
  let line: UInt
  @usableFromInline let options: ObservationOptions
  let handlerKind: ObservationDescription.HandlerKind

  /// What the key path is called, once a trace has asked; see `PropertyNames`. Here it fills a gap.
  let name = Atomic<PropertyNames.Number>(0)

  /// The properties of elements that are followed, where an array is observed as such.
  let elementKeyPaths: [AnyKeyPath]?

  let purpose: ObservationPurpose

  /// See `ObservationRegistration`.
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
    registry: ObservationRegistry, registration: ObservationRegistration,
    invoke: @escaping ObservationInvocation, read: ObservationReading? = nil,
    areEqual: Equality? = nil
  ) {
    self.read = read
    self.registry = registry
    self.keyPath = registration.keyPath
    self.context = registration.context
    self.options = registration.options
    self.handlerKind = registration.handlerKind
    self.elementKeyPaths = registration.elementKeyPaths
    self.purpose = registration.purpose
    self.needsOld = registration.needsOld
    self.file = registration.file
    self.line = registration.line
    self.invoke = invoke
    self.areEqual = areEqual
  }

  /// Whether the same line of code registered the same thing before.
  func matches(_ registration: ObservationRegistration) -> Bool {
    // Identity, not `==`: a literal in a loop is one object, and comparing the components of key
    // paths would cost more than a site of its own.
    keyPath === registration.keyPath && line == registration.line
      && options == registration.options && handlerKind == registration.handlerKind
      && context == registration.context && file == registration.file
      && hasSameElements(as: registration) && purpose.isObservation
      && registration.purpose.isObservation && needsOld == registration.needsOld
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
  private func hasSameElements(as registration: ObservationRegistration) -> Bool {
    guard let elementKeyPaths else { return !registration.isOfArray }
    return registration.elementKeyPaths?.elementsEqual(elementKeyPaths, by: ===) ?? false
  }

  /// Whether this is what another registration of the same key path and context asks for.
  ///
  /// Calls the `==` of a key path; not under a lock.
  func isSame(as registration: ObservationRegistration) -> Bool {
    context == registration.context && (elementKeyPaths != nil) == registration.isOfArray
      && !registration.purpose.isOneOfMany && keyPath == registration.keyPath
      && purpose.isSame(as: registration.purpose)
  }
}

/// Everything is immutable, key paths included, or atomic, or guarded as `BindingTarget` says; the closures
/// capture nothing but types.
extension ObservationSite: @unchecked Sendable {}

/// The arguments of a call of `observe` that do not depend on types.
@usableFromInline
struct ObservationRegistration {
  let keyPath: AnyKeyPath
  @usableFromInline let options: ObservationOptions
  let context: ObservationContext?
  let handlerKind: ObservationDescription.HandlerKind
  let file: String
  let line: UInt

  /// See `ObservationSite`.
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

extension ObservationRegistration {
  var isOfArray: Bool { elementKeyPaths != nil }

  /// The same for a part of what was registered.
  func part(
    _ keyPath: AnyKeyPath, options: ObservationOptions
  ) -> ObservationRegistration {
    ObservationRegistration(
      keyPath: keyPath, options: options, context: context, handlerKind: handlerKind,
      file: file, line: line)
  }
}
