import Synchronization

/// A reference that is set once, and read on any thread without a lock.
///
/// What `AtomicLazyReference` is; that is not specialised for its clients, and takes 650 instructions to
/// be read.
struct SetOnce: ~Copyable {
  /// Holds what it points to, until this goes.
  private let pointer = Atomic<UnsafeMutableRawPointer?>(nil)

  init() {}

  deinit {
    if let pointer = pointer.load(ordering: .acquiring) {
      Unmanaged<AnyObject>.fromOpaque(pointer).release()
    }
  }

  /// Safe: what was set stays as long as this.
  var object: AnyObject? {
    pointer.load(ordering: .acquiring).map {
      Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Nothing happens if there is an object.
  func set(_ object: AnyObject) {
    let new = Unmanaged.passRetained(object)
    let isSet = pointer.compareExchange(
      expected: nil, desired: new.toOpaque(), ordering: .acquiringAndReleasing
    ).exchanged
    if !isSet { new.release() }
  }
}
