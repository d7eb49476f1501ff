import Foundation
import ObservationController
import TestSupport
import XCTest

/// C12 to C16: lifetimes of observers, objects, values and closures.
final class LifetimeTests: CountingTestCase {
  // MARK: C12: The observer is not retained

  func test_C12_observer_isNotKeptAlive() {
    let account = Account()
    var observer: SilentObserver? = SilentObserver()
    let weakObserver = Weak(observer)
    let observations = ObservationController(observer: observer!)
    let recorder = LineRecorder()
    for keyPath in [\Account.balance, \.available] {
      observations.observe(account, keyPath) { _, _, change in recorder.write(change) }
    }
    account.balance = 1
    observer = nil
    XCTAssertNil(weakObserver.object)
    XCTAssertNil(observations.observer)
    account.balance = 2
    XCTAssertEqual(recorder.events, ["0 → 1", "0 → 1"])
  }

  func test_C12_observerInDeinit_isNotNotified() {
    final class Leaver {
      let account: Account
      let recorder: LineRecorder
      private(set) lazy var observations = ObservationController(observer: self)

      init(_ account: Account, _ recorder: LineRecorder) {
        self.account = account
        self.recorder = recorder
        observations.observe(account, \.balance) { leaver, _, change in
          leaver.recorder.write(change)
        }
      }

      deinit {
        account.balance = 99
      }
    }
    let account = Account()
    let recorder = LineRecorder()
    var leaver: Leaver? = Leaver(account, recorder)
    account.balance = 1
    XCTAssertNotNil(leaver)
    leaver = nil
    XCTAssertEqual(recorder.events, ["0 → 1"])
    XCTAssertEqual(account.balance, 99)
  }

  func test_C12_observerDroppedByAHandler_isNotNotifiedAgain() {
    let account = Account()
    let recorder = LineRecorder()
    var observer: SilentObserver? = SilentObserver()
    let observations = ObservationController(observer: observer!)
    observations.observe(account, \.balance, context: "1") { _, _, _ in
      recorder.write("1")
      observer = nil
    }
    observations.observe(account, \.balance, context: "2") { _, _, _ in recorder.write("2") }
    account.balance = 1
    XCTAssertEqual(recorder.events, ["1"])
  }

  // MARK: C13: Observed objects are retained, or never

  func test_C13_retainingController_keepsObjectsAliveUntilTheyAreUnobserved() {
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer)
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

  func test_C13_retainingController_releasesObjects_howeverTheyAreUnobserved() {
    for keyPath in [\Account.balance, \.available] {
      for way in WayToEnd<SilentObserver, Account, Int>.all {
        let observer = SilentObserver()
        var observations: ObservationController? = ObservationController(observer: observer)
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

  func test_C13_nonRetainingController_neverRetainsObjects() {
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer, retainsObserved: false)
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
      let recorder = LineRecorder()
      observer.observations.observe(observer, \.count) { _, _, change in recorder.write(change)
      }
      observer.observations.observe(observer, \.doubled) { _, _, change in
        recorder.write(change)
      }
      observer.count = 1
      XCTAssertEqual(recorder.events, ["0 → 1", "0 → 2"])
    }
    XCTAssertNil(weakObserver)
    XCTAssertEqual(newObservations, 0)
  }

  // MARK: C14: Deallocation ends observations

  func test_C14_controllerDeallocated_endsItsObservations() {
    let account = Account()
    let recorder = LineRecorder()
    var observations: ObservationController? = ObservationController(observer: recorder)
    let token = observations!.observe(account, \.balance) { recorder, _, change in
      recorder.write(change)
    }
    observations!.observe(account, \.available) { recorder, _, change in recorder.write(change) }
    XCTAssertEqual(newObservations, 2)
    observations = nil
    XCTAssertEqual(newObservations, 0)
    XCTAssertFalse(token.isActive)
    account.balance = 1
    XCTAssertEqual(recorder.events, [])
  }

  func test_C14_unretainedObjectDeallocated_leavesEveryTable() {
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer, retainsObserved: false)
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
    let recorder = LineRecorder()
    let observations = ObservationController(observer: recorder, retainsObserved: false)
    do {
      let facade = Facade(account)
      observations.observe(facade, \.account.balance) { recorder, _, change in
        recorder.write(change)
      }
      account.balance = 1
    }
    account.balance = 2
    XCTAssertEqual(recorder.events, ["0 → 1"])
    XCTAssertEqual(newObservations, 0)
  }

  func test_C14_newObjectAtAReusedAddress_inheritsNothing() {
    #if os(Linux) || os(macOS)
      let quarantine = "quarantine_size_mb=0:thread_local_quarantine_size_kb=0"
      let options = ProcessInfo.processInfo.environment["ASAN_OPTIONS"] ?? ""
      if isUnderAddressSanitizer, !options.contains(quarantine) {
        // AddressSanitizer delays the reuse of freed memory, unless an option turns that off.
        let (status, output) = Subprocess.runAgain(
          "LifetimeTests/test_C14_newObjectAtAReusedAddress_inheritsNothing",
          environment: ["ASAN_OPTIONS": "\(options):\(quarantine)"])
        return XCTAssertEqual(status, 0, output)
      }
    #endif
    let recorder = LineRecorder()
    let observations = ObservationController(observer: recorder, retainsObserved: false)
    var addresses: Set<ObjectIdentifier> = []
    var reused = 0
    for _ in 0..<Effort.count(quick: 125, full: 1_000) {
      let account = Account()
      if !addresses.insert(ObjectIdentifier(account)).inserted { reused += 1 }
      XCTAssertFalse(observations.isObserving(account, \.balance))
      account.balance = 1
      observations.observe(account, \.balance) { recorder, _, _ in recorder.write("delivered") }
    }
    XCTAssertGreaterThan(reused, 0, "the test needs an allocator that reuses addresses")
    XCTAssertEqual(recorder.events, [])
    XCTAssertEqual(newObservations, 0)
  }

  private final class Copy {
    @Observed var value = 0

    init() {}

    /// Takes the storage of another property.
    init(of other: Copy) { _value = other._value }
  }

  func test_C14_copiedPropertyStorage_hasNoObservations() {
    let recorder = LineRecorder()
    let observations = ObservationController(observer: recorder)
    let original = Copy()
    observations.observe(original, \.value) { recorder, _, change in recorder.write(change) }
    let copy = Copy(of: original)
    copy.value = 5
    XCTAssertEqual(recorder.events, [])
    observations.observe(copy, \.value) { recorder, _, change in recorder.write(change) }
    copy.value = 6
    original.value = 1
    XCTAssertEqual(recorder.events, ["5 → 6", "0 → 1"])
  }

  func test_C14_lastCopyOfStorage_freedByObserving_findsNoLockHeld() {
    let recorder = LineRecorder()
    let observations = ObservationController(observer: recorder, retainsObserved: false)
    let other = Account()
    var original: Copy? = Copy()
    do {
      // Reading an observable property takes the lock that is taken while a path is read.
      let sentinel = Sentinel { _ = other.balance }
      observations.observe(original!, \.value) { _, _, _ in withExtendedLifetime(sentinel) {} }
    }
    let copy = Copy(of: original!)
    original = nil
    observations.observe(copy, \.value) { recorder, _, change in recorder.write(change) }
    copy.value = 1
    XCTAssertEqual(recorder.events, ["0 → 1"])
    XCTAssertEqual(observations.observations.count, 1)
  }

  // MARK: C15: No value is retained

  func test_C15_observation_keepsNoValueAliveBeyondItsDelivery() {
    let box = Holder<Person?>(Person("old"))
    let recorder = LineRecorder()
    let observations = ObservationController(observer: recorder)
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

  // MARK: C16: Closures are released

  func test_C16_closure_isReleasedWhenItsObservationEnds_howeverItIsEnded() {
    let observer = SilentObserver()
    var account: Account? = Account()
    let released = LineRecorder()
    func handler(_ name: String) -> (SilentObserver, Account, ObservedChange<Int>) -> Void {
      let sentinel = Sentinel { released.write(name) }
      return { _, _, _ in withExtendedLifetime(sentinel) {} }
    }
    var observations: ObservationController? = ObservationController(
      observer: observer, retainsObserved: false)
    let other = Account()
    let token = observations!.observe(
      account!, \.balance, context: "token", handler: handler("token"))
    observations!.observe(account!, \.balance, context: "path", handler: handler("unobserve"))
    observations!.observe(account!, \.available, context: "object", handler: handler("object"))
    observations!.observe(other, \.balance, handler: handler("controller"))
    account!.balance = 1
    XCTAssertEqual(released.events, [])
    token.invalidate()
    XCTAssertEqual(released.events, ["token"])
    observations!.unobserve(account!, \.balance)
    XCTAssertEqual(released.events, ["token", "unobserve"])
    account = nil
    XCTAssertEqual(released.events, ["token", "unobserve", "object"])
    observations = nil
    XCTAssertEqual(released.events, ["token", "unobserve", "object", "controller"])
    XCTAssertFalse(token.isActive)
  }

  func test_C16_closureEndedInsideItsOwnDelivery_isReleasedAfterIt() {
    let account = Account()
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer)
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
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer)
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
