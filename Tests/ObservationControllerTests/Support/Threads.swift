import Foundation
import ObservationController

/// A value under a lock that ThreadSanitizer understands on every platform, unlike `Mutex`.
final class Guarded<Value>: @unchecked Sendable {
  // Unchecked because `value` is only touched under the lock.
  private let lock = NSLock()
  private var value: Value

  init(_ value: Value) {
    self.value = value
  }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.withLock { body(&value) }
  }
}

/// Carries an object to another thread, where the test itself keeps accesses apart.
struct UncheckedReference<Object: AnyObject>: @unchecked Sendable {
  let object: Object

  init(_ object: Object) {
    self.object = object
  }
}

/// Tokens collected from several threads.
final class TokenList: Sendable {
  private let tokens = Guarded<[ObservationToken]>([])

  var all: [ObservationToken] { tokens.withLock { $0 } }

  func append(_ token: ObservationToken) {
    tokens.withLock { $0.append(token) }
  }
}
