import ObservationController
import Synchronization
import TestSupport
import XCTest

/// C20 to C23: several threads at once, and no lock around user code. Run with ThreadSanitizer too.
///
/// The principal test of each contract; more are in the files beside this one and in the folders of
/// the features.
final class ThreadTests: CountingTestCase {
  // MARK: C20: Several threads at once

  /// Ten threads add and ten remove observations of one property of one object; then each remaining
  /// observation delivers once.
  func test_C20_tenThreadsAddingAndTenRemoving_loseNothingAndDoubleNothing() {
    let account = UncheckedReference(Account())
    let observers = (0..<10).map { _ in CallCounter() }
    let controllers = observers.map { ObservationController(observer: $0) }
    let rounds = Effort.count(quick: 20, full: 200)
    let kept = Recorder<ObservationToken>()
    let removable = (0..<10).map { _ in Recorder<ObservationToken>() }
    onThreads(20) { thread in
      let index = thread / 2
      if thread.isMultiple(of: 2) {
        for round in 0..<rounds {
          let token = controllers[index].observe(
            account.object, \.balance, context: ObservationContext("\(round)")
          ) { counter, _, _ in counter.increment() }
          (round.isMultiple(of: 2) ? kept : removable[index]).append(token)
        }
      } else {
        var removed = 0
        while removed < rounds / 2 {
          let tokens = removable[index].events
          for token in tokens[removed...] { token.invalidate() }
          removed = tokens.count
        }
      }
    }
    XCTAssertEqual(kept.events.count, 10 * rounds / 2)
    XCTAssertTrue(kept.events.allSatisfy(\.isActive))
    XCTAssertFalse(removable.flatMap(\.events).contains(where: \.isActive))
    account.object.balance = 1
    XCTAssertEqual(
      observers.map { $0.count }, Array(repeating: rounds / 2, count: 10))
    XCTAssertEqual(
      ObservationDispatcher.shared.observations(of: account.object).count, 10 * rounds / 2)
    withExtendedLifetime(controllers) {}
  }

  func test_C20_controllersDeallocated_whileAnotherThreadDelivers() {
    let account = UncheckedReference(Account())
    let stop = Atomic<Bool>(false)
    let count = Effort.count(quick: 2_000, full: 20_000)
    let (observer, listener) = (CallCounter(), CallCounter())
    let listening = ObservationController(observer: listener)
    listening.observe(account.object, \.limit) { listener, _, _ in listener.increment() }
    onThreads(3) { thread in
      if thread == 0 {
        for value in 0..<count { account.object.limit = value }
        stop.store(true, ordering: .releasing)
      } else {
        while !stop.load(ordering: .acquiring) {
          let observations = ObservationController(observer: observer)
          // Reads `balance`, which is never set, and depends on it alone.
          observations.observe(account.object, \.balance) { counter, _, _ in counter.increment() }
          _ = observations.isObserving(account.object, \.balance)
        }
      }
    }
    XCTAssertEqual(observer.count, 0)
    XCTAssertEqual(listener.count, count)
    withExtendedLifetime(listening) {}
  }

  func test_C20_tokensInvalidated_whileTheirPropertyIsBeingSet() {
    let recorder = CallCounter()
    let observations = ObservationController(observer: recorder)
    for _ in 0..<Effort.count(quick: 20, full: 300) {
      let account = UncheckedReference(Account())
      let tokens = (0..<8).map { index in
        observations.observe(account.object, \.balance, context: ObservationContext("\(index)")) {
          counter, _, _ in counter.increment()
        }
      }
      onThreads(2) { thread in
        if thread == 0 {
          for value in 0..<20 { account.object.balance = value }
        } else {
          for token in tokens { token.invalidate() }
        }
      }
      XCTAssertEqual(observations.observations.count, 0)
    }
  }

  func test_C20_unretainedObjectsDeallocated_whileTheyAreUnobserved() {
    let recorder = CallCounter()
    let observations = ObservationController(observer: recorder, retainsObserved: false)
    for _ in 0..<Effort.count(quick: 60, full: 2_000) {
      let list = Recorder<ObservationToken>()
      var account: Account? = Account(owner: Person("Ada"))
      list.append(observations.observe(account!, \.balance) { _, _, _ in })
      list.append(observations.observe(account!, \.owner?.name) { _, _, _ in })
      let last = UncheckedReference(account!)
      account = nil
      dropWhileInvalidating(last, list)
    }
    XCTAssertEqual(observations.observations.count, 0)
  }

  private func dropWhileInvalidating(
    _ account: UncheckedReference<Account>, _ tokens: Recorder<ObservationToken>
  ) {
    let box = Guarded<UncheckedReference<Account>?>(account)
    onThreads(2) { thread in
      if thread == 0 {
        box.withLock { $0 = nil }
      } else {
        for token in tokens.events { token.invalidate() }
      }
    }
  }

  func test_C20_observersDeallocated_whileTheyAreNotified() {
    for _ in 0..<Effort.count(quick: 30, full: 500) {
      let account = UncheckedReference(Account())
      let observer = Guarded<CallCounter?>(CallCounter())
      let observations = ObservationController(observer: observer.withLock { $0! })
      observations.observe(account.object, \.balance) { counter, _, _ in counter.increment() }
      onThreads(2) { thread in
        if thread == 0 {
          for value in 0..<20 { account.object.balance = value }
        } else {
          observer.withLock { $0 = nil }
        }
      }
      XCTAssertNil(observations.observer)
    }
  }

  func test_C20_introspection_whileOthersObserveAndUnobserve() {
    let account = UncheckedReference(Account())
    let dispatcher = ObservationDispatcher.shared
    onThreads(4) { thread in
      let observer = CallCounter()
      let observations = ObservationController(observer: observer)
      for _ in 0..<Effort.count(quick: 20, full: 200) {
        if thread.isMultiple(of: 2) {
          observations.observe(account.object, \.balance) { _, _, _ in }
          observations.unobserve(account.object)
        } else {
          _ = dispatcher.activeObservationCount
          _ = dispatcher.observations(of: account.object).map(\.description)
          _ = dispatcher.observers(of: account.object, \.balance)
          dispatcher.removeObservations(of: account.object, by: observer)
        }
      }
    }
    XCTAssertEqual(dispatcher.observations(of: account.object).count, 0)
  }

  func test_C20_plainReads_whileAnotherThreadObservesForTheFirstTime() {
    let observer = CallCounter()
    for _ in 0..<Effort.count(quick: 30, full: 500) {
      let account = UncheckedReference(Account(balance: 7))
      onThreads(3) { thread in
        if thread == 0 {
          let observations = ObservationController(observer: observer)
          observations.observe(account.object, \.balance) { _, _, _ in }
        } else {
          XCTAssertEqual(account.object.balance, 7)
        }
      }
    }
  }

  func test_C20_objectsDeallocated_whileTheTablesAreCounted() {
    let account = UncheckedReference(Account())
    let observer = CallCounter()
    let observations = ObservationController(observer: observer, retainsObserved: false)
    onThreads(2) { thread in
      for _ in 0..<Effort.count(quick: 60, full: 2_000) {
        if thread == 0 {
          let facade = Facade(account.object)
          observations.observe(facade, \.account.balance) { _, _, _ in }
        } else {
          _ = ObservationDispatcher.shared.activeObservationCount
        }
      }
    }
    XCTAssertEqual(observations.observations.count, 0)
  }

  func test_C20_objectDeallocated_whileItsControllerIsDeallocated() {
    let observer = CallCounter()
    for _ in 0..<Effort.count(quick: 60, full: 2_000) {
      let account = Guarded<Account?>(Account())
      let observations = Guarded<ObservationController<CallCounter>?>(
        ObservationController(observer: observer, retainsObserved: false))
      let object = account.withLock { $0! }
      observations.withLock {
        $0!.observe(object, \.balance) { _, _, _ in }
        $0!.observe(object, \.available) { _, _, _ in }
      }
      drop(object, account, observations)
    }
  }

  private func drop(
    _ object: consuming Account, _ account: Guarded<Account?>,
    _ observations: Guarded<ObservationController<CallCounter>?>
  ) {
    _ = consume object
    onThreads(2) { thread in
      // Taken out of the lock, so that both are deallocated at once.
      if thread == 0 {
        let last = account.withLock { account in
          defer { account = nil }
          return account
        }
        withExtendedLifetime(last) {}
      } else {
        let last = observations.withLock { observations in
          defer { observations = nil }
          return observations
        }
        withExtendedLifetime(last) {}
      }
    }
  }

  func test_C20_pathsRelinked_whileTheirLinksAreDeallocated() {
    let observer = CallCounter()
    let observations = ObservationController(observer: observer)
    for _ in 0..<Effort.count(quick: 60, full: 2_000) {
      let facade = UncheckedReference(WeakFacade())
      let company = Guarded<Person?>(Person("Ada"))
      facade.object.company = company.withLock { $0 }
      let token = observations.observe(facade.object, \.name) { _, _, _ in }
      onThreads(2) { thread in
        if thread == 0 {
          facade.object.flag = false
          facade.object.flag = true
        } else {
          let last = company.withLock { company in
            defer { company = nil }
            return company
          }
          withExtendedLifetime(last) {}
        }
      }
      XCTAssertTrue(token.isActive)
      token.invalidate()
    }
  }

  private final class WeakFacade {
    @Observed var flag = true
    weak var company: Person?
    var name: String { flag ? company?.name ?? "" : "off" }
  }

  // MARK: C21: Atomic properties

  func test_C21_fourThreadsIncrement_eachUpdateIsDelivered_oneAtATime() {
    let meter = Meter()
    let observers = (0..<2).map { _ in ChainObserver() }
    for observer in observers {
      observer.observations.observe(meter, \.count) { $0.follow($2) }
    }
    onThreads(4) { _ in
      for _ in 0..<100 { meter.count += 1 }
    }
    XCTAssertEqual(meter.count, 400)
    for observer in observers {
      XCTAssertEqual(observer.breaks, [])
      XCTAssertEqual(observer.deliveries, 400)
      XCTAssertEqual(observer.last, 400)
    }
  }

  // MARK: C22: No lock is held while user code runs

  func test_C22_handlersGettersAndEquality_runWithNoLockHeld() {
    let (probe, account, observer) = (LockProbe(), ProbedAccount(), LineRecorder())
    defer { probe.stop() }
    let observations = ObservationController(observer: observer)
    account.probe = probe
    account.value = ProbedContent(probe: probe)
    probe.watch(account, observations)
    let everything: ObservationOptions = [.initial, .old, .prior, .distinct]
    observations.observe(account, \.value, options: everything) { _, _, _ in
      probe.use(in: "handler")
    }
    observations.observe(account, \.text, options: everything) { _, _, _ in probe.use(in: "handler")
    }
    observations.observe(account, \.text, action: LineRecorder.clear)
    account.value = ProbedContent(probe: probe)
    account.value.change()
    XCTAssertEqual(probe.places, ["handler", "getter", "=="])
    XCTAssertGreaterThan(probe.uses, 10)
  }

  // MARK: C23: Handlers stay on their actor

  // The violation ends the process, so that it happens in another one: this test, run again with an
  // environment variable.
  func test_C23_handlerOfAnActor_deliveredElsewhere_trapsInADebugBuild() {
    let variable = "OBSERVATION_VIOLATES_ISOLATION"
    if ProcessInfo.processInfo.environment[variable] != nil {
      return violateIsolation()
    }
    #if DEBUG && (os(Linux) || os(macOS))
      let (status, output) = Subprocess.runAgain(
        "ThreadTests/test_C23_handlerOfAnActor_deliveredElsewhere_trapsInADebugBuild",
        environment: [variable: "1"])
      XCTAssertNotEqual(status, 0)
      XCTAssertTrue(output.contains("belongs to MainActor"), output)
      #if Foundation
        XCTAssertTrue(output.contains("was changed on the thread"), output)
      #else
        XCTAssertTrue(output.contains("was changed on another thread"), output)
      #endif
      XCTAssertTrue(output.contains("ThreadTests.swift"), output)
      XCTAssertTrue(output.contains("but \\Account.balance was changed"), output)
      XCTAssertTrue(output.contains("observeOnMainActor"), output)
    #endif
  }

  private func violateIsolation() {
    let account = UncheckedReference(Account())
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer)
    MainActor.assumeIsolated {
      _ = observations.observe(account.object, \.balance) { _, _, _ in }
    }
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      account.object.balance = 1
      done.signal()
    }
    done.wait()
    withExtendedLifetime(observer) {}
  }
}
