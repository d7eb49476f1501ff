extension DerivedNode {
  /// Result of asking for a derived value, for its reader.
  @usableFromInline
  struct Access {
    @usableFromInline enum Kind { case value, compute, placeholder, run }

    /// `run`: the caller has to call `evaluate`, then `readAfterRun`. `compute`: it has to compute
    /// the value by a node of its own, since another thread computes this one.
    @usableFromInline let kind: Kind

    /// Held while the value is copied, which calls no user code; `nil` where no other thread may
    /// replace it.
    let lock: GraphLock.Reference?

    /// Counts the changes of the value.
    @usableFromInline var version: UInt32 = 0

    /// Whether a path is being evaluated, which records what the value was computed from.
    @usableFromInline var isFollowed = false

    @usableFromInline
    func end() { lock?.unlock() }
  }

  /// `settledSlot` while some thread tracks. If a getter is running on this one, what it reads has
  /// to be what it read last time at this place.
  @usableFromInline @inline(never)
  func recordedSlot(of owner: AnyObject) -> UnsafeMutableRawPointer? {
    guard let slot = settledSlot(of: owner) else { return nil }
    guard let cell = ThreadCell.existing else { return slot }
    guard let reader = cell.pointee.context.recorder.reader else {
      cell.visitIdly()
      return cell.pointee.context.recorder.tracker == nil ? slot : nil
    }
    return reader.pass(node.vertex) ? slot : nil
  }

  /// Settles the value, and records the reading if a getter is running on this thread.
  @usableFromInline
  func read(of owner: AnyObject) -> DerivedNode.Access {
    let context = ThreadCell.own
    guard let reader = context.pointee.context.recorder.reader else {
      context.visitIdly()
      var access = readUnrecorded(of: owner, context)
      access.isFollowed = context.pointee.context.recorder.tracker != nil
      return access
    }
    return read(of: owner, by: reader, context, hasRun: false, isSettled: true)
  }

  /// Continues after the caller has run the getter as `read` asked for.
  @usableFromInline @inline(never)
  func readAfterRun(of owner: AnyObject, isSettled: Bool) -> DerivedNode.Access {
    let context = ThreadCell.own
    context.endRun()
    // Only asked for where a getter was running.
    return read(
      of: owner, by: context.pointee.context.recorder.reader.unsafelyUnwrapped, context,
      hasRun: true, isSettled: isSettled)
  }

  @inline(never)
  private func read(
    of owner: AnyObject, by reader: Node.Reference, _ context: ThreadCell.Reference,
    hasRun: Bool, isSettled: Bool
  ) -> DerivedNode.Access {
    var lock: GraphLock.Reference? = reader.vertex.lockGraph(joining: node.vertex)
    keepOwner(owner)
    var isFirst = reader.link(to: node.vertex)
    var settlement = Node.Settlement.clean
    if !isSettled {
      settlement = node.state & Node.State.computing != 0 ? .busy : .unsettled
    } else if !node.vertex.isClean {
      if !hasRun, node.state & (Node.State.dirty | Node.State.computing) == Node.State.dirty {
        context.beginRun(node, lock)
        return DerivedNode.Access(kind: .run, lock: nil)
      }
      if isBeingRead(by: reader, context) {
        return reportCycle(of: owner, reader, isFirst, context, lock)
      }
      settlement = context.settle(node, of: owner, &lock)
      // A node that was deallocated meanwhile may have moved the edge.
      isFirst = reader.link(to: node.vertex)
    }
    if settlement == .busy {
      // Computed by a node of its own, which the reader depends on. The edge is removed when the
      // getter has ended.
      return access(.busy, lock)
    }
    // From here on marks reach the reader, under the same lock that says that the value is clean.
    if isFirst { reader.setCursor(reader.cursor + 1) }
    if settlement != .clean { reader.note(Node.State.dirty) }
    if node.state & Node.State.shared != 0 { reader.note(Node.State.shared) }
    return access(settlement, lock)
  }

  @inline(never)
  func readUnrecorded(of owner: AnyObject, _ context: ThreadCell.Reference) -> DerivedNode.Access {
    var lock = node.vertex.lockGraph()
    let settlement =
      node.vertex.isClean ? .clean : context.settle(node, of: owner, &lock)
    if lock == nil, node.vertex.pointee.graph.load(ordering: .acquiring) != nil {
      // Another thread has linked it since.
      return readUnrecorded(of: owner, context)
    }
    if settlement == .busy, node.pointee.evaluator.load(ordering: .relaxed) == context {
      // Its getter has set something whose handler reads it.
      return reportCycle(of: owner, nil, false, context, lock)
    }
    return access(settlement, lock)
  }

  private func access(_ settlement: Node.Settlement, _ lock: GraphLock.Reference?)
    -> DerivedNode.Access
  {
    if settlement == .busy {
      // Far from all that are compared with it. Without a lock, the first one is being computed.
      let version = (lock == nil ? 0 : node.pointee.version) &+ (1 << 30)
      lock?.unlock()
      return DerivedNode.Access(kind: .compute, lock: nil, version: version)
    }
    let version = node.pointee.version
    if settlement == .clean, node.state & Node.State.shared == 0 {
      lock?.unlock()
      return DerivedNode.Access(kind: .value, lock: nil, version: version)
    }
    return DerivedNode.Access(kind: .value, lock: lock, version: version)
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
    guard let reader = ThreadContext.current.recorder.reader else { return false }
    let (bits, keyPath) = (UInt(bitPattern: ObjectIdentifier(owner)), keyPath())
    var way = [keyPath]
    // Getters that run keep their nodes alive, the innermost first.
    for node in sequence(first: reader, next: { $0.pointee.reader }) {
      let known = node.pointee.object._withUnsafeGuaranteedRef { $0.keyPath }
      if let known { way.append(known) }
      guard node.pointee.ownerBits.load(ordering: .relaxed) == bits, known == keyPath
      else { continue }
      reader.note(Node.State.guessed)
      let place = Place(keyPath: keyPath, file: file, line: line)
      type(of: self).reportCycle(at: place, way: way.reversed(), of: owner)
      return true
    }
    return false
  }

  private func reportCycle(
    of owner: AnyObject, _ reader: Node.Reference?, _ isFirst: Bool,
    _ context: ThreadCell.Reference, _ lock: GraphLock.Reference?
  ) -> DerivedNode.Access {
    if let reader {
      if isFirst { reader.setCursor(reader.cursor + 1) }
      reader.note(Node.State.guessed)
    }
    let way = lock.map { context.way(from: node, $0) } ?? []
    lock?.unlock()
    type(of: self).reportCycle(at: place, way: way + [keyPath].compactMap(\.self), of: owner)
    return DerivedNode.Access(kind: .placeholder, lock: nil)
  }
}

extension UnsafeMutablePointer<Node> {
  /// Visits the stored properties behind the value, each once, in the order in which they were
  /// read. Under the lock of the graph.
  func visitSources(_ body: (Vertex.Reference) -> Void) {
    var seen: Set<UInt> = []
    var rest = [vertex.address]
    while let address = rest.popLast() {
      // Gaps are left out below, and the lock keeps all others alive.
      let vertex = Vertex.Reference(bitPattern: address).unsafelyUnwrapped
      guard vertex.pointee.state.load(ordering: .relaxed) & Node.State.node != 0 else {
        body(vertex)
        continue
      }
      let node = Node.Reference(at: address)
      for index in (0..<node.dependencies.count).reversed() {
        let next = node.dependencies.vertex(at: index)
        if next != 0, seen.insert(next).inserted { rest.append(next) }
      }
    }
  }
}
