import ObservationController
import TestSupport
import XCTest

/// C17 to C19: identity of registrations, and their end.
final class IdentityAndRemovalTests: TestCase {
  private let account = Account()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  @discardableResult
  private func observe(_ context: ObservationContext? = nil) -> ObservationToken {
    observations.observe(account, \.balance, context: context) { recorder, _, change in
      recorder.write(change)
    }
  }

  // MARK: C17: Observing twice is observing once

  func test_C17_observingAgain_isANoOp_thatReturnsTheFirstToken() {
    let first = observe()
    let second = observations.observe(account, \.balance, options: [.initial]) { recorder, _, _ in
      recorder.write("second")
    }
    XCTAssertTrue(first === second)
    account.balance = 1
    XCTAssertEqual(recorder.events, ["0 → 1"])
  }

  func test_C17_observingAgainElsewhere_isReported_onceForEachTwoPlaces() {
    let issues = collectingIssues {
      for _ in 1...2 {
        let first = observe()
        XCTAssertTrue(first === observe())
        let second = observations.observe(account, \.balance) { _, _, _ in }
        XCTAssertTrue(first === second)
        first.invalidate()
      }
    }
    XCTAssertEqual(issues.count, 1)
    guard case .alreadyObserved(\Account.balance, #fileID, _, #fileID, _)? = issues.first else {
      return XCTFail("\(issues)")
    }
  }

  func test_C17_anotherContext_isAnotherObservation() {
    let tokens = [observe(), observe("a"), observe("b"), observe(ObservationContext())]
    XCTAssertEqual(Set(tokens.map(ObjectIdentifier.init)).count, 4)
    XCTAssertTrue(observe("a") === tokens[1])
    account.balance = 1
    XCTAssertEqual(recorder.events.count, 4)
  }

  func test_C17_anotherObjectKeyPathOrController_isAnotherObservation() {
    let others = ObservationController(observer: recorder)
    let tokens = [
      observe(),
      observations.observe(account, \.limit) { _, _, _ in },
      observations.observe(Account(), \.balance) { _, _, _ in },
      others.observe(account, \.balance) { recorder, _, change in recorder.write("other \(change)")
      },
    ]
    XCTAssertEqual(Set(tokens.map(ObjectIdentifier.init)).count, 4)
    account.balance = 1
    XCTAssertEqual(recorder.events, ["0 → 1", "other 0 → 1"])
  }

  func test_C17_observingAgain_afterTheEnd_isANewObservation() {
    let first = observe()
    first.invalidate()
    let second = observe()
    XCTAssertFalse(first === second)
    account.balance = 1
    XCTAssertEqual(recorder.events, ["0 → 1"])
  }

  func test_C17_equalKeyPaths_areOneObservation_howeverTheyWereMade() {
    let appended = (\Account.frame).appending(path: \.x)
    let first = observations.observe(account, \.frame.x) { _, _, _ in }
    let second = observations.observe(account, appended) { _, _, _ in }
    XCTAssertTrue(first === second)
    observations.unobserve(account, appended)
    XCTAssertFalse(first.isActive)
  }

  func test_C17_onSeveralThreadsAtOnce_registersOnce() {
    let account = UncheckedReference(self.account)
    let observations = self.observations
    for _ in 0..<Effort.count(quick: 25, full: 200) {
      let tokens = Recorder<ObservationToken>()
      onThreads(4) { _ in
        tokens.append(observations.observe(account.object, \.balance) { _, _, _ in })
      }
      XCTAssertEqual(Set(tokens.events.map(ObjectIdentifier.init)).count, 1)
      XCTAssertEqual(observations.observations.count, 1)
      observations.unobserveAll()
    }
  }

  // MARK: C18: Ending is always allowed

  func test_C18_ending_isIdempotent_andWithoutAnObservationANoOp() {
    let others = ObservationController(observer: recorder)
    let token = observe()
    let kept = observe("kept")
    token.invalidate()
    token.invalidate()
    observations.unobserve(account, \.balance, context: nil)
    observations.unobserve(account, \.balance, context: "none")
    observations.unobserve(account, \.limit)
    observations.unobserve(Account(), \.balance)
    observations.unobserve(Account())
    others.unobserve(account, \.balance)
    others.unobserve(account)
    others.unobserveAll()
    ObservationDispatcher.shared.removeObservations(of: account, \.limit)
    ObservationDispatcher.shared.removeObservations(of: account, by: LineRecorder())
    ObservationDispatcher.shared.removeObservations(of: Account())
    XCTAssertFalse(token.isActive)
    XCTAssertTrue(kept.isActive)
    account.balance = 1
    XCTAssertEqual(recorder.events, ["0 → 1"])
    observations.unobserveAll()
    observations.unobserveAll()
    account.balance = 2
    XCTAssertEqual(recorder.events, ["0 → 1"])
  }

  func test_C18_endingOnSeveralThreadsAtOnce_isAllowed_andEndsItOnce() {
    for _ in 0..<Effort.count(quick: 25, full: 200) {
      let (token, kept) = (observe(), observe("kept"))
      onThreads(4) { _ in token.invalidate() }
      XCTAssertFalse(token.isActive)
      XCTAssertTrue(kept.isActive)
      XCTAssertEqual(observations.observations.map(\.context), ["kept"])
    }
  }

  func test_C18_endingInsideItsOwnHandler_andInADeinit_isAllowed() {
    var token: ObservationToken?
    token = observations.observe(account, \.balance) { recorder, _, change in
      recorder.write(change)
      token?.invalidate()
    }
    account.balance = 1
    account.balance = 2
    XCTAssertEqual(recorder.events, ["0 → 1"])

    do {
      let token = observe("deinit")
      _ = Sentinel { token.invalidate() }
    }
    account.balance = 3
    XCTAssertEqual(recorder.events, ["0 → 1"])
  }

  func test_C18_unobserveWithContext_endsThatOneOnly_withoutContext_endsAll() {
    observe()
    observe("a")
    observe("b")
    observations.unobserve(account, \.balance, context: "a")
    XCTAssertEqual(observations.observations.map(\.context), [nil, "b"])
    observations.unobserve(account, \.balance, context: nil)
    XCTAssertEqual(observations.observations.map(\.context), ["b"])
    observe("a")
    observations.unobserve(account, \.balance)
    XCTAssertEqual(observations.observations.count, 0)
  }

  func test_C18_objectThatUnobservesItselfInItsDeinit_isNotObservedAnyMore() {
    final class Leaver {
      @Observed var value = 0
      let observations: ObservationController<LineRecorder>
      init(_ observations: ObservationController<LineRecorder>) { self.observations = observations }
      deinit {
        observations.unobserve(self, \.value)
        value = 99
      }
    }
    let observations = ObservationController(observer: recorder, retainsObserved: false)
    do {
      let leaver = Leaver(observations)
      observations.observe(leaver, \.value) { recorder, _, change in recorder.write(change) }
      leaver.value = 1
    }
    XCTAssertEqual(recorder.events, ["0 → 1"])
  }

  func test_C18_observerThatEndsItsObservationsInItsDeinit_keepsNoObject() {
    final class Leaver {
      let account = Account()
      deinit { ObservationDispatcher.shared.removeObservations(of: account, by: self) }
    }
    weak var account: Account?
    var token: ObservationToken?
    let observations = scoped {
      let leaver = Leaver()
      account = leaver.account
      let observations = ObservationController(observer: leaver)
      token = observations.observe(leaver.account, \.balance) { _, _, _ in }
      return observations
    }
    XCTAssertEqual(token?.isActive, false)
    XCTAssertEqual(observations.observations.count, 0)
    XCTAssertNil(account)
  }

  // MARK: C19: No delivery after the end

  func test_C19_afterInvalidation_noDeliveryOnThisThreadFollows() {
    var last: ObservationToken?
    observations.observe(account, \.balance, context: "1") { recorder, account, _ in
      recorder.write("1")
      last?.invalidate()
      if account.balance < 3 { account.balance += 1 }
    }
    last = observations.observe(account, \.balance, context: "2") { recorder, _, _ in
      recorder.write("2")
    }
    account.balance = 1
    XCTAssertEqual(recorder.events, ["1", "1", "1"])
  }

  func test_C19_afterInvalidationOnAnotherThread_atMostTheRunningCallFinishes() {
    let started = DispatchSemaphore(value: 0)
    let proceed = DispatchSemaphore(value: 0)
    let account = UncheckedReference(self.account)
    let observations = self.observations
    observations.observe(self.account, \.balance) { recorder, _, change in
      recorder.write(change)
      started.signal()
      proceed.wait()
    }
    let done = expectation(description: "the writer has finished")
    DispatchQueue.global().async {
      account.object.balance = 1
      account.object.balance = 2
      done.fulfill()
    }
    started.wait()
    observations.unobserveAll()
    proceed.signal()
    wait(for: [done], timeout: 60)
    XCTAssertEqual(recorder.events, ["0 → 1"])
  }
}
