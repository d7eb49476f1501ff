/// A value of any type at a stable address, for a change that outlives the frame in which it was
/// made.
@usableFromInline
struct ValueBox {
  /// Holds the value, in the same allocation.
  @usableFromInline let storage: ValueStorage

  /// Inlined, since generic code would look up metadata each time.
  ///
  /// - Parameter value: Evaluated once, right into the memory of the box.
  @inlinable @inline(__always)
  init<Value>(_ value: @autoclosure () -> Value) {
    let isSeparate = MemoryLayout<Value>.alignment > MemoryLayout<ValueStorage.Unit>.alignment
    let unit = MemoryLayout<ValueStorage.Unit>.stride
    let buffer = ValueStorage.Buffer(
      bufferClass: ValueStorage.self,
      minimumCapacity: isSeparate ? 0 : (MemoryLayout<Value>.size + unit - 1) / unit
    ) { buffer, _ in
      // The elements of a buffer keep their address.
      let memory =
        isSeparate
        ? UnsafeMutablePointer<Value>.allocate(capacity: 1)
        : ValueStorage.Buffer(unsafeBufferObject: buffer).withUnsafeMutablePointerToElements {
          UnsafeMutableRawPointer($0).bindMemory(to: Value.self, capacity: 1)
        }
      return ValueStorage.Header(address: UnsafeMutableRawPointer(memory)) {
        let memory = $0.assumingMemoryBound(to: Value.self)
        memory.deinitialize(count: 1)
        if isSeparate { memory.deallocate() }
      }
    }
    buffer.header.address.assumingMemoryBound(to: Value.self).initialize(to: value())
    // Safe: of the class that was asked for.
    storage = unsafeDowncast(buffer.buffer, to: ValueStorage.self)
  }

  /// The value, which is of this type.
  @inlinable @inline(__always)
  func value<Value>(as type: Value.Type) -> Value {
    withExtendedLifetime(storage) { address.assumingMemoryBound(to: Value.self).pointee }
  }

  /// Address of the value; valid as long as the box.
  @usableFromInline
  var address: UnsafeRawPointer { UnsafeRawPointer(storage.header.address) }
}

/// Copies values of one type, for code that knows nothing of it.
@usableFromInline
struct ValueCopier {
  @usableFromInline typealias Words = (UInt64, UInt64)

  /// The size of a trivial value that fits into two words; 0 for others.
  let inlineSize: Int

  /// Copies the value at an address.
  let box: (UnsafeRawPointer) -> ValueBox

  @inlinable @inline(__always)
  init<Value>(_ type: Value.Type) {
    let fits =
      _isPOD(Value.self) && MemoryLayout<Value>.size <= MemoryLayout<Words>.size
      && MemoryLayout<Value>.alignment <= MemoryLayout<Words>.alignment
    self.init(inlineSize: fits ? MemoryLayout<Value>.size : 0) {
      ValueBox($0.assumingMemoryBound(to: Value.self).pointee)
    }
  }

  @usableFromInline @inline(__always)
  init(inlineSize: Int, box: @escaping (UnsafeRawPointer) -> ValueBox) {
    (self.inlineSize, self.box) = (inlineSize, box)
  }
}

/// Owns the value of a box.
///
/// Not generic: the deinit of a generic class is not specialised. Without stored properties, as
/// `ManagedBufferPointer` asks, which lays out the memory: header, then the value.
@usableFromInline
final class ValueStorage {
  @usableFromInline typealias Buffer = ManagedBufferPointer<Header, Unit>

  /// Unit of memory, to which `malloc` aligns. Values aligned to more, such as long vectors, lie in
  /// memory of their own.
  @usableFromInline typealias Unit = UInt64

  @usableFromInline
  struct Header {
    @usableFromInline let address: UnsafeMutableRawPointer

    /// Captures nothing but the type.
    @usableFromInline let destroy: (UnsafeMutableRawPointer) -> Void

    @inlinable
    init(
      address: UnsafeMutableRawPointer, destroy: @escaping (UnsafeMutableRawPointer) -> Void
    ) {
      (self.address, self.destroy) = (address, destroy)
    }
  }

  fileprivate var header: Header { Buffer(unsafeBufferObject: self).header }

  deinit {
    Buffer(unsafeBufferObject: self).withUnsafeMutablePointerToHeader { header in
      header.pointee.destroy(header.pointee.address)
      header.deinitialize(count: 1)
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
