#if DEBUG  // A release build has nothing for `@testable`.
  @testable import ObservationController
  import TestSupport
  import XCTest

  final class SetOnceTests: TestCase {
    private final class Item {}

    func test_object_isTheFirstThatWasSet_andGoesWithIt() {
      weak var first: Item?
      weak var second: Item?
      do {
        let once = SetOnce()
        XCTAssertNil(once.object)
        do {
          let (one, two) = (Item(), Item())
          (first, second) = (one, two)
          once.set(one)
          once.set(two)
          XCTAssertTrue(once.object === one)
        }
        XCTAssertNotNil(first)
        XCTAssertNil(second)
        XCTAssertNotNil(once.object)
      }
      XCTAssertNil(first)
    }
  }
#endif
