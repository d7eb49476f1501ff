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

/// Some threads, seldom more than one, which is stored without an allocation.
struct ThreadSet {
  private var first: ThreadIdentity?
  private var others: [ThreadIdentity] = []
}

extension ThreadSet {
  func contains(_ thread: ThreadIdentity) -> Bool {
    first == thread || !others.isEmpty && others.contains(thread)
  }

  /// - Returns: Whether it was not there.
  mutating func insert(_ thread: ThreadIdentity) -> Bool {
    guard !contains(thread) else { return false }
    if first == nil { first = thread } else { others.append(thread) }
    return true
  }

  mutating func remove(_ thread: ThreadIdentity) {
    if first == thread { first = nil } else { others.removeAll { $0 == thread } }
  }
}
