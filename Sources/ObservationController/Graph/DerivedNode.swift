import Observation
import Synchronization

/// Owner of one node of the graph, a derived property or a key path, and its getter.
///
/// Not generic: typed code is in `evaluate`, which is compiled where the property is declared. Only
/// the subclass knows which observers the value has.
///
///     object ──▶ derived node ──▶ memory of the node, value      strong
///       ▲┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┘                             weak
@usableFromInline
class DerivedNode {
  @usableFromInline final let node: Node.Reference

  /// Address of a trivial value in the node. Found by `init`, before another thread knows the node:
  /// ThreadSanitizer takes finding it for a change of the first part of the node. Never changed
  /// after that.
  @exclusivity(unchecked) @usableFromInline final var words: UnsafeMutableRawPointer?

  /// Runs the getter, and stores the value if it can be told apart from the one before; calls
  /// `endRecording` on the way. Returns whether it can.
  @usableFromInline final let evaluate: (AnyObject, DerivedNode) -> Bool

  /// Whether it stands in an object, and is not deallocated with the reading.
  final let isLasting: Bool

  /// Behind the Boolean, where it takes no room of its own.
  private final let shortLine: UInt32

  /// Place of the declaration in the source, for issues.
  final let file: String
  final var line: UInt { UInt(shortLine) }

  /// Set once, where Observation tracks the value.
  final let registrar = LazyReference<TrackingRegistrar>()

  /// The key path of the property; set by the first reading.
  private final let storedKeyPath = LazyReference<AnyKeyPath>()

  @usableFromInline
  init(
    isLasting: Bool = true, file: String, line: UInt,
    evaluate: @escaping (AnyObject, DerivedNode) -> Bool
  ) {
    node = Node.Reference.allocate(capacity: 1)
    (self.isLasting, self.file) = (isLasting, file)
    shortLine = UInt32(truncatingIfNeeded: line)
    self.evaluate = evaluate
    node.initialize(to: Node(self))
    precondition(node.isLaidOut)
    // Safe: it stays where it is as long as the node.
    words = withUnsafeMutableBytes(of: &node.pointee.box.words) { $0.baseAddress }
  }

  var place: Place { Place(keyPath: keyPath ?? \DerivedNode.self, file: file, line: line) }

  /// Reports that a value depends on itself.
  ///
  /// - Parameters:
  ///   - way: The values on the way; `nil` if its getter sets what it reads.
  ///   - owner: The object that the property belongs to.
  class func reportCycle(at place: Place, way: [CycleStep]?, of owner: AnyObject) {}

  /// One value on the way of a cycle: its key path, and the address of its object.
  typealias CycleStep = (keyPath: AnyKeyPath, owner: UInt)

  /// Called when the object that a key path starts from is being deallocated, with no lock held.
  class func rootWillDeallocate(of info: AnyObject) {}

  /// Called when another object that a key path has read is being deallocated, with no lock held.
  class func linkWillDeallocate(of info: AnyObject) {}

  deinit {
    // Getters are called without retaining the node.
    precondition(
      node.state & Node.State.computing == 0,
      "The storage of a derived property was replaced (`_name = …`) while its value was being "
        + "computed")
    // One that is temporary is not deallocated with the object.
    let owner = isLasting ? node.pointee.ownerBits.load(ordering: .relaxed) : 0
    node.vertex.leaveGraph(as: node, of: owner)
    // Freed last: its deinit may be one of the user's.
    let box = exchange(&node.pointee.box, with: ValueBox(()))
    node.deinitialize(count: 1)
    node.deallocate()
    withExtendedLifetime(box) {}
    ThreadCell.releasePending()
  }
}

extension DerivedNode {
  /// See `Node.slot`.
  @inlinable
  var slot: UnsafeRawPointer? { node.pointee.slot }

  /// Stores a new value. Called by the thread that computes the node.
  @inlinable
  func store<Value>(_ value: Value) {
    if ValueBox.holds(Value.self) {
      // In place, where it stays: there is no object, so that no reference is counted.
      words.unsafelyUnwrapped.storeBytes(of: value, as: Value.self)
      node.pointee.slot = UnsafeRawPointer(words)
    } else {
      dropValue()
      node.pointee.box = ValueBox(value)
      node.pointee.slot = node.pointee.box.storage.unsafelyUnwrapped.address
    }
  }

  /// Has the previous value freed, but not before the new one has been published: its deinit may
  /// read the property.
  @usableFromInline
  func dropValue() { _ = node.pointee.evaluator.load(ordering: .relaxed)?.drop(node) }

  /// The value, if it may be read without looking further: it is that of this object, it is clean,
  /// no other thread changes it, and Observation does not track it.
  @inlinable
  func settledSlot(of owner: AnyObject) -> UnsafeRawPointer? {
    let bits = UInt(bitPattern: ObjectIdentifier(owner))
    guard node.pointee.vertex.state.load(ordering: .acquiring) & Node.State.unsettled == 0,
      node.pointee.ownerBits.load(ordering: .relaxed) == bits
    else { return nil }
    return slot
  }

  /// Whether this is the storage of a property of `owner`, and not a copy from another object.
  @usableFromInline
  func isOwned(by owner: AnyObject, _ keyPath: () -> AnyKeyPath) -> Bool {
    let bits = UInt(bitPattern: ObjectIdentifier(owner))
    let known = node.pointee.ownerBits.load(ordering: .acquiring)
    if known != 0 { return known == bits }
    _ = storedKeyPath.storeIfNil(keyPath())
    // Before another thread can find that it is owned.
    if isLasting, owner is any Observable { makeTracked() }
    let (isFirst, other) = node.pointee.ownerBits.compareExchange(
      expected: 0, desired: bits, ordering: .acquiringAndReleasing)
    if isFirst { node.pointee.reservedOwner = owner }
    return isFirst || other == bits
  }

  /// The key path of the property; `nil` before the first reading.
  var keyPath: AnyKeyPath? { storedKeyPath.load() }

  /// A derived property, or a key path, as issues name it.
  struct Place {
    let keyPath: AnyKeyPath
    let file: String
    let line: UInt
  }

  /// Says whether two values cannot be told apart. Called by the thread that computes the node,
  /// while nothing is recorded.
  @usableFromInline
  func equality(of type: Any.Type) -> (UnsafeRawPointer, UnsafeRawPointer) -> Bool {
    node.vertex.equality(of: type)
  }

  /// Ends the recording of a getter: reads of `==` and of the deinits of a replaced value belong to
  /// no getter.
  @usableFromInline
  func endRecording() {
    // This thread computes the node.
    node.pointee.evaluator.load(ordering: .relaxed)?.pointee.context.recorder.reader = nil
  }
}

/// `node` follows the lock of the graph and the turn to compute, as `Node` says; the rest is
/// immutable or atomic.
extension DerivedNode: @unchecked Sendable {}
