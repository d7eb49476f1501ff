import ObservationController
import TestSupport
import XCTest

/// C10 in detail: nested and computed key paths.
final class PathTests: TestCase {
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  private func observe<Object: AnyObject, Value>(
    _ object: Object, _ keyPath: KeyPath<Object, Value>, _ options: ObservationOptions = .old
  ) {
    observations.observe(object, keyPath, options: options) { recorder, _, change in
      recorder.write("\(change.oldValue.map { "\($0)" } ?? "none") → \(change.newValue)")
    }
  }

  func test_C10_linkThatBecomesNilAndBack_isFollowed() {
    let account = Account()
    observe(account, \.owner?.partner?.name)
    let partner = Person("Bob")
    let owner = Person("Ada")
    account.owner = owner
    owner.partner = partner
    partner.name = "Rob"
    owner.partner = nil
    partner.name = "nobody"
    account.owner = Person("Grace", partner: partner)
    partner.name = "Robert"
    XCTAssertEqual(
      recorder.events,
      [
        "nil → nil", #"nil → Optional("Bob")"#, #"Optional("Bob") → Optional("Rob")"#,
        #"Optional("Rob") → nil"#, #"nil → Optional("nobody")"#,
        #"Optional("nobody") → Optional("Robert")"#,
      ])
  }

  func test_C10_branch_followsTheTakenSideOnly() {
    let object = Switch()
    observe(object, \.text)
    object.on = "ON"
    object.off = "OFF"
    object.isOn = true
    object.off = "hidden"
    object.on = "On"
    XCTAssertEqual(recorder.events, ["off → OFF", "OFF → ON", "ON → On"])
  }

  func test_C10_subscriptPath_isFollowed() {
    final class Team {
      @Observed var members = [Person("Ada"), Person("Grace")]
    }
    let team = Team()
    observe(team, \.members[1].name)
    team.members[1].name = "Hopper"
    team.members[0].name = "Lovelace"
    team.members.swapAt(0, 1)
    team.members[1].name = "Ada"
    XCTAssertEqual(recorder.events, ["Grace → Hopper", "Hopper → Lovelace", "Lovelace → Ada"])
  }

  func test_C10_pathOfAValueInAProperty_hasThePathsValues() {
    let account = Account()
    observe(account, \.frame.x)
    observe(account, \.notes.count)
    account.frame.y = 5
    account.frame.x = 7
    account.notes.append("n")
    XCTAssertEqual(recorder.events, ["0 → 0", "0 → 7", "0 → 1"])
  }

  func test_C10_objectReachedTwice_deliversOnce() {
    let holder = Person("Ada")
    holder.partner = holder
    observe(holder, \.partner!.name)
    holder.name = "Grace"
    observations.unobserveAll()
    holder.partner = nil
    XCTAssertEqual(recorder.events, ["Ada → Grace"])
  }

  func test_C10_manyProperties_areEachADependency() {
    final class List {
      let items = (0..<40).map { Person("\($0)") }
      var joined: String { items.map(\.name).joined() }
    }
    let list = List()
    observations.observe(list, \.joined) { recorder, _, change in
      recorder.write("\(change.newValue.filter { $0 == "x" }.count)")
    }
    for item in list.items { item.name = "x" }
    XCTAssertEqual(recorder.events, (1...40).map(String.init))
  }

  func test_C10_handlerThatReadsOtherProperties_doesNotDependOnThem() {
    let account = Account(owner: Person("Ada"))
    let other = Account()
    observations.observe(account, \.owner?.name, options: [.initial, .old]) { recorder, _, change in
      _ = other.balance
      recorder.write("\(change.newValue ?? "")")
    }
    account.owner?.name = "Grace"
    other.balance = 1
    XCTAssertEqual(recorder.events, ["Ada", "Grace"])
  }

  func test_C10_subclass_isObservedByItsOwnAndItsInheritedProperties() {
    class Animal {
      @Observed var name = "animal"
    }
    final class Dog: Animal {
      @Observed var tricks = 0
    }
    let dog = Dog()
    observe(dog, \.name)
    observe(dog, \.tricks)
    observe(dog as Animal, \.name)
    dog.name = "Rex"
    dog.tricks = 1
    XCTAssertEqual(recorder.events, ["animal → Rex", "animal → Rex", "0 → 1"])
  }

  func test_C10_setInsideTheInPlaceMutationOfAnotherDependency_isOneChange() {
    let account = Account()
    observe(account, \.available)
    func mutate(_ balance: inout Int, _ body: () -> Void) {
      balance = 1
      body()
    }
    mutate(&account.balance) { account.limit = 10 }
    XCTAssertEqual(recorder.events, ["0 → 11"])
  }

  func test_C4_prior_ofAPath_readsThePathsOwnValue() {
    let account = Account(owner: Person("Ada"))
    observations.observe(account, \.owner?.name, options: [.prior, .old]) { recorder, _, change in
      recorder.write(
        change.isPrior ? "from \(change.newValue ?? "-")" : "to \(change.newValue ?? "-")")
    }
    account.owner?.name = "Grace"
    account.owner = nil
    XCTAssertEqual(recorder.events, ["from Ada", "to Grace", "from Grace", "to -"])
  }
}
