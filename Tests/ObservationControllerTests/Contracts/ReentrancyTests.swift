import ObservationController
import TestSupport
import XCTest

/// C7 to C9 in detail: handlers that set, observe and unobserve the property being delivered.
final class ReentrancyTests: TestCase {
  private let account = Account()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  @discardableResult
  private func observe(
    _ context: ObservationContext, _ options: ObservationOptions = .old,
    then act: @escaping (Account, ObservedChange<Int>) -> Void = { _, _ in }
  ) -> ObservationToken {
    observations.observe(account, \.balance, options: options, context: context) {
      recorder, account, change in
      recorder.write("\(context) \(change)")
      act(account, change)
    }
  }

  // MARK: C7: A handler may set the property again

  func test_C7_severalSetsInsideAHandler_areDeliveredInTheirOrder() {
    observe("1") { account, change in
      if change.newValue == 1 {
        account.balance = 2
        account.balance += 1
      }
    }
    observe("2")
    account.balance = 1
    XCTAssertEqual(
      recorder.events.filter { $0.hasPrefix(#""2""#) },
      [#""2" 0 → 1"#, #""2" 1 → 2"#, #""2" 2 → 3"#])
  }

  func test_C7_setThroughAnotherProperty_keepsTheChainContiguous() {
    observe("1") { account, change in
      if change.newValue == 1 { account.limit = 1 }
    }
    observations.observe(account, \.limit) { _, account, _ in account.balance = 2 }
    observe("2")
    account.balance = 1
    XCTAssertEqual(
      recorder.events, [#""1" 0 → 1"#, #""2" 0 → 1"#, #""1" 1 → 2"#, #""2" 1 → 2"#])
  }

  func test_C7_computedPath_setByAHandler_getsAContiguousChain() {
    observe("1") { account, change in account.limit = change.newValue * 10 }
    observations.observe(account, \.available) { recorder, _, change in
      recorder.write("available \(change)")
    }
    account.balance = 1
    XCTAssertEqual(
      recorder.events.filter { $0.hasPrefix("available") }, ["available 0 → 1", "available 1 → 11"])
  }

  func test_C7_infoAddedAfterASetInAHandler_missesThatSet() {
    observe("1") { [unowned self] account, change in
      guard change.newValue == 1 else { return }
      account.balance = 2
      self.observe("late", [.initial, .old])
    }
    account.balance = 1
    account.balance = 3
    XCTAssertEqual(
      recorder.events.filter { $0.hasPrefix(#""late""#) },
      [#""late" initially 2"#, #""late" 2 → 3"#])
  }

  // MARK: C8: A cycle ends

  func test_C8_afterACycle_thePropertyIsObservedAsBefore() {
    var isCyclic = true
    _ = collectingIssues {
      observe("1") { account, change in
        if isCyclic { account.balance = change.newValue + 1 }
      }
      account.balance = 1
    }
    isCyclic = false
    recorder.clear()
    account.balance = 500
    XCTAssertEqual(recorder.events, [#""1" 101 → 500"#])
  }

  func test_C8_cycleEndedByItsLastHandler_stops_withoutANamedObserver() {
    var token: ObservationToken?
    let issues = collectingIssues {
      token = observe("1") { account, change in
        account.balance = change.newValue + 1
        if change.newValue == 100 { token?.invalidate() }
      }
      account.balance = 1
    }
    XCTAssertEqual(issues.count, 0)
    XCTAssertEqual(recorder.events.count, 100)
    XCTAssertEqual(account.balance, 101)
    observe("2")
    account.balance = 7
    XCTAssertEqual(recorder.events.last, #""2" 101 → 7"#)
  }

  func test_C8_cycleOverTwoProperties_stops() {
    let issues = collectingIssues {
      observations.observe(account, \.balance) { _, account, change in
        account.limit = change.newValue + 1
      }
      observations.observe(account, \.limit) { _, account, change in
        account.balance = change.newValue + 1
      }
      account.balance = 1
    }
    XCTAssertEqual(issues.count, 1)
    XCTAssertEqual([account.balance, account.limit], [201, 200], "the last values stay stored")
  }

  func test_C8_cycleOverThreeProperties_stops_andNamesOneOfThem() {
    final class Triangle {
      @Observed var a = 0
      @Observed var b = 0
      @Observed var c = 0
    }
    let triangle = Triangle()
    let line: UInt = #line + 2
    let issues = collectingIssues {
      observations.observe(triangle, \.a) { _, triangle, change in triangle.b = change.newValue + 1
      }
      observations.observe(triangle, \.b) { _, triangle, change in triangle.c = change.newValue + 1
      }
      observations.observe(triangle, \.c) { _, triangle, change in triangle.a = change.newValue + 1
      }
      triangle.a = 1
    }
    guard case .cycle(\Triangle.a, #fileID, line)? = issues.first, issues.count == 1 else {
      return XCTFail("\(issues)")
    }
    XCTAssertEqual([triangle.a, triangle.b, triangle.c], [301, 299, 300], "the last values")
    for property in [\Triangle.a, \Triangle.b, \Triangle.c] {
      observations.unobserve(triangle, property)
      observations.observe(triangle, property, context: "after") { recorder, _, change in
        recorder.write(change.newValue)
      }
    }
    (triangle.a, triangle.b, triangle.c) = (1, 2, 3)
    XCTAssertEqual(recorder.events, ["1", "2", "3"], "observed as before")
  }

  func test_C8_cycleOverAComputedPath_stops() {
    let issues = collectingIssues {
      observations.observe(account, \.available) { _, account, change in
        account.limit += 1
      }
      account.balance = 1
    }
    XCTAssertEqual(issues.count, 1)
    XCTAssertEqual(issues.first?.keyPath, \Account.available)
    XCTAssertEqual(account.limit, 100, "the last value stays stored")
  }

  // MARK: C9: Observing and ending during a delivery

  func test_C9_infoAddedDuringAPriorDelivery_receivesTheChangeThatFollows() {
    var isFirst = true
    observe("1", [.prior, .old]) { [unowned self] _, change in
      guard change.isPrior, isFirst else { return }
      isFirst = false
      self.observe("2", [.initial, .old])
    }
    account.balance = 1
    XCTAssertEqual(
      recorder.events.filter { $0.hasPrefix(#""2""#) }, [#""2" initially 0"#, #""2" 0 → 1"#])
  }

  func test_C9_infoRemovedAndAddedAgainDuringADelivery_isTheLast() {
    observe("1") { [unowned self] account, change in
      guard change.newValue == 1 else { return }
      self.observations.unobserve(account, \.balance, context: "2")
      self.observe("2")
    }
    observe("2")
    observe("3")
    account.balance = 1
    account.balance = 2
    XCTAssertEqual(
      recorder.events,
      [#""1" 0 → 1"#, #""3" 0 → 1"#, #""1" 1 → 2"#, #""3" 1 → 2"#, #""2" 1 → 2"#])
  }

  // MARK: C4: The delivery before a change

  func test_C4_setFromInsideAPriorDelivery_givesAllAContiguousChain() {
    var isFirst = true
    observations.observe(account, \.balance, options: [.prior, .old]) { recorder, account, change in
      recorder.write(change)
      if change.isPrior, isFirst {
        isFirst = false
        account.balance = 10
      }
    }
    account.balance = 1
    XCTAssertEqual(account.balance, 1)
    XCTAssertEqual(
      recorder.events.filter { !$0.hasPrefix("about") }, ["0 → 10", "10 → 1"])
  }
}
