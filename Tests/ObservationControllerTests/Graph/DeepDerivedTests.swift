import Foundation
import ObservationController
import TestSupport
import XCTest

/// A chain of 1,000 derived values, each of which reads the previous one.
final class DeepDerivedTests: TestCase {
  private static let count = 1000

  override func setUpWithError() throws {
    try StackMeter.skipWhereStacksAreHidden()
  }

  /// Records computations of chains.
  private final class Log {
    var computed = 0
    let meter = StackMeter()
  }

  private final class Link {
    @Observed var start = 0
    let before: Link?
    let log: Log

    /// Read by one link in place of the previous one. Not read by all links: the last one would
    /// depend on all of these.
    var isSwitch = false
    @Observed var other: Link?

    @Derived({ (link: Link) -> Int in
      link.log.computed += 1
      link.log.meter.note()
      return ((link.isSwitch ? link.other : link.before)?.sum ?? link.start) + 1
    }) var sum: Int

    init(_ before: Link?, _ log: Log) {
      (self.before, self.log) = (before, log)
    }
  }

  private static func chain(count: Int = count, _ log: Log) -> [Link] {
    var links: [Link] = []
    for _ in 0..<count { links.append(Link(links.last, log)) }
    return links
  }

  /// The result of changes at the beginning of a chain whose values have been computed.
  private struct Outcome: Sendable {
    var sums: [Int] = []
    var computed: [Int] = []
    var delivered: [String] = []
  }

  /// - Parameter observe: Observes links of the chain, and records their deliveries.
  private func outcome(
    _ change: @escaping @Sendable (Int, _ set: (Int) -> Void) -> Void = { $1($0) },
    observing observed: Range<Int> = 0..<0
  ) -> Outcome {
    onThread(stackSize: 32 << 20) {
      let log = Log()
      let links = Self.chain(log)
      let recorder = LineRecorder()
      let controller = ObservationController(observer: recorder)
      for link in links { _ = link.sum }
      for link in links[observed] {
        controller.observe(link, \.sum) { recorder, _, change in recorder.write(change) }
      }
      var outcome = Outcome()
      for value in [10, 20] {
        log.computed = 0
        change(value) { links[0].start = $0 }
        outcome.sums.append(links.last!.sum)
        outcome.computed.append(log.computed)
      }
      outcome.delivered = recorder.events
      return outcome
    }
  }

  func test_chainOf1000_changedAtItsBeginning_isComputedOnceEach() {
    let outcome = assertNoIssues { self.outcome() }
    XCTAssertEqual(outcome.sums, [1010, 1020])
    XCTAssertEqual(outcome.computed, [1000, 1000])
  }

  func test_chainOf1000_withAnObservedLast_isNotifiedOncePerChange() {
    let outcome = assertNoIssues { self.outcome(observing: 999..<1000) }
    XCTAssertEqual(outcome.delivered, ["1000 → 1010", "1010 → 1020"])
    XCTAssertEqual(outcome.computed, [1000, 1000])
  }

  func test_chainOf1000_with100Observed_notifiesEachOncePerChange() {
    let outcome = assertNoIssues { self.outcome(observing: 900..<1000) }
    XCTAssertEqual(
      outcome.delivered,
      (900..<1000).map { "\($0 + 1) → \($0 + 11)" } + (900..<1000).map { "\($0 + 11) → \($0 + 21)" }
    )
    XCTAssertEqual(outcome.computed, [1000, 1000])
  }

  func test_C11_chainOf1000_inATransaction_isNotifiedOnce() {
    let outcome = assertNoIssues {
      self.outcome(
        { value, set in
          withObservationTransaction {
            set(-1)
            set(value)
          }
        }, observing: 999..<1000)
    }
    XCTAssertEqual(outcome.delivered, ["1000 → 1010", "1010 → 1020"])
    XCTAssertEqual(outcome.computed, [1000, 1000])
  }

  func test_chainOf1000_readForTheFirstTime_fitsOnALargerStack() {
    let sum = onThread(stackSize: 32 << 20) { Self.chain(Log()).last!.sum }
    XCTAssertEqual(sum, 1000)
  }

  func test_chainOf1000_withReplacedLinks_followsThem() {
    let sums = onThread(stackSize: 32 << 20) {
      let log = Log()
      let (a, b) = (Self.chain(log), Self.chain(log))
      a[500].isSwitch = true
      a[500].other = a[499]
      for link in a + b { _ = link.sum }
      b[0].start = 5
      a[500].other = b[900]
      a[0].start = 7
      return [a[999].sum, a[499].sum, b[999].sum]
    }
    XCTAssertEqual(sums, [1000 - 500 + 901 + 5, 500 + 7, 1000 + 5])
  }

  func test_levelOfAChain_takesLessThan16KiB_4KiBInARelease() {
    let bytes = onThread(stackSize: 8 << 20) {
      let log = Log()
      _ = Self.chain(count: 50, log).last!.sum
      return log.meter.bytesPerLevel
    }
    print("stack per level: derived: \(bytes) bytes")
    XCTAssertGreaterThan(bytes, 0)
    #if DEBUG
      XCTAssertLessThan(bytes, 16 << 10)
    #else
      XCTAssertLessThan(bytes, 4 << 10)
    #endif
  }
}
