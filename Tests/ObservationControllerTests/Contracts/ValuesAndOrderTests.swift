import ObservationController
import TestSupport
import XCTest

/// C1 to C11: deliveries, their time and their order.
///
/// The principal test of each contract; more are in the files beside this one and in the folders of
/// the features.
final class ValuesAndOrderTests: TestCase {
  private let account = Account()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  private func observe(_ options: ObservationOptions) {
    observations.observe(account, \.balance, options: options) { recorder, _, change in
      recorder.write(change)
    }
  }

  /// Records lines with a name, and acts on each change.
  @discardableResult
  private func observe(
    _ name: String, _ options: ObservationOptions = .old,
    then act: @escaping (Account, ObservedChange<Int>) -> Void = { _, _ in }
  ) -> ObservationToken {
    observations.observe(
      account, \.balance, options: options, context: ObservationContext(name)
    ) { recorder, account, change in
      recorder.write("\(name): \(change)")
      act(account, change)
    }
  }

  // MARK: C1: At once, in order, once each

  func test_C1_change_isDeliveredInOrder_beforeTheAssignmentReturns() {
    let observers = (0..<4).map { LineRecorder("\($0)") }
    let controllers = observers.map { ObservationController(observer: $0) }
    for index in [2, 0, 3, 1] {
      controllers[index].observe(account, \.balance) { [recorder] observer, _, change in
        recorder.write("\(observer.name) \(change)")
      }
    }
    account.balance = 1
    recorder.write("assigned")
    withExtendedLifetime((observers, controllers)) {}
    XCTAssertEqual(recorder.events, ["2 0 → 1", "0 0 → 1", "3 0 → 1", "1 0 → 1", "assigned"])
  }

  func test_C1_pathsAndProperties_keepTheOrderOfRegistration_afterRehooking() {
    let first = Person("Ada")
    let second = Person("Grace")
    account.owner = first
    observations.observe(account, \.owner?.name) { recorder, _, _ in recorder.write("path") }
    observations.observe(second, \.name) { recorder, _, _ in recorder.write("property") }
    account.owner = second
    recorder.clear()
    second.name = "Grace Hopper"
    XCTAssertEqual(recorder.events, ["path", "property"])
  }

  func test_C1_handlersOfEveryKind_areCalledInRegistrationOrder_onceEach() {
    final class Clerk: ObservationDelegate {
      let recorder = LineRecorder()

      func observeValue(
        at keyPath: AnyKeyPath, of object: AnyObject, change: ObservedChange<Any>,
        context: ObservationContext?
      ) {
        recorder.write("delegate")
      }
      func delivered() { recorder.write("action") }
      func receive(_ change: ObservedChange<Int>) { recorder.write("action of \(change.newValue)") }
    }
    let clerk = Clerk()
    let observations = ObservationController(observer: clerk)
    observations.observe(account, \.balance, context: "1")
    observations.observe(account, \.available, context: "2") { clerk, _, _ in
      clerk.recorder.write("path")
    }
    observations.observe(account, \.balance, context: "3", action: Clerk.receive)
    observations.observeEach(account, \.limit, \.balance, context: "4") { clerk, _, change in
      clerk.recorder.write("each of \(change.newValue)")
    }
    observations.observe(account, \.balance, context: "5") { clerk, _, _ in
      clerk.recorder.write("block")
    }
    observations.observe(account, \.balance, context: "6", action: Clerk.delivered)
    account.balance = 1
    XCTAssertEqual(
      clerk.recorder.events, ["delegate", "path", "action of 1", "each of 1", "block", "action"])
  }

  // MARK: C2: The property already reads as the new value

  func test_C2_duringDelivery_thePropertyReadsAsTheNewValue() {
    observations.observe(account, \.balance) { recorder, account, change in
      recorder.write("\(change.newValue) \(account.balance)")
    }
    account.balance = 7
    account.balance += 1
    XCTAssertEqual(recorder.events, ["7 7", "8 8"])
  }

  func test_C2_duringDeliveryOfAPath_itReadsAsTheNewValue() {
    account.owner = Person("Ada")
    observations.observe(account, \.owner?.name) { recorder, account, change in
      recorder.write("\(change.newValue ?? "-") \(account.owner?.name ?? "-")")
    }
    account.owner?.name = "Grace"
    account.owner = nil
    XCTAssertEqual(recorder.events, ["Grace Grace", "- -"])
  }

  // MARK: C3: The initial delivery

  func test_C3_initial_isDeliveredOnceBeforeObserveReturns() {
    account.balance = 5
    observations.observe(account, \.balance, options: [.initial, .old]) { recorder, _, change in
      recorder.write(
        "\(change.isInitial) \(String(describing: change.oldValue)) \(change.newValue)")
    }
    recorder.write("returned")
    account.balance = 6
    XCTAssertEqual(recorder.events, ["true nil 5", "returned", "false Optional(5) 6"])
  }

  func test_C3_endingInsideTheInitialDelivery_isHonoured_howeverItIsEnded() {
    for keyPath in [\Account.balance, \.available] {
      // The call retains the controller, which can't be deallocated inside of it.
      for way in WayToEnd<LineRecorder, Account, Int>.all where way.name != "end of the controller"
      {
        let account = Account()
        let recorder = LineRecorder(way.name)
        var observations: ObservationController? = ObservationController(observer: recorder)
        let token = observations?.observe(account, keyPath, options: [.initial, .prior, .old]) {
          recorder, account, change in
          recorder.write(change)
          way.end(&observations, account, keyPath)
          account.balance = 1
        }
        account.balance = 2
        XCTAssertEqual(recorder.events, ["\(way.name): initially 0"])
        XCTAssertEqual(token?.isActive, false, way.name)
      }
    }
  }

  // MARK: C4: The delivery before a change

  func test_C4_prior_isDeliveredBeforeTheValueIsStored_andAgainAfter() {
    observations.observe(account, \.balance, options: [.prior, .old]) { recorder, account, change in
      recorder.write("\(change), reads \(account.balance)")
    }
    account.balance = 1
    account.balance += 2
    XCTAssertEqual(
      recorder.events,
      [
        "about to change from 0, reads 0", "0 → 1, reads 1",
        "about to change from 1, reads 1", "1 → 3, reads 3",
      ])
  }

  // MARK: C5: Equal values

  func test_C5_equalValue_isDelivered() {
    observe(.old)
    account.balance = 0
    XCTAssertEqual(recorder.events, ["0 → 0"])
  }

  func test_C5_equalValue_withDistinct_isNotDelivered() {
    observe([.old, .distinct])
    account.balance = 0
    account.balance = 1
    account.balance = 1
    XCTAssertEqual(recorder.events, ["0 → 1"])
  }

  func test_C5_distinct_onATypeWithNeither_reportsAnIssue_andDelivers() {
    let shelf = Shelf()
    let issues = collectingIssues {
      observations.observe(shelf, \.opaque, options: .distinct) { recorder, _, _ in
        recorder.write("delivered")
      }
      shelf.opaque = Opaque()
    }
    guard case .distinctNeedsEquatable(let keyPath, _, _) = issues.first else {
      return XCTFail("not reported: \(issues)")
    }
    XCTAssertEqual(issues.count, 1)
    XCTAssertEqual(keyPath, \Shelf.opaque)
    XCTAssertEqual(recorder.events, ["delivered"])
  }

  // MARK: C6: A mutation in place is one change

  func test_C6_inPlaceMutation_isOneChange_deliveredAfterItEnds() {
    observations.observe(account, \.frame) { recorder, account, change in
      recorder.write(
        "\(change.oldValue!.x),\(change.oldValue!.y) → \(account.frame.x),\(account.frame.y)")
    }
    func both(_ frame: inout Frame) {
      frame.x = 1
      frame.y = 2
      recorder.write("mutated")
    }
    both(&account.frame)
    account.frame.x = 3
    XCTAssertEqual(recorder.events, ["mutated", "0,0 → 1,2", "1,2 → 3,2"])
  }

  func test_C6_inPlaceMutationThatThrows_isDelivered() {
    observations.observe(account, \.notes, options: []) { recorder, _, change in
      recorder.write(change.newValue)
    }
    func fail(_ notes: inout [String]) throws {
      notes.append("x")
      throw Failure()
    }
    XCTAssertThrowsError(try fail(&account.notes))
    XCTAssertEqual(recorder.events, [#"["x"]"#])
  }

  func test_C6_inPlaceMutation_copiesNothing_unlessAnInfoAskedForTheOldValue() {
    account.notes.reserveCapacity(16)
    func address() -> UnsafeRawPointer? {
      account.notes.withUnsafeBytes { $0.baseAddress }
    }
    observations.observe(account, \.notes, options: []) { _, _, _ in }
    account.notes.append("a")
    let before = address()
    account.notes.append("b")
    XCTAssertEqual(address(), before)

    observations.observe(account, \.notes, options: .old, context: "old") { _, _, _ in }
    account.notes.append("c")
    XCTAssertNotEqual(address(), before)
  }

  // MARK: C7: A handler may set the property again

  func test_C7_setInsideAHandler_waitsUntilAllHaveTheChangeBefore() {
    observe("1") { account, change in
      if change.newValue == 1 {
        account.balance = 2
        XCTAssertEqual(account.balance, 2, "the value is stored at once")
      }
    }
    observe("2")
    account.balance = 1
    XCTAssertEqual(recorder.events, ["1: 0 → 1", "2: 0 → 1", "1: 1 → 2", "2: 1 → 2"])
  }

  // MARK: C8: A cycle ends

  func test_C8_propertyThatKeepsSettingItself_stopsAfter100Rounds_withAnIssue() {
    let line: UInt = #line + 2
    let issues = collectingIssues {
      observations.observe(account, \.balance) { recorder, account, change in
        recorder.write(change)
        account.balance = change.newValue + 1
      }
      account.balance = 1
    }
    XCTAssertEqual(recorder.events, (1...100).map { "\($0 - 1) → \($0)" })
    XCTAssertEqual(account.balance, 101, "the last value stays stored")
    guard case .cycle(let keyPath, let file, let reportedLine) = issues.first else {
      return XCTFail("no cycle reported: \(issues)")
    }
    XCTAssertEqual(issues.count, 1)
    XCTAssertEqual(keyPath, \Account.balance)
    XCTAssertEqual(file, #fileID)
    XCTAssertEqual(reportedLine, line)
  }

  // MARK: C9: Observing and ending during a delivery

  func test_C9_infoAddedDuringADelivery_missesIt() {
    observe("1") { [unowned self] _, change in
      if change.newValue == 1 { self.observe("2") }
    }
    account.balance = 1
    XCTAssertEqual(recorder.events, ["1: 0 → 1"])
    account.balance = 2
    XCTAssertEqual(recorder.events, ["1: 0 → 1", "1: 1 → 2", "2: 1 → 2"])
  }

  func test_C9_infoRemovedDuringADelivery_isSkipped_unlessItWasReached() {
    var tokens: [ObservationToken] = []
    tokens.append(observe("1"))
    tokens.append(
      observe("2") { _, _ in
        for token in tokens { token.invalidate() }
      })
    tokens.append(observe("3"))
    account.balance = 1
    account.balance = 2
    XCTAssertEqual(recorder.events, ["1: 0 → 1", "2: 0 → 1"])
    XCTAssertEqual(observations.observations.count, 0)
  }

  // MARK: C10: Nested and computed key paths

  func test_C10_computedPath_deliversForEachDependency_itsOwnValues_once() {
    observations.observe(account, \.available) { recorder, _, change in recorder.write(change) }
    account.balance = 2
    account.limit = 10
    XCTAssertEqual(recorder.events, ["0 → 2", "2 → 12"])
  }

  func test_C10_nestedPath_deliversWhenTheLeafOrALinkChanges() {
    account.owner = Person("Ada")
    observations.observe(account, \.owner!.name) { recorder, _, change in recorder.write(change) }
    account.owner!.name = "Ada L."
    account.owner = Person("Grace")
    account.owner!.name = "Grace H."
    XCTAssertEqual(recorder.events, ["Ada → Ada L.", "Ada L. → Grace", "Grace → Grace H."])
  }

  func test_C10_replacedLink_isNotFollowed() {
    let old = Person("Ada")
    account.owner = old
    observations.observe(account, \.owner!.name) { recorder, _, change in recorder.write(change) }
    account.owner = Person("Grace")
    old.name = "nobody"
    XCTAssertEqual(recorder.events, ["Ada → Grace"])
  }

  // MARK: C11: Transactions

  func test_C11_transaction_isDeliveredOnce_atTheOutermostEnd() {
    observe("1")
    observations.observe(account, \.available) { recorder, _, change in
      recorder.write("available: \(change)")
    }
    withObservationTransaction {
      account.balance = 1
      withObservationTransaction {
        account.limit = 10
        account.balance = 2
      }
      XCTAssertEqual(recorder.events, [], "the inner end is not the outermost")
      account.balance += 1
    }
    XCTAssertEqual(recorder.events, ["1: 0 → 3", "available: 0 → 13"])
  }

  func test_C11_transaction_backWhereItBegan_isNotDelivered_ifDistinct() {
    observe("distinct", [.old, .distinct])
    observe("each")
    withObservationTransaction {
      account.balance = 1
      account.balance = 0
    }
    XCTAssertEqual(recorder.events, ["each: 0 → 0"])
  }

  func test_C11_transactionThatThrows_deliversTheStoredValues() {
    observe("1")
    XCTAssertThrowsError(
      try withObservationTransaction {
        account.balance = 1
        throw Failure()
      })
    XCTAssertEqual(recorder.events, ["1: 0 → 1"])
  }
}
