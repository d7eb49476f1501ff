#if DEBUG
  /// The order in which threads have locked atomic properties inside of each other. Debug builds
  /// alone.
  ///
  /// Two threads that lock two properties in opposite orders wait for each other sooner or later.
  /// One thread that has done both shows it before that.
  enum LockOrder {
    private typealias Lock = ObjectIdentifier

    private struct Node {
      /// Locks that were taken inside of it.
      var inner: Set<Lock> = []

      /// Locks inside of which it was taken.
      var outer: Set<Lock> = []
    }

    private static let nodes = Locked<[Lock: Node]>([:])

    /// Records that a lock is about to be taken inside of those that this thread, or its task, has
    /// taken. What has been locked in the opposite order is reported once, when all are given back.
    static func check(_ lock: ExclusiveLock) {
      guard let cell = ThreadCell.existing, !cell.pointee.isOutside else { return }
      // Safe: a thread has nothing else locked.
      var held = cell.pointee.lockedProperties.map {
        unsafeDowncast($0.takeUnretainedValue(), to: ExclusiveLock.self)
      }
      let access = TaskAccess.ofThread(in: cell)
      if let access { held = access.locked + held }
      let inverted = held.filter { $0 !== lock && add(lock, inside: $0) }
      guard let other = inverted.first else { return }
      let issue = ObservationIssue.lockOrder(first: other.name, second: lock.name)
      let report = { ObservationDispatcher.report(issue, about: nil) }
      if let access { access.reports.append(report) } else { cell.pointee.reports.append(report) }
    }

    /// - Returns: Whether the order contradicts another one, and has not been known.
    private static func add(_ lock: ExclusiveLock, inside outer: ExclusiveLock) -> Bool {
      for lock in [lock, outer] { lock.isOrdered.store(true, ordering: .relaxed) }
      let (inner, outer) = (ObjectIdentifier(lock), ObjectIdentifier(outer))
      return nodes.withLock { nodes in
        guard nodes[outer, default: Node()].inner.insert(inner).inserted else { return false }
        nodes[inner, default: Node()].outer.insert(outer)
        return isInside(outer, of: inner, nodes)
      }
    }

    /// Whether `lock` has been taken inside of `outer`, or of one that was.
    private static func isInside(_ lock: Lock, of outer: Lock, _ nodes: [Lock: Node]) -> Bool {
      var seen: Set = [outer]
      var rest = [outer]
      while let next = rest.popLast() {
        for inner in nodes[next]?.inner ?? [] where seen.insert(inner).inserted {
          if inner == lock { return true }
          rest.append(inner)
        }
      }
      return false
    }

    /// Forgets a lock that is deallocated: another one may get its address.
    static func remove(_ lock: ExclusiveLock) {
      guard lock.isOrdered.load(ordering: .relaxed) else { return }
      let lock = ObjectIdentifier(lock)
      nodes.withLock { nodes in
        guard let node = nodes.removeValue(forKey: lock) else { return }
        for inner in node.inner { nodes[inner]?.outer.remove(lock) }
        for outer in node.outer { nodes[outer]?.inner.remove(lock) }
      }
    }
  }
#endif
