import Synchronization

/// Vertex of the graph: the common part of a stored property, a derived property and a key path.
///
/// In memory that belongs to one object and is freed with it, that of a node as the first part. The
/// graph works on pointers alone: no reference is counted, no deinit waited for.
@usableFromInline
struct Vertex: ~Copyable {
  /// Nodes that read this. Guarded by the lock of the graph. First, so that they are found without
  /// an access to the rest.
  fileprivate var dependents = Vertex.Edges()

  /// See `Node.State`; 0 for a stored property, which is always clean.
  @usableFromInline let state: Atomic<UInt>

  /// Lock of the component, `nil` before the first edge, and before a node is first computed; set
  /// once.
  let graph = Atomic<GraphLock.Reference?>(nil)

  /// The object that the memory belongs to: the `Subject` of a stored property, or a `DerivedNode`.
  /// It takes the vertex out of the graph, under the lock of that, before it is deallocated.
  let object: ObjectIdentifier

  /// Compares two values of the property, once some have been compared. Used by the thread that
  /// changes the property, or computes the node.
  fileprivate var comparison: ValueComparison?

  init(of object: AnyObject, state: UInt = 0) {
    self.object = ObjectIdentifier(object)
    self.state = Atomic(state)
  }

  typealias Reference = UnsafeMutablePointer<Vertex>
}

/// Node of the graph: a derived property, or a key path that is observed.
@usableFromInline
struct Node: ~Copyable {
  /// First, so that the address of a node is that of its vertex.
  @usableFromInline var vertex: Vertex

  /// Properties that the getter read, in that order. Changed by the thread that computes the node
  /// and by the deinits of these properties, both under the lock of the graph. Behind the vertex.
  fileprivate var dependencies = Vertex.Edges()

  /// The value. Changed by the thread that computes the node, and by marking, which takes an unused
  /// value that lies in an object, under the lock of the graph.
  @usableFromInline var box = ValueBox(())

  /// Address of the value in `box`; `nil` if there is none. Changed with that.
  @usableFromInline var slot: UnsafeRawPointer?

  /// The object that the property belongs to, or the key path starts from; of a derived property 0
  /// before the first reading. The storage may be copied to another object (`_name = other._name`),
  /// for which nothing is kept.
  @usableFromInline let ownerBits = Atomic<UInt>(0)

  /// How many of them the getter that is running has read.
  let cursor = Atomic<UInt32>(0)

  /// How many entries of walks refer to the node, but for targets. Guarded by the lock of the
  /// graph.
  var walks: UInt32 = 0

  /// Counts the changes of the value, and how often it was taken. Guarded by the lock of the graph.
  var version: UInt32 = 0

  /// Whether `weakOwner` has been made. Guarded by the lock of the graph. Here, where it takes no
  /// room of its own.
  fileprivate var hasWeakOwner = false

  /// Where the dependencies stand, while a getter runs that reads many of them in another order
  /// than before; see `DependencyPlaces`. Guarded by the lock of the graph.
  var places: DependencyPlaces?

  /// Bits of the state that follow from what the running getter has read: `shared` from a property
  /// that several threads may change, `hasPlaceholder` from a placeholder in place of a value that
  /// reads this one, `dirty` and `undelivered` from a value that was not settled, since other
  /// threads kept changing it, `rewired` from a property that it did not read at this place before.
  /// Belongs to the thread that computes the node.
  var reads: UInt = 0

  /// The thread that computes the node, or has computed it last.
  let evaluator = Atomic<ThreadCell.Reference?>(nil)

  /// The node whose getter has asked for this one. Belongs to the thread that computes the node.
  var reader: Reference?

  /// The object, for computations from below, by a change: its deinit may have begun by then. Made
  /// by the first of them, since a weak reference makes counting the references of an object slow
  /// for good. Guarded by the lock of the graph.
  ///
  /// Here and not in the object, whose variables are checked for exclusive access each time.
  fileprivate weak var weakOwner: AnyObject?

  /// Reserves the address of the owner: a copy of the property's storage may keep the node for
  /// longer than the owner lives. Set by the thread that sets `ownerBits`.
  unowned var reservedOwner: AnyObject?

  /// Object that marking collects: the subject of the property, `nil` before it is first observed,
  /// or the info of a key path. Alive as long as the node is observed, under the lock of the graph.
  let subject = Atomic<Unmanaged<AnyObject>?>(nil)

  init(_ object: DerivedNode) {
    vertex = Vertex(of: object, state: Node.State.node | Node.State.dirty)
  }

  @usableFromInline typealias Reference = UnsafeMutablePointer<Node>
}

extension Node {
  /// Bits of `Vertex.state`: what is known of a value; beyond them a count of the marks.
  ///
  /// Written under the lock of the graph. Not clean means that nothing downstream is clean.
  ///
  /// At rest, when no thread uses the graph:
  ///
  /// | node | legal |
  /// |---|---|
  /// | of a stored property | no bit; `mutating` during a mutation in place |
  /// | clean | none of `check`, `dirty`, `computing`; and none of a dependency |
  /// | not clean | `check` or `dirty`, with `undelivered` where no change has been delivered |
  /// | of a key path | `path`, and `prior` if it has prior deliveries |
  /// | of a key path that is not clean | `assigned` and `rewired` too |
  ///
  /// `observed`, `tracked`, `shared`, `selfMarked` and `hasPlaceholder` go with each of them.
  @usableFromInline
  enum State {
    /// A property further up has changed.
    @inlinable static var check: UInt { 1 }
    /// A property that the getter read has changed.
    @inlinable static var dirty: UInt { 2 }
    /// A thread runs the getter; `check` and `dirty` say what was marked since it began.
    @inlinable static var computing: UInt { 4 }
    /// Several threads may change something upstream, so that the value is only read under the
    /// lock.
    @inlinable static var shared: UInt { 8 }
    /// The getter that is running, or has run last, has itself changed what it had read.
    static var selfMarked: UInt { 16 }
    /// The getter was given a placeholder: whatever is marked upstream makes the node dirty.
    static var hasPlaceholder: UInt { 32 }
    /// The vertex is that of a node.
    static var node: UInt { 64 }
    /// The value has observers.
    static var observed: UInt { 128 }

    /// Of a stored property: it is being mutated in place, so that its value may not be read.
    static var mutating: UInt { 256 }

    /// Marked by the deinit of an object, perhaps on another thread than those that use the value,
    /// or not settled: observers are notified with the next change that leads here.
    static var undelivered: UInt { 512 }

    /// The node is a key path: each assignment of what it reads is a change, also of an equal
    /// value.
    static var path: UInt { 1024 }
    /// A key path with a delivery before a property which it depends on is stored.
    static var prior: UInt { 2048 }

    /// Something has been assigned that a key path reads directly; otherwise derived values have
    /// changed. Taken off when its change is queued.
    static var assigned: UInt { 4096 }

    /// The dependencies of a key path are others than before.
    static var rewired: UInt { 8192 }

    /// Observation tracks the value, so that readings are noted; see `TrackingRegistrar`.
    @inlinable static var tracked: UInt { 16384 }

    static var kinds: UInt { path | prior }
    static var stale: UInt { check | dirty | computing }

    /// Where none is set, the value may be read without looking further.
    @inlinable static var unsettled: UInt { check | dirty | computing | shared | tracked }

    static var oneMark: UInt { 1 << 15 }

    /// Bits that a run of the getter clears.
    static var outdated: UInt { check | dirty | hasPlaceholder | selfMarked | undelivered }

    static func marks(_ state: UInt) -> UInt32 { UInt32(truncatingIfNeeded: state >> 15) }
  }
}

extension UnsafeMutablePointer<Vertex> {
  /// Nodes that read this. Guarded by the lock of the graph.
  var dependents: Vertex.Edges.Reference {
    // A vertex begins with them.
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: Vertex.Edges.self)
  }

  /// Says whether two values of the property cannot be told apart. With no lock held.
  func equality(of type: Any.Type) -> ValueEquality.Equality {
    if let known = pointee.comparison { return known.areSame }
    let new = ValueComparison.of(type)
    pointee.comparison = new
    return new.areSame
  }

  /// Whether it is that of a node, and not of a stored property.
  var isNode: Bool { pointee.state.load(ordering: .relaxed) & Node.State.node != 0 }

  /// The node, of a vertex that is one, as all are that are in a list of dependents or not clean.
  var node: Node.Reference { UnsafeMutableRawPointer(self).assumingMemoryBound(to: Node.self) }

  var isClean: Bool { pointee.state.load(ordering: .acquiring) & Node.State.stale == 0 }

  /// - Returns: The lock of the component, locked; `nil` if there is none yet.
  func lockGraph() -> GraphLock.Reference? {
    pointee.graph.load(ordering: .acquiring)?.lockRoot()
  }

  /// - Returns: The lock of the component, made if there is none, locked.
  @inline(__always)
  func lockOwnGraph() -> GraphLock.Reference { lockGraph() ?? lockGraph(joining: self) }
  /// Makes one component of those of two vertices.
  ///
  /// - Returns: Its lock, locked.
  func lockGraph(joining other: Self) -> GraphLock.Reference {
    while true {
      let mine = pointee.graph.load(ordering: .acquiring)?.root
      let others = other.pointee.graph.load(ordering: .acquiring)?.root
      guard let mine else {
        adopt(others)
        continue
      }
      guard let others else {
        other.adopt(mine)
        continue
      }
      if mine == others { return mine.lockRoot() }
      if let both = GraphLock.Reference.lockJoined(mine, others) { return both }
    }
  }

  /// Joins a component without edges of its own, if no other thread has done so.
  private func adopt(_ graph: GraphLock.Reference?) {
    graph?.retain()
    let graph = graph ?? GraphLock.make()
    let isMine = pointee.graph.compareExchange(
      expected: nil, desired: graph, ordering: .acquiringAndReleasing
    ).exchanged
    if !isMine { graph.release() }
  }
}

extension UnsafeMutablePointer<Node> {
  /// The object that the node belongs to: its address, which an unmanaged reference is too.
  @inline(__always)
  var object: Unmanaged<DerivedNode> {
    unsafeBitCast(vertex.pointee.object, to: Unmanaged<DerivedNode>.self)
  }

  /// The object that the property belongs to; `nil` once its deinit has begun, and before the first
  /// reading. Under the lock of the graph.
  var owner: AnyObject? { pointee.weakOwner ?? makeWeakOwner() }

  /// - Returns: `nil` if there was one.
  private func makeWeakOwner() -> AnyObject? {
    let bits = pointee.ownerBits.load(ordering: .acquiring)
    guard !pointee.hasWeakOwner, let address = UnsafeRawPointer(bitPattern: bits) else {
      return nil
    }
    // Its deinit may have begun: the memory is not freed before the node has left the graph, which
    // waits for the lock, or is reserved by `reservedOwner`, and the weak reference is `nil`. If
    // not, what is returned is retained before this reference is released, which so is not the
    // last: the deinit would take the lock.
    let object = Unmanaged<AnyObject>.fromOpaque(address).retain()
    defer { object.release() }
    object._withUnsafeGuaranteedRef { keepOwner($0) }
    return loadWeakOwner()
  }

  /// A function of its own, so that what is loaded is not taken for what was stored.
  @inline(never)
  private func loadWeakOwner() -> AnyObject? { pointee.weakOwner }

  /// Makes the weak reference to the object, which the caller holds. Under the lock of the graph.
  ///
  /// Before another value depends on the node where the object may be one of Objective-C, whose
  /// runtime makes none in its deinit.
  func keepOwner(_ owner: AnyObject) {
    guard !pointee.hasWeakOwner else { return }
    pointee.hasWeakOwner = true
    pointee.weakOwner = owner
  }

  /// Whether the dependencies stand behind the vertex.
  var isLaidOut: Bool { withUnsafePointer(to: &pointee.dependencies) { $0 == dependencies } }

  /// See `Node.dependencies`.
  var dependencies: Vertex.Edges.Reference {
    // Initialized with the node, see `isLaidOut`.
    (vertex + 1).dependents
  }

  /// A node begins with its vertex, in memory of the node's.
  var vertex: Vertex.Reference {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: Vertex.self)
  }

  /// See `Vertex.state`. Set under the lock of the graph.
  var state: UInt {
    get { vertex.pointee.state.load(ordering: .relaxed) }
    nonmutating set { vertex.pointee.state.store(newValue, ordering: .releasing) }
  }

  /// See `Node.cursor`.
  var cursor: Int {
    get { Int(pointee.cursor.load(ordering: .relaxed)) }
    nonmutating set {
      pointee.cursor.store(UInt32(newValue), ordering: .relaxed)
    }
  }

  func note(_ read: UInt) { pointee.reads = pointee.reads | read }
}
