import Dispatch
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

/// Runs `body` on a thread of its own, which has a stack of that many bytes, and waits for it.
func onThread<Result: Sendable>(
  stackSize: Int, _ body: @escaping @Sendable () -> Result
) -> Result {
  let result = Guarded<Result?>(nil)
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    let value = body()
    result.withLock { $0 = value }
    done.signal()
  }
  thread.stackSize = stackSize
  thread.start()
  done.wait()
  return result.withLock { $0! }
}
