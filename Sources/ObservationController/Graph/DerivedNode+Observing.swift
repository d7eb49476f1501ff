/// The subject of a derived property, and how it comes to be notified.
extension DerivedNode {
  /// Has the property notify its own subject from now on.
  ///
  /// - Returns: Where to register an observation, as for a stored property. `nil` if the object has begun to
  ///   go, or if other threads may change the value: it is followed as a path then.
  func prepareToBeObserved() -> Subject? {
    guard node.vertex.pointee.graph.load(ordering: .acquiring) != nil,
      let owner = node.pointee.owner, let value = settledValue(of: owner),
      node.state & NodeState.shared == 0
    else { return nil }
    let subject = observedSubject ?? makeSubject(of: owner)
    subject.derived?.prepare(value, isFirst: !subject.isObserved)
    return subject
  }

  /// Whether `keyPath` is that of the property, and leads from `object`. See `PropertyAccess.isProperty`.
  func isProperty(of object: AnyObject, at keyPath: AnyKeyPath) -> Bool {
    node.pointee.ownerBits.load(ordering: .relaxed) == UInt(bitPattern: ObjectIdentifier(object))
      && type(of: keyPath).rootType == type(of: object) && self.keyPath == keyPath
  }

  private func makeSubject(of owner: AnyObject) -> Subject {
    let new = Subject(owner: owner, derived: DerivedTurn(self, of: owner))
    let opaque = Unmanaged.passRetained(new).toOpaque()
    let (isMine, other) = storedSubject.compareExchange(
      expected: nil, desired: opaque, ordering: .acquiringAndReleasing)
    guard !isMine, let other else { return new }
    Unmanaged<Subject>.fromOpaque(opaque).release()
    // Retained by the other thread, until the deinit.
    return Unmanaged<Subject>.fromOpaque(other).takeUnretainedValue()
  }

  /// The subject of the property; `nil` before it is first observed.
  var observedSubject: Subject? {
    storedSubject.load(ordering: .acquiring).map {
      // Retained by `makeSubject`, until the deinit.
      Unmanaged<Subject>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Ends what observes the property, whose object is being deallocated.
  func endObservations() {
    guard let subject = storedSubject.load(ordering: .acquiring) else { return }
    let reference = Unmanaged<Subject>.fromOpaque(subject)
    reference._withUnsafeGuaranteedRef { $0.endInfos() }
    reference.release()
  }

  /// Has marking collect the property as long as somebody observes it.
  func changeObservers(by count: Int32) {
    let lock = node.vertex.lockGraph()
    node.pointee.observers += count
    let state = node.state
    node.setState(
      node.pointee.observers > 0 ? state | NodeState.observed : state & ~NodeState.observed)
    lock?.unlock()
  }

  /// Has `subject`, that of the property, wait while something is mutated in place that the value depends
  /// on.
  ///
  /// - Returns: `false` if nothing is.
  /// - Complexity: O(1) where nothing at all is being mutated that a derived value has read, otherwise O(n) in
  ///   what lies behind the value.
  func postponeDuringMutation(_ subject: Subject) -> Bool {
    lockDuringMutation { $0.pointee.postponed.append(subject) }
  }

  /// Whether something is mutated in place that the value depends on.
  var dependsOnMutation: Bool { lockDuringMutation { _ in } }

  private func lockDuringMutation(_ body: (GraphLock.Reference) -> Void) -> Bool {
    guard let graph = node.vertex.pointee.graph.load(ordering: .acquiring),
      graph.root.pointee.mutations.load(ordering: .relaxed) > 0,
      let lock = node.vertex.lockGraph()
    else { return false }
    defer { lock.unlock() }
    var isMutating = false
    visitSources {
      isMutating = isMutating || $0.pointee.state.load(ordering: .relaxed) & NodeState.mutating != 0
    }
    if isMutating { body(lock) }
    return isMutating
  }

  /// The value as it is now, with no lock held.
  ///
  /// - Returns: `nil` if it is being computed.
  func settledValue(of owner: AnyObject) -> DerivedTurn.Value? {
    AccessTracker.withoutTracking {
      let access = readUnrecorded(of: owner, ThreadCell.own)
      defer { access.end() }
      guard access.kind == .value, let slot else { return nil }
      return DerivedTurn.Value(box: copy(slot), version: access.version)
    }
  }

  /// The version of the value as it is now, with no lock held; `nil` if it is being computed.
  func settledVersion(of owner: AnyObject) -> UInt32? {
    AccessTracker.withoutTracking {
      let access = readUnrecorded(of: owner, ThreadCell.own)
      defer { access.end() }
      return access.kind == .value ? access.version : nil
    }
  }

  /// Compares two values, with no lock held.
  func areEqual(_ old: UnsafeRawPointer, _ new: UnsafeRawPointer) -> Bool {
    AccessTracker.withoutTracking { compare(old, new, self) }
  }
}
