extension ThreadCell {
  /// A node that a walk has not settled yet.
  struct WalkEntry: BitwiseCopyable {
    let node: Node.Reference

    /// The dependency to look at next.
    var place: UInt32 = 0

    /// Marks of the node when the first dependency was looked at. Others since: from the first one
    /// again.
    var marks: UInt32

    /// How often the getter has run.
    var rounds: UInt32 = 0

    /// `GraphLock.breaks` when the getter was called.
    var breaks: UInt32 = 0

    /// The node whose getter was running then.
    var outer: Node.Reference?
  }
}

extension Node {
  enum Settlement {
    /// The value is up to date.
    case clean
    /// The value was computed just now, from a value that another thread is computing: not kept as
    /// clean.
    case unsettled
    /// The node itself is being computed, in an outer frame or by another thread.
    case busy
  }
}

/// Settling: the stage of a change or a reading that checks whether a value still holds, and
/// computes it if not.
extension UnsafeMutablePointer<ThreadCell> {
  /// Settles `target`: asks its dependencies, in the order in which they were read, whether one has
  /// changed, and theirs before that; computes what is dirty.
  ///
  /// Takes no stack for the depth: what is on its way stands in `walk`. Nodes there are not
  /// retained. A node that is deallocated while a getter runs counts that in the lock of the graph,
  /// and the walk begins again at `target`, which the caller keeps alive.
  ///
  /// - Parameters:
  ///   - owner: That of `target`, kept alive by the caller.
  ///   - lock: The lock of the graph, given back while getters run, and held again at the end;
  ///     `nil` for a node without edges.
  func settle(
    _ target: Node.Reference, of owner: AnyObject, _ lock: inout GraphLock.Reference?
  ) -> Node.Settlement {
    let base = pointee.walk.count
    pointee.walk.append(ThreadCell.WalkEntry(node: target, marks: Node.State.marks(target.state)))
    while true {
      let top = pointee.walk.count - 1
      let node = pointee.walk.last.pointee.node
      // Acquired: another thread may have published the value without the lock, see `finish`.
      let state = node.vertex.pointee.state.load(ordering: .acquiring)
      if state & Node.State.stale == 0 {
        if let end = leave(node, .clean, at: top, base) { return end }
      } else if state & Node.State.computing != 0 {
        // Whether it changes is not known yet, and no thread waits.
        if let end = leave(node, .busy, at: top, base) { return end }
      } else if state & Node.State.dirty == 0 {
        check(node, base)
      } else if isLastRound, state & Node.State.restless == 0 {
        // Changes of other threads, which may never end, are no cycle; the next reader computes it
        // again.
        if let end = leave(node, .unsettled, at: top, base) { return end }
      } else if isLastRound {
        node.setState(state & ~(Node.State.check | Node.State.dirty))
        do {
          let (kind, place) = node.pointee.object._withUnsafeGuaranteedRef {
            (type(of: $0), $0.place)
          }
          // Released before the lock is taken again, which its deinit takes.
          let owner = node.pointee.owner ?? owner
          lock?.unlock()
          kind.reportCycle(at: place, way: nil, of: owner)
        }
        lock = target.vertex.lockGraph()
        restart(base)
      } else {
        switch run(node, at: top, for: target, of: top == base ? owner : nil, &lock) {
        case .clean:
          // The usual end: clean at once.
          if node.vertex.isClean, let end = leave(node, .clean, at: top, base) { return end }
        case .busy: restart(base)
        case .unsettled:
          let isBusy = node.state & Node.State.computing != 0
          if let end = leave(node, isBusy ? .busy : .unsettled, at: top, base) { return end }
        }
      }
    }
  }

  /// Whether the getter of the last node of the walk may not run again: it sets what it has read.
  private var isLastRound: Bool {
    pointee.walk.last.pointee.rounds == UInt32(ThreadContext.maximumRounds)
  }

  /// Looks for the next dependency that is not clean, and continues with that.
  @inline(__always)
  private func check(_ node: Node.Reference, _ base: Int) {
    let entry = pointee.walk.last
    let dependencies = node.dependencies
    let count = dependencies.count
    var place = Int(entry.pointee.place)
    while place < count {
      if let vertex = Vertex.Reference(bitPattern: dependencies.vertex(at: place)),
        !vertex.isClean
      {
        // Not clean, so it is a node.
        let next = Node.Reference(at: vertex.address)
        if next.pointee.walks == 0 || !isOnWalk(next, from: base) {
          entry.pointee.place = UInt32(place)
          push(next)
          return
        }
        // Two nodes of a cycle ask each other whether they have changed: neither has, unless
        // another node did.
      }
      place += 1
    }
    let state = node.state
    let marks = Node.State.marks(state)
    if entry.pointee.marks == marks {
      node.setState(state & ~Node.State.check)
    } else {
      entry.pointee.place = 0
      entry.pointee.marks = marks
    }
  }

  /// Runs the getter of a dirty node.
  ///
  /// - Returns: `.busy` if the walk has to begin again.
  @inline(__always)
  private func run(
    _ node: Node.Reference, at top: Int, for target: Node.Reference, of owner: AnyObject?,
    _ lock: inout GraphLock.Reference?
  ) -> Node.Settlement {
    let object = node.pointee.object
    // The caller retains the owner, or it is retained here, unless its deinit has begun.
    let kept: Unmanaged<AnyObject>
    if let owner {
      kept = .passUnretained(owner)
    } else {
      guard let owner = node.pointee.owner else { return .unsettled }
      kept = .passRetained(owner)
    }
    let state = node.state
    let entry = pointee.walk.last
    entry.pointee.rounds += 1
    if let lock {
      node.setState(Node.State.running(state))
      entry.pointee.breaks = lock.pointee.breaks
    } else {
      // Without edges there is no lock, and another thread may have begun. One that has ended may
      // have linked the node since, and the state would be changed under the lock then: looked at
      // after the state, which differs if the node is linked after this.
      let isMine =
        state & (Node.State.dirty | Node.State.computing) == Node.State.dirty
        && node.vertex.pointee.graph.load(ordering: .acquiring) == nil
        && node.vertex.pointee.state.compareExchange(
          expected: state, desired: Node.State.running(state), ordering: .acquiringAndReleasing
        ).exchanged
      guard isMine else {
        lock = node.vertex.lockGraph()
        return .clean
      }
    }
    let hadLock = lock != nil
    let outer = pointee.context.recorder
    begin(node)
    lock?.unlock()
    // The owner holds the object, and is kept alive.
    let isSettled = object._withUnsafeGuaranteedRef { object in
      kept._withUnsafeGuaranteedRef { object.evaluate($0, object) }
    }
    pointee.context.recorder = outer
    freeReplaced()
    // Outside of the lock, which the owner's deinit takes.
    if owner == nil { kept.release() }
    lock = target.vertex.lockGraph()
    if hadLock, let lock, lock.pointee.breaks != pointee.walk[top].breaks { return .busy }
    return isSettled ? .clean : .unsettled
  }

  /// Records what the getter of `node` reads from now on.
  @inline(__always)
  private func begin(_ node: Node.Reference) {
    node.pointee.evaluator.store(self, ordering: .relaxed)
    node.pointee.reads = 0
    node.pointee.reader = pointee.context.recorder.reader
    node.setCursor(0)
    pointee.context.recorder = ThreadContext.Recorder(reader: node)
    arm()
  }

  /// Begins what `settle` does with a dirty target, for a caller that calls the getter itself.
  func beginRun(_ node: Node.Reference, _ lock: GraphLock.Reference?) {
    var entry = ThreadCell.WalkEntry(
      node: node, marks: 0, rounds: 1, outer: pointee.context.recorder.reader)
    entry.breaks = lock?.pointee.breaks ?? 0
    pointee.walk.append(entry)
    node.setState(Node.State.running(node.state))
    begin(node)
    lock?.unlock()
  }

  func endRun() {
    pointee.context.recorder.reader = pointee.walk.removeLast().outer
    freeReplaced()
  }

  /// Frees subjects that getters have replaced, after a reading has ended. Deinits of the user's
  /// may run, whose reads belong to no getter. Pinned by SubjectLifetimeTests.
  @inline(__always)
  func freeReplaced() {
    guard !pointee.replaced.isEmpty else { return }
    ThreadContext.with(\.recorder, ThreadContext.Recorder()) {
      while let subject = pointee.replaced.popLast() { withExtendedLifetime(subject) {} }
    }
  }

  private func push(_ node: Node.Reference) {
    node.pointee.walks = node.pointee.walks + 1
    pointee.walk.append(ThreadCell.WalkEntry(node: node, marks: Node.State.marks(node.state)))
  }

  /// Takes the last node off the walk. If it is not known whether it has changed, the node that
  /// depends on it runs its getter.
  ///
  /// - Returns: What is known, if it was the target.
  @inline(__always)
  private func leave(
    _ node: Node.Reference, _ settlement: Node.Settlement, at top: Int, _ base: Int
  ) -> Node.Settlement? {
    _ = pointee.walk.removeLast()
    // The target is not counted: it may have no lock yet, and the caller keeps it alive.
    if top == base { return settlement }
    node.pointee.walks = node.pointee.walks - 1
    if settlement != .clean {
      let reader = pointee.walk.last.pointee.node
      reader.setState(reader.state | Node.State.dirty)
    }
    return nil
  }

  /// Begins again at the first node of a walk. The others may have been deallocated: they are not
  /// touched. Those that still exist stay counted as walked, which only makes their deinit break a
  /// walk in vain.
  private func restart(_ base: Int) {
    pointee.walk.removeAll(from: base + 1)
    pointee.walk[base].place = 0
    pointee.walk[base].marks = Node.State.marks(pointee.walk[base].node.state)
  }

  private func isOnWalk(_ node: Node.Reference, from base: Int) -> Bool {
    (base..<pointee.walk.count).contains { pointee.walk[$0].node == node }
  }

  /// The key paths from `node` to the node whose getter is running: the way of a cycle. Under the
  /// lock.
  func way(from node: Node.Reference, _ lock: GraphLock.Reference) -> [AnyKeyPath] {
    var index = pointee.walk.count - 1
    while index > 0, pointee.walk[index].node != node { index -= 1 }
    let isBroken = (index..<pointee.walk.count).contains {
      pointee.walk[$0].rounds > 0 && pointee.walk[$0].breaks != lock.pointee.breaks
    }
    return (index..<pointee.walk.count).compactMap { index in
      let entry = pointee.walk[index]
      // Nodes whose getters run are kept alive; of the others one may have been deallocated.
      guard entry.rounds > 0 || !isBroken else { return nil }
      return entry.node.pointee.object._withUnsafeGuaranteedRef { $0.keyPath }
    }
  }
}
