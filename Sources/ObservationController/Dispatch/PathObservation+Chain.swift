/// Paths whose value is that of their last property; see `PlainChain`.
extension PathObservation {
  /// The last two properties of a chain that has been proven. Compared with, never dereferenced.
  struct ProvenChain {
    /// The subject of the last property.
    let leaf: ObjectIdentifier

    /// The subject of the property that refers to the object of the last one.
    let link: ObjectIdentifier
  }

  /// What is known of a path before it is evaluated after a change.
  enum Knowledge {
    case nothing

    /// The change is the only one, of the last property of a proven chain: its value is the path's.
    case isOfLeaf

    /// The same of the property before the last one: the path's value is that of the last property of the
    /// object that it refers to.
    case isOfLastLink

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
    let registry = info.site.registry
    if let property, known == .isOfLastLink {
      if let value = readLeaf(info, behind: property, chain) { return value }
      guard let value = readAndRehook(info) else { return nil }
      if !registry.hasTried(toProve: info, by: self, chain, after: property) { prove(info) }
      return value
    }
    guard let value = readAndRehook(info) else { return nil }
    // What could not be proven after the last change of a link can't be now.
    if let property, registry.isLast(property, of: self) { return value }
    prove(info)
    return value
  }

  /// The value of the path where it is that of the last property of the object that `link` refers to:
  /// reads this one alone, and hooks the path to it. A third of what evaluating the path takes.
  ///
  /// - Returns: `nil` if it is not, or has to be found out.
  private func readLeaf(
    _ info: ObservationInfo, behind link: ChangingProperty, _ chain: PlainChain
  ) -> ValueBox? {
    guard info.isActive, link.isCurrent, let owner = chain.lastObject(at: link.value) else {
      return nil
    }
    var value: ValueBox?
    let access = AccessTracker.single { value = chain.readLast(of: owner) }
    guard let leaf = access.subject(of: owner),
      info.site.registry.rehook(info, by: self, chain, behind: link, to: leaf, of: owner)
    else { return nil }
    return value
  }

  /// The same before the change, of a chain that has been proven.
  func readLeaf(behind link: ChangingProperty?) -> ValueBox? {
    guard let chain, let link, let owner = chain.lastObject(at: link.value) else { return nil }
    return AccessTracker.withoutTracking { chain.readLast(of: owner) }
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
    deliverReached(info, to: &recipient)
    return true
  }
}

extension PathObservation.State {
  /// Whether only one change is open, and nothing has changed since it began.
  var isOnlyChange: Bool { openChanges == 1 && !isOutOfDate }

  /// Whether that is a change of the last property of a proven chain.
  func isOnlyChange(of property: ChangingProperty) -> Bool {
    isOnlyChange && proven?.leaf == property.identity
  }

  /// Begins to evaluate the path after a change of `property`.
  ///
  /// - Returns: `nil` if other changes are open: the last one to end does so, and this one has ended.
  mutating func beginEvaluation(
    after property: ChangingProperty?
  ) -> PathObservation.Knowledge? {
    let (isOnly, proven) = (isOnlyChange, proven)
    guard beginEvaluation() else { return nil }
    guard isOnly, let property, let proven else { return .nothing }
    guard proven.leaf == property.identity else {
      return proven.link == property.identity ? .isOfLastLink : .isOfLink
    }
    self.proven = proven
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
      path.noteProvenLocked(dependencies)
    }
  }

  /// The same after the change of a link, the only one since it was proven the last time.
  ///
  /// - Returns: `false` if it is not the last link, so that others behind it have to be looked at.
  fileprivate func hasTried(
    toProve info: ObservationInfo, by path: PathObservation, _ chain: PlainChain,
    after link: ChangingProperty
  ) -> Bool {
    state.withLock { _ in
      let dependencies = path.dependencies
      guard dependencies.count == chain.count,
        link.isOn(dependencies[chain.count - 2].link)
      else { return false }
      let leaf = dependencies[chain.count - 1].link
      if info.isActive, let owner = chain.lastOwner(at: link.value), leaf.owner == owner {
        path.noteProvenLocked(dependencies)
      }
      return true
    }
  }

  /// Hooks `path` to the last property of the object that its last link refers to now, in place of the one
  /// before, which proves it.
  ///
  /// - Returns: `false` if it reads that property elsewhere too, or has not read a chain.
  fileprivate func rehook(
    _ info: ObservationInfo, by path: PathObservation, _ chain: PlainChain,
    behind link: ChangingProperty, to leaf: Subject, of owner: AnyObject
  ) -> Bool {
    var isOther = false
    defer { if isOther, Tracer.isOn { Tracer.rehook(info) } }
    return state.withLock { _ in
      // Moved out and back, so that it is edited in place, and needs no check of exclusivity.
      var dependencies = path.dependencies
      path.dependencies = []
      defer { path.dependencies = dependencies }
      let last = chain.count - 1
      guard info.isActive, dependencies.count == chain.count,
        link.isOn(dependencies[last - 1].link)
      else { return false }
      if !dependencies[last].link.isTo(leaf) {
        guard !dependencies.contains(where: { $0.link.isTo(leaf) }) else { return false }
        _ = dependencies[last].link.remove(info)
        leaf.insert(info)
        isOther = true
        dependencies[last] = PathObservation.Dependency(
          leaf, isOfRoot: ObjectIdentifier(owner) == info.rootIdentity, lock: nil)
      }
      path.noteProvenLocked(dependencies)
      return true
    }
  }

  fileprivate func isLast(
    _ property: ChangingProperty, of path: PathObservation
  ) -> Bool {
    state.withLock { _ in path.dependencies.last.map { property.isOn($0.link) } ?? false }
  }
}

extension PathObservation {
  /// Under the lock of the registry, so that nothing that the path reads goes unnoticed.
  fileprivate func noteProvenLocked(_ dependencies: [Dependency]) {
    let (leaf, link) = (dependencies[dependencies.count - 1], dependencies[dependencies.count - 2])
    state.withLock {
      $0.proven = ProvenChain(leaf: leaf.link.identity, link: link.link.identity)
    }
  }
}
