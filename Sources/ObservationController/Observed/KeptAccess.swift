/// A property that was read once, for somebody who has kept what came of it.
struct KeptAccess {
  private weak var subject: Subject?
  private let owner: ObjectIdentifier
  private let keyPath: AnyKeyPath?
  private let lock: ExclusiveLock?
  private let stamp: UInt32

  init(_ access: PropertyAccess) {
    subject = access.subject
    owner = access.owner
    keyPath = access.keyPath
    lock = access.lock
    stamp = access.stamp
  }

  /// The same as it was noted; `nil` once the object has gone.
  var access: PropertyAccess? {
    subject.map {
      PropertyAccess(
        subject: $0, owner: owner, keyPath: keyPath, lock: lock, stamp: stamp)
    }
  }
}

extension PropertyAccesses {
  /// Those of the properties that still are.
  init(_ kept: [KeptAccess]) {
    self.init()
    for case let access? in kept.lazy.map(\.access) { insert(access) }
  }

  /// The same for somebody who keeps them.
  var kept: [KeptAccess] { all.map(KeptAccess.init) }
}
