import Synchronization

// Calls of the system, in one place: without Foundation where there are POSIX threads.

// The stream of C for errors is a variable, which this library only reads.
#if canImport(Darwin)
  @preconcurrency import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#elseif canImport(Musl)
  @preconcurrency import Musl
#elseif canImport(Android)
  @preconcurrency import Android
#else
  import Foundation
#endif

/// Identity of a running thread; that of a thread that has ended may be used again.
struct ThreadIdentity: Hashable {
  /// Never 0.
  let bits: UInt

  static var current: ThreadIdentity {
    #if canImport(Darwin)
      ThreadIdentity(bits: UInt(bitPattern: pthread_self()))
    #elseif canImport(Glibc) || canImport(Musl) || canImport(Android)
      ThreadIdentity(bits: UInt(pthread_self()))
    #else
      ThreadIdentity(bits: UInt(bitPattern: ObjectIdentifier(Thread.current)))
    #endif
  }

  /// Whether this is the thread that the program began on.
  static var isMain: Bool {
    #if canImport(Darwin)
      return pthread_main_np() != 0
    #elseif canImport(Glibc) || canImport(Musl) || canImport(Android)
      let known = mainThread.load(ordering: .relaxed)
      guard known == 0 else { return known == current.bits }
      // Linux keeps the number of a thread in that of its clock (`linux/posix-timers.h`); `gettid`
      // is declared for those alone who ask for GNU's extensions.
      var clock = clockid_t()
      let isMain = pthread_getcpuclockid(pthread_self(), &clock) == 0 && ~(clock >> 3) == getpid()
      // The identity of this thread is not used again: the process ends with it, or keeps it.
      if isMain { mainThread.store(current.bits, ordering: .relaxed) }
      return isMain
    #else
      return Thread.isMainThread
    #endif
  }
}

/// Bits of the identity of the main thread, 0 until that has asked: asking takes a call of the
/// system.
private let mainThread = Atomic<UInt>(0)

/// Writes to the stream for messages beside the output of a program.
func printError(_ text: String) {
  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
    fwrite(text, 1, text.utf8.count, stderr)
  #else
    FileHandle.standardError.write(Data(text.utf8))
  #endif
}

/// Compares memory.
func haveEqualBits(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, count: Int) -> Bool {
  memcmp(left, right, count) == 0
}
