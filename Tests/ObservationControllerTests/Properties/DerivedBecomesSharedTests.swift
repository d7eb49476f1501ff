import ObservationController
import TestSupport
import XCTest

/// Paths over derived values that begin to read properties which several threads may change.
final class DerivedBecomesSharedTests: TestCase {
  private final class Meter {
    @Observed var isShared = false
    @Observed var offset = 0
    @AtomicObserved var count = 5
    @Derived({ (meter: Meter) in meter.isShared ? meter.count : 0 }) var shown: Int
    var sum: Int { shown + offset }
    var sumAfterTemporary: Int { Reader(self).twice + shown }
    var sumBeforeTemporary: Int { shown + Reader(self).twice }
    var sumOfTemporary: Int { Reader(self).shown + shown }
  }

  private final class Reader {
    let meter: Meter
    @Derived({ (reader: Reader) in reader.meter.offset * 2 }) var twice: Int
    @Derived({ (reader: Reader) in reader.meter.offset * reader.meter.shown }) var shown: Int
    init(_ meter: Meter) { self.meter = meter }
  }

  private let keyPaths = [
    \Meter.sum, \.sumAfterTemporary, \.sumBeforeTemporary, \.sumOfTemporary,
  ]
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  func test_C10_pathOverDerived_thatBeginsToReadAtomics_isDelivered() {
    for options: ObservationOptions in [[], .old, [.old, .distinct], [.old, .prior]] {
      for (keyPath, inTransaction) in keyPaths.flatMap({ [($0, false), ($0, true)] }) {
        let meter = Meter()
        observations.observe(meter, keyPath, options: options) {
          if !$2.isPrior { $0.write($2.newValue) }
        }
        func set(_ body: () -> Void) {
          if inTransaction { withObservationTransaction(body) } else { body() }
        }
        set { meter.isShared = true }
        XCTAssertEqual(recorder.takeEvents(), ["5"], "\(options) \(inTransaction) \(keyPath)")
        set { meter.count = 6 }
        XCTAssertEqual(recorder.takeEvents(), ["6"], "\(options) \(inTransaction) \(keyPath)")
        set { meter.isShared = false }
        XCTAssertEqual(recorder.takeEvents(), ["0"], "\(options) \(inTransaction) \(keyPath)")
        set { meter.isShared = true }
        XCTAssertEqual(recorder.takeEvents(), ["6"], "\(options) \(inTransaction) \(keyPath)")
        observations.unobserveAll()
      }
    }
  }
}
