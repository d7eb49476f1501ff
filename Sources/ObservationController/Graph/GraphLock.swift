import Synchronization

/// Lock of one connected component of the graph.
///
/// A set of a union-find forest: a lock without a parent is the root of its component and guards
/// it. A lock that got a parent keeps it for ever, so that following parents needs no lock. Roots
/// are joined by size and chains are not shortened, so that nothing is freed while another thread
/// follows it: a vertex holds its lock, and a lock its parent, until the vertex has been
/// deallocated.
struct GraphLock: ~Copyable {
  /// Number of the last deallocation of a node that some walk was in; 0 for none. Guarded by the
  /// lock. A walk that finds it changed begins again.
  ///
  /// Stands first: ThreadSanitizer takes a mutation in place for one of the first byte, which has
  /// to be guarded by the lock, and not be the lock that other threads try to take meanwhile.
  var breaks: UInt32 = 0

  fileprivate let lock = BriefLock()
  fileprivate let parent = Atomic<Reference?>(nil)

  /// Vertices and locks that refer to this one.
  fileprivate let references = Atomic<UInt32>(1)

  /// How many properties are being mutated in place, on whatever thread: a mutation that awaits may
  /// end on another one than it began on. Written under the lock.
  fileprivate let mutations = Atomic<Int>(0)

  /// How many key paths have prior deliveries. Written under the lock.
  fileprivate let priorPaths = Atomic<Int>(0)

  /// How many nodes Observation has to be notified of before the next change. Written under the
  /// lock.
  fileprivate let awaitedNodes = Atomic<Int>(0)

  /// Object that is collected when a mutation in place has ended, see `Node.subject`, each with the
  /// vertex of the property that is being mutated. Guarded by the lock.
  var postponed: [(vertex: Vertex.Reference, subject: AnyObject)] = []

  /// How many locks have been joined to this one. Guarded by the lock.
  fileprivate var size: UInt32 = 1

  typealias Reference = UnsafeMutablePointer<GraphLock>

  fileprivate init() {}

  static func make() -> Reference {
    let new = Reference.allocate(capacity: 1)
    new.initialize(to: GraphLock())
    return new
  }
}

extension UnsafeMutablePointer<GraphLock> {
  /// Lock of the whole component.
  var root: Self {
    var lock = self
    while let parent = lock.pointee.parent.load(ordering: .acquiring) { lock = parent }
    return lock
  }

  /// - Returns: The root, locked.
  @inline(__always)
  func lockRoot() -> Self {
    while true {
      let root = root
      root.pointee.lock.lock(as: .graph)
      // Joined to another one before it was locked: that one guards the component now.
      if root.pointee.parent.load(ordering: .relaxed) == nil { return root }
      root.pointee.lock.unlock(as: .graph)
    }
  }

  @inline(__always)
  func unlock() { pointee.lock.unlock(as: .graph) }

  /// Has walks begin again, since a node that some walk was in is deallocated. Under the lock.
  func breakWalks() { pointee.breaks = lastBreak.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Whether a property of the component is being mutated in place.
  var hasMutations: Bool { root.pointee.mutations.load(ordering: .relaxed) > 0 }

  /// Counts mutations in place that begin or, if negative, end. Under the lock.
  func countMutations(by count: Int) { pointee.mutations.wrappingAdd(count, ordering: .relaxed) }

  /// Whether a key path of the component has prior deliveries.
  var hasPriorPaths: Bool { root.pointee.priorPaths.load(ordering: .relaxed) > 0 }

  /// Under the lock.
  func countPriorPaths(by count: Int) {
    pointee.priorPaths.wrappingAdd(count, ordering: .relaxed)
  }

  /// Whether Observation has to be notified of changes of a node of the component.
  var hasAwaitedNodes: Bool { root.pointee.awaitedNodes.load(ordering: .relaxed) > 0 }

  /// Under the lock.
  func countAwaitedNodes(by count: Int) {
    pointee.awaitedNodes.wrappingAdd(count, ordering: .relaxed)
  }

  func retain() { pointee.references.wrappingAdd(1, ordering: .relaxed) }

  /// Frees the lock with its last reference, and gives back its own to its parent. Chains are
  /// short, since roots are joined by size.
  func release() {
    let references = pointee.references.wrappingSubtract(1, ordering: .acquiringAndReleasing)
    guard references.newValue == 0 else { return }
    let parent = pointee.parent.load(ordering: .relaxed)
    deinitialize(count: 1)
    deallocate()
    parent?.release()
  }

  /// Joins two components.
  ///
  /// - Returns: The lock of both, locked; `nil` if another thread was faster, and the caller has to
  ///   try again.
  static func lockJoined(_ one: Self, _ other: Self) -> Self? {
    let (first, second) = (Swift.min(one, other), Swift.max(one, other))
    first.pointee.lock.lock(as: .graph)
    second.pointee.lock.lock(as: .joinedGraph)
    guard first.pointee.parent.load(ordering: .relaxed) == nil,
      second.pointee.parent.load(ordering: .relaxed) == nil
    else {
      second.pointee.lock.unlock(as: .joinedGraph)
      first.unlock()
      return nil
    }
    let (winner, loser) =
      first.pointee.size >= second.pointee.size ? (first, second) : (second, first)
    winner.pointee.size += loser.pointee.size
    winner.pointee.breaks = Swift.max(winner.pointee.breaks, loser.pointee.breaks)
    winner.countMutations(by: loser.pointee.mutations.load(ordering: .relaxed))
    winner.countPriorPaths(by: loser.pointee.priorPaths.load(ordering: .relaxed))
    winner.countAwaitedNodes(by: loser.pointee.awaitedNodes.load(ordering: .relaxed))
    winner.pointee.postponed += loser.pointee.postponed
    loser.pointee.postponed = []
    winner.retain()
    loser.pointee.parent.store(winner, ordering: .releasing)
    // One of the two stays locked, as the only one.
    loser.pointee.lock.unlock(as: .joinedGraph)
    return winner
  }
}

/// Numbers of all components, so that joining two does not break their walks.
private let lastBreak = Atomic<UInt32>(0)
