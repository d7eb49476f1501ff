// Calls of the system, in one place: without Foundation where there are POSIX threads.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
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
      // Linux keeps the number of a thread in that of its clock (`linux/posix-timers.h`); `gettid`
      // is declared for those alone who ask for GNU's extensions.
      var clock = clockid_t()
      return pthread_getcpuclockid(pthread_self(), &clock) == 0 && ~(clock >> 3) == getpid()
    #else
      return Thread.isMainThread
    #endif
  }
}

/// The stream for messages beside the output of a program.
enum StandardError {
  static func print(_ text: String) {
    #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        // The stream is closed.
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    #else
      FileHandle.standardError.write(Data(text.utf8))
    #endif
  }
}
