/// A computed property whose value is cached until a property that it has read changes.
///
///     final class Person {
///       @Observed var first = "Ada"
///       @Observed var last = "Lovelace"
///       @Derived({ (person: Person) in person.first + " " + person.last }) var fullName: String
///     }
///
/// No dependencies are declared: each run of the closure records the properties that it reads, so
/// that branches are followed. It runs when the value is read or observed, at most once for each
/// change, and only if a property that it has read directly has changed. A derived value may read
/// others: if one is computed to a value that cannot be told apart from the one before, the change
/// ends there. Class instances are compared by identity, numbers by their bits, strings by their
/// UTF-8, and collections by their elements; two equal structs count as different unless their bits
/// are the same, since their `==` may leave something out. The value is up to date whenever it is
/// read: before a handler, inside of it or in a transaction.
///
/// Observed as any other property, by key path: its observers are notified of each change of the
/// value, of a struct only if its `==` says so, in the order of registration among those of the
/// property that was set. Changes of
/// properties that are not observable are not noticed: the value stays what it was.
///
/// A value that reads itself reports ``ObservationIssue/derivedCycle(keyPaths:file:line:)``; the
/// inner reading gets `nil`, zero, `false` or an empty collection, and the program traps where the
/// type has none of these. When the cycle is broken, all values are right again.
///
/// A chain of derived values takes stack for each level when it is read for the first time.
/// Afterwards it does not: values that were read before are computed in their order.
///
/// Classes only. As thread-safe as the properties that the closure reads: where these are
/// ``AtomicObserved``, the value may be read on any thread, and the closure runs on the reading
/// thread, with no lock held. An object that it reads by a weak reference must be kept alive while
/// several threads read the value: its deallocation is a change of what is read.
@propertyWrapper
public struct Derived<Owner: AnyObject, Value> {
  @usableFromInline let node: DerivedProperty

  /// Creates a property that is computed by `compute`.
  ///
  /// - Parameters:
  ///   - compute: Receives the object that the property belongs to. Runs on the thread that reads
  ///     the value, with no lock held, at most once for each change of the properties that it
  ///     reads. Retained as long as the object: use the parameter, and capture nothing that retains
  ///     it.
  ///   - file: The file of the declaration, for issues.
  ///   - line: The line of the declaration, for issues.
  @inlinable
  public init(
    _ compute: @escaping (Owner) -> Value, file: String = #fileID, line: UInt = #line
  ) {
    node = DerivedProperty(file: file, line: line) { owner, node in
      // Only called with the object that the property belongs to.
      let new = compute(unsafeDowncast(owner, to: Owner.self))
      // Reads of `==` and of deinits belong to no getter, and may be of the property.
      if !ValueEquality.isKnown(Value.self) { node.endRecording() }
      // No other thread reads or writes the value while the node is being computed.
      if let slot = node.slot?.assumingMemoryBound(to: Value.self),
        ValueEquality.areSame(slot.pointee, new, orBy: { node.equality(of: Value.self) })
      {
        return false
      }
      node.store(new)
      return true
    }
  }

  @inlinable
  init(_ node: DerivedProperty) { self.node = node }

  @available(
    *, unavailable,
    message:
      "@Derived works on properties of classes only: make the enclosing type a class; a static property belongs to no object"
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
      // Without reference counting: the owner is alive, and holds the node.
      let node = Unmanaged.passUnretained(owner[keyPath: storage].node)
      let settled = node._withUnsafeGuaranteedRef {
        ThreadActivity.isAnyTracking ? $0.recordedSlot(of: owner) : $0.settledSlot(of: owner)
      }
      if let slot = settled {
        // A settled value is one that `evaluate` has stored.
        return slot.load(as: Value.self)
      }
      return owner[keyPath: storage].read(of: owner, { wrapped() })
    }
  }
}

extension Derived {
  /// Computes the value by a node of its own, so that changes meanwhile are noticed: while another
  /// thread computes the shared one, and where the storage was copied from another object. When the
  /// node is freed, the reader takes over its dependencies.
  @inlinable @inline(never)
  func computeAlone(for owner: Owner, _ keyPath: () -> AnyKeyPath) -> Value {
    node.isComputedAlone(for: owner, keyPath)
      ? placeholder : Self(DerivedProperty(like: node)).read(of: owner, keyPath)
  }

  /// Value of a derived property that reads itself: `nil`, zero, `false` or empty.
  @usableFromInline
  var placeholder: Value {
    func empty<Literal: ExpressibleByDictionaryLiteral>(_ type: Literal.Type) -> Any {
      [:] as Literal
    }
    let type: Any.Type = Value.self
    let value: Any? =
      switch type {
      case let type as any ExpressibleByNilLiteral.Type: type.init(nilLiteral: ())
      case let type as any AdditiveArithmetic.Type: type.zero
      case let type as any RangeReplaceableCollection.Type: type.init()
      case let type as any SetAlgebra.Type: type.init()
      case let type as any ExpressibleByDictionaryLiteral.Type: empty(type)
      case is Bool.Type: false
      default: nil
      }
    // Not cast as an optional, which would wrap the `nil` of `Int??` or `Any?` in another one.
    guard let own = value, let value = own as? Value else {
      fatalError(
        "\(node.file):\(node.line): the derived \(node.place.keyPath) reads itself, and \(type) has no placeholder for that: make it optional, or break the cycle"
      )
    }
    return value
  }

  /// - Parameters:
  ///   - owner: The object that the property belongs to.
  ///   - keyPath: That of the property. Only asked by the first reading.
  @inlinable @inline(never)
  func read(of owner: Owner, _ keyPath: () -> AnyKeyPath) -> Value {
    guard node.isOwned(by: owner, keyPath) else { return computeAlone(for: owner, keyPath) }
    // Run from here, so that a chain read from its far end takes little stack for each level.
    let access =
      node.read(of: owner)
      ?? node.readAfterRun(of: owner, isChanged: node.evaluate(owner, node))
    switch access.kind {
    case .value:
      // A settled value is there, and stays until `end`.
      let value = node.slot.unsafelyUnwrapped.load(as: Value.self)
      access.end()
      if ThreadActivity.isAnyTracking { AccessTracking.note(node, of: owner) }
      return value
    case .compute:
      return computeAlone(for: owner, keyPath)
    case .placeholder:
      AccessTracking.noteCycle()
      return placeholder
    }
  }
}
