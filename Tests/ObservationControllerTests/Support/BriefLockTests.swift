#if DEBUG  // `@testable` is not available in a release build.
  import Foundation
  @testable import ObservationController
  import TestSupport
  import XCTest

  final class BriefLockTests: TestCase {
    func test_lock_takenByManyThreads_letsInOneAtATime() {
      let shared = Shared()
      let rounds = Effort.count(quick: 500, full: 20_000)
      onThreads(8) { _ in
        for _ in 0..<rounds {
          shared.lock.lock(as: .leaf)
          shared.count += 1
          shared.lock.unlock(as: .leaf)
        }
      }
      XCTAssertEqual(shared.count, 8 * rounds)
    }

    func test_threadsThatWait_areAllLetIn_onceItIsGivenBack() {
      for _ in 0..<50 {
        let shared = Shared()
        let (waiting, done) = (DispatchSemaphore(value: 0), DispatchGroup())
        shared.lock.lock(as: .leaf)
        for _ in 0..<4 {
          done.enter()
          Thread {
            waiting.signal()
            shared.lock.lock(as: .leaf)
            shared.count += 1
            shared.lock.unlock(as: .leaf)
            done.leave()
          }.start()
        }
        for _ in 0..<4 { waiting.wait() }
        XCTAssertEqual(shared.count, 0)
        shared.lock.unlock(as: .leaf)
        done.wait()
        XCTAssertEqual(shared.count, 4)
      }
    }
  }

  /// Unchecked because `count` is only accessed under the lock, or when the threads have ended.
  private final class Shared: @unchecked Sendable {
    let lock = BriefLock()
    var count = 0
  }
#endif
