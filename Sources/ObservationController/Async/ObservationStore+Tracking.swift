extension ObservationStore {
  /// Registers an observation of what Observation tracks, and sends the current value.
  ///
  /// - Parameter actor: The isolation that this is called in.
  func addTracked<Object: AnyObject, Value: Sendable>(
    _ object: Object, _ keyPath: KeyPath<Object, Value>, _ request: ObservationRequest,
    on actor: any Actor, sendingTo source: StreamSource<Value>
  ) -> ObservationInfo {
    let info = ObservationInfo(
      registration: registration(
        for: request, valueType: Value.self, invoke: TrackedReader<Object, Value>.invocation),
      root: root(for: object, request), handler: nil)
    let reader = TrackedReader(keyPath, of: info, on: actor, sendingTo: source)
    // Nobody else knows the info yet.
    info.handler = reader
    _ = add(info, of: object, request)
    reader.read()
    return info
  }
}
