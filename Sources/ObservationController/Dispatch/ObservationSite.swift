/// What was registered, and where: all of an observation info that does not depend on the object.
///
/// Immutable, so that infos registered in a loop share one, and so that a change which a user
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
  let options: ObservationOptions
  let handlerKind: ObservationDescription.HandlerKind

  /// Calls the handlers registered here, which all have the types of the key path.
  let invoke: ObservationInvocation

  /// Compares two values of the key path's type; set for `.distinct` alone.
  let areEqual: Equality?

  typealias Equality = (UnsafeRawPointer, UnsafeRawPointer) -> Bool

  init(
    registry: ObservationRegistry, registration: ObservationRegistration,
    invoke: @escaping ObservationInvocation, areEqual: Equality?
  ) {
    self.registry = registry
    self.keyPath = registration.keyPath
    self.context = registration.context
    self.options = registration.options
    self.handlerKind = registration.handlerKind
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
  }
}

/// Everything is immutable, key paths included; the closures capture nothing but types.
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

  @usableFromInline
  init(
    keyPath: AnyKeyPath, options: ObservationOptions, context: ObservationContext?,
    handlerKind: ObservationDescription.HandlerKind, file: String, line: UInt
  ) {
    self.keyPath = keyPath
    self.options = options
    self.context = context
    self.handlerKind = handlerKind
    self.file = file
    self.line = line
  }
}
