import ObservationController
import XCTest

/// Asserts that `body` leaves as many observations in the process as there were before.
///
/// Counts after the objects that `body` makes have been released.
@discardableResult
package func assertLeavesNoObservations<Result>(
  file: StaticString = #filePath, line: UInt = #line, _ body: () throws -> Result
) rethrows -> Result {
  let before = ObservationDispatcher.shared.activeObservationCount
  let result = try scoped(body)
  XCTAssertEqual(
    ObservationDispatcher.shared.activeObservationCount, before, file: file, line: line)
  return result
}

/// A test case whose tests leave as many observations in the process as there were before.
open class CountingTestCase: TestCase {
  private var countBefore = 0

  /// The number of observations that the test has begun, less those that have ended.
  package var newObservations: Int {
    ObservationDispatcher.shared.activeObservationCount - countBefore
  }

  override open func setUp() {
    countBefore = ObservationDispatcher.shared.activeObservationCount
  }

  override open func tearDown() {
    XCTAssertEqual(newObservations, 0)
  }
}
