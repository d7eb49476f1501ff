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
  ///   - graph: The lock of the graph, given back while getters run, and held again at the end.
  func settle(
    _ target: Node.Reference, of owner: AnyObject, _ graph: inout GraphLock.Reference
  ) -> Node.Settlement {
    // Not through its address, since getters run in between.
    var lock = graph
    let base = pointee.walk.count
    let outer = pointee.context.recorder
    var kept: Unmanaged<AnyObject>?
    if base == 0 { arm() }
    pointee.walk.append(ThreadCell.WalkEntry(node: target, marks: Node.State.marks(target.state)))
    while true {
      let entry = pointee.walk.last
      let isTarget = pointee.walk.count &- 1 == base
      let node = entry.pointee.node
      let state = node.state
      var settlement = Node.Settlement.clean
      if state & Node.State.stale == 0 {
        // Nothing to do.
      } else if state & Node.State.computing != 0 {
        // Whether it changes is not known yet, and no thread waits.
        settlement = .busy
      } else if state & Node.State.dirty == 0 {
        check(node, entry, base)
        continue
      } else if entry.pointee.rounds == UInt32(ThreadContext.maximumRounds) {
        // Changes of other threads, which may never end, are no cycle; the next reader computes it
        // again.
        settlement = .unsettled
        if state & Node.State.selfMarked != 0 {
          reportRestless(node, of: owner, lock)
          lock = lock.lockRoot()
          restart(base)
          continue
        }
        node.state = state | Node.State.undelivered
      } else {
        switch run(node, entry, state, of: isTarget ? owner : nil, outer, &kept, &lock) {
        case .clean?: break
        case .busy?:
          restart(base)
          continue
        case .unsettled?: settlement = .unsettled
        case nil: continue
        }
      }
      if !isTarget {
        leave(node, settlement)
        continue
      }
      if kept != nil || hasPendingReleases {
        lock.unlock()
        release(&kept)
        ThreadCell.releasePending()
        lock = lock.lockRoot()
        // Deinits of released objects may have changed it.
        if settlement == .clean, !target.vertex.isClean { continue }
      }
      pointee.walk.removeLast()
      pointee.context.recorder = outer
      if base == 0 { rest() }
      graph = lock
      return settlement
    }
  }

  /// Reports that the getter of a node sets what it has read, again and again.
  private func reportRestless(
    _ node: Node.Reference, of owner: AnyObject, _ lock: GraphLock.Reference
  ) {
    node.state &= ~(Node.State.check | Node.State.dirty)
    let (kind, place) = node.object._withUnsafeGuaranteedRef { (type(of: $0), $0.place) }
    // Released before the lock is taken again, which its deinit takes.
    let owner = node.owner ?? owner
    lock.unlock()
    kind.reportCycle(at: place, way: nil, of: owner)
  }

  /// Looks for the next dependency that is not clean, and continues with that.
  @inline(__always)
  private func check(
    _ node: Node.Reference, _ entry: UnsafeMutablePointer<ThreadCell.WalkEntry>, _ base: Int
  ) {
    let dependencies = node.dependencies
    let count = dependencies.count
    var place = Int(entry.pointee.place)
    while place < count {
      if let vertex = dependencies.vertex(at: place), !vertex.isClean {
        let next = vertex.node
        if next.pointee.walks == 0 || !isOnWalk(next, from: base) {
          entry.pointee.place = UInt32(truncatingIfNeeded: place)
          next.pointee.walks = next.pointee.walks &+ 1
          pointee.walk.append(
            ThreadCell.WalkEntry(node: next, marks: Node.State.marks(next.state)))
          return
        }
        // Two nodes of a cycle ask each other whether they have changed: neither has, unless
        // another node did.
      }
      place &+= 1
    }
    let state = node.state
    let marks = Node.State.marks(state)
    if entry.pointee.marks == marks {
      node.state = state & ~Node.State.check
    } else {
      entry.pointee.place = 0
      entry.pointee.marks = marks
    }
  }

  /// Runs the getter of a dirty node.
  ///
  /// - Parameters:
  ///   - owner: The object of the target; `nil` for other nodes.
  ///   - kept: The object of the getter that ran before, then that of this one. Released when the
  ///     lock is given back the next time: its deinit takes the lock. So one critical section
  ///     publishes a value and goes on to the next getter.
  /// - Returns: `.busy` if the walk has to begin again; `nil` if the node has to be looked at
  ///   again.
  @inline(__always)
  private func run(
    _ node: Node.Reference, _ entry: UnsafeMutablePointer<ThreadCell.WalkEntry>, _ state: UInt,
    of owner: AnyObject?, _ outer: ThreadContext.Recorder, _ kept: inout Unmanaged<AnyObject>?,
    _ lock: inout GraphLock.Reference
  ) -> Node.Settlement? {
    var own: Unmanaged<AnyObject>?
    if owner == nil {
      // Retained, unless its deinit has begun.
      guard let owner = node.owner else { return .unsettled }
      own = .passRetained(owner)
    }
    entry.pointee.rounds &+= 1
    let breaks = lock.pointee.breaks
    entry.pointee.breaks = breaks
    begin(node, state, for: outer.reader)
    lock.unlock()
    release(&kept)
    kept = own
    pointee.context.recorder = ThreadContext.Recorder(reader: node)
    // The owner holds the object, and is kept alive.
    let isChanged = node.object._withUnsafeGuaranteedRef { object in
      (own ?? .passUnretained(owner.unsafelyUnwrapped))._withUnsafeGuaranteedRef {
        object.evaluate($0, object)
      }
    }
    // Not freed meanwhile: the target refers to it, directly or not.
    lock = lock.lockRoot()
    let new = node.publish(isChanged: isChanged)
    if lock.pointee.breaks != breaks { return .busy }
    if new & Node.State.stale == 0 { return .clean }
    return node.isSettled ? nil : .unsettled
  }

  /// Begins a run of the getter of `node`. Under the lock of the graph.
  ///
  /// - Parameter reader: The node whose getter has asked for it.
  @inline(__always)
  private func begin(_ node: Node.Reference, _ state: UInt, for reader: Node.Reference?) {
    node.state = state & ~Node.State.outdated | Node.State.computing
    node.pointee.evaluator.store(self, ordering: .relaxed)
    node.pointee.reads = 0
    node.pointee.reader = reader
    node.cursor = 0
  }

  /// Begins what `settle` does with a dirty target, for a caller that calls the getter itself.
  func beginRun(_ node: Node.Reference, _ lock: GraphLock.Reference) {
    var entry = ThreadCell.WalkEntry(node: node, marks: 0, rounds: 1)
    entry.breaks = lock.pointee.breaks
    let isOutermost = pointee.walk.count == 0
    pointee.walk.append(entry)
    begin(node, node.state, for: pointee.context.recorder.reader)
    lock.unlock()
    pointee.context.recorder.reader = node
    if isOutermost { arm() }
  }

  /// Publishes the value that the caller has computed since `beginRun`.
  ///
  /// - Returns: The lock of the graph, locked, and whether everything that the getter has read was
  ///   settled.
  func endRun(
    _ node: Node.Reference, isChanged: Bool
  ) -> (lock: GraphLock.Reference, isSettled: Bool) {
    pointee.walk.removeLast()
    pointee.context.recorder.reader = node.pointee.reader
    if pointee.walk.count == 0 { rest() }
    let lock = node.vertex.lockOwnGraph()
    node.publish(isChanged: isChanged)
    // Before the lock is given back, after which another thread may run the getter.
    let isSettled = node.isSettled
    guard hasPendingReleases else { return (lock, isSettled) }
    lock.unlock()
    releasePending()
    return (lock.lockRoot(), isSettled)
  }

  /// With no lock held.
  @inline(__always)
  private func release(_ kept: inout Unmanaged<AnyObject>?) {
    guard let object = kept.take() else { return }
    pointee.context.recorder = ThreadContext.Recorder()
    object.release()
  }

  /// Takes the last node off the walk, which is not the target. If it is not known whether it has
  /// changed, the node that depends on it runs its getter.
  @inline(__always)
  private func leave(_ node: Node.Reference, _ settlement: Node.Settlement) {
    pointee.walk.removeLast()
    // The target is not counted: it may have no lock yet, and the caller keeps it alive.
    node.pointee.walks = node.pointee.walks &- 1
    if settlement != .clean {
      pointee.walk.last.pointee.node.state |= Node.State.dirty
    }
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

  /// The values from `node` to the node whose getter is running: the way of a cycle. Under the
  /// lock.
  func way(from node: Node.Reference, _ lock: GraphLock.Reference)
    -> [DerivedNode.CycleStep]
  {
    let first = (0..<pointee.walk.count).last { pointee.walk[$0].node == node } ?? 0
    let entries = (first..<pointee.walk.count).map { pointee.walk[$0] }
    let isBroken = entries.contains { $0.rounds > 0 && $0.breaks != lock.pointee.breaks }
    return entries.compactMap { entry in
      // Nodes whose getters run are kept alive; of the others one may have been deallocated.
      guard entry.rounds > 0 || !isBroken else { return nil }
      let owner = entry.node.pointee.ownerBits.load(ordering: .relaxed)
      return entry.node.object._withUnsafeGuaranteedRef { $0.keyPath.map { ($0, owner) } }
    }
  }
}

extension UnsafeMutablePointer<Node> {
  /// Whether everything that the getter has read was settled.
  @inline(__always)
  var isSettled: Bool { pointee.reads & Node.State.dirty == 0 }

  /// Publishes a value that was computed, and stored if it differs. Under the lock of the graph.
  ///
  /// - Returns: The state of the node.
  @inline(__always)
  @discardableResult
  func publish(isChanged: Bool) -> UInt {
    if dependencies.count > cursor { truncateDependencies(to: cursor) }
    if pointee.places != nil { freePlaces() }
    let reads = pointee.reads
    let old = state & ~Node.State.computing
    // Before the state, which publishes both: who finds the value clean reads its version without
    // the lock.
    if isChanged { pointee.version = pointee.version &+ 1 }
    let new = old | reads
    state = new
    if isChanged {
      // Nodes that have read the previous value. They are not clean, and no node behind them is; in
      // a cycle a node that was given a placeholder may be clean, and stays so.
      vertex.forEachReader { reader, state in
        if state & Node.State.stale != 0 { reader.state = state | Node.State.dirty }
      }
    } else if reads & ~old & Node.State.shared != 0 {
      noteShared()
    }
    return new
  }

  /// Has values that are computed from the value be read under the lock too. A key path is read by
  /// nothing, and would be notified.
  @inline(never)
  private func noteShared() {
    vertex.forEachReader { reader, state in
      let mark = state & Node.State.path == 0 ? Node.State.dirty : Node.State.shared
      if state & Node.State.stale != 0 { reader.state = state | mark }
    }
  }
}
