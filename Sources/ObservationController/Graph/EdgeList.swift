import Synchronization

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
