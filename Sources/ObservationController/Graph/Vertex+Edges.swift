import Synchronization

extension UnsafeMutablePointer<Node> {
  /// Puts the edge to a property that the getter reads at the cursor.
  ///
  /// An unchanged set of dependencies costs one comparison. Under the lock of the graph.
  ///
  /// - Returns: `false` if the getter that is running has read it before.
  func link(to vertex: Vertex.Reference) -> Bool {
    let cursor = cursor
    if isNext(vertex, at: cursor) { return true }
    note(Node.State.rewired)
    if let place = place(of: vertex) {
      guard place >= cursor else { return false }
      swapDependencies(place, cursor)
      return true
    }
    let last = dependencies.count
    dependencies.append(vertex, index: vertex.dependents.count)
    vertex.dependents.append(self.vertex, index: last)
    if pointee.places != nil { notePlace(last, of: vertex) }
    if last != cursor { swapDependencies(last, cursor) }
    return true
  }

  /// Puts the edge to a property that the getter reads, and moves the cursor over it. Under the
  /// lock of the graph.
  func read(_ vertex: Vertex.Reference) {
    if link(to: vertex) { cursor += 1 }
  }

  /// Moves the cursor over `vertex`, if the getter read that last time at this place.
  ///
  /// Without the lock for the thread that computes the node: the list is its own, and who dies
  /// leaves gaps.
  @inline(__always)
  func pass(_ vertex: Vertex.Reference) -> Bool {
    let cursor = cursor
    guard isNext(vertex, at: cursor) else { return false }
    self.cursor = cursor + 1
    return true
  }

  @inline(__always)
  private func isNext(_ vertex: Vertex.Reference, at cursor: Int) -> Bool {
    cursor < dependencies.count && dependencies.leads(to: vertex, at: cursor)
  }

  /// Position of the edge to `vertex`. Looked for at the end that has fewer edges, or in a table if
  /// both have many: time follows the edges, in whatever order they are read.
  private func place(of vertex: Vertex.Reference) -> Int? {
    let others = vertex.dependents
    let (ownCount, count) = (dependencies.count, others.count)
    guard min(ownCount, count) <= DependencyPlaces.fewEdges else { return findPlace(of: vertex) }
    DependencyPlaces.countSteps(min(ownCount, count))
    guard count < ownCount else { return dependencies.firstIndex(of: vertex) }
    return others.firstIndex(of: self.vertex).map { Int(others.edges[$0].index) }
  }

  private func swapDependencies(_ one: Int, _ other: Int) {
    if pointee.places != nil { swapPlaces(one, other) }
    let edges = dependencies.edges
    let (vertex, index) = (dependencies.vertex(at: one), edges[one].index)
    setDependency(one, to: dependencies.vertex(at: other), index: edges[other].index)
    setDependency(other, to: vertex, index: index)
  }

  @inline(__always)
  private func setDependency(_ place: Int, to vertex: Vertex.Reference?, index: UInt32) {
    let edges = dependencies.edges
    edges[place].vertex.store(vertex, ordering: .relaxed)
    edges[place].index = index
    // A gap has no other end.
    vertex?.dependents.edges[Int(index)].index = UInt32(place)
  }

  /// The properties that the getter read, but for gaps. Valid under the lock of the graph.
  var readVertices: some BidirectionalCollection<Vertex.Reference> {
    (0..<dependencies.count).lazy.compactMap { dependencies.vertex(at: $0) }
  }

  /// Removes the edges from `count` on, which the getter has not read.
  func truncateDependencies(to count: Int) {
    var last = dependencies.count
    while last > count {
      last -= 1
      dependencies.vertex(at: last)?.removeDependent(at: Int(dependencies.edges[last].index))
      dependencies.removeLast()
    }
  }

  /// Takes over the dependencies of a temporary: a node that is deallocated while a getter is
  /// running, on the same thread. They may outlive it.
  ///
  /// In front of the cursor, since all of it counts as read; what stood there is put behind.
  fileprivate func inherit(from temporary: Self) {
    for vertex in temporary.readVertices { read(vertex) }
  }
}

extension UnsafeMutablePointer<Vertex> {
  /// Visits the nodes that have read this, but for those whose getter is running and has yet to
  /// read it. Under the lock of the graph.
  ///
  /// - Parameter unread: Which of these nodes to visit all the same.
  @inline(__always)
  func forEachReader(
    unread: Vertex.UnreadNodes = .none,
    _ body: (_ node: Node.Reference, _ state: UInt) -> Void
  ) {
    let count = dependents.count
    guard count > 0 else { return }
    let edges = dependents.edges
    for index in 0..<count {
      let node = edges[index].node
      let state = node.state
      if state & Node.State.computing != 0, Int(edges[index].index) >= node.cursor {
        let isVisited =
          switch unread {
          case .none: false
          case .paths: state & Node.State.path != 0
          case .ofOtherThreads:
            node.pointee.evaluator.load(ordering: .relaxed) != ThreadCell.existing
          }
        guard isVisited else { continue }
      }
      body(node, state)
    }
  }

  fileprivate func removeDependent(at index: Int) {
    let last = dependents.count - 1
    let edges = dependents.edges
    if index != last {
      let (moved, place) = (edges[last].node, edges[last].index)
      edges[index].vertex.store(moved.vertex, ordering: .relaxed)
      edges[index].index = place
      moved.dependencies.edges[Int(place)].index = UInt32(index)
    }
    dependents.removeLast()
  }

  /// Removes a vertex from the graph. Nodes that have read it keep a gap in their lists, and are
  /// marked: by a weak reference, they would not find the object again. A getter that is running
  /// and made the object for itself is not.
  ///
  /// Once the lock is given back no other thread knows of the vertex, and its memory may be freed.
  /// `ThreadCell.releasePending` has to follow.
  ///
  /// - Parameters:
  ///   - node: The vertex as a node, if it is one.
  ///   - owner: Address of the object that is being deallocated with it; 0 for none.
  func leaveGraph(as node: Node.Reference?, of owner: UInt) {
    // Without a lock there are no edges.
    let lock = lockGraph()
    leaveDependents(as: node, of: owner)
    if let node {
      if node.state & Node.State.tracked != 0 { node.endTracking() }
      node.truncateDependencies(to: 0)
      node.freePlaces()
      node.dependencies.deallocate()
      if node.pointee.walks > 0 { lock?.breakWalks() }
    }
    dependents.deallocate()
    lock?.unlock()
    pointee.graph.load(ordering: .relaxed)?.release()
  }

  private func leaveDependents(as node: Node.Reference?, of owner: UInt) {
    // Of a property that several threads may change, also the paths over what derives from it.
    let shared = (0..<dependents.count).map { dependents.edges[$0].node.vertex }.filter {
      node == nil && $0.node.state & Node.State.shared != 0
    }
    if !shared.isEmpty {
      visitPaths(behind: shared) { ThreadCell.own.noteEnd(of: $0, from: owner) }
    }
    for index in 0..<dependents.count {
      let edge = dependents.edges + index
      let (dependent, place) = (edge.pointee.node, Int(edge.pointee.index))
      dependent.dependencies.edges[place].vertex.store(nil, ordering: .relaxed)
      let cell = ThreadCell.own
      cell.noteEnd(of: dependent, from: owner)
      guard dependent.state & Node.State.computing != 0 else {
        // Both may belong to a temporary, whose reader takes over what the later one has read.
        if let node, cell.pointee.walk.count > 0 || cell.pointee.context.isRecording {
          dependent.inherit(from: node)
        }
        cell.markRead(dependent)
        continue
      }
      // The getter that is running has yet to read it.
      guard place < dependent.cursor else { continue }
      if dependent.pointee.evaluator.load(ordering: .relaxed) != cell {
        // Its list belongs to the thread that computes it.
        dependent.state |= Node.State.dirty
      } else if let node {
        dependent.inherit(from: node)
        // Marked since it was read, and not just by the deinits of what belongs to the same object:
        // whether it has changed can't be checked any more.
        if !isClean, node.state & Node.State.undelivered == 0 {
          dependent.state |= Node.State.dirty
        }
      }
    }
  }
}

extension Vertex {
  /// Nodes whose getter is running and has yet to read a property.
  enum UnreadNodes { case none, paths, ofOtherThreads }

  /// One end of an edge: the vertex at the other end, and where the edge stands in that one's list.
  ///
  /// The vertex is not retained. Safe because a vertex takes its edges off both lists, under the
  /// lock of the graph, before its memory is freed.
  struct Edge: ~Copyable {
    /// `nil` for a gap, which a vertex leaves behind that was deallocated. Atomic since the thread
    /// that computes a node compares without the lock, while another leaves a gap.
    let vertex: Atomic<Vertex.Reference?>
    var index: UInt32

    /// The vertex as a node, in a list of dependents, which has no gaps.
    var node: Node.Reference { vertex.load(ordering: .relaxed).unsafelyUnwrapped.node }
  }

  /// Edges of one vertex: the only one in place, several in a buffer.
  ///
  /// Used by its address alone, so that walks neither count references nor check exclusivity: see
  /// the members of its pointer. Guarded by the lock of the graph; of a node's dependencies, the
  /// thread that computes it may read count and vertices without.
  struct Edges: ~Copyable {
    /// The edges: `first` or a buffer; `nil` before the first edge.
    fileprivate var start: UnsafeMutablePointer<Vertex.Edge>?

    /// The only edge; once there is a buffer, its index is the capacity of that.
    fileprivate var first = Vertex.Edge(vertex: Atomic(nil), index: 0)

    fileprivate var count: UInt32 = 0

    typealias Reference = UnsafeMutablePointer<Vertex.Edges>
  }
}

// ThreadSanitizer takes a mutating member for a change of the whole vertex, whose state others read
// without the lock.
extension UnsafeMutablePointer<Vertex.Edges> {
  var count: Int { Int(pointee.count) }

  /// The edges; valid until one is appended.
  var edges: UnsafeMutablePointer<Vertex.Edge> {
    // Only asked where there are some.
    pointee.start.unsafelyUnwrapped
  }

  func vertex(at index: Int) -> Vertex.Reference? { edges[index].vertex.load(ordering: .relaxed) }

  /// Whether the edge at an index leads to a vertex. Compares addresses: a comparison of optional
  /// pointers takes four instructions more.
  func leads(to vertex: Vertex.Reference, at index: Int) -> Bool {
    UInt(bitPattern: self.vertex(at: index)) == UInt(bitPattern: vertex)
  }

  func append(_ vertex: Vertex.Reference, index: Int) {
    let count = count
    if pointee.start == nil {
      pointee.start = first
    } else if count == capacity {
      grow()
    }
    (edges + count).initialize(to: Vertex.Edge(vertex: Atomic(vertex), index: UInt32(index)))
    pointee.count += 1
  }

  func firstIndex(of vertex: Vertex.Reference) -> Int? {
    (0..<count).first { leads(to: vertex, at: $0) }
  }

  func removeLast() { pointee.count -= 1 }

  /// Address of the only edge, inside of the list.
  private var first: UnsafeMutablePointer<Vertex.Edge> {
    // A part of the list, which stays where it is.
    withUnsafeMutablePointer(to: &pointee.first) { $0 }
  }

  private var capacity: Int { edges == first ? 1 : Int(pointee.first.index) }

  private func grow() {
    let count = count
    let new = UnsafeMutablePointer<Vertex.Edge>.allocate(capacity: count * 2)
    new.moveInitialize(from: edges, count: count)
    deallocate()
    pointee.start = new
    pointee.first.index = UInt32(count * 2)
  }

  func deallocate() {
    // Trivial: there is nothing to deinitialize.
    if let start = pointee.start, start != first { start.deallocate() }
  }
}
