extension ObservationRegistry {
  /// Registers an observation of what Observation tracks, and sends the current value.
  ///
  /// - Parameter actor: The isolation that this is called in.
  func addTracked<Object: AnyObject, Value: Sendable>(
    _ object: Object, _ keyPath: KeyPath<Object, Value>, _ registration: ObservationRegistration,
    on actor: any Actor, sendingTo source: StreamSource<Value>
  ) -> ObservationInfo {
    // A subject of its own, by which the info is ended as any other, and which never delivers.
    let subject = Subject()
    let info = ObservationInfo(
      site: site(
        for: registration, valueType: Value.self, invoke: TrackedReader<Object, Value>.invocation),
      root: root(for: object, registration), link: SubjectLink(subject), handler: nil)
    let reader = TrackedReader(keyPath, of: info, on: actor, sendingTo: source, subject: subject)
    // Nobody else knows the info yet.
    info.handler = reader
    _ = add(info, of: object, registration) { subject.insert(info) }
    reader.read()
    return info
  }
}
