import Synchronization

/// Reference that is set once, by whichever thread comes first, and kept until this goes.
///
/// As the standard library's `AtomicLazyReference`, which is not specialised for its instances:
/// loading that takes some 640 instructions, most of them for the type's metadata, and this six.
@usableFromInline
struct LazyReference<Instance: AnyObject>: ~Copyable {
  /// Address of the instance, which is retained; 0 while there is none.
  private let bits = Atomic<UInt>(0)

  @usableFromInline init() {}

  deinit { reference(bits.load(ordering: .acquiring))?.release() }

  @inline(__always)
  func load() -> Instance? {
    reference(bits.load(ordering: .acquiring))?.takeUnretainedValue()
  }

  /// Sets the reference, unless a thread has done so.
  ///
  /// - Returns: The instance that is kept.
  func storeIfNil(_ new: Instance) -> Instance {
    let retained = Unmanaged.passRetained(new)
    let (isFirst, other) = bits.compareExchange(
      expected: 0, desired: UInt(bitPattern: retained.toOpaque()), ordering: .acquiringAndReleasing)
    guard !isFirst, let other = reference(other) else { return new }
    retained.release()
    return other.takeUnretainedValue()
  }

  /// Safe: never another address than that of an instance which `storeIfNil` has retained.
  @inline(__always)
  private func reference(_ bits: UInt) -> Unmanaged<Instance>? {
    UnsafeRawPointer(bitPattern: bits).map { .fromOpaque($0) }
  }
}

/// The instance may be used on several threads, and `bits` is atomic.
extension LazyReference: @unchecked Sendable where Instance: Sendable {}
