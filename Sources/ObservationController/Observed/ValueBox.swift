/// A value of any type at a stable address, for a change that outlives the frame in which it was
/// made.
///
/// Not generic, and made by inlined code: where the client knows the type, making and freeing a box
/// takes 350 instructions. A generic class has its metadata looked up each time, and its deinit is
/// not specialised: 1,200.
@usableFromInline
final class ValueBox {
  /// Where the value is; valid as long as the box.
  @usableFromInline let address: UnsafeRawPointer

  /// Frees the memory of the value, and the value with it. Captures nothing but the type.
  @usableFromInline let free: (UnsafeRawPointer) -> Void

  @inlinable
  init<Value>(_ value: Value) {
    let memory = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    memory.initialize(to: value)
    address = UnsafeRawPointer(memory)
    free = { address in
      let memory = UnsafeMutablePointer(mutating: address.assumingMemoryBound(to: Value.self))
      memory.deinitialize(count: 1)
      memory.deallocate()
    }
  }

  deinit {
    free(address)
  }
}
