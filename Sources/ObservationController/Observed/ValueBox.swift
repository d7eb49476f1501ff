/// A value of any type at a stable address, for the rare change that outlives the frame in which
/// it was made.
@usableFromInline
final class ValueBox {
  /// Where the value is; valid as long as the box.
  let address: UnsafeMutableRawPointer

  private let destroy: (UnsafeMutableRawPointer) -> Void

  @usableFromInline
  init<Value>(_ value: Value) {
    // Initialised here with a `Value` and destroyed in `deinit` as the same type: the memory is
    // never reached in another way.
    let pointer = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    pointer.initialize(to: value)
    address = UnsafeMutableRawPointer(pointer)
    destroy = { address in
      let pointer = address.assumingMemoryBound(to: Value.self)
      pointer.deinitialize(count: 1)
      pointer.deallocate()
    }
  }

  deinit {
    destroy(address)
  }
}
