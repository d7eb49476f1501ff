/// A value of any type, for a change that outlives the frame in which it was made: a trivial one of
/// at most two words in place, any other in an object.
@usableFromInline
struct ValueBox {
  @usableFromInline typealias Words = (UInt64, UInt64)

  /// The value, if there is no storage.
  @usableFromInline var words: Words = (0, 0)

  @usableFromInline let storage: ValueBox.Storage?

  /// Inlinable, since generic code would look up metadata each time.
  ///
  /// - Parameter value: Evaluated once, right into the memory of the box.
  @inlinable
  init<Value>(_ value: @autoclosure () -> Value) {
    guard Self.holds(Value.self) else {
      storage = ValueBox.Storage.make(value())
      return
    }
    storage = nil
    withUnsafeMutableBytes(of: &words) { words in
      words.baseAddress.unsafelyUnwrapped.storeBytes(of: value(), as: Value.self)
    }
  }

  /// Whether a box holds values of a type without an object.
  @inlinable
  static func holds<Value>(_ type: Value.Type) -> Bool {
    _isPOD(Value.self) && MemoryLayout<Value>.size <= MemoryLayout<Words>.size
      && MemoryLayout<Value>.alignment <= MemoryLayout<Words>.alignment
  }

  /// The value, which is of this type.
  @inlinable
  func value<Value>(as type: Value.Type) -> Value {
    withAddress { $0.load(as: Value.self) }
  }

  /// Lends the address of the value.
  @inlinable
  func withAddress<Result>(_ body: (UnsafeRawPointer) -> Result) -> Result {
    defer { withExtendedLifetime(storage) {} }
    return withUnsafePointer(to: words) { body(storage?.address ?? UnsafeRawPointer($0)) }
  }

  /// Whether observers of a derived property take the value and another one for one. Calls the
  /// user's `==`.
  func isUnchanged(in other: ValueBox, at keyPath: AnyKeyPath) -> Bool {
    equals(other, by: ValueComparison.of(type(of: keyPath).valueType).areUnchanged)
  }

  func equals(_ other: ValueBox, by areEqual: ValueEquality.Equality) -> Bool {
    withAddress { value in other.withAddress { areEqual(value, $0) } }
  }
}

extension ValueBox {
  /// Copies values of one type, for code that knows nothing of it.
  @usableFromInline
  struct Copier {
    /// Copies the value at an address.
    @usableFromInline let box: (UnsafeRawPointer) -> ValueBox

    /// Whether a copy is a trivial value of at most two words.
    @usableFromInline let isTrivial: Bool

    @inlinable
    init<Value>(_ type: Value.Type) {
      box = { ValueBox($0.load(as: Value.self)) }
      isTrivial = ValueBox.holds(Value.self)
    }
  }

  /// Owns the value of a box that does not hold it itself.
  ///
  /// Not generic: the deinit of a generic class is not specialised. Without stored properties, as
  /// `ManagedBufferPointer` asks, which lays out the memory: header, then room for the value,
  /// aligned as its type asks. `destroy` captures nothing but the type.
  @usableFromInline
  final class Storage {
    @usableFromInline typealias Header = (
      address: UnsafeMutableRawPointer, destroy: (UnsafeMutableRawPointer) -> Void
    )
    @usableFromInline typealias Buffer = ManagedBufferPointer<Header, UInt8>

    @usableFromInline
    var address: UnsafeRawPointer {
      UnsafeRawPointer(Buffer(unsafeBufferObject: self).header.address)
    }

    /// - Parameter value: Evaluated once, right into the memory of the object.
    @inlinable
    static func make<Value>(_ value: @autoclosure () -> Value) -> ValueBox.Storage {
      let buffer = Buffer(
        bufferClass: ValueBox.Storage.self,
        // The elements begin aligned as the header is.
        minimumCapacity: MemoryLayout<Value>.size
          + max(MemoryLayout<Value>.alignment - MemoryLayout<Header>.alignment, 0)
      ) { buffer, _ in
        // The elements of a buffer keep their address.
        let memory = Buffer(unsafeBufferObject: buffer).withUnsafeMutablePointerToElements {
          UnsafeMutableRawPointer($0).alignedUp(for: Value.self)
        }
        return (memory, { $0.assumingMemoryBound(to: Value.self).deinitialize(count: 1) })
      }
      buffer.header.address.initializeMemory(as: Value.self, to: value())
      // Safe: of the class that was asked for.
      return unsafeDowncast(buffer.buffer, to: ValueBox.Storage.self)
    }

    deinit {
      Buffer(unsafeBufferObject: self).withUnsafeMutablePointerToHeader { header in
        header.pointee.destroy(header.pointee.address)
        header.deinitialize(count: 1)
      }
    }
  }
}

/// Holds an object weakly, behind a reference.
final class WeakReference {
  let identity: ObjectIdentifier
  private(set) weak var object: AnyObject?

  init(_ object: AnyObject) {
    identity = ObjectIdentifier(object)
    self.object = object
  }
}

/// Set once, in `init`; reading a weak reference is safe on any thread.
extension WeakReference: @unchecked Sendable {}

/// Calls a closure when it is released.
final class ReleaseAction: Sendable {
  private let action: @Sendable () -> Void

  init(_ action: @escaping @Sendable () -> Void) { self.action = action }

  deinit { action() }
}
