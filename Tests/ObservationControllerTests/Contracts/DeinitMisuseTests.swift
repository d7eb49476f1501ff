import ObservationController
import TestSupport
import XCTest

/// Observing, being observed and being set in an object's own `deinit`.
final class DeinitMisuseTests: TestCase {
  private let account = Account()
  private let recorder = LineRecorder()

  /// Runs a closure with itself in its `deinit`.
  private final class Farewell {
    @Observed var value = 0
    let account: Account
    private(set) lazy var observations = ObservationController(observer: self)
    private let act: (Farewell) -> Void

    init(_ account: Account, _ act: @escaping (Farewell) -> Void) {
      self.account = account
      self.act = act
    }

    deinit { act(self) }
  }

  private func assertNothingIsLeft(line: UInt = #line, _ body: () -> Void) {
    let count = ObservationDispatcher.shared.activeObservationCount
    body()
    XCTAssertEqual(ObservationDispatcher.shared.activeObservationCount, count, line: line)
  }

  func test_observerThatObservesInItsDeinit_isNeverNotified() {
    for isNew in [true, false] {
      var delivered = 0
      assertNothingIsLeft {
        let farewell = Farewell(account) { farewell in
          farewell.observations.observe(farewell.account, \.balance, options: .initial) { _, _, _ in
            delivered += 1
          }
          farewell.account.balance += 1
        }
        if !isNew { XCTAssertIdentical(farewell.observations.observer, farewell) }
      }
      account.balance += 1
      XCTAssertEqual(delivered, 0)
    }
  }

  func test_objectThatIsObservedInItsDeinit_isNotKept_andLeavesEveryTable() {
    // A controller that does not retain keeps a weak reference, which can't be made in a `deinit`.
    for (retains, delivered) in [(true, ["0 → 1"]), (false, [])] {
      let controller = ObservationController(observer: recorder, retainsObserved: retains)
      assertNothingIsLeft {
        _ = Farewell(account) { farewell in
          controller.observe(farewell, \.value) { recorder, _, change in recorder.write(change) }
          farewell.value = 1
        }
      }
      XCTAssertEqual(controller.observations.count, 0)
      XCTAssertEqual(recorder.events, delivered)
      recorder.clear()
    }
  }

  /// Deallocating the object could not end this observation.
  func test_pathThroughOtherObjects_observedInADeinit_leavesEveryTable() {
    for retains in [true, false] {
      let controller = ObservationController(observer: recorder, retainsObserved: retains)
      assertNothingIsLeft {
        _ = Farewell(account) { farewell in
          controller.observe(farewell, \.account.balance) { recorder, _, change in
            recorder.write(change)
          }
          controller.observeArray(farewell, \.account.notes) { recorder, _, change in
            recorder.write(change.kind)
          }
        }
        account.balance += 1
        account.notes.append("")
        _ = controller.observations
      }
      XCTAssertEqual(controller.observations.count, 0)
      XCTAssertEqual(recorder.events, [])
    }
  }
}
