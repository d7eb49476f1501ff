import Foundation
import ObservationController
import TestSupport
import XCTest

/// What a review of subjects, transactions and queues has found.
final class ReviewSubjectTests: TestCase {
  private let lines = LineRecorder()
  private lazy var observations = ObservationController(observer: lines)

  /// Without `.initial`; the one that waited kept later ones from being added to the queue.
  func test_queue_changeThatTheReporterMakes_isDelivered() {
    for coalescing: ObservationCoalescing in [.none, .latest] {
      let model = UncheckedReference(Tagged())
      let queue = DispatchQueue(label: "reporter")
      let values = Recorder<Int>()
      let reporter = ObservationIssue.reporter
      ObservationIssue.reporter = { _ in model.object.tag = Tag(number: 1) }
      observations.observe(
        model.object, \.tag, options: .distinct, on: queue, coalescing: coalescing
      ) { _, _, change in values.append(change.newValue.number) }
      ObservationIssue.reporter = reporter
      queue.drain()
      model.object.tag = Tag(number: 2)
      queue.drain()
      XCTAssertEqual(values.events, [1, 2], "\(coalescing)")
    }
  }

  func test_C3_changeThatTheReporterMakes_followsTheInitialDelivery() {
    let model = UncheckedReference(Tagged())
    let reporter = ObservationIssue.reporter
    defer { ObservationIssue.reporter = reporter }
    ObservationIssue.reporter = { _ in model.object.tag = Tag(number: 1) }
    observations.observe(model.object, \.tag, options: [.initial, .distinct]) {
      $0.write($2.newValue.number)
    }
    XCTAssertEqual(lines.events, ["0", "1"])
  }

  func test_C7_handlerThatSetsAWaitingAtomic_pathsAreDeliveredInTheirTurn() {
    let (meter, gauge) = (Meter(), Gauge())
    observations.observe(gauge, \.count.wrappedValue) {
      $0.write("first \($2)")
      meter.count = 20
    }
    observations.observe(meter, \.count) { $0.write("count \($2)") }
    observations.observe(meter, \.sum) { $0.write("sum \($2)") }
    withObservationTransaction {
      gauge.count.wrappedValue = 1
      meter.count = 10
    }
    XCTAssertEqual(
      lines.events, ["first 0 → 1", "count 0 → 10", "sum 0 → 10", "count 10 → 20", "sum 10 → 20"])
  }
}

private final class Tagged {
  @Observed var tag = Tag()
}

/// Can't be compared.
private struct Tag {
  var number = 0
}
