import Synchronization

/// Lock under which getters look at the subject of a property, and create it, since several threads
/// may read at once.
///
/// One of a thousand, chosen by the address of the object: threads that read different objects
/// mostly share neither a lock nor a cache line.
///
/// Locked and unlocked by hand: a closure would carry the key path of the storage out of the
/// getter's body, where the optimiser no longer folds it.
struct SubjectLock: ~Copyable {
  typealias Reference = UnsafeMutablePointer<SubjectLock>

  fileprivate let lock = BriefLock()

  /// Address of the `ThreadCell` of the thread that holds the lock.
  fileprivate let holder = Atomic<UInt>(0)

  private init() {}
}

extension SubjectLock {
  private static var countBits: Int { 10 }
  private static var stride: Int { 64 }

  /// Lock for the properties of an object.
  @inline(__always)
  static func of(_ owner: AnyObject) -> Reference {
    // Objects lie 16 bytes apart at least; the multiplication spreads them.
    let bits = UInt64(truncatingIfNeeded: UInt(bitPattern: ObjectIdentifier(owner)) >> 4)
    let index = (bits &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - countBits)
    let known = table.load(ordering: .acquiring)
    let base = known == 0 ? make() : known
    // Initialized by `make` as one.
    return Reference(bitPattern: base + UInt(index) * UInt(stride)).unsafelyUnwrapped
  }

  @inline(never)
  private static func make() -> UInt {
    let new = UnsafeMutableRawPointer.allocate(byteCount: stride << countBits, alignment: stride)
    for index in 0..<1 << countBits {
      (new + index * stride).initializeMemory(as: SubjectLock.self, to: SubjectLock())
    }
    let (isFirst, other) = table.compareExchange(
      expected: 0, desired: UInt(bitPattern: new), ordering: .acquiringAndReleasing)
    if isFirst { return UInt(bitPattern: new) }
    // Nothing in it has to be deinitialized.
    new.deallocate()
    return other
  }
}

extension UnsafeMutablePointer<SubjectLock> {
  @inline(__always)
  func lock(by cell: ThreadCell.Reference) {
    pointee.lock.lock()
    pointee.holder.store(UInt(bitPattern: cell), ordering: .relaxed)
  }

  @inline(__always)
  func unlock() { pointee.lock.unlock() }

  /// Cell of the thread that holds the lock, which alone may ask.
  var cell: ThreadCell.Reference? {
    ThreadCell.Reference(bitPattern: pointee.holder.load(ordering: .relaxed))
  }
}

/// Address of the locks, which the first tracked getter makes, and which are never freed. A global,
/// which needs no check for its initialisation.
private let table = Atomic<UInt>(0)
