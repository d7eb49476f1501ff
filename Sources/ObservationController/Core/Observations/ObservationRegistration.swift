import Synchronization

/// The part of an observation info that does not depend on the object: key path, options, context,
/// place.
///
/// Immutable but for caches, so that infos registered in a loop share one, and so that a change
/// which a handler keeps can refer to it without keeping a handler or an object alive.
///
///     ObservedChange ──▶ registration ◀── info        strong
///                         │
///                         └──▶ store ┄┄▶ observer   strong, then weak
@usableFromInline
final class ObservationRegistration {
  @usableFromInline let request: ObservationRequest
  let store: ObservationStore

  /// Number by which diagnostics know the name of the key path; 0 until they need it.
  let name = Atomic<UInt16>(0)

  /// Calls the handlers of the infos, which all have the types of the key path.
  let invoke: ObservationRegistration.Invocation

  /// Whether later calls of `observe` from the same line use it too.
  let isShared: Bool

  /// Whether it is of a token that stands apart from its info, and observes nothing.
  let isOfToken: Bool

  /// Compares two values of the key path's type; `nil` without `.distinct`.
  let areEqual: ValueEquality.Equality?

  /// The last class for whose objects the key path was found to be a property, 0 if none.
  private let propertyOwner = Atomic<UInt>(0)

  /// The hash of the key path; 0 until it has been prepared.
  private let ownKeyPathHash = Atomic<Int>(0)

  /// Whether the key path is a chain of properties: 0 if not known yet, 1 if not, 2 if it is.
  let chain = Atomic<UInt8>(0)

  /// Key paths of the properties that a path has read when it was registered, for its names.
  private let readKeyPaths = LazyReference<Getters>()

  /// The key path of a property, and its class and name, if they are known.
  typealias Getter = (keyPath: AnyKeyPath, name: String?)

  private final class Getters {
    let all: [Getter]
    init(_ all: [Getter]) { self.all = all }
  }

  /// The properties that the path has read first; none of a property of the observed object.
  var getters: [Getter] { readKeyPaths.load()?.all ?? [] }

  func noteGetters(of accesses: PropertyAccesses) {
    guard readKeyPaths.load() == nil else { return }
    _ = readKeyPaths.storeIfNil(
      Getters(accesses.all.compactMap { access in access.keyPath.map { ($0, access.name) } }))
  }

  /// - Parameters:
  ///   - valueType: The type of the values that `.distinct` compares.
  ///   - invoke: Calls handlers of the types of `request`.
  @usableFromInline
  init(
    store: ObservationStore, request: consuming ObservationRequest,
    valueType: Any.Type = Any.self, invoke: @escaping ObservationRegistration.Invocation,
    isShared: Bool = false, isOfToken: Bool = false
  ) {
    (self.isShared, self.isOfToken) = (isShared, isOfToken)
    areEqual = request.options.contains(.distinct) ? ValueEquality.forDistinct(of: valueType) : nil
    self.store = store
    self.request = request
    self.invoke = invoke
  }

  /// That of a token that stands apart from an info of `other`.
  convenience init(tokenOf other: ObservationRegistration) {
    self.init(
      store: other.store,
      request: ObservationRequest(
        KeyPathAccess(naming: \Void.self), file: other.file, line: other.line),
      invoke: { _, _, _, _, _ in }, isOfToken: true)
  }

  @inlinable var keyPath: AnyKeyPath { request.keyPath }
  @inlinable var context: ObservationContext? { request.context }
  @inlinable var options: ObservationOptions { request.options }
  var handlerKind: ObservationDescription.HandlerKind { request.handlerKind }
  var file: String { request.file }
  var line: UInt { request.line }
  var place: String { request.place }

  /// Whether both were registered by the same line of code.
  func hasPlace(of other: ObservationRegistration) -> Bool {
    line == other.line && file == other.file
  }

  /// The property that a binding sets.
  @usableFromInline var binding: Binding? { request.binding }

  /// Whether an info ends as soon as its observer is found to be gone, and does not wait for the
  /// controller's deinit: the loop over a sequence waits for its end.
  var endsWithObserver: Bool { binding != nil || request.isOneOfMany }

  /// How an object is held: weakly if the controller does not retain, if the request asks for it,
  /// and if it is the observer, which owns the controller and would never be deallocated.
  func root(for object: AnyObject) -> ObservationInfo.Root {
    store.retainsObserved && !request.holdsWeakly
      && ObjectIdentifier(object) != store.observerIdentity
      ? .retained(object) : .unretained(WeakReference(object))
  }

  /// Reports an issue of this key path and place in the source.
  func report(
    _ kind: (AnyKeyPath, _ file: String, _ line: UInt) -> ObservationIssue,
    about info: ObservationInfo? = nil
  ) {
    ObservationDispatcher.report(kind(keyPath, file, line), about: info)
  }

  /// Whether the key path was found to be a property of another object of the same class.
  func isKnownProperty(of object: AnyObject) -> Bool {
    propertyOwner.load(ordering: .relaxed) == UInt(bitPattern: ObjectIdentifier(type(of: object)))
  }

  /// Whether the key path was found to be a property of some object, and so captures nothing.
  var isKnownProperty: Bool { propertyOwner.load(ordering: .relaxed) != 0 }

  /// Whether the key path is known to capture nothing: a property, or a chain of properties.
  var capturesNothing: Bool { isKnownProperty || chain.load(ordering: .relaxed) == 2 }

  /// Remembers that the key path is a property of objects of this class.
  func knowProperty(of object: AnyObject) {
    propertyOwner.store(UInt(bitPattern: ObjectIdentifier(type(of: object))), ordering: .relaxed)
  }

  /// Hashes the key paths for `InfoIndex`. Calls the `hash(into:)` of subscript indices; not under
  /// a lock.
  func prepareHash() {
    guard keyPathHash == nil else { return }
    binding?.prepareHash()
    ownKeyPathHash.store(Self.hash(of: keyPath), ordering: .releasing)
  }

  /// `nil` until it has been prepared.
  var keyPathHash: Int? {
    let hash = ownKeyPathHash.load(ordering: .acquiring)
    return hash == 0 ? nil : hash
  }

  /// Never 0. Not under a lock.
  static func hash(of keyPath: AnyKeyPath) -> Int { keyPath.hashValue | 1 }

  /// Whether both are for the same observation of an object.
  ///
  /// Calls the `==` of a key path; not under a lock.
  func isSame(as other: ObservationRegistration) -> Bool {
    guard context == other.context, !request.isOneOfMany, !other.request.isOneOfMany,
      keyPath == other.keyPath
    else { return false }
    return binding?.isSame(as: other.binding) ?? (other.binding == nil)
  }
}

/// Everything is immutable, key paths included, or atomic, or locked. `invoke` and `areEqual`
/// capture nothing but types, and the closure of the access nothing but its key path.
extension ObservationRegistration: @unchecked Sendable {}

/// The arguments of a call of `observe`, without their types.
@usableFromInline
struct ObservationRequest {
  /// The key path, which is read of a property or a path, and not of arrays, events and
  /// notifications.
  @usableFromInline let access: KeyPathAccess

  @usableFromInline let options: ObservationOptions
  @usableFromInline let context: ObservationContext?
  let handlerKind: ObservationDescription.HandlerKind

  /// Cause of a delivery: a change, unless the request names no property.
  let cause: ObservationDispatcher.DeliveryCause

  let file: String
  let line: UInt

  /// Whether it is delivered to before all others; see `ObservationToken.serial`.
  @usableFromInline var isEarly = false

  /// Whether the getter of the value is what observes, see `AutorunPath`.
  @usableFromInline var isAutorun = false

  /// Whether the observed object is held weakly even by a controller that retains.
  var holdsWeakly = false

  /// Whether the observation keeps the elements of an array as they were delivered last, so that
  /// edits need not keep those before.
  @usableFromInline var keepsElements = false

  /// Whether registering it again is another observation: of events, hooks, notifications and
  /// sequences.
  let isOneOfMany: Bool

  /// The binding that this is for: registering it again is the same observation only if it sets the
  /// same property.
  var binding: Binding?

  /// Whether old values are needed even if the options do not ask for them.
  let needsOld: Bool

  /// - Parameter coalescing: Joins changes, which have no prior deliveries then.
  @usableFromInline
  init(
    _ access: KeyPathAccess, options: ObservationOptions = [], context: ObservationContext? = nil,
    handlerKind: ObservationDescription.HandlerKind = .block,
    cause: ObservationDispatcher.DeliveryCause = .change, isOneOfMany: Bool = false,
    coalescing: ObservationCoalescing = .none, file: String, line: UInt
  ) {
    let isCoalescing = coalescing != .none
    self.access = access
    self.options = isCoalescing ? options.subtracting(.prior) : options
    needsOld = isCoalescing && options.contains(.distinct)
    self.context = context
    self.handlerKind = handlerKind
    self.cause = cause
    self.isOneOfMany = isOneOfMany || cause != .change
    self.file = file
    self.line = line
  }
}

extension ObservationRequest {
  @inlinable var keyPath: AnyKeyPath { access.keyPath }

  /// The place in the source, in words.
  var place: String { "\(file):\(line)" }

  /// Name of the notification that it is of, if it is of one.
  var notification: ObservationContext? { cause == .notification ? context : nil }

  /// The request for a part of an observation.
  func part(
    _ access: KeyPathAccess, options: ObservationOptions
  ) -> ObservationRequest {
    ObservationRequest(
      access, options: options, context: context, handlerKind: handlerKind, file: file, line: line)
  }
}
