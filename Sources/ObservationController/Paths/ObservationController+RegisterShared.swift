extension ObservationController {
  /// Registers an observation of something that other threads may change just now.
  ///
  /// The initial delivery has the value that the first change begins with, and comes before it: what
  /// other threads tell meanwhile waits.
  @usableFromInline
  func registerShared<Object: AnyObject, Value>(
    _ object: Object, _ request: ObservationRequest, at registration: ObservationRegistration,
    _ accesses: PropertyAccesses, isProperty: Bool,
    reading read: @escaping (AnyObject) -> ValueBox,
    prepare: ((ObservationToken) -> Void)?,
    handler: @escaping (Observer, Object, ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    var queued = QueuedHandler(ObservationHandler(handler))
    /// - Parameter pins: Whether a path may be taken for one that reads a single atomic property.
    /// - Returns: `nil` if it was, and is none any more.
    func add(pins: Bool) -> ObservationStore.Registered? {
      let front = ObservationHandler<Observer, Object, Value> { [queued] in
        if !queued.put($2) { handler($0, $1, $2) }
      }
      let path =
        isProperty
        ? nil
        : PathObservation(
          of: object, accesses, request.options, pins: pins,
          isPlain: PlainValue.contains(Value.self), read: read)
      let atomic = isProperty || path?.pinnedSubject != nil ? accesses.only?.atomic : nil
      let info = ObservationInfo(
        registration: registration, root: store.root(for: object, request),
        link: isProperty ? accesses.only.map { SubjectLink($0.subject) } : nil, sink: path,
        kind: isProperty ? [] : .path, handler: front)
      if atomic == nil { path?.prepareToBegin() }
      var registered = store.add(info, of: object, request, reading: atomic) {
        accesses.insert(info)
      }
      guard registered.isNew, let path else { return registered }
      if let value = registered.value {
        registered.value = path.evaluatePinned(object, at: value)
        if registered.value == nil {
          // What has been delivered since waits, and is dropped.
          store.end(info)
          return nil
        }
      } else {
        accesses.waitForChangesUnderWay()
        let next = path.begin(info) { registered.value = $0 }
        var recipient = ObservationRecipient()
        if let next { path.deliver(info, through: next, to: &recipient) }
      }
      return registered
    }
    let registered: ObservationStore.Registered
    if let first = add(pins: true) {
      registered = first
    } else {
      queued = QueuedHandler(ObservationHandler(handler))
      registered = add(pins: false)!  // only a pinned path is misjudged
    }
    let info = registered.info
    guard registered.isNew, let box = registered.value else { return info }
    prepare?(info)
    if request.options.contains(.distinct) {
      // Safe: the value of the key path.
      withExtendedLifetime(box) {
        info.reportMissingEquality(
          of: box.address.assumingMemoryBound(to: Value.self).pointee)
      }
    }
    queued.open(for: info, with: request.options.contains(.initial) ? box : nil)
    return info
  }
}
