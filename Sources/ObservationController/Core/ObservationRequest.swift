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

  /// Whether registering it again is another observation: of events, hooks, notifications and
  /// sequences.
  var isOneOfMany = false

  /// The binding that this is for: registering it again is the same observation only if it sets the
  /// same property.
  var binding: Binding?

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
  var isUsual: Bool { binding == nil && !isOneOfMany }

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
