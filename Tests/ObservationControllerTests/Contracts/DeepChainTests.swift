import Foundation
import ObservationController
import TestSupport
import XCTest

/// A chain of 1,000 objects whose handlers each change the next one. Each level takes stack, as a
/// chain of `didSet` observers does.
final class DeepChainTests: TestCase {
  override func setUpWithError() throws {
    try StackMeter.skipWhereStacksAreHidden()
  }

  /// The result of a chain.
  private struct Outcome: Sendable {
    /// The indices of the links, in the order in which their handlers were called.
    var delivered: [Int] = []

    /// The number of handlers whose change was delivered before its assignment returned.
    var inTime = 0
    var bytesPerLevel = 0
  }

  /// Makes a chain of `count` links, and changes the first one.
  private static func run(_ change: DeepChange, count: Int) -> Outcome {
    let links = (0..<count).map { _ in DeepLink() }
    let observer = LineRecorder()
    let controller = ObservationController(observer: observer)
    let meter = StackMeter()
    let delivered = Recorder<Int>()
    var outcome = Outcome()
    for (index, link) in links.enumerated() {
      _ = change.observe(link, with: controller) {
        meter.note()
        delivered.append(index)
        guard index + 1 < count else { return }
        let before = delivered.events.count
        change.change(links[index + 1])
        if delivered.events.count == before + count - 1 - index { outcome.inTime += 1 }
      }
    }
    change.change(links[0])
    outcome.delivered = delivered.events
    outcome.bytesPerLevel = meter.bytesPerLevel
    return outcome
  }

  func test_C1_chainOf1000_ofEachKind_isDeliveredBeforeTheAssignmentReturns() {
    // ThreadSanitizer has room for 65,536 frames, and a build that is not optimised takes up to 70
    // a level.
    let count = isUnderThreadSanitizer ? 500 : 1000
    for change in DeepChange.allCases {
      let outcome = assertNoIssues {
        onThread(stackSize: 64 << 20) { Self.run(change, count: count) }
      }
      XCTAssertEqual(outcome.delivered, Array(0..<count), "\(change)")
      XCTAssertEqual(outcome.inTime, count - 1, "\(change)")
    }
  }

  func test_C1_chainOf1000Properties_fitsInARelease() throws {
    #if DEBUG
      throw XCTSkip("a level takes ten times as much in a debug build")
    #else
      for change in [DeepChange.property, .mutation] {
        let outcome = assertNoIssues {
          onThread(stackSize: 512 << 10) { Self.run(change, count: 1000) }
        }
        XCTAssertEqual(outcome.inTime, 999, "\(change)")
      }
    #endif
  }

  func test_levelOfAChain_takesLessThan16KiB_1KiBInARelease() {
    #if DEBUG
      let limit = 16 << 10
    #else
      let limit = 1 << 10
    #endif
    for change in DeepChange.allCases {
      let outcome = onThread(stackSize: 8 << 20) { Self.run(change, count: 50) }
      print("stack per level: \(change): \(outcome.bytesPerLevel) bytes")
      XCTAssertEqual(outcome.inTime, 49, "\(change)")
      XCTAssertGreaterThan(outcome.bytesPerLevel, 0, "\(change)")
      // The other kinds take more stack than a property.
      let factor = [.property, .mutation].contains(change) ? 1 : 4
      XCTAssertLessThan(
        outcome.bytesPerLevel, min(limit * factor, 16 << 10), "\(change)")
    }
  }
}
