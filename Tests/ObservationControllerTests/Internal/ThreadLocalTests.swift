#if DEBUG  // A release build has nothing for `@testable`.
  import Foundation
  @testable import ObservationController
  import TestSupport
  import XCTest

  private let first = ThreadLocal()
  private let second = ThreadLocal()

  /// Pointers that each thread has its own of.
  final class ThreadLocalTests: TestCase {
    private func address(_ bits: Int) -> UnsafeMutableRawPointer? {
      UnsafeMutableRawPointer(bitPattern: bits)
    }

    func test_pointer_isSetForTheTimeOfACall_alsoInsideOfAnother() {
      XCTAssertNil(first.pointer)
      first.withPointer(address(16)) {
        XCTAssertEqual(first.pointer, address(16))
        XCTAssertNil(second.pointer, "each has its own")
        first.withPointer(nil) { XCTAssertNil(first.pointer) }
        second.withPointer(address(32)) { XCTAssertEqual(first.pointer, address(16)) }
        XCTAssertEqual(first.pointer, address(16))
      }
      XCTAssertNil(first.pointer)
    }

    func test_pointer_isReset_whereTheCallThrows() {
      XCTAssertThrowsError(try first.withPointer(address(16)) { throw Failure() })
      XCTAssertNil(first.pointer)
    }

    /// Many at once make the key, and leave cells to be freed when they end.
    func test_pointer_isEachThreadsOwn() {
      let wrong = Guarded(0)
      onThreads(200) { number in
        let isRight = first.withPointer(UnsafeMutableRawPointer(bitPattern: 16 * (number + 1))) {
          first.pointer == UnsafeMutableRawPointer(bitPattern: 16 * (number + 1))
        }
        let isFresh = onThread(stackSize: 512 << 10) { first.pointer == nil }
        if !isRight || !isFresh { wrong.withLock { $0 += 1 } }
      }
      XCTAssertEqual(wrong.withLock { $0 }, 0)
    }
  }
#endif
