import Foundation
import Synchronization

/// The stack of the current thread, and how much of it is left.
///
/// Found out once for each thread, since on Linux the main thread has to read a file for that. Where a
/// platform does not tell, or AddressSanitizer keeps variables elsewhere, every stack counts as endless.
final class ThreadStack {
  /// The end that the stack grows to.
  private let end: UInt

  private let size: UInt

  /// Who delivers, further up this stack, what had no room; see `DeepDeliveries`.
  var landing: DeepDeliveries?

  private init(end: UInt, size: UInt) {
    (self.end, self.size) = (end, size)
  }
}

extension ThreadStack {
  /// How many bytes are left below the frame of the caller; `nil` if that is not on this stack, as
  /// where a sanitizer keeps variables elsewhere.
  @inline(__always)
  private var left: UInt? {
    let left = Self.address &- end
    return left < size ? left : nil
  }

  /// Whether so much has been used that what comes next may be one of many levels.
  @inline(__always)
  var isDeep: Bool {
    left.map { size &- $0 > min(Self.shallow, size / 8) } ?? false
  }

  /// Whether what is left should be kept for what can't wait: for the levels up to the next look, and
  /// 40 KiB for a handler.
  @inline(__always)
  var isNearlyFull: Bool {
    left.map { $0 < min(Self.lookInterval + Self.lookLength + 40 << 10, size / 4) } ?? false
  }

  /// Whether what is left is no more than it takes to say so.
  @inline(__always)
  var isFull: Bool {
    left.map { $0 < min(64 << 10, size / 8) } ?? false
  }

  /// Used by every program before its first handler, more or less.
  private static var shallow: UInt { 64 << 10 }

  private static var lookInterval: UInt { 64 << 10 }

  /// What one level takes, handler included, at the most: otherwise it may miss a look.
  private static var lookLength: UInt { 16 << 10 }

  /// Whether this is a place to look how much is left: a quarter of all, in regular intervals, but not
  /// the beginning of the main thread's stack.
  ///
  /// Three instructions in a plain delivery, where looking each time would take twenty.
  @inline(__always)
  static var isLookDue: Bool {
    let address = address
    return address & (lookInterval - lookLength) == 0
      && address &- shallowMain.load(ordering: .relaxed) > shallow
  }

  /// An address in the frame of the caller. Only compared with others, and never written to, so that it
  /// needs no protection of the stack, which would take another five instructions.
  @inline(__always)
  private static var address: UInt {
    var mark: UInt8 = 0
    return _withUnprotectedUnsafeMutablePointer(to: &mark) { UInt(bitPattern: $0) }
  }
}

/// Where the part of the main thread's stack begins that is shallow; 0 until it is known.
private let shallowMain = Atomic<UInt>(0)

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  extension ThreadStack {
    static var current: ThreadStack? {
      guard let pointer = pthread_getspecific(key) else { return find() }
      // Set by `find` alone, and freed when the thread ends.
      return Unmanaged<ThreadStack>.fromOpaque(pointer).takeUnretainedValue()
    }

    private static let key = {
      var key = pthread_key_t()
      let error = pthread_key_create(&key) { release($0) }
      precondition(error == 0, "No thread-local storage: pthread_key_create returned \(error)")
      return key
    }()

    private static func release(_ pointer: UnsafeMutableRawPointer?) {
      if let pointer { Unmanaged<ThreadStack>.fromOpaque(pointer).release() }
    }

    @inline(never)
    private static func find() -> ThreadStack? {
      let (end, size) = bounds ?? (0, 0)
      let stack = ThreadStack(end: end, size: size)
      pthread_setspecific(key, Unmanaged.passRetained(stack).toOpaque())
      if Thread.isMainThread, size > shallow {
        shallowMain.store(end + size - shallow, ordering: .relaxed)
      }
      return stack
    }
  }
#else
  extension ThreadStack {
    static var current: ThreadStack? { nil }
  }
#endif

#if canImport(Darwin)
  extension ThreadStack {
    private static var bounds: (end: UInt, size: UInt)? {
      let size = UInt(pthread_get_stacksize_np(pthread_self()))
      return (UInt(bitPattern: pthread_get_stackaddr_np(pthread_self())) - size, size)
    }
  }
#elseif canImport(Glibc) || canImport(Musl) || canImport(Android)
  extension ThreadStack {
    private static var bounds: (end: UInt, size: UInt)? {
      var attributes = pthread_attr_t()
      guard let getAttributes, getAttributes(pthread_self(), &attributes) == 0 else { return nil }
      defer { pthread_attr_destroy(&attributes) }
      var (address, size) = (UnsafeMutableRawPointer?.none, 0)
      guard pthread_attr_getstack(&attributes, &address, &size) == 0 else { return nil }
      return (UInt(bitPattern: address), UInt(size))
    }

    private typealias GetAttributes =
      @convention(c) (
        pthread_t, UnsafeMutablePointer<pthread_attr_t>
      ) -> Int32

    /// Looked up by name, since the headers hide it from Swift. Safe: this is its type in all three
    /// libraries; `nil` where the program is linked statically.
    private static let getAttributes = dlsym(nil, "pthread_getattr_np").map {
      unsafeBitCast($0, to: GetAttributes.self)
    }
  }
#endif
