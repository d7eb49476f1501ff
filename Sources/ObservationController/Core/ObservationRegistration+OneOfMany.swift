extension ObservationRegistration {
  /// For observations of which each is another one: of events, hooks and notifications.
  @usableFromInline
  static func oneOfMany(
    _ keyPath: AnyKeyPath, context: ObservationContext? = nil,
    handlerKind: ObservationDescription.HandlerKind, file: String, line: UInt
  ) -> ObservationRegistration {
    var registration = ObservationRegistration(
      keyPath: keyPath, options: [], context: context, handlerKind: handlerKind, file: file,
      line: line)
    registration.purpose = .oneOfMany
    return registration
  }
}
