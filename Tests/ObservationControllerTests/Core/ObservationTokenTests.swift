import ObservationController
import TestSupport
import XCTest

/// Tokens: each ends its one observation, at any time and any number of times.
final class ObservationTokenTests: TestCase {
  private let recorder = ChangeRecorder<Int>()
  private lazy var controller = ObservationController(observer: recorder)
  private let counter = Counter()

  func test_token_invalidated_endsItsObservationAlone() {
    let first = controller.observe(
      counter, \.count, context: "1", action: ChangeRecorder<Int>.record)
    let second = controller.observe(
      counter, \.count, options: [], context: "2", action: ChangeRecorder<Int>.record)
    first.invalidate()
    XCTAssertFalse(first.isActive)
    XCTAssertTrue(second.isActive)
    counter.count = 1
    XCTAssertEqual(recorder.events, [.changed(nil, 1)])
    XCTAssertEqual(controller.observations.map(\.context), ["2"])
  }

  func test_token_invalidatedTwice_changesNothing() {
    let token = controller.observe(counter, \.count, action: ChangeRecorder<Int>.record)
    token.invalidate()
    let again = controller.observe(counter, \.count, action: ChangeRecorder<Int>.record)
    token.invalidate()
    XCTAssertTrue(again.isActive)
    counter.count = 1
    XCTAssertEqual(recorder.events, [.changed(0, 1)])
  }

  func test_token_dropped_observationContinues() {
    weak var token: ObservationToken?
    scoped { token = controller.observe(counter, \.count, action: ChangeRecorder<Int>.record) }
    counter.count = 1
    XCTAssertEqual(recorder.events, [.changed(0, 1)])
    XCTAssertEqual(token?.isActive, true)
  }

  func test_token_invalidatedInItsOwnHandler_endsAfterThisDelivery() {
    var token: ObservationToken?
    token = controller.observe(counter, \.count) { recorder, _, change in
      recorder.record(change)
      token?.invalidate()
    }
    counter.count = 1
    counter.count = 2
    XCTAssertEqual(recorder.events, [.changed(0, 1)])
  }

  func test_token_invalidatedInAnEarlierHandler_isSkipped() {
    var later: ObservationToken?
    controller.observe(counter, \.count, context: "1") { _, _, _ in later?.invalidate() }
    later = controller.observe(counter, \.count, context: "2", action: ChangeRecorder<Int>.record)
    counter.count = 1
    XCTAssertEqual(recorder.events, [])
  }

  func test_token_ofAPath_endsIt() {
    let token = controller.observe(counter, \.count.bitWidth, action: ChangeRecorder<Int>.record)
    counter.count = 1
    token.invalidate()
    counter.count = 2
    XCTAssertEqual(recorder.events, [.changed(Int.bitWidth, Int.bitWidth)])
  }

  func test_token_becomesInactive_howeverItsObservationEnds() {
    let endings: [(String, (ObservationController<ChangeRecorder<Int>>, Counter) -> Void)] = [
      ("key path", { $0.unobserve($1, \.count) }),
      ("context", { $0.unobserve($1, \.count, context: nil) }),
      ("object", { $0.unobserve($1) }),
      ("all", { controller, _ in controller.unobserveAll() }),
      ("dispatcher", { ObservationDispatcher.shared.removeObservations(of: $1) }),
    ]
    for (name, end) in endings {
      let token = controller.observe(counter, \.count, action: ChangeRecorder<Int>.record)
      XCTAssertTrue(token.isActive, name)
      end(controller, counter)
      XCTAssertFalse(token.isActive, name)
    }
  }

  func test_token_ofARefusedObservation_isInactive() {
    let person = Person()
    let issues = collectingIssues {
      let token = controller.observe(person, \.note) { _, _, _ in }
      XCTAssertFalse(token.isActive)
      token.invalidate()
    }
    XCTAssertEqual(issues.count, 1)
  }

  func test_token_kept_keepsNothingAliveOnceEnded() {
    let handlers = LifetimeCounter()
    var token: ObservationToken?
    assertReleased {
      let counter = Counter()
      token = controller.observe(counter, \.count) { [ticket = handlers.makeTicket()] _, _, _ in
        _ = ticket
      }
      token?.invalidate()
      return counter
    }
    XCTAssertEqual(handlers.count, 0)
    XCTAssertEqual(token?.isActive, false)
  }

  func test_handler_isReleasedWhenItsObservationEnds() {
    for isPath in [false, true] {
      let handlers = LifetimeCounter()
      let token = scoped {
        let ticket = handlers.makeTicket()
        return isPath
          ? controller.observe(counter, \.count.description) { _, _, _ in _ = ticket }
          : controller.observe(counter, \.count) { _, _, _ in _ = ticket }
      }
      XCTAssertEqual(handlers.count, 1)
      token.invalidate()
      XCTAssertEqual(handlers.count, 0)
    }
  }

  func test_handler_endingItselfWhileItRuns_isReleasedAfterwards() {
    for isPath in [false, true] {
      let handlers = LifetimeCounter()
      scoped {
        let ticket = handlers.makeTicket()
        let end = { [unowned self] in
          controller.unobserve(counter)
          XCTAssertEqual(handlers.count, 1)
          _ = ticket
        }
        if isPath {
          controller.observe(counter, \.count.description) { _, _, _ in end() }
        } else {
          controller.observe(counter, \.count) { _, _, _ in end() }
        }
      }
      counter.count += 1
      XCTAssertEqual(handlers.count, 0)
    }
  }
}
