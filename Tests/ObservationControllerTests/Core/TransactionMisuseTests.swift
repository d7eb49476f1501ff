import ObservationController
import TestSupport
import XCTest

/// Getters that set their dependencies, and transactions in getters.
final class TransactionMisuseTests: TestCase {
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  private final class Meter {
    @Observed var input = 1
    @Observed var reads = 0
    @Observed var cache = 0

    /// Whether the getters set anything.
    var isActive = false

    /// Settles after one more read.
    var cached: Int {
      if isActive, cache != input { withObservationTransaction { cache = input } }
      return cache
    }

    /// As `cached`, without a transaction of its own.
    var plainlyCached: Int {
      if isActive, cache != input { cache = input }
      return cache
    }

    /// Never settles.
    var counted: Int {
      if isActive { reads += 1 }
      return input + reads * 0
    }
  }

  private let meter = Meter()

  private func observe(_ keyPath: KeyPath<Meter, Int>, as name: String) {
    observations.observe(meter, keyPath, context: ObservationContext(name)) { recorder, _, change in
      recorder.write("\(name): \(change)")
    }
  }

  func test_transactionInAGetter_isPartOfTheChangeThatItIsReadFor() {
    meter.isActive = true
    meter.cache = 1
    observe(\.cached, as: "cached")
    observe(\.cache, as: "cache")
    meter.input = 2
    XCTAssertEqual(recorder.takeEvents().sorted(), ["cache: 1 → 2", "cached: 1 → 2"])
    meter.input = 3
    XCTAssertEqual(recorder.events.sorted(), ["cache: 2 → 3", "cached: 2 → 3"])
  }

  func test_transactionInAGetter_thatATransactionReads_isPartOfIt() {
    meter.isActive = true
    meter.cache = 1
    observe(\.cached, as: "cached")
    observe(\.cache, as: "cache")
    for value in 2...3 {
      withObservationTransaction {
        meter.input = 10
        meter.input = value
      }
      XCTAssertEqual(
        recorder.takeEvents().sorted(),
        ["cache: \(value - 1) → \(value)", "cached: \(value - 1) → \(value)"])
    }
  }

  func test_getterThatSetsItsDependency_atATransactionsEnd_isNotifiedOnce() {
    meter.isActive = true
    meter.cache = 1
    observe(\.plainlyCached, as: "cached")
    observe(\.cache, as: "cache")
    for value in 2...3 {
      withObservationTransaction { meter.input = value }
      XCTAssertEqual(
        recorder.takeEvents().sorted(),
        ["cache: \(value - 1) → \(value)", "cached: \(value - 1) → \(value)"])
    }
  }

  func test_C8_getterThatAlwaysSetsItsDependency_isReported() {
    observe(\.counted, as: "counted")
    meter.isActive = true
    let issues = collectingIssues { withObservationTransaction { meter.input = 2 } }
    XCTAssertFalse(issues.isEmpty)
    for issue in issues {
      guard case .cycle(\Meter.counted, #fileID, _) = issue else { return XCTFail("\(issue)") }
    }
    meter.isActive = false
    XCTAssertEqual(recorder.takeEvents(), ["counted: 1 → 2"])
    meter.input = 3
    withObservationTransaction { meter.input = 4 }
    XCTAssertEqual(recorder.events, ["counted: 2 → 3", "counted: 3 → 4"])
  }

  func test_transactionInAGetter_readWhileRegistering_deliversAtItsEnd() {
    meter.isActive = true
    observe(\.cache, as: "cache")
    observe(\.cached, as: "cached")
    XCTAssertEqual(recorder.takeEvents(), ["cache: 0 → 1"])
    meter.isActive = false
    meter.cache = 5
    XCTAssertEqual(recorder.events, ["cache: 1 → 5", "cached: 1 → 5"])
  }
}
