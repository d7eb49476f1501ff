import ObservationController
import TestSupport
import XCTest

/// Prior handlers that set the property that they are notified of.
final class PriorReentrancyTests: TestCase {
  private let counter = Counter()
  private let recorder = ChangeRecorder<Int>()
  private lazy var observations = ObservationController(observer: recorder)

  /// Another observer sets the value once, in a prior delivery.
  private func setBeforeAChange(to value: Int) {
    var isFirst = true
    observations.observe(counter, \.count, options: .prior, context: "setter") { _, counter, _ in
      guard isFirst else { return }
      isFirst = false
      counter.count = value
    }
  }

  func test_C4_priorHandlerThatSetsTheProperty_isCalledBeforeEachChange() {
    setBeforeAChange(to: 5)
    observations.observe(counter, \.count, options: [.old, .prior]) { $0.record($2) }
    counter.count = 1
    XCTAssertEqual(recorder.events, [.prior(0), .prior(0), .changed(0, 5), .changed(5, 1)])
  }

  func test_C4_equalValue_afterAPriorHandlerSetsAnother_hasItsOwnPrior() {
    setBeforeAChange(to: 5)
    observations.observe(counter, \.count, options: [.old, .prior, .distinct]) { $0.record($2) }
    counter.count = 0
    XCTAssertEqual(recorder.events, [.prior(0), .changed(0, 5), .prior(5), .changed(5, 0)])
  }

  func test_C19_distinctObservation_endedBeforeItsTurn_isNotNotified() {
    var token: ObservationToken?
    setBeforeAChange(to: 5)
    token = observations.observe(counter, \.count, options: [.old, .prior, .distinct]) {
      $0.record($2)
      if !$2.isPrior { token?.invalidate() }
    }
    counter.count = 0
    XCTAssertEqual(recorder.events, [.prior(0), .changed(0, 5)])
  }
}
