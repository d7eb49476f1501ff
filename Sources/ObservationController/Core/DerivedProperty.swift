import Synchronization

/// Storage of a derived property: its node, and the subject that lists what observes it.
///
///     object ──▶ derived property ──▶ subject      strong
@usableFromInline
final class DerivedProperty: DerivedNode {
  /// Storage that one thread computes the value by for itself.
  @usableFromInline
  convenience init(like other: DerivedProperty) {
    self.init(
      isLasting: false, file: other.file, line: other.line, free: other.free, copy: other.copy,
      evaluate: other.evaluate)
  }

  override class func reportCycle(at place: Place, way: [AnyKeyPath]?, of owner: AnyObject) {
    let issue: ObservationIssue =
      if let way {
        .derivedCycle(keyPaths: way, file: place.file, line: place.line)
      } else {
        .cycle(keyPath: place.keyPath, file: place.file, line: place.line)
      }
    AccessTracker.withoutTracking {
      DeliveryProbe.diagnostics?.learnNames(of: way ?? [place.keyPath], in: owner)
      ObservationDispatcher.reportCycle(issue)
    }
  }

  /// Ends what observes the property, whose object is being deallocated.
  deinit {
    guard let subject = observedSubject else { return }
    subject.endInfos()
    subject.derived?.detach()
    // Only followers are left, which find the property no more; marking collects the subject no
    // more.
    node.changeObservers(by: -node.pointee.observers)
    Unmanaged.passUnretained(subject).release()
  }
}

extension DerivedProperty {
  /// Has the property notify its own subject from now on.
  ///
  /// - Parameter owner: The object, held by the caller.
  /// - Returns: Where to register an observation, as for a stored property. `nil` if other threads
  ///   may change the value: it is followed as a path then.
  func prepareToBeObserved(of owner: AnyObject) -> Subject? {
    guard isInGraph, let graph = node.vertex.pointee.graph.load(ordering: .acquiring),
      settledVersion(of: owner) != nil,
      node.state & Node.State.shared == 0
    else { return nil }
    return observedSubject ?? makeSubject(of: owner, in: graph)
  }

  /// Whether the value was computed from others, or others from it; if not, it never changes.
  var isInGraph: Bool {
    guard let lock = node.vertex.lockGraph() else { return false }
    defer { lock.unlock() }
    return node.dependencies.count + node.vertex.dependents.count > 0
  }

  /// Has `hasLostOwner` know the object, which the caller holds.
  func keepOwner(_ owner: AnyObject) {
    guard let lock = node.vertex.lockGraph() else { return }
    node.keepOwner(owner)
    lock.unlock()
  }

  /// Whether the deinit of the object has begun since a path read the value.
  var hasLostOwner: Bool {
    guard let lock = node.vertex.lockGraph() else { return true }
    let owner = node.owner
    lock.unlock()
    // Released here, since its deinit takes the lock.
    return withExtendedLifetime(owner) { owner == nil }
  }

  /// Whether `keyPath` is that of the property, and leads from `object`. See
  /// `PropertyAccess.isProperty`.
  func isProperty(of object: AnyObject, at keyPath: AnyKeyPath) -> Bool {
    node.pointee.ownerBits.load(ordering: .relaxed) == UInt(bitPattern: ObjectIdentifier(object))
      && type(of: keyPath).rootType == type(of: object) && self.keyPath == keyPath
  }

  private func makeSubject(of owner: AnyObject, in graph: GraphLock.Reference) -> Subject {
    #if canImport(ObjectiveC)
      keepOwner(owner)
    #endif
    let new = Subject(owner: owner, derived: DerivedTurn(self, in: graph))
    let reference = Unmanaged<AnyObject>.passRetained(new)
    let (isFirst, _) = node.pointee.subject.compareExchange(
      expected: nil, desired: reference, ordering: .acquiringAndReleasing)
    if !isFirst { reference.release() }
    return observedSubject ?? new
  }

  /// The subject of the property; `nil` before it is first observed.
  var observedSubject: Subject? {
    // Retained by `makeSubject`, which alone sets it, until the deinit.
    node.pointee.subject.load(ordering: .acquiring).map {
      unsafeDowncast($0.takeUnretainedValue(), to: Subject.self)
    }
  }

  /// The value as it is now, with no lock held.
  ///
  /// - Returns: `nil` if this thread computes it. While another one does, the value as this thread
  ///   computes it for itself, with a version that is compared with no other.
  func settledValue(of owner: AnyObject) -> DerivedTurn.Value? {
    AccessTracker.withoutTracking {
      let access = readUnrecorded(of: owner, ThreadCell.own)
      defer { access.end() }
      if access.kind == .value {
        return slot.map { DerivedTurn.Value(box: copy($0), version: access.version) }
      }
      guard access.kind == .compute else { return nil }
      let own = DerivedProperty(like: self)
      guard let keyPath, own.isOwned(by: owner, { keyPath }) else { return nil }
      return own.settledValue(of: owner).map {
        DerivedTurn.Value(box: $0.box, version: access.version)
      }
    }
  }

  /// The version of the value as it is now, with no lock held; `nil` if this thread computes it.
  func settledVersion(of owner: AnyObject) -> UInt32? {
    // Also without tracking what the deinit of a value reads that has been replaced since.
    AccessTracker.withoutTracking { settledValue(of: owner)?.version }
  }

  /// The value that was computed last, also if it is out of date; `nil` while a thread computes it.
  var latestValue: DerivedTurn.Value? {
    let lock = node.vertex.lockGraph()
    defer { lock?.unlock() }
    guard node.state & Node.State.computing == 0 else { return nil }
    return slot.map { DerivedTurn.Value(box: copy($0), version: node.pointee.version) }
  }

  /// Whether the value has changed from `old` to `new`. With no lock held.
  func differ(_ old: DerivedTurn.Value, _ new: DerivedTurn.Value) -> Bool {
    // The node has compared the values if there are no others between them.
    if old.version == new.version || old.version &+ 1 == new.version {
      return old.version != new.version
    }
    // There are values once it has been read, and so knows its key path.
    return AccessTracker.withoutTracking {
      let areEqual = ValueEquality.equality(of: type(of: place.keyPath).valueType)
      return !old.box.withAddress { old in new.box.withAddress { areEqual(old, $0) } }
    }
  }
}

// MARK: - Under the lock of a store

/// Functions of the node's memory: nothing may retain the derived property there, whose deinit
/// takes that lock, and which another thread may be deallocating.
extension UnsafeMutablePointer<Node> {
  /// Has marking collect the property as long as it has observers.
  func changeObservers(by count: Int32) {
    let lock = vertex.lockGraph()
    // Not in place, which ThreadSanitizer takes for a change of the state, see `Vertex.Edges`.
    pointee.observers = pointee.observers + count
    setState(pointee.observers > 0 ? state | Node.State.observed : state & ~Node.State.observed)
    lock?.unlock()
  }

  /// Has the delivery wait, if a property that the value depends on is being mutated in place.
  ///
  /// - Parameter subject: That of the property.
  /// - Complexity: O(n) in what lies behind the value; see `GraphLock.hasMutations`.
  func postponeForMutation(_ subject: Subject) -> Bool {
    guard let lock = vertex.lockGraph() else { return false }
    defer { lock.unlock() }
    var mutated: UInt?
    visitSources {
      if $0.pointee.state.load(ordering: .relaxed) & Node.State.mutating != 0 {
        mutated = $0.address
      }
    }
    if let mutated { lock.pointee.postponed.append((mutated, subject)) }
    return mutated != nil
  }
}

// MARK: - Paths

extension DerivedProperty {
  /// The property as a path reads it, ready to be observed; `nil` if it has no subject of its own.
  func access(of owner: AnyObject) -> PropertyAccess? {
    guard isLasting, let subject = prepareToBeObserved(of: owner) else { return nil }
    return PropertyAccess(
      subject: subject, owner: subject.knownOwner, keyPath: keyPath, derived: self)
  }

  /// The stored properties that the value was computed from, directly or by way of other derived
  /// values, each once, in the order in which they were read.
  var sources: [PropertyAccess] {
    guard let lock = node.vertex.lockGraph() else { return [] }
    defer { lock.unlock() }
    var accesses: [PropertyAccess] = []
    node.visitSources { vertex in
      // Not a node, so it is a source.
      let source = UnsafeMutableRawPointer(vertex).assumingMemoryBound(to: Source.self)
      if let access = source.access { accesses.append(access) }
    }
    return accesses
  }
}

extension DerivedProperty {
  /// Has derived properties keep values that are out of date, as observers of their own would: for
  /// a path that is attached to what lies behind them, and asks whether they have changed.
  ///
  ///     path ──▶ followers ┄┄▶ derived properties      weak
  final class Followers {
    private let properties: [WeakReference]

    /// The values before a change of the path; guarded by the lock of that.
    var values: [DerivedTurn.Value?] = []

    init(of properties: [DerivedProperty]) {
      self.properties = properties.map { WeakReference($0) }
      for property in properties { property.node.changeObservers(by: 1) }
    }

    /// The values as they were computed last.
    var latestValues: [DerivedTurn.Value?] {
      properties.map { ($0.object as? DerivedProperty)?.latestValue }
    }

    /// Whether a path has read the same as before, derived properties included that have changed
    /// since and are back at the values before.
    func areBack(
      at values: [DerivedTurn.Value?], from old: [Dependency.Version], to new: [Dependency.Version]
    ) -> Bool {
      old.count == new.count
        && zip(old, new).allSatisfy { old, new in
          if old == new { return true }
          let known = zip(properties, values).first { $0.0.identity == new.source }
          guard old.source == new.source, let before = known?.1, before.version == old.number,
            let property = known?.0.object as? DerivedProperty, let now = property.latestValue,
            now.version == new.number
          else { return false }
          return !property.differ(before, now)
        }
    }

    func areOf(_ others: [DerivedProperty]) -> Bool {
      properties.count == others.count && zip(properties, others).allSatisfy { $0.object === $1 }
    }

    /// With no lock held.
    deinit {
      for property in properties.lazy.compactMap({ $0.object as? DerivedProperty }) {
        // Its memory goes with it, and this may be the last reference to it.
        withExtendedLifetime(property) { $0.node.changeObservers(by: -1) }
      }
    }
  }
}

/// As `DerivedNode`; the rest is immutable or atomic.
extension DerivedProperty: @unchecked Sendable {}
