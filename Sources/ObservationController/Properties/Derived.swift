/// A computed property that is kept until something it has read changes.
///
///     final class Person {
///       @Observed var first = "Ada"
///       @Observed var last = "Lovelace"
///       @Derived({ (person: Person) in person.first + " " + person.last }) var fullName: String
///     }
///
/// The closure says everything: which properties it reads is found out by running it, and again each
/// time, so that branches are followed. It runs when somebody asks, a reader or an observer, at most
/// once for each change, however many ask; and not at all while nobody does, or while nothing that it
/// has read directly has changed. A derived value may read others: an equal one ends the change there, by
/// `==`, or by identity for instances that are not `Equatable`; other types always count as changed.
/// Whatever reads one, before a handler, inside of it or in a transaction, gets the value that
/// goes with the properties as they are.
///
/// Observed as any other property, by key path: its observers are notified of each change of the value,
/// in the order of registration among those of the property that was set. What is not observable, and
/// changes, goes unnoticed: the value stays what it was.
///
/// A value that reads itself reports ``ObservationIssue/derivedCycle(keyPaths:file:line:)``; the inner
/// reading gets `nil`, zero, `false` or an empty collection, and the program stops where the type has none
/// of these. When the cycle is broken, all values are right again.
///
/// One that reads another, and so on, takes stack for each level when it is read for the first time.
/// Afterwards it does not: those that were read before are computed in their order.
///
/// Classes only. As thread-safe as what the closure reads: where that is ``AtomicObserved``, the value
/// may be read on any thread, and the closure runs on the thread that asks, with no lock held.
@propertyWrapper
public struct Derived<Owner: AnyObject, Value> {
  @usableFromInline let node: DerivedProperty

  /// Makes a property that is computed by `compute`.
  ///
  /// - Parameters:
  ///   - compute: Receives the object that the property belongs to. Runs on the thread that asks,
  ///     with no lock held, at most once for each change of what it reads. Kept as long as the
  ///     object: use the parameter, and capture nothing that keeps it alive.
  ///   - file: Where the property stands, for issues.
  ///   - line: Likewise.
  @inlinable
  public init(
    _ compute: @escaping (Owner) -> Value, file: String = #fileID, line: UInt = #line
  ) {
    node = DerivedProperty(
      isTrivial: _isPOD(Value.self), file: file, line: line,
      free: { slot in
        // Made by `evaluate` as one.
        let slot = slot.assumingMemoryBound(to: Value.self)
        slot.deinitialize(count: 1)
        slot.deallocate()
      },
      // Both are called with values of the property.
      copy: { ValueBox($0.assumingMemoryBound(to: Value.self).pointee) },
      compare: { old, new, node in
        ValueEquality.areEqual(
          old.assumingMemoryBound(to: Value.self).pointee,
          new.assumingMemoryBound(to: Value.self).pointee, orBy: { node.equality(of: Value.self) })
      },
      evaluate: { owner, node in
        // Only called with the object that the property belongs to.
        let new = compute(unsafeDowncast(owner, to: Owner.self))
        // What else runs code of the user's, which belongs to no getter, and may read the property.
        if !ValueEquality.isKnown(Value.self) { node.endRecording() }
        guard let slot = node.slot?.assumingMemoryBound(to: Value.self) else {
          let slot = UnsafeMutablePointer<Value>.allocate(capacity: 1)
          slot.initialize(to: new)
          node.slot = UnsafeMutableRawPointer(slot)
          return .changed
        }
        // Nobody else reads or writes the value while the node is being computed.
        if ValueEquality.areEqual(slot.pointee, new, orBy: { node.equality(of: Value.self) }) {
          return .same
        }
        if ValueEquality.isKnown(Value.self) {
          slot.pointee = new
          return .changed
        }
        // Freed after the new one has been published: a deinit may read the property.
        let old = slot.move()
        slot.initialize(to: new)
        return withExtendedLifetime(old) { node.finish(isChanged: true) ? .settled : .unsettled }
      })
  }

  @inlinable
  init(_ node: DerivedProperty) { self.node = node }

  @available(
    *, unavailable,
    message: "@Derived works on properties of classes only: make the enclosing type a class"
  )
  public var wrappedValue: Value {
    fatalError("unavailable")
  }

  @inlinable
  public static subscript(
    _enclosingInstance owner: Owner,
    wrapped wrapped: @autoclosure () -> KeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    @inline(__always) get {
      if let slot = owner[keyPath: storage].reference.settledSlot(of: owner) {
        // A settled value is one that `evaluate` has stored.
        return slot.assumingMemoryBound(to: Value.self).pointee
      }
      return owner[keyPath: storage].read(of: owner, { wrapped() })
    }
  }
}

extension Derived {
  @inlinable
  var reference: Reference {
    @inline(__always) get { Reference(node: .passUnretained(node)) }
  }

  /// A node as the getter of its property uses it: without reference counting. Safe while the owner is alive,
  /// which holds the node.
  @usableFromInline
  struct Reference {
    @usableFromInline let node: Unmanaged<DerivedProperty>

    @inlinable @inline(__always)
    init(node: Unmanaged<DerivedProperty>) { self.node = node }

    /// The value, if it may be read without looking further.
    @inlinable @inline(__always)
    func settledSlot(of owner: Owner) -> UnsafeMutableRawPointer? {
      node._withUnsafeGuaranteedRef {
        AccessTracking.isActive ? $0.recordedSlot(of: owner) : $0.settledSlot(of: owner)
      }
    }
  }

  /// Computes the value by a node of its own, so that what changes meanwhile is noticed: while another thread
  /// computes it for all, and where the storage was copied from another object. The node hands what it has
  /// read to the reader when it is freed.
  @inlinable @inline(never)
  func computeAlone(for owner: Owner, _ keyPath: () -> AnyKeyPath) -> Value {
    Self(DerivedProperty(like: node)).read(of: owner, keyPath)
  }

  /// - Parameters:
  ///   - owner: The object that the property belongs to.
  ///   - keyPath: That of the property. Only asked by the first reading.
  @inlinable @inline(never)
  func read(of owner: Owner, _ keyPath: () -> AnyKeyPath) -> Value {
    guard node.isOwned(by: owner, keyPath) else { return computeAlone(for: owner, keyPath) }
    var access = node.read(of: owner)
    if access.kind == .run {
      // Run from here, so that a chain read from its far end takes little stack for each level.
      access = node.readAfterRun(of: owner, node.evaluate(owner, node))
    }
    switch access.kind {
    case .value:
      // A settled value is there, and stays until `end`.
      let value = node.slot.unsafelyUnwrapped.assumingMemoryBound(to: Value.self).pointee
      access.end()
      if access.isFollowed { AccessTracking.note(node, version: access.version) }
      return value
    case .compute, .run:
      return computeAlone(for: owner, keyPath)
    case .placeholder:
      guard let value = Placeholder.value(of: Value.self) else { node.trap() }
      return value
    }
  }
}
