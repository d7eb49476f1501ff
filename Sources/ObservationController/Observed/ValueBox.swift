/// A value of any type at a stable address, for a change that outlives the frame in which it was
/// made.
@usableFromInline
struct ValueBox {
  /// Holds the value, in an allocation of its own.
  private let storage: AnyObject

  /// Where the value is; valid as long as the box.
  let address: UnsafeRawPointer

  @usableFromInline
  init<Value>(_ value: Value) {
    let storage = ValueStorage<Value>.create(minimumCapacity: 1) { _ in 1 }
    // The elements of a managed buffer keep their address; `ValueStorage` destroys this one.
    address = storage.withUnsafeMutablePointerToElements { element in
      element.initialize(to: value)
      return UnsafeRawPointer(element)
    }
    self.storage = storage
  }
}

/// One element, initialised by `ValueBox`.
private final class ValueStorage<Value>: ManagedBuffer<Int, Value> {
  deinit {
    _ = withUnsafeMutablePointerToElements { $0.deinitialize(count: 1) }
  }
}
