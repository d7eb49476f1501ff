import Foundation

/// Tells threads apart, while they run: the identity of a thread that has ended may be used again.
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
}
