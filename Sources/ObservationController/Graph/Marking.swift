extension ThreadCell {
  /// As `releasePending` of the cell of this thread. Out of line: setters rarely need it.
  @inline(never)
  static func releasePending() { existing?.releasePending() }
}

/// What a marking precedes or follows.
enum MarkingStage {
  /// The value is about to be stored: what has prior deliveries is collected. Everything is passed
  /// and collected once more after the store, or by a change that a prior handler makes.
  case announced
  /// It has been stored.
  case stored
  /// An object has been deallocated, perhaps on another thread than those that use what has read
  /// it: nothing is collected before the next change.
  case deallocated
}

/// Marking: the first stage of a change for the values that derive from the property.
extension UnsafeMutablePointer<ThreadCell> {
  /// Marks the values that derive from `source`: direct readers as dirty, further ones as to be
  /// checked.
  ///
  /// Stops at nodes that are not clean, since no node behind them is. Under the lock of the graph;
  /// calls no user code.
  ///
  /// - Parameter isEqual: Whether an equal value was assigned, which is a change for key paths
  ///   alone.
  /// - Complexity: O(n) in what reads the property itself, and in the edges of what was clean.
  ///   Takes no stack for the depth.
  func mark(from source: Vertex.Reference, isEqual: Bool = false) {
    mark(from: source, isEqual: isEqual, .stored)
  }

  /// Marks them before the value is stored.
  func announce(from source: Vertex.Reference, isEqual: Bool) {
    mark(from: source, isEqual: isEqual, .announced)
  }

  /// Compiled for each stage: asking for it takes eight instructions of each node.
  @inline(__always)
  private func mark(from source: Vertex.Reference, isEqual: Bool, _ stage: MarkingStage) {
    let mark =
      stage == .stored ? Node.State.dirty | Node.State.assigned : Node.State.check
    // Key paths also where they have yet to read it: their next value comes of the assignment.
    source.forEachReader(unread: .paths) { node, state in
      guard !isEqual || state & Node.State.path != 0 else { return }
      self.mark(node, state, mark, stage)
    }
    markBehind(stage)
  }

  /// Marks a node that has read an object which has been deallocated. Under the lock of the graph.
  ///
  /// Perhaps on another thread than those that use the value: it is not taken, and its observers
  /// are notified with the next change.
  func markRead(_ node: Node.Reference) {
    self.mark(node, node.state, Node.State.dirty | Node.State.assigned, .deallocated)
    markBehind(.deallocated)
  }

  @inline(__always)
  private func markBehind(_ stage: MarkingStage) {
    while pointee.marked.count > 0 {
      // The lock keeps it alive.
      let node = pointee.marked.removeLast()
      node.vertex.forEachReader { self.mark($0, $1, Node.State.check, stage) }
    }
  }

  @inline(__always)
  private func mark(
    _ node: Node.Reference, _ state: UInt, _ mark: UInt, _ stage: MarkingStage
  ) {
    let collects = stage != .deallocated
    let isGuessed = state & Node.State.hasPlaceholder != 0
    var marked = (state | mark | (isGuessed ? Node.State.dirty : 0)) &+ Node.State.oneMark
    var isFirst = state & Node.State.stale == 0
    if state & Node.State.computing != 0, node.pointee.evaluator.load(ordering: .relaxed) == self {
      // By its own getter, whose thread could not deliver the value now.
      marked |= Node.State.selfMarked
    } else if collects, state & (Node.State.undelivered | Node.State.computing) != 0 {
      // Another thread that computes it may do so for a reader alone, and deliver nothing.
      isFirst = true
    }
    if isFirst {
      marked = stage == .stored ? marked & ~Node.State.undelivered : marked | Node.State.undelivered
    }
    node.state = marked
    if isFirst, collects, state & (Node.State.observed | Node.State.tracked) != 0 {
      if state & Node.State.tracked != 0 { noteTracked(node, stage) }
      // Alive until the bit has been taken off, under the lock.
      if state & Node.State.observed != 0,
        let subject = node.pointee.subject.load(ordering: .acquiring)
      {
        collect(subject)
      }
    }
    if node.vertex.dependents.count > 0 {
      if isFirst { pointee.marked.append(node) }
    } else if stage == .stored, marked & Node.State.dirty != 0,
      state & (Node.State.dirty | Node.State.computing | Node.State.observed) == 0
    {
      // A value that has neither observers nor dependents. Not of a node that was dirty before: it
      // may have been computed for a reader that is about to copy it.
      // Nothing to compare the next value with.
      if drop(node) { node.pointee.version = node.pointee.version &+ 1 }
    }
  }

  /// Notes the subject of a derived property whose observers are to be notified, or the info of a
  /// key path to be evaluated. Only retains.
  func collect(_ subject: Unmanaged<AnyObject>) { pointee.collected.append(subject.retain()) }

  /// Has a node end when no lock is held, if it is a key path from an object that is being
  /// deallocated: from `owner`, or from an object that is found to be gone then, as the one that
  /// held `owner` in a constant.
  ///
  /// - Parameter owner: Address of the object with the property that is gone; 0 for none.
  func noteEnd(of node: Node.Reference, from owner: UInt) {
    let observedPath = Node.State.path | Node.State.observed
    // As in `collect`; the object is alive as long.
    guard owner != 0, node.state & observedPath == observedPath,
      let info = node.pointee.subject.load(ordering: .acquiring)
    else { return }
    let kind = node.object._withUnsafeGuaranteedRef { type(of: $0) }
    if node.pointee.ownerBits.load(ordering: .relaxed) == owner {
      pointee.pendingReleases.append((info.takeUnretainedValue(), kind))
    } else {
      pointee.endedLinks.append((info.takeUnretainedValue(), kind))
    }
  }

  /// Takes the value of a node that lies in an object, to be freed when no lock is held.
  ///
  /// - Returns: Whether there was one.
  func drop(_ node: Node.Reference) -> Bool {
    guard let storage = node.pointee.box.storage else { return false }
    pointee.pendingReleases.append((storage, nil))
    (node.pointee.box, node.pointee.slot) = (ValueBox(()), nil)
    return true
  }

  /// Frees and ends what was put aside while a lock was held, when none is, and notifies
  /// Observation of what has been stored. Deinits of the user's may run, whose reads belong to no
  /// getter. Pinned by SubjectLifetimeTests.
  @inline(__always)
  func releasePending() {
    guard hasPendingReleases else { return }
    ThreadContext.with(\.recorder, ThreadContext.Recorder()) {
      while let next = pointee.pendingReleases.popLast() {
        next.path?.rootWillDeallocate(of: next.object)
      }
      while let next = pointee.endedLinks.popLast() { next.path.linkWillDeallocate(of: next.info) }
      while let next = pointee.stored.popLast() { next.didChange() }
    }
  }

  @inline(__always)
  var hasPendingReleases: Bool {
    !pointee.pendingReleases.isEmpty || !pointee.endedLinks.isEmpty || !pointee.stored.isEmpty
  }
}
