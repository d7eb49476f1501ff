import Synchronization

extension UnsafeMutablePointer<Node> {
  /// Puts the edge to a property that the getter reads at the cursor.
  ///
  /// An unchanged set of dependencies costs one comparison. Under the lock of the graph.
  ///
  /// - Returns: `false` if the getter that is running has read it before.
  func link(to vertex: Vertex.Reference) -> Bool {
    let cursor = cursor
    if cursor < pointee.dependencies.count,
      pointee.dependencies.vertex(at: cursor) == vertex.address
    {
      return true
    }
    if let place = place(of: vertex) {
      guard place >= cursor else { return false }
      swapDependencies(place, cursor)
      return true
    }
    let last = pointee.dependencies.count
    pointee.dependencies = pointee.dependencies.appending(
      vertex.address, index: vertex.pointee.dependents.count)
    vertex.pointee.dependents = vertex.pointee.dependents.appending(
      self.vertex.address, index: last)
    if last != cursor { swapDependencies(last, cursor) }
    return true
  }

  /// Position of the edge to `vertex`, looked for at the end that has fewer edges.
  private func place(of vertex: Vertex.Reference) -> Int? {
    let count = pointee.dependencies.count
    let others = vertex.pointee.dependents.count
    if others < count {
      for index in 0..<others
      where vertex.pointee.dependents.vertex(at: index) == self.vertex.address {
        return Int(vertex.pointee.dependents.edges[index].index)
      }
    } else {
      for index in 0..<count where pointee.dependencies.vertex(at: index) == vertex.address {
        return index
      }
    }
    return nil
  }

  private func swapDependencies(_ one: Int, _ other: Int) {
    let edges = pointee.dependencies.edges
    let (first, second) = (edges[one].index, edges[other].index)
    let (vertex, otherVertex) = (
      pointee.dependencies.vertex(at: one), pointee.dependencies.vertex(at: other)
    )
    setDependency(one, to: otherVertex, index: second)
    setDependency(other, to: vertex, index: first)
  }

  private func setDependency(_ place: Int, to vertex: UInt, index: UInt32) {
    let edges = pointee.dependencies.edges
    edges[place].vertex.store(vertex, ordering: .relaxed)
    edges[place].index = index
    // A gap has no other end.
    Vertex.Reference(bitPattern: vertex)?.pointee.dependents.edges[Int(index)].index = UInt32(place)
  }

  /// Removes the edges from `count` on, which the getter has not read.
  func truncateDependencies(to count: Int) {
    var last = pointee.dependencies.count
    while last > count {
      last -= 1
      let vertex = Vertex.Reference(bitPattern: pointee.dependencies.vertex(at: last))
      let index = Int(pointee.dependencies.edges[last].index)
      pointee.dependencies.removeLast()
      vertex?.removeDependent(at: index)
    }
  }

  /// Takes over the dependencies of a temporary: a node that is deallocated while the getter that
  /// has read it is running, on the same thread. They may outlive it.
  ///
  /// In front of the cursor, since all of it counts as read; what stood there is put behind.
  fileprivate func inherit(from temporary: Self) {
    for index in 0..<temporary.pointee.dependencies.count {
      let vertex = temporary.pointee.dependencies.vertex(at: index)
      guard vertex != 0, let vertex = Vertex.Reference(bitPattern: vertex), link(to: vertex)
      else { continue }
      setCursor(cursor + 1)
    }
  }
}

extension UnsafeMutablePointer<Vertex> {
  fileprivate func removeDependent(at index: Int) {
    let last = pointee.dependents.count - 1
    let edges = pointee.dependents.edges
    if index != last {
      let moved = pointee.dependents.vertex(at: last)
      let place = edges[last].index
      edges[index].vertex.store(moved, ordering: .relaxed)
      edges[index].index = place
      Node.Reference(at: moved).pointee.dependencies.edges[Int(place)].index = UInt32(index)
    }
    pointee.dependents.removeLast()
  }

  /// Removes a vertex from the graph. Nodes that have read it keep a gap in their lists, and are
  /// marked: by a weak reference, they would not find the object again. A getter that is running
  /// and made the object for itself is not.
  ///
  /// Once the lock is given back no other thread knows of the vertex, and its memory may be freed.
  /// `ThreadCell.freeDropped` has to follow.
  ///
  /// - Parameter node: The vertex as a node, if it is one.
  func leaveGraph(as node: Node.Reference?) {
    let lock = lockGraph()
    for index in 0..<pointee.dependents.count {
      let dependent = Node.Reference(at: pointee.dependents.vertex(at: index))
      let place = Int(pointee.dependents.edges[index].index)
      dependent.pointee.dependencies.edges[place].vertex.store(0, ordering: .relaxed)
      leave(dependent, at: place, as: node)
    }
    node?.truncateDependencies(to: 0)
    pointee.dependents.deallocate()
    if let node {
      node.pointee.dependencies.deallocate()
      if node.pointee.walks > 0, let lock { lock.pointee.breaks = lock.pointee.breaks &+ 1 }
    }
    lock?.unlock()
    pointee.graph.load(ordering: .relaxed)?.release()
  }

  private func leave(_ dependent: Node.Reference, at place: Int, as node: Node.Reference?) {
    let cell = ThreadCell.own
    guard dependent.state & NodeState.computing != 0 else { return cell.markRead(dependent) }
    guard place < dependent.cursor else { return }
    if dependent.pointee.evaluator.load(ordering: .relaxed) == cell {
      guard let node else { return }
      dependent.inherit(from: node)
      // Marked since it was read: whether it has changed can't be checked any more.
      if !isClean { dependent.setState(dependent.state | NodeState.dirty) }
    } else {
      // Its list belongs to the thread that computes it.
      dependent.setState(dependent.state | NodeState.dirty)
    }
  }
}

/// One end of an edge: the vertex at the other end, and where the edge stands in that one's list.
///
/// The vertex is not retained. Safe because a vertex takes its edges off both lists, under the lock
/// of the graph, before its memory is freed.
struct Edge: ~Copyable {
  /// Address of the vertex; 0 for a gap, which a vertex leaves behind that was deallocated. Atomic
  /// since the thread that computes a node compares without the lock, while another leaves a gap.
  let vertex: Atomic<UInt>
  var index: UInt32
}

/// Edges of one vertex in a raw buffer: count, capacity, and then the edges; `nil` while there are
/// none.
///
/// A plain buffer, so that walks neither count references nor check exclusivity, and without
/// mutating members: ThreadSanitizer takes these for changes of the whole vertex, whose state
/// others read without the lock. Guarded by the lock of the graph; of a node's dependencies, the
/// thread that computes it may read count and vertices without.
struct EdgeList {
  private let buffer: UnsafeMutableRawPointer?

  private static let headerSize = 8

  init() { buffer = nil }

  private init(buffer: UnsafeMutableRawPointer) { self.buffer = buffer }

  @inline(__always)
  private var header: UnsafeMutablePointer<(count: UInt32, capacity: UInt32)>? {
    // Bound by `reserve` alone.
    buffer?.assumingMemoryBound(to: (count: UInt32, capacity: UInt32).self)
  }

  @inline(__always)
  var count: Int { header.map { Int($0.pointee.count) } ?? 0 }

  /// The edges; valid until one is appended.
  @inline(__always)
  var edges: UnsafeMutablePointer<Edge> {
    // Only asked where there are some, and bound by `reserve` alone.
    (buffer.unsafelyUnwrapped + Self.headerSize).assumingMemoryBound(to: Edge.self)
  }

  @inline(__always)
  func vertex(at index: Int) -> UInt { edges[index].vertex.load(ordering: .relaxed) }

  /// - Returns: The list with one edge more; this one is not to be used any more.
  func appending(_ vertex: UInt, index: Int) -> EdgeList {
    let count = count
    let list = count == header?.pointee.capacity ?? 0 ? moved(to: Swift.max(1, count * 2)) : self
    (list.edges + count).initialize(to: Edge(vertex: Atomic(vertex), index: UInt32(index)))
    list.header.unsafelyUnwrapped.pointee.count = UInt32(count + 1)
    return list
  }

  @inline(__always)
  func removeLast() {
    // Trivial: there is nothing to deinitialize.
    let header = header.unsafelyUnwrapped
    header.pointee.count = header.pointee.count - 1
  }

  private func moved(to capacity: Int) -> EdgeList {
    let size = Self.headerSize + capacity * MemoryLayout<Edge>.stride
    let new = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
    let count = count
    new.bindMemory(to: (count: UInt32, capacity: UInt32).self, capacity: 1)
      .initialize(to: (UInt32(count), UInt32(capacity)))
    let newEdges = (new + Self.headerSize).bindMemory(to: Edge.self, capacity: capacity)
    if count > 0 { newEdges.moveInitialize(from: edges, count: count) }
    buffer?.deallocate()
    return EdgeList(buffer: new)
  }

  func deallocate() { buffer?.deallocate() }
}
