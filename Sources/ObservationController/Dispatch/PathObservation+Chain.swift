/// Paths whose value is that of their last property; see `PlainChain`.
extension PathObservation {
  /// A property that is being changed, and its value before or after that.
  struct ChangingProperty {
    /// Not retained: its object is alive while the setter runs, and holds it.
    private let reference: Unmanaged<Subject>

    /// Where the value is; valid while the setter runs.
    let value: UnsafeRawPointer

    /// How often the property had changed by then. Every change of a property counts that a path reads.
    private let stamp: UInt32

    init(_ subject: Subject, value: UnsafeRawPointer) {
      (reference, self.value) = (.passUnretained(subject), value)
      stamp = subject.stamp.load(ordering: .relaxed)
    }

    var identity: ObjectIdentifier { reference._withUnsafeGuaranteedRef { ObjectIdentifier($0) } }

    /// Whether the property still has this value, or prior handlers and getters have set it since.
    var isCurrent: Bool {
      reference._withUnsafeGuaranteedRef { $0.stamp.load(ordering: .relaxed) == stamp }
    }

    func isOn(_ link: SubjectLink) -> Bool {
      reference._withUnsafeGuaranteedRef { link.isTo($0) }
    }
  }

  /// What is known of a path before it is evaluated after a change.
  enum Knowledge {
    case nothing

    /// The change is the only one, of the last property of a proven chain: its value is the path's.
    case isOfLeaf

    /// The same of another property.
    case isOfLink
  }

  /// Evaluates the path after a change of `property`.
  ///
  /// - Returns: `nil` if the observation or its object has ended.
  func evaluate(
    _ info: ObservationInfo, after property: ChangingProperty?, _ known: Knowledge
  ) -> ValueBox? {
    guard let chain else { return readAndRehook(info) }
    if let property, known == .isOfLeaf { return info.isActive ? chain.box(property.value) : nil }
    guard let value = readAndRehook(info) else { return nil }
    let registry = info.site.registry
    if known == .isOfLink, let property,
      registry.hasTried(toProve: info, by: self, chain, after: property)
    {
      return value
    }
    // What could not be proven after the last change of a link can't be now.
    if let property, registry.isLast(property, of: self) { return value }
    prove(info)
    return value
  }

  /// Finds out whether the value of the path is that of its last property. What changes the path from
  /// then on either is that property, or has it evaluated, and comes by here again.
  func prove(_ info: ObservationInfo) {
    let registry = info.site.registry
    guard let chain, let root = registry.object(of: info),
      let owners = chain.owners(from: root)
    else { return }
    registry.prove(info, by: self, owners: owners)
  }

  /// Tells of a change of the last property without evaluating the path or copying the new value.
  ///
  /// - Returns: `false` if it was another change, or not the only one, or has to wait.
  func deliverLeaf(
    _ info: ObservationInfo, of property: ChangingProperty, id: UInt64,
    to recipient: inout ObservationRecipient
  ) -> Bool {
    guard chain != nil, info.site.areEqual == nil else { return false }
    do {
      // Let go of before what comes next.
      var old: ValueBox?
      let isItsTurn = state.withLock { state in
        guard state.isOnlyChange(of: property), state.takeTurn(through: id) else { return false }
        old = state.old.take()
        state.close()
        return true
      }
      guard isItsTurn else { return false }
      deliver(info, old: old, newAt: property.value, to: &recipient)
    }
    deliverReached(info, rounds: 1, to: &recipient)
    return true
  }
}

extension PathObservation.State {
  /// Whether only this change is open, of the last property of a proven chain, and nothing has changed
  /// since it began.
  func isOnlyChange(of property: PathObservation.ChangingProperty) -> Bool {
    leaf == property.identity && openChanges == 1 && !isOutOfDate
  }

  /// Begins to evaluate the path after a change of `property`.
  ///
  /// - Returns: `nil` if other changes are open: the last one to end does so, and this one has ended.
  mutating func beginEvaluation(
    after property: PathObservation.ChangingProperty?
  ) -> PathObservation.Knowledge? {
    let (isOnly, leaf) = (openChanges == 1 && !isOutOfDate, leaf)
    guard beginEvaluation() else { return nil }
    guard isOnly, let property, let leaf else { return .nothing }
    guard leaf == property.identity else { return .isOfLink }
    self.leaf = leaf
    return .isOfLeaf
  }
}

extension ObservationRegistry {
  /// Notes that `path` is a chain of properties of `owners`, if it is hooked to these.
  fileprivate func prove(
    _ info: ObservationInfo, by path: PathObservation, owners: [ObjectIdentifier]
  ) {
    state.withLock { _ in
      let dependencies = path.dependencies
      guard info.isActive, dependencies.count == owners.count,
        zip(dependencies, owners).allSatisfy({ $0.link.owner == $1 })
      else { return }
      path.noteLeafLocked(dependencies[owners.count - 1].link)
    }
  }

  /// The same after the change of a link, the only one since it was proven the last time.
  ///
  /// - Returns: `false` if it is not the last link, so that others behind it have to be looked at.
  fileprivate func hasTried(
    toProve info: ObservationInfo, by path: PathObservation, _ chain: PlainChain,
    after link: PathObservation.ChangingProperty
  ) -> Bool {
    state.withLock { _ in
      let dependencies = path.dependencies
      guard dependencies.count == chain.count,
        link.isOn(dependencies[chain.count - 2].link)
      else { return false }
      let leaf = dependencies[chain.count - 1].link
      if info.isActive, let owner = chain.lastOwner(at: link.value), leaf.owner == owner {
        path.noteLeafLocked(leaf)
      }
      return true
    }
  }

  fileprivate func isLast(
    _ property: PathObservation.ChangingProperty, of path: PathObservation
  ) -> Bool {
    state.withLock { _ in path.dependencies.last.map { property.isOn($0.link) } ?? false }
  }
}

extension PathObservation {
  /// Under the lock of the registry, so that nothing that the path reads goes unnoticed.
  fileprivate func noteLeafLocked(_ link: SubjectLink) {
    state.withLock { $0.leaf = link.identity }
  }
}
