import ObservationController
import XCTest

/// C1 to C6: what is delivered, and when.
final class ValuesAndOrderTests: XCTestCase {
  private let account = Account()
  private let witness = Witness()
  private lazy var observations = ObservationController(observer: witness)

  private func observe(_ options: ObservationOptions) {
    observations.observe(account, \.balance, options: options) { witness, _, change in
      witness.write(change)
    }
  }

  // MARK: C1

  func test_C1_change_isDeliveredBeforeTheAssignmentReturns_inRegistrationOrder_onceEach() {
    let ledger = Ledger()
    let observers = (0..<4).map { Witness("\($0)") }
    let controllers = observers.map { ObservationController(observer: $0) }
    for index in [2, 0, 3, 1] {
      controllers[index].observe(account, \.balance) { witness, _, change in
        ledger.lines.append("\(witness.name) \(change)")
      }
    }
    account.balance = 1
    ledger.lines.append("assigned")
    withExtendedLifetime((observers, controllers)) {}
    XCTAssertEqual(ledger.lines, ["2 0 → 1", "0 0 → 1", "3 0 → 1", "1 0 → 1", "assigned"])
  }

  func test_C1_pathsAndProperties_keepTheOrderOfRegistration_afterRehooking() {
    let first = Holder("Ada")
    let second = Holder("Grace")
    account.owner = first
    let ledger = Ledger()
    observations.observe(account, \.owner?.name) { _, _, _ in ledger.lines.append("path") }
    observations.observe(second, \.name) { _, _, _ in ledger.lines.append("property") }
    account.owner = second
    ledger.lines = []
    second.name = "Grace Hopper"
    XCTAssertEqual(ledger.lines, ["path", "property"])
  }

  // MARK: C2

  func test_C2_duringDelivery_thePropertyReadsAsTheNewValue() {
    observations.observe(account, \.balance) { witness, account, change in
      witness.write("\(change.newValue) \(account.balance)")
    }
    account.balance = 7
    account.balance += 1
    XCTAssertEqual(witness.lines, ["7 7", "8 8"])
  }

  // MARK: C3

  func test_C3_initial_isDeliveredOnceBeforeObserveReturns() {
    account.balance = 5
    observations.observe(account, \.balance, options: [.initial, .old]) { witness, _, change in
      witness.write("\(change.isInitial) \(String(describing: change.oldValue)) \(change.newValue)")
    }
    witness.write("returned")
    account.balance = 6
    XCTAssertEqual(witness.lines, ["true nil 5", "returned", "false Optional(5) 6"])
  }

  func test_C3_endingInsideTheInitialDelivery_isHonoured() {
    observations.observe(account, \.balance, options: .initial) {
      [observations] witness, account, change in
      witness.write(change)
      observations.unobserve(account, \.balance)
    }
    account.balance = 1
    XCTAssertEqual(witness.lines, ["initially 0"])
    XCTAssertFalse(observations.isObserving(account, \.balance))
  }

  // MARK: C4

  func test_C4_prior_isDeliveredBeforeTheValueIsStored_andAgainAfter() {
    observations.observe(account, \.balance, options: [.prior, .old]) { witness, account, change in
      witness.write("\(change), reads \(account.balance)")
    }
    account.balance = 1
    account.balance += 2
    XCTAssertEqual(
      witness.lines,
      [
        "about to change from 0, reads 0", "0 → 1, reads 1",
        "about to change from 1, reads 1", "1 → 3, reads 3",
      ])
  }

  func test_C4_prior_ofAPath_readsThePathsOwnValue() {
    account.owner = Holder("Ada")
    observations.observe(account, \.owner?.name, options: [.prior, .old]) { witness, _, change in
      witness.write(
        change.isPrior ? "from \(change.newValue ?? "-")" : "to \(change.newValue ?? "-")")
    }
    account.owner?.name = "Grace"
    account.owner = nil
    XCTAssertEqual(witness.lines, ["from Ada", "to Grace", "from Grace", "to -"])
  }

  func test_C4_setFromInsideAPriorDelivery_givesEverybodyAContiguousChain() {
    var isFirst = true
    observations.observe(account, \.balance, options: [.prior, .old]) { witness, account, change in
      witness.write(change)
      if change.isPrior, isFirst {
        isFirst = false
        account.balance = 10
      }
    }
    account.balance = 1
    XCTAssertEqual(account.balance, 1)
    XCTAssertEqual(
      witness.lines.filter { !$0.hasPrefix("about") }, ["0 → 10", "10 → 1"])
  }

  // MARK: C5

  func test_C5_equalValue_isDelivered() {
    observe(.old)
    account.balance = 0
    XCTAssertEqual(witness.lines, ["0 → 0"])
  }

  func test_C5_equalValue_withDistinct_isNot() {
    observe([.old, .distinct])
    account.balance = 0
    account.balance = 1
    account.balance = 1
    XCTAssertEqual(witness.lines, ["0 → 1"])
  }

  func test_C5_distinct_withoutOld_comparesAllTheSame() {
    observe(.distinct)
    account.balance = 0
    account.balance = 1
    XCTAssertEqual(witness.lines, ["→ 1"])
  }

  func test_C5_distinct_withPrior_tellsNothingOfAnEqualValue() {
    observe([.prior, .distinct])
    account.balance = 0
    account.balance = 1
    XCTAssertEqual(witness.lines, ["about to change from 0", "→ 1"])
  }

  func test_C5_distinct_comparesInstancesThatAreNotEquatable_byIdentity() {
    let shelf = Shelf()
    observations.observe(shelf, \.thing, options: .distinct) { witness, _, _ in
      witness.write("thing")
    }
    observations.observe(shelf, \.maybe, options: .distinct) { witness, _, _ in
      witness.write("maybe")
    }
    shelf.thing = shelf.thing
    shelf.maybe = nil
    XCTAssertEqual(witness.lines, [])
    let thing = Thing()
    shelf.thing = thing
    shelf.maybe = thing
    shelf.maybe = thing
    shelf.maybe = nil
    XCTAssertEqual(witness.lines, ["thing", "maybe", "maybe"])
  }

  func test_C5_distinct_comparesInstancesBehindExistentials_byIdentity() {
    final class Slot {
      @Observed var any: AnyObject = Thing()
      @Observed var maybe: (any Marked)?
    }
    final class Mark: Marked {}
    let slot = Slot()
    let issues = collectingIssues {
      observations.observe(slot, \.any, options: .distinct) { witness, _, _ in witness.write("any")
      }
      observations.observe(slot, \.maybe, options: .distinct) { witness, _, _ in
        witness.write("maybe")
      }
    }
    slot.any = slot.any
    slot.maybe = nil
    XCTAssertEqual(witness.lines, [])
    let mark = Mark()
    slot.any = mark
    slot.maybe = mark
    slot.maybe = mark
    XCTAssertEqual(witness.lines, ["any", "maybe"])
    XCTAssertEqual(issues.count, 0)
  }

  func test_C5_distinct_onAPath_comparesThePathsValues() {
    account.balance = 3
    observations.observe(account, \.available, options: [.old, .distinct]) { witness, _, change in
      witness.write(change)
    }
    account.limit = 0
    account.limit = 4
    XCTAssertEqual(witness.lines, ["3 → 7"])
  }

  // MARK: C6

  func test_C6_inPlaceMutation_isOneChange_deliveredAfterItEnds() {
    observations.observe(account, \.frame) { witness, account, change in
      witness.write(
        "\(change.oldValue!.x),\(change.oldValue!.y) → \(account.frame.x),\(account.frame.y)")
    }
    func both(_ frame: inout Frame) {
      frame.x = 1
      frame.y = 2
      witness.write("mutated")
    }
    both(&account.frame)
    account.frame.x = 3
    XCTAssertEqual(witness.lines, ["mutated", "0,0 → 1,2", "1,2 → 3,2"])
  }

  func test_C6_inPlaceMutationThatThrows_isDelivered() {
    observations.observe(account, \.notes, options: []) { witness, _, change in
      witness.write("\(change.newValue)")
    }
    func fail(_ notes: inout [String]) throws {
      notes.append("x")
      throw Failure()
    }
    XCTAssertThrowsError(try fail(&account.notes))
    XCTAssertEqual(witness.lines, [#"["x"]"#])
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
}
