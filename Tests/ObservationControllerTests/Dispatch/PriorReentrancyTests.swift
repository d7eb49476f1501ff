import ObservationController
import TestSupport
import XCTest

/// Handlers that change what they are told of before it changes.
final class PriorReentrancyTests: TestCase {
  private final class Cell {
    @Observed var value = 0
  }

  private let cell = Cell()
  private let recorder = ChangeRecorder<Int>()
  private lazy var observations = ObservationController(observer: recorder)

  /// Has another observer set the value once, before it changes.
  private func setBeforeAChange(to value: Int) {
    var isFirst = true
    observations.observe(cell, \.value, options: .prior, context: "setter") { _, cell, _ in
      guard isFirst else { return }
      isFirst = false
      cell.value = value
    }
  }

  func test_C4_priorHandlerThatSetsTheProperty_isToldBeforeEachChange() {
    setBeforeAChange(to: 5)
    observations.observe(cell, \.value, options: [.old, .prior]) { $0.record($2) }
    cell.value = 1
    XCTAssertEqual(recorder.events, [.prior(0), .prior(0), .changed(0, 5), .changed(5, 1)])
  }

  func test_C4_valueThatSeemedEqual_whenAPriorHandlerSetsAnother_isToldBeforeItComesBack() {
    setBeforeAChange(to: 5)
    observations.observe(cell, \.value, options: [.old, .prior, .distinct]) { $0.record($2) }
    cell.value = 0
    XCTAssertEqual(recorder.events, [.prior(0), .changed(0, 5), .prior(5), .changed(5, 0)])
  }

  func test_C19_observationThatSeemedToChangeNothing_endedBeforeItsTurn_isNotTold() {
    var token: ObservationToken?
    setBeforeAChange(to: 5)
    token = observations.observe(cell, \.value, options: [.old, .prior, .distinct]) {
      $0.record($2)
      if !$2.isPrior { token?.invalidate() }
    }
    cell.value = 0
    XCTAssertEqual(recorder.events, [.prior(0), .changed(0, 5)])
  }
}
