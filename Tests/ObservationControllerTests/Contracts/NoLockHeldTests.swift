import ObservationController
import Synchronization
import XCTest

/// C22: no lock is held while user code runs.
///
/// Each piece of user code that the library calls uses the library on another thread and waits for
/// it, which would never end if a lock was held.
final class NoLockHeldTests: XCTestCase {
  private let probe = Probe()
  private let account = WatchedAccount()
  private let witness = Witness()
  private lazy var observations = ObservationController(observer: witness)

  override func setUp() {
    account.probe = probe
    account.value = Watched(probe: probe)
    probe.watch(account, observations)
  }

  func test_C22_handlersGettersAndEquality_runWithNoLockHeld() {
    let everything: ObservationOptions = [.initial, .old, .prior, .distinct]
    observations.observe(account, \.value, options: everything) { [probe] _, _, _ in probe.use() }
    observations.observe(account, \.text, options: everything) { [probe] _, _, _ in probe.use() }
    observations.observe(account, \.text, action: Witness.clear)
    account.value = Watched(probe: probe)
    account.value.change()
    XCTAssertGreaterThan(probe.uses, 10)
  }

  func test_C22_deinitsOfHandlers_runWithNoLockHeld() {
    for keyPath in [\WatchedAccount.text, \WatchedAccount.name] {
      let ends: [(ObservationToken) -> Void] = [
        { $0.invalidate() },
        { [self] _ in observations.unobserve(account, keyPath) },
        { [self] _ in observations.unobserve(account) },
        { [self] _ in observations.unobserveAll() },
        { [self] _ in ObservationDispatcher.shared.removeObservations(of: account) },
      ]
      for end in ends {
        let usesBefore = probe.uses
        end(
          observations.observe(account, keyPath) { [sentinel = Sentinel(probe.use)] _, _, _ in
            withExtendedLifetime(sentinel) {}
          })
        XCTAssertGreaterThan(probe.uses, usesBefore)
      }
    }
  }

  func test_C22_deinitOfARetainedObject_runsWithNoLockHeld() {
    final class Owner {
      @Observed var value = 0
      let sentinel: Sentinel
      init(_ sentinel: Sentinel) { self.sentinel = sentinel }
    }
    observations.observe(Owner(Sentinel(probe.use)), \.value) { _, _, _ in }
    XCTAssertEqual(probe.uses, 0)
    observations.unobserveAll()
    XCTAssertEqual(probe.uses, 1)
  }

  func test_C22_reporter_runsWithNoLockHeld() {
    let reporter = ObservationIssue.reporter
    defer { ObservationIssue.reporter = reporter }
    ObservationIssue.reporter = { [probe] _ in probe.use() }
    observations.observe(account, \.number) { _, _, _ in }
    observations.observe(account, \.opaque, options: .distinct) { _, _, _ in }
    XCTAssertEqual(probe.uses, 2)
  }

  func test_C22_equalityOfKeyPaths_runsWithNoLockHeld() {
    let key = WatchedKey(probe: probe)
    observations.observe(account, \.[key]) { _, _, _ in }
    observations.observe(account, \.[key]) { _, _, _ in }
    XCTAssertTrue(observations.isObserving(account, \.[key]))
    observations.unobserve(account, \.[key])
    XCTAssertGreaterThan(probe.uses, 0)
  }
}

/// Uses every table from another thread.
private final class Probe: Sendable {
  private struct Target {
    let account: UncheckedReference<WatchedAccount>
    let observations: ObservationController<Witness>
  }

  private let target = Guarded<Target?>(nil)
  private let count = Atomic<Int>(0)

  var uses: Int { count.load(ordering: .relaxed) }

  func watch(_ account: WatchedAccount, _ observations: ObservationController<Witness>) {
    let target = Target(account: UncheckedReference(account), observations: observations)
    self.target.withLock { $0 = target }
  }

  func use() {
    count.wrappingAdd(1, ordering: .relaxed)
    guard let target = target.withLock({ $0 }) else { return }
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      _ = ObservationDispatcher.shared.activeObservationCount
      _ = target.observations.observations
      target.observations.unobserve(target.account.object, \.unused)
      target.observations.observe(target.account.object, \.unused) { _, _, _ in }
      target.observations.unobserve(target.account.object, \.unused)
      done.signal()
    }
    XCTAssertEqual(done.wait(timeout: .now() + 20), .success, "a lock is held")
  }
}

private final class WatchedAccount {
  @Observed var value = Watched(probe: nil)
  @Observed var name = ""
  @Observed var unused = 0
  @Observed var opaque = Opaque()
  let number = 1
  var probe: Probe?

  var text: String {
    probe?.use()
    return "\(value.changes)\(name)"
  }

  subscript(key: WatchedKey) -> String { name }
}

private struct Watched: Equatable {
  let probe: Probe?
  var changes = 0

  mutating func change() {
    changes += 1
  }

  static func == (left: Self, right: Self) -> Bool {
    right.probe?.use()
    return false
  }
}

private struct WatchedKey: Hashable {
  let probe: Probe

  static func == (left: Self, right: Self) -> Bool {
    left.probe.use()
    return true
  }

  func hash(into hasher: inout Hasher) {}
}
