import ObservationController
import TestSupport
import XCTest

@testable import Demo

final class ActivityTests: TestCase {
  private let status = SystemStatus()
  private lazy var observations = ObservationController(observer: self)

  func test_next_eachSecond_countsChangesDeliveriesAndLines() {
    observations.observe(status, \.uptime) { _, _, _ in }
    observations.observe(status, \.minutesUp) { _, _, _ in }
    let activity = Activity()
    activity.next(LineTally(), at: 10)
    status.apply(SystemSample(uptime: 60))
    activity.next(LineTally(shown: 24, drawn: [.changed: 5]), at: 10.5)
    XCTAssertEqual(activity.perSecond?.deliveries, 0, "half a second is too early")
    status.apply(SystemSample(uptime: 61))
    activity.next(LineTally(shown: 48, drawn: [.changed: 6, .moved: 2]), at: 11)
    XCTAssertEqual(
      activity.perSecond,
      Activity.Counts(changes: 2, deliveries: 4, linesDrawn: 8, linesShown: 48))
    XCTAssertEqual(activity.deliveryCount, 4)
  }

  func test_next_longInterval_isARate() {
    observations.observe(status, \.uptime) { _, _, _ in }
    let activity = Activity()
    activity.next(LineTally(), at: 10)
    for time in 0..<8 { status.apply(SystemSample(uptime: Double(time))) }
    activity.next(LineTally(shown: 24, drawn: [.changed: 20]), at: 14)
    XCTAssertEqual(
      activity.perSecond,
      Activity.Counts(changes: 2, deliveries: 2, linesDrawn: 5, linesShown: 6))
  }

  func test_next_noClock_countsEachSample() {
    let activity = Activity()
    for count in 1...3 {
      activity.next(LineTally(shown: count, drawn: [.moved: count]), at: nil)
      XCTAssertEqual(activity.perSecond?.linesDrawn, 1)
    }
  }

  func test_activity_deallocated_itsTraceEnds() {
    var activity: Activity? = Activity()
    weak var reference: Activity?
    reference = activity
    activity = nil
    XCTAssertNil(reference)
  }
}
