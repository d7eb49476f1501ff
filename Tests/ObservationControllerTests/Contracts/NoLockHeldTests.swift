import ObservationController
import TestSupport
import XCTest

/// C22: no lock is held while user code runs.
///
/// Each piece of user code that the library calls uses the library on another thread and waits for
/// it, which would never end if a lock was held.
final class NoLockHeldTests: TestCase {
  private let probe = LockProbe()
  private let account = ProbedAccount()
  private let observer = LineRecorder()
  private lazy var observations = ObservationController(observer: observer)

  override func setUp() {
    account.probe = probe
    account.value = ProbedContent(probe: probe)
    probe.watch(account, observations)
  }

  override func tearDown() {
    probe.stop()
  }

  func test_C22_deinitsOfHandlers_runWithNoLockHeld() {
    for keyPath in [\ProbedAccount.text, \ProbedAccount.name] {
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
    let key = ProbedKey(probe: probe)
    observations.observe(account, \.[key]) { _, _, _ in }
    observations.observe(account, \.[key]) { _, _, _ in }
    XCTAssertTrue(observations.isObserving(account, \.[key]))
    observations.unobserve(account, \.[key])
    XCTAssertGreaterThan(probe.uses, 0)
  }
}
