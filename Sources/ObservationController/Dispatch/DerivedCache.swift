/// What the storage of a derived property holds: how it is computed, and, once it has been read, what
/// came of it.
///
///     object ──▶ cache ──▶ info ──▶ derived path ──▶ subjects of what was read     strong
///                           ▲────────────────────────────┘
///
/// The info hangs on the subjects as that of an observed path does, and is no observation: no table
/// lists it, and it has nobody to tell. It goes with the object.
@usableFromInline
final class DerivedCache<Owner: AnyObject, Value> {
  private let compute: (Owner) -> Value
  private let file: String
  private let line: UInt

  /// Made when the property is first read.
  private let use = Locked<DerivedUse?>(nil)

  init(_ compute: @escaping (Owner) -> Value, file: String, line: UInt) {
    self.compute = compute
    self.file = file
    self.line = line
  }

  deinit {
    if let info = use.withLock({ $0 })?.info { info.site.registry.endParts([info]) }
  }
}

extension DerivedCache {
  /// - Parameter keyPath: That of the property.
  @usableFromInline
  func value(of owner: Owner, _ keyPath: @autoclosure () -> AnyKeyPath) -> Value {
    let use = use.withLock { $0 } ?? begin(with: owner, keyPath())
    guard use.owner == ObjectIdentifier(owner) else { return compute(owner) }
    let info = use.info
    // Safe: `begin` has made it of one.
    let path = unsafeDowncast(info.path!, to: DerivedPath.self)
    if let value = path.value(of: owner, info) {
      return withExtendedLifetime(value) {
        value.address.assumingMemoryBound(to: Value.self).pointee
      }
    }
    guard let placeholder = Placeholder.value(of: Value.self) else {
      fatalError(
        "\(info.site.file):\(info.site.line): the derived \(info.site.keyPath) reads itself")
    }
    return placeholder
  }

  /// What the value is computed by, once it has been read.
  var infoInUse: ObservationInfo? { use.withLock { $0 }?.info }

  private func begin(with owner: Owner, _ keyPath: AnyKeyPath) -> DerivedUse {
    let registry = DerivedPath.registry
    let registration = ObservationRegistration(
      keyPath: keyPath, options: [], context: nil, handlerKind: .block, file: file, line: line)
    // Safe: it is only called with the object that the property belongs to.
    let path = DerivedPath { [compute] in
      ValueBox(compute(unsafeDowncast($0, to: Owner.self)))
    }
    let info = ObservationInfo(
      site: registry.site(for: registration, valueType: Value.self) { _, _, _, _, _ in },
      root: .released, sink: path, kind: [.path, .cache], handler: nil,
      serial: ObservationInfo.nextCacheSerial())
    let new = DerivedUse(info: info, owner: ObjectIdentifier(owner))
    return use.withLock { use in
      // Another thread may have been faster.
      use = use ?? new
      return use ?? new
    }
  }
}

/// What a derived cache hangs on. Not part of it: the types inside of a generic class have to be looked
/// up each time, 3,000 instructions for reading a value that is kept.
private struct DerivedUse {
  let info: ObservationInfo

  /// Whose property it is, compared with, never dereferenced: the storage may be copied to another
  /// object (`_name = other._name`), for which nothing is kept.
  let owner: ObjectIdentifier
}

/// Follows what a derived property has read, and keeps its value until one of that changes.
final class DerivedPath: PathObservation {
  private struct Cached {
    /// `nil` if it has to be computed.
    var value: ValueBox?

    /// What the value was computed from.
    var accesses: [KeptAccess] = []

    /// Counts how often a value became invalid.
    var invalidations: UInt64 = 0

    /// The same by a thread that was computing one.
    var ownInvalidations: UInt64 = 0

    /// The threads that compute the value.
    var computing: Set<ThreadIdentity> = []
  }

  private let cached = Locked(Cached())

  /// Has the infos of all derived properties, and lists none of them.
  static let registry = ObservationRegistry(observer: registryOwner, retainsObserved: false)

  /// Stands for the observer that there is none of.
  private final class Nobody: Sendable {}

  private static let registryOwner = Nobody()

  init(read: @escaping (AnyObject) -> ValueBox) {
    super.init(dependencies: [], keepsQueue: false, read: read)
  }

  override func willChange(_ info: ObservationInfo, to recipient: inout ObservationRecipient) {}

  override func didChange(_ info: ObservationInfo, id: UInt64) {}

  override func deliver(
    _ info: ObservationInfo, through id: UInt64, to recipient: inout ObservationRecipient
  ) {}

  override func subjectWillGoLocked(_ subject: Subject, of info: ObservationInfo) -> SinkLoss {
    _ = subject.remove(info)
    return removeDependency(on: subject) == nil ? SinkLoss() : SinkLoss(freed: [invalidate()])
  }

  override func invalidate() -> Any {
    cached.withLock { cached in
      cached.invalidations += 1
      if cached.computing.contains(.current) { cached.ownInvalidations += 1 }
      defer { (cached.value, cached.accesses) = (nil, []) }
      return (cached.value, cached.accesses)
    }
  }
}

extension DerivedPath {
  /// The value, computed if need be.
  ///
  /// - Returns: `nil` if this thread is computing it already.
  func value(of owner: AnyObject, _ info: ObservationInfo) -> ValueBox? {
    // Without what it has read, which takes longer to copy than to find the value.
    if !AccessTracking.isActive, let value = cached.withLock({ $0.value }) { return value }
    let kept = cached.withLock { cached in cached.value.map { ($0, cached.accesses) } }
    if let (value, accesses) = kept {
      AccessTracking.note(PropertyAccesses(accesses))
      return value
    }
    guard let (value, accesses) = compute(for: owner, info) else { return nil }
    AccessTracking.note(accesses)
    return value
  }

  func compute(
    for owner: AnyObject, _ info: ObservationInfo
  ) -> (ValueBox, PropertyAccesses)? {
    let thread = ThreadIdentity.current
    guard cached.withLock({ $0.computing.insert(thread).inserted }) else {
      ObservationDispatcher.reportCycle(of: info)
      return nil
    }
    defer { _ = cached.withLock { $0.computing.remove(thread) } }
    var rounds = 0
    while true {
      rounds += 1
      let computation = computeOnce(for: owner, info)
      if computation.isCurrent { return computation.result }
      guard rounds < ObservationDispatcher.maximumRounds else {
        // What other threads change, for ever perhaps, is no cycle; the next reader computes it again.
        if computation.isCycle { ObservationDispatcher.reportCycle(of: info) }
        return computation.result
      }
    }
  }

  private struct Computation {
    let result: (ValueBox, PropertyAccesses)

    /// Whether everything that was read is as it was; the value has been kept then.
    let isCurrent: Bool

    /// Whether the closure itself has changed what it had read.
    let isCycle: Bool
  }

  private func computeOnce(for owner: AnyObject, _ info: ObservationInfo) -> Computation {
    let before = cached.withLock { ($0.invalidations, $0.ownInvalidations) }
    var value: ValueBox!
    var accesses = AccessTracker.track { value = read(owner) }
    // Made by the closure for itself. Followed, they would have the value computed again when they
    // are let go of.
    accesses.removeGone()
    info.site.registry.rehook(info, to: accesses, of: owner)
    // Looked at after hooking: what changes from now on invalidates the value.
    let areCurrent = accesses.areCurrent
    let areUnchangedHere = areCurrent || accesses.areUnchangedHere
    // Swapped in, since another thread may have computed the value too: that is freed outside of the
    // lock. Pinned by DerivedTemporaryTests.
    var kept: (value: ValueBox?, accesses: [KeptAccess]) = (value, accesses.kept)
    let (isCurrent, isCycle) = cached.withLock { cached in
      let isCurrent = areCurrent && cached.invalidations == before.0
      if isCurrent {
        swap(&cached.value, &kept.value)
        swap(&cached.accesses, &kept.accesses)
      }
      return (isCurrent, !areUnchangedHere || cached.ownInvalidations != before.1)
    }
    return Computation(result: (value, accesses), isCurrent: isCurrent, isCycle: isCycle)
  }
}
