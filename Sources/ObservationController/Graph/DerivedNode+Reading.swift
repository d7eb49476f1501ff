extension DerivedNode {
  /// Result of asking for a derived value, for its reader.
  @usableFromInline
  struct Access {
    @usableFromInline enum Kind { case value, compute, placeholder }

    /// `compute`: the caller has to compute the value by a node of its own, since another thread
    /// computes this one.
    @usableFromInline let kind: Kind

    /// Held while the value is copied, which calls no user code; `nil` where no other thread may
    /// replace it.
    let lock: GraphLock.Reference?

    @usableFromInline
    func end() { lock?.unlock() }
  }

  /// `settledSlot` while some thread tracks. If a getter is running on this one, what it reads has
  /// to be what it read last time at this place.
  @usableFromInline @inline(never)
  func recordedSlot(of owner: AnyObject) -> UnsafeRawPointer? {
    guard let slot = settledSlot(of: owner) else { return nil }
    guard let recorder = ThreadCell.recording?.pointee.context.recorder else { return slot }
    // For a tracker, `read` has it recorded.
    return recorder.reader?.pass(node.vertex) ?? false ? slot : nil
  }

  /// Settles the value, and records the reading if a getter is running on this thread.
  ///
  /// - Returns: `nil` if the caller has to call `evaluate`, then `readAfterRun`.
  @usableFromInline
  func read(of owner: AnyObject) -> DerivedNode.Access? {
    if node.state & Node.State.tracked != 0, let access = readTracked() { return access }
    let context = ThreadCell.own
    guard let reader = context.pointee.context.recorder.reader else {
      context.visitIdly()
      return readUnrecorded(of: owner, context)
    }
    let lock = reader.vertex.lockGraph(joining: node.vertex)
    #if canImport(ObjectiveC)
      node.keepOwner(owner)
    #endif
    // Before it is computed: what is marked from here on marks the reader.
    _ = reader.link(to: node.vertex)
    if node.state & (Node.State.dirty | Node.State.computing) == Node.State.dirty {
      context.beginRun(node, lock)
      return nil
    }
    return read(of: owner, by: reader, context, lock)
  }

  /// Continues after the caller has run the getter as `read` asked for.
  @usableFromInline @inline(never)
  func readAfterRun(of owner: AnyObject, isChanged: Bool) -> DerivedNode.Access {
    let context = ThreadCell.own
    let (lock, isSettled) = context.endRun(node, isChanged: isChanged)
    // Only asked for where a getter was running.
    let reader = context.pointee.context.recorder.reader.unsafelyUnwrapped
    return read(of: owner, by: reader, context, lock, isSettled: isSettled)
  }

  private func read(
    of owner: AnyObject, by reader: Node.Reference, _ context: ThreadCell.Reference,
    _ lock: GraphLock.Reference, isSettled: Bool = true
  ) -> DerivedNode.Access {
    var lock = lock
    var settlement = Node.Settlement.clean
    if !isSettled {
      settlement = node.state & Node.State.computing != 0 ? .busy : .unsettled
    } else if !node.vertex.isClean {
      if isBeingRead(by: reader, context) {
        reader.read(node.vertex)
        return reportCycle(of: owner, at: place.keyPath, from: node, by: reader, lock)
      }
      settlement = context.settle(node, of: owner, &lock)
    }
    // Computed by a node of its own, which the reader depends on. The edge is removed when the
    // getter has ended.
    if settlement == .busy { return access(.busy, lock) }
    reader.read(node.vertex)
    if settlement != .clean { reader.note(Node.State.dirty | Node.State.undelivered) }
    if node.state & Node.State.shared != 0 { reader.note(Node.State.shared) }
    return access(settlement, lock)
  }

  @inline(never)
  func readUnrecorded(of owner: AnyObject, _ context: ThreadCell.Reference) -> DerivedNode.Access {
    var lock = node.vertex.lockOwnGraph()
    let settlement = node.vertex.isClean ? .clean : context.settle(node, of: owner, &lock)
    if settlement == .busy, node.pointee.evaluator.load(ordering: .relaxed) == context {
      // Its getter has set something whose handler reads it.
      return reportCycle(of: owner, at: place.keyPath, from: node, by: nil, lock)
    }
    return access(settlement, lock)
  }

  private func access(_ settlement: Node.Settlement, _ lock: GraphLock.Reference)
    -> DerivedNode.Access
  {
    // Taken by another thread since it was computed, if there is no value.
    let isMissing = settlement == .busy || slot == nil
    let mayBeReplaced = settlement == .unsettled || node.state & Node.State.shared != 0
    let kept = mayBeReplaced && !isMissing ? lock : nil
    if kept == nil { lock.unlock() }
    return DerivedNode.Access(kind: isMissing ? .compute : .value, lock: kept)
  }

  /// Whether the getter of this node, on this thread, has led to that of `reader`.
  private func isBeingRead(by reader: Node.Reference, _ context: ThreadCell.Reference) -> Bool {
    node.state & Node.State.computing != 0
      && node.pointee.evaluator.load(ordering: .relaxed) == context
      && sequence(first: reader) { $0.pointee.reader }.contains(node)
  }

  /// Whether a getter that runs on this thread computes the value alone, and has asked for it
  /// again; that is reported.
  @usableFromInline
  func isComputedAlone(for owner: AnyObject, _ keyPath: () -> AnyKeyPath) -> Bool {
    guard let reader = ThreadCell.own.pointee.context.recorder.reader else { return false }
    let (bits, keyPath) = (UInt(bitPattern: ObjectIdentifier(owner)), keyPath())
    // Getters that run keep their nodes alive.
    let first = sequence(first: reader, next: { $0.pointee.reader }).first {
      $0.pointee.ownerBits.load(ordering: .relaxed) == bits
        && $0.object._withUnsafeGuaranteedRef { $0.keyPath } == keyPath
    }
    guard let first else { return false }
    _ = reportCycle(
      of: owner, at: keyPath, from: first, by: reader, first.vertex.lockOwnGraph())
    return true
  }

  /// Reports that a value depends on itself, and gives the lock back.
  ///
  /// - Parameters:
  ///   - first: The node of that value.
  ///   - reader: The node whose getter is given a placeholder; `nil` if a handler is.
  private func reportCycle(
    of owner: AnyObject, at keyPath: AnyKeyPath, from first: Node.Reference,
    by reader: Node.Reference?, _ lock: GraphLock.Reference
  ) -> DerivedNode.Access {
    reader?.note(Node.State.hasPlaceholder)
    let way = ThreadCell.own.way(from: first, lock)
    lock.unlock()
    let place = Place(keyPath: keyPath, file: file, line: line)
    type(of: self).reportCycle(
      at: place, way: way + [(keyPath, UInt(bitPattern: ObjectIdentifier(owner)))],
      of: owner)
    return DerivedNode.Access(kind: .placeholder, lock: nil)
  }
}

extension UnsafeMutablePointer<Vertex> {
  /// Visits the key paths behind the vertex, each once, first those that read it. Under the lock of
  /// the graph.
  ///
  /// - Parameters:
  ///   - isDeep: Whether also to visit those behind derived values.
  ///   - readers: Those behind which to visit paths; `nil` for all, and paths among them.
  func visitPaths(
    isDeep: Bool = true, behind readers: [Self]? = nil,
    _ body: (_ path: Node.Reference) -> Void
  ) {
    var seen: Set<Node.Reference> = []
    var rest = readers ?? [self]
    while let vertex = rest.popLast() {
      // What another thread computes may read it before it is stored.
      vertex.forEachReader(unread: .ofOtherThreads) { node, state in
        let isPath = state & Node.State.path != 0
        // A vertex lists each of its readers once.
        guard isDeep ? seen.insert(node).inserted : isPath else { return }
        if isPath {
          body(node)
        } else {
          rest.append(node.vertex)
        }
      }
    }
  }
}

extension UnsafeMutablePointer<Node> {
  /// The stored properties behind the value, each once, in the order in which they were read. Under
  /// the lock of the graph.
  var sources: [Vertex.Reference] { verticesBehind.filter { !$0.isNode } }

  /// The node, and the properties behind the value, derived ones too, each once, in the order in
  /// which they were read. Under the lock of the graph.
  var verticesBehind: [Vertex.Reference] {
    var found: [Vertex.Reference] = []
    var seen: Set<Vertex.Reference> = []
    var rest = [vertex]
    while let vertex = rest.popLast() {
      found.append(vertex)
      guard vertex.isNode else { continue }
      for next in vertex.node.readVertices.reversed() where seen.insert(next).inserted {
        rest.append(next)
      }
    }
    return found
  }
}
