import Dispatch
import Foundation
import Synchronization
import XCTest

/// A value under a lock that ThreadSanitizer understands on every platform, unlike `Mutex`.
package final class Guarded<Value>: @unchecked Sendable {
  // Unchecked because `value` is only accessed under the lock.
  private let lock = NSLock()
  private var value: Value

  package init(_ value: Value) {
    self.value = value
  }

  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.withLock { body(&value) }
  }
}

/// Carries an object to another thread, where the test itself keeps accesses apart.
package struct UncheckedReference<Object: AnyObject>: @unchecked Sendable {
  package let object: Object

  package init(_ object: Object) {
    self.object = object
  }
}

/// Counts the reports of all threads, as an observer of several threads.
package final class CallCounter: Sendable {
  private let calls = Atomic<Int>(0)

  package init() {}

  package var count: Int { calls.load(ordering: .relaxed) }

  package func increment() { calls.wrappingAdd(1, ordering: .relaxed) }
}

/// Set once.
package final class Flag: Sendable {
  private let isRaised = Atomic<Bool>(false)

  package init() {}

  package var isSet: Bool { isRaised.load(ordering: .relaxed) }

  package func set() { isRaised.store(true, ordering: .relaxed) }
}

/// The first failures, of all threads.
package final class Failures: Sendable {
  private let list = Guarded<[String]>([])

  package init() {}

  package var all: [String] { list.withLock { $0 } }

  package func add(_ failure: String) {
    list.withLock { if $0.count < 5 { $0.append(failure) } }
  }
}

/// Runs `body` on a thread of its own, which has a stack of that many bytes, and waits for it.
package func onThread<Result: Sendable>(
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

/// Runs `body` on another thread, and waits for it; fails if it waits for a lock that this thread
/// holds.
///
/// The thread retains no captured object of `body` afterwards.
package func onAnotherThread(
  _ message: String = "", file: StaticString = #filePath, line: UInt = #line,
  _ body: @escaping @Sendable () -> Void
) {
  let own = Guarded<(@Sendable () -> Void)?>(body)
  let done = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    scoped { own.withLock { $0 }?() }
    own.withLock { $0 = nil }
    done.signal()
  }
  XCTAssertEqual(
    done.wait(timeout: .now() + 20), .success, "a lock is held \(message)", file: file, line: line)
}

/// Runs `body` on that many threads, which start together, with the number of each; waits for all.
///
/// No thread retains captured objects of `body` afterwards.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  // `DispatchQueue.concurrentPerform` has no more threads than the machine has processors.
  let team = Team(count, body)
  let threads = DispatchGroup()
  for index in 0..<count {
    threads.enter()
    Thread.detachNewThread {
      team.run(index)
      threads.leave()
    }
  }
  threads.wait()
  team.body.withLock { $0 = nil }
}

/// Threads that start together.
private final class Team: Sendable {
  let body: Guarded<(@Sendable (Int) -> Void)?>
  private let missing: Atomic<Int>

  init(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    self.body = Guarded(body)
    missing = Atomic(count)
  }

  /// In a frame of its own, so that the thread has released `body` when it is counted as ended.
  @inline(never)
  func run(_ index: Int) {
    missing.wrappingSubtract(1, ordering: .acquiringAndReleasing)
    while missing.load(ordering: .acquiring) > 0 { sched_yield() }
    body.withLock { $0 }?(index)
  }
}
