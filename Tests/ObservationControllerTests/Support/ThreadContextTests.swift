#if DEBUG  // `@testable` is not available in a release build.
  import Foundation
  @testable import ObservationController
  import TestSupport
  import XCTest

  /// Per-thread contexts.
  final class ThreadContextTests: TestCase {
    private func address(_ bits: Int) -> UnsafeMutableRawPointer? {
      UnsafeMutableRawPointer(bitPattern: bits)
    }

    func test_context_isSetForTheTimeOfACall_alsoInsideOfAnother() {
      XCTAssertNil(ThreadContext.current.recorder.tracker)
      ThreadContext.with(\.recorder.tracker, address(16)) {
        XCTAssertEqual(ThreadContext.current.recorder.tracker, address(16))
        XCTAssertEqual(ThreadContext.current.event.number, 0, "each part on its own")
        ThreadContext.with(\.recorder.tracker, nil) {
          XCTAssertNil(ThreadContext.current.recorder.tracker)
        }
        ThreadContext.with(\.event.number, 32) {
          XCTAssertEqual(ThreadContext.current.recorder.tracker, address(16))
        }
        XCTAssertEqual(ThreadContext.current.recorder.tracker, address(16))
        XCTAssertEqual(ThreadContext.current.event.number, 0)
      }
      XCTAssertNil(ThreadContext.current.recorder.tracker)
    }

    func test_context_isReset_whereTheCallThrows() {
      XCTAssertThrowsError(
        try ThreadContext.with(\.isReportingCycle, true) { throw Failure() })
      XCTAssertFalse(ThreadContext.current.isReportingCycle)
    }

    /// Many threads at once create the key, and leave contexts to be freed when they end.
    func test_context_isEachThreadsOwn() {
      let wrong = Guarded(0)
      onThreads(200) { number in
        let own = UnsafeMutableRawPointer(bitPattern: 16 * (number + 1))
        let isRight = ThreadContext.with(\.recorder.tracker, own) {
          ThreadContext.current.recorder.tracker == own
        }
        let isFresh = onThread(stackSize: 512 << 10) {
          ThreadContext.current.recorder.tracker == nil
        }
        if !isRight || !isFresh { wrong.withLock { $0 += 1 } }
      }
      XCTAssertEqual(wrong.withLock { $0 }, 0)
    }
  }
#endif
