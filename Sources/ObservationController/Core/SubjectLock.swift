import Synchronization

/// Lock under which getters look at the subject of a property, and create it: they may run on several threads
/// that only read.
///
/// One of a thousand, by the address of the object: threads that read different objects share none of them, nor
/// a line of the processor's cache, unless two addresses fall together.
///
/// Locked and unlocked by hand. A closure in between would carry the key path of the storage out of the
/// getter's body; then it is no longer folded, and every access of the property checks exclusivity at
/// run time: 60 instructions in place of 20.
struct SubjectLock: ~Copyable {
  typealias Reference = UnsafeMutablePointer<SubjectLock>

  fileprivate let lock = BriefLock()

  /// The cell of the thread that has the lock: finding it by the thread takes 17 instructions.
  fileprivate let holder = Atomic<UInt>(0)

  private init() {}
}

extension SubjectLock {
  private static var countBits: Int { 10 }
  private static var stride: Int { 64 }

  /// The lock of an object's properties.
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

  /// Who has the lock. Asked by that thread alone.
  var cell: ThreadCell.Reference? {
    ThreadCell.Reference(bitPattern: pointee.holder.load(ordering: .relaxed))
  }
}

/// The address of all of them, made by the first getter that is tracked, and never freed. A global, which needs no
/// check for its initialisation.
private let table = Atomic<UInt>(0)
