import TestSupport
import XCTest

@testable import Demo

final class ProcessorStatusTests: TestCase {
  private let processors = ProcessorStatus()

  func test_apply_percents_areWholeAndTheirMeanIsKept() {
    processors.apply([10.4, 20.6])
    processors.apply([100, 100])
    XCTAssertEqual(processors.percents, [100, 100])
    XCTAssertEqual(processors.history, [16, 100])
  }

  func test_apply_nothingKnown_isNoPartOfTheHistory() {
    processors.apply([])
    XCTAssertEqual(processors.percents, [])
    XCTAssertEqual(processors.history, [])
  }

  func test_apply_manySamples_keepsTheLastOnes() {
    for percent in 0..<ProcessorStatus.historyLimit + 5 { processors.apply([Double(percent)]) }
    XCTAssertEqual(processors.history.count, ProcessorStatus.historyLimit)
    XCTAssertEqual(processors.history.first, 5)
  }
}
