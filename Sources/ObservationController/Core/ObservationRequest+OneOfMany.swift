extension ObservationRequest {
  /// For observations of which each is another one: of events, hooks and notifications.
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
