#if DEBUG && (os(Linux) || os(macOS))  // `@testable` is not available in a release build.
  @testable import ObservationController
  import TestSupport
  import XCTest

  /// The order in which locks nest. That the library keeps to it, every other test shows.
  final class LockRankTests: TestCase {
    func test_locks_inTheirOrder_areTaken() {
      let store = Locked(1, .store)
      let path = Locked(2, .path)
      let leaf = BriefLock()
      let sum = store.withLock { one in
        path.withLock { two in
          leaf.lock(as: .leaf)
          defer { leaf.unlock(as: .leaf) }
          return one + two
        }
      }
      XCTAssertEqual(sum, 3)
      // In any order one after the other.
      XCTAssertEqual(path.withLock { $0 } + store.withLock { $0 }, 3)
      LockRank.assertNoneIsHeld()
    }

    func test_locks_againstTheirOrder_trap() {
      assertTraps(with: "The lock of store was taken inside of that of path") {
        let store = Locked(1, .store)
        let path = Locked(2, .path)
        _ = path.withLock { _ in store.withLock { $0 } }
      }
    }

    func test_briefLock_takenAgain_traps() {
      assertTraps(with: "The lock of subject was taken inside of that of subject") {
        let lock = BriefLock()
        lock.lock(as: .subject)
        lock.lock(as: .subject)
      }
    }

    func test_userCode_underALock_traps() {
      assertTraps(with: "User code was called under the lock of sink") {
        let sink = Locked(0, .sink)
        sink.withLock { _ in LockRank.assertNoneIsHeld() }
      }
    }
  }
#endif
