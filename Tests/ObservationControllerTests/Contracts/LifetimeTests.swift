import Foundation
import ObservationController
import TestSupport
import XCTest

/// C12 to C16: who keeps whom alive.
final class LifetimeTests: TestCase {
  private var countBefore = 0

  override func setUp() {
    countBefore = ObservationDispatcher.shared.activeObservationCount
  }

  private var newObservations: Int {
    ObservationDispatcher.shared.activeObservationCount - countBefore
  }

  // MARK: C12

  func test_C12_observer_isNotKeptAlive() {
    let account = Account()
    var witness: LineRecorder? = LineRecorder()
    let weakWitness = Weak(witness)
    let observations = ObservationController(observer: witness!)
    let ledger = LineRecorder()
    for keyPath in [\Account.balance, \.available] {
      observations.observe(account, keyPath) { _, _, change in ledger.write("\(change)") }
    }
    account.balance = 1
    witness = nil
    XCTAssertNil(weakWitness.object)
    XCTAssertNil(observations.observer)
    account.balance = 2
    XCTAssertEqual(ledger.events, ["0 → 1", "0 → 1"])
  }

  func test_C12_observerThatHasBegunToGo_isNotCalled() {
    final class Leaver {
      let account: Account
      let ledger: LineRecorder
      private(set) lazy var observations = ObservationController(observer: self)

      init(_ account: Account, _ ledger: LineRecorder) {
        self.account = account
        self.ledger = ledger
        observations.observe(account, \.balance) { leaver, _, change in
          leaver.ledger.write("\(change)")
        }
      }

      deinit {
        account.balance = 99
      }
    }
    let account = Account()
    let ledger = LineRecorder()
    var leaver: Leaver? = Leaver(account, ledger)
    account.balance = 1
    XCTAssertNotNil(leaver)
    leaver = nil
    XCTAssertEqual(ledger.events, ["0 → 1"])
    XCTAssertEqual(account.balance, 99)
  }

  func test_C12_observerDroppedByAHandler_isNotToldByTheNextHandlerOfItsController() {
    let account = Account()
    let ledger = LineRecorder()
    var witness: LineRecorder? = LineRecorder()
    let observations = ObservationController(observer: witness!)
    observations.observe(account, \.balance, context: "1") { _, _, _ in
      ledger.write("1")
      witness = nil
    }
    observations.observe(account, \.balance, context: "2") { _, _, _ in ledger.write("2") }
    account.balance = 1
    XCTAssertEqual(ledger.events, ["1"])
  }

  // MARK: C13

  func test_C13_retainingController_keepsObjectsAliveUntilTheyAreUnobserved() {
    let witness = LineRecorder()
    let observations = ObservationController(observer: witness)
    weak var weakAccount: Account?
    do {
      let account = Account()
      weakAccount = account
      observations.observe(account, \.balance) { _, _, _ in }
      observations.observe(account, \.available) { _, _, _ in }
    }
    XCTAssertNotNil(weakAccount)
    observations.unobserve(weakAccount!, \.balance)
    XCTAssertNotNil(weakAccount)
    observations.unobserve(weakAccount!, \.available)
    XCTAssertNil(weakAccount)
  }

  func test_C13_retainingController_letsObjectsGo_howeverTheyAreUnobserved() {
    for keyPath in [\Account.balance, \.available] {
      for way in WayToEnd<LineRecorder, Account, Int>.all {
        let witness = LineRecorder()
        var observations: ObservationController? = ObservationController(observer: witness)
        weak var weakAccount: Account?
        do {
          let account = Account()
          weakAccount = account
          observations?.observe(account, keyPath) { _, _, _ in }
        }
        XCTAssertNotNil(weakAccount, way.name)
        if let account = weakAccount { way.end(&observations, account, keyPath) }
        XCTAssertNil(weakAccount, way.name)
        withExtendedLifetime(observations) {}
      }
    }
  }

  func test_C13_nonRetainingController_neverDoes() {
    let witness = LineRecorder()
    let observations = ObservationController(observer: witness, retainsObserved: false)
    weak var weakAccount: Account?
    do {
      let account = Account()
      weakAccount = account
      observations.observe(account, \.balance) { _, _, _ in }
      observations.observe(account, \.owner?.name) { _, _, _ in }
      account.balance = 1
      account.owner = Person("Ada")
    }
    XCTAssertNil(weakAccount)
    XCTAssertEqual(newObservations, 0)
  }

  func test_C13_observingTheObserverItself_neverRetains() {
    weak var weakObserver: SelfObserver?
    do {
      let observer = SelfObserver()
      weakObserver = observer
      let ledger = LineRecorder()
      observer.observations.observe(observer, \.count) { _, _, change in ledger.write("\(change)")
      }
      observer.observations.observe(observer, \.doubled) { _, _, change in
        ledger.write("\(change)")
      }
      observer.count = 1
      XCTAssertEqual(ledger.events, ["0 → 1", "0 → 2"])
    }
    XCTAssertNil(weakObserver)
    XCTAssertEqual(newObservations, 0)
  }

  // MARK: C14

  func test_C14_controllerThatGoes_endsItsObservations() {
    let account = Account()
    let witness = LineRecorder()
    var observations: ObservationController? = ObservationController(observer: witness)
    let token = observations!.observe(account, \.balance) { witness, _, change in
      witness.write(change)
    }
    observations!.observe(account, \.available) { witness, _, change in witness.write(change) }
    XCTAssertEqual(newObservations, 2)
    observations = nil
    XCTAssertEqual(newObservations, 0)
    XCTAssertFalse(token.isActive)
    account.balance = 1
    XCTAssertEqual(witness.events, [])
  }

  func test_C14_unretainedObjectThatGoes_leavesEveryTable() {
    let witness = LineRecorder()
    let observations = ObservationController(observer: witness, retainsObserved: false)
    var account: Account? = Account(owner: Person("Ada"))
    let tokens = [
      observations.observe(account!, \.balance) { _, _, _ in },
      observations.observe(account!, \.available) { _, _, _ in },
      observations.observe(account!, \.owner!.name) { _, _, _ in },
    ]
    XCTAssertEqual(newObservations, 3)
    account = nil
    XCTAssertEqual(tokens.map(\.isActive), [false, false, false])
    XCTAssertEqual(newObservations, 0)
    XCTAssertEqual(observations.observations.count, 0)
  }

  func test_C14_objectWithoutAPropertyInThePath_leavesWhenTheTablesAreUsed() {
    let account = Account()
    let witness = LineRecorder()
    let observations = ObservationController(observer: witness, retainsObserved: false)
    do {
      let facade = Facade(account)
      observations.observe(facade, \.account.balance) { witness, _, change in witness.write(change)
      }
      account.balance = 1
    }
    account.balance = 2
    XCTAssertEqual(witness.events, ["0 → 1"])
    XCTAssertEqual(newObservations, 0)
  }

  func test_C14_newObjectAtAReusedAddress_inheritsNothing() {
    #if os(Linux) || os(macOS)
      let quarantine = "quarantine_size_mb=0:thread_local_quarantine_size_kb=0"
      let options = ProcessInfo.processInfo.environment["ASAN_OPTIONS"] ?? ""
      if isUnderAddressSanitizer, !options.contains(quarantine) {
        // It keeps freed memory back, unless it is told not to.
        let (status, output) = Subprocess.runAgain(
          "LifetimeTests/test_C14_newObjectAtAReusedAddress_inheritsNothing",
          environment: ["ASAN_OPTIONS": "\(options):\(quarantine)"])
        return XCTAssertEqual(status, 0, output)
      }
    #endif
    let witness = LineRecorder()
    let observations = ObservationController(observer: witness, retainsObserved: false)
    var addresses: Set<ObjectIdentifier> = []
    var reused = 0
    for _ in 0..<1_000 {
      let account = Account()
      if !addresses.insert(ObjectIdentifier(account)).inserted { reused += 1 }
      XCTAssertFalse(observations.isObserving(account, \.balance))
      account.balance = 1
      observations.observe(account, \.balance) { witness, _, _ in witness.write("told") }
    }
    XCTAssertGreaterThan(reused, 0, "the test needs an allocator that reuses addresses")
    XCTAssertEqual(witness.events, [])
    XCTAssertEqual(newObservations, 0)
  }

  private final class Copy {
    @Observed var value = 0

    init() {}

    /// With the storage of another one.
    init(of other: Copy) { _value = other._value }
  }

  func test_C14_copiedPropertyStorage_bringsNoObservationsAlong() {
    let witness = LineRecorder()
    let observations = ObservationController(observer: witness)
    let original = Copy()
    observations.observe(original, \.value) { witness, _, change in witness.write(change) }
    let copy = Copy(of: original)
    copy.value = 5
    XCTAssertEqual(witness.events, [])
    observations.observe(copy, \.value) { witness, _, change in witness.write(change) }
    copy.value = 6
    original.value = 1
    XCTAssertEqual(witness.events, ["5 → 6", "0 → 1"])
  }

  func test_C14_lastCopyOfStorage_freedByObserving_findsNoLockHeld() {
    let witness = LineRecorder()
    let observations = ObservationController(observer: witness, retainsObserved: false)
    let other = Account()
    var original: Copy? = Copy()
    do {
      // Reading an observable property takes the same lock while a path is being read.
      let sentinel = Sentinel { _ = other.balance }
      observations.observe(original!, \.value) { _, _, _ in withExtendedLifetime(sentinel) {} }
    }
    let copy = Copy(of: original!)
    original = nil
    observations.observe(copy, \.value) { witness, _, change in witness.write(change) }
    copy.value = 1
    XCTAssertEqual(witness.events, ["0 → 1"])
    XCTAssertEqual(observations.observations.count, 1)
  }

  // MARK: C15

  func test_C15_observation_keepsNoValueAliveBeyondItsDelivery() {
    let box = Holder<Person?>(Person("old"))
    let witness = LineRecorder()
    let observations = ObservationController(observer: witness)
    let everything: ObservationOptions = [.initial, .old, .prior]
    observations.observe(box, \.value, options: everything) { _, _, _ in }
    observations.observe(box, \.value?.partner, options: everything) { _, _, _ in }
    observations.observe(box, \.copy?.name, options: everything) { _, _, _ in }
    let old = Weak(box.value)
    box.value = Person("new", partner: Person("partner"))
    XCTAssertNil(old.object)
    let link = Weak(box.value)
    let leaf = Weak(box.value?.partner)
    box.value = nil
    XCTAssertNil(link.object)
    XCTAssertNil(leaf.object)
  }

  // MARK: C16

  func test_C16_closure_isReleasedWhenItsObservationEnds_whoeverEndsIt() {
    let witness = LineRecorder()
    var account: Account? = Account()
    var released: [String] = []
    func handler(_ name: String) -> (LineRecorder, Account, ObservedChange<Int>) -> Void {
      let sentinel = Sentinel { released.append(name) }
      return { _, _, _ in withExtendedLifetime(sentinel) {} }
    }
    var observations: ObservationController? = ObservationController(
      observer: witness, retainsObserved: false)
    let other = Account()
    let token = observations!.observe(
      account!, \.balance, context: "token", handler: handler("token"))
    observations!.observe(account!, \.balance, context: "path", handler: handler("unobserve"))
    observations!.observe(account!, \.available, context: "object", handler: handler("object"))
    observations!.observe(other, \.balance, handler: handler("controller"))
    account!.balance = 1
    XCTAssertEqual(released, [])
    token.invalidate()
    XCTAssertEqual(released, ["token"])
    observations!.unobserve(account!, \.balance)
    XCTAssertEqual(released, ["token", "unobserve"])
    account = nil
    XCTAssertEqual(released, ["token", "unobserve", "object"])
    observations = nil
    XCTAssertEqual(released, ["token", "unobserve", "object", "controller"])
    XCTAssertFalse(token.isActive)
  }

  func test_C16_closureEndedInsideItsOwnDelivery_isReleasedAfterIt() {
    let account = Account()
    let witness = LineRecorder()
    let observations = ObservationController(observer: witness)
    for keyPath in [\Account.balance, \Account.available] {
      var released = false
      do {
        let sentinel = Sentinel { released = true }
        observations.observe(account, keyPath) { [observations] _, account, _ in
          observations.unobserveAll()
          XCTAssertFalse(released, "it is running")
          withExtendedLifetime(sentinel) {}
        }
      }
      account.balance += 1
      XCTAssertTrue(released)
    }
  }

  func test_C16_closureThatUsesTheControllerWhenItIsReleased_findsNoLockHeld() {
    let account = Account()
    let witness = LineRecorder()
    let observations = ObservationController(observer: witness)
    do {
      let sentinel = Sentinel { [unowned observations] in
        observations.unobserve(account)
        observations.observe(account, \.limit) { _, _, _ in }
      }
      observations.observe(account, \.balance) { _, _, _ in withExtendedLifetime(sentinel) {} }
    }
    observations.unobserve(account, \.balance)
    XCTAssertTrue(observations.isObserving(account, \.limit))
  }
}
