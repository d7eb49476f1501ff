import Foundation
import ObservationController
import Synchronization
import TestSupport
import XCTest

/// C22: the lock of an atomic property is not held while user code runs, except for the closure of
/// `withLock`. Each piece of user code uses the property on another thread, and waits.
final class AtomicNoLockHeldTests: TestCase {
  private let probe = Probe()
  private lazy var cell = Cell(probe)
  private let observer = SilentObserver()
  private lazy var observations = ObservationController(observer: observer)

  func test_C22_handlersGettersAndEquality_runWithNoLockHeld() {
    let everything: ObservationOptions = [.initial, .old, .prior, .distinct]
    for keyPath in [\Cell.value, \.copy, \.pair, \.derived] {
      let uses = probe.uses
      observations.observe(cell, keyPath, options: everything) { [probe] _, _, _ in probe.use() }
      observations.observe(cell, keyPath, options: [.old, .distinct], context: "1") {
        [probe] _, _, _ in probe.use()
      }
      cell.value = Watched(probe)
      cell.value.change()
      withObservationTransaction {
        cell.value = Watched(probe)
        cell.value = Watched(probe)
      }
      XCTAssertGreaterThan(probe.uses, uses + 6, "\(keyPath)")
      observations.unobserveAll()
    }
  }

  func test_C22_deinitsOfOldValues_runWithNoLockHeld() {
    for options: ObservationOptions? in [nil, [], .old, [.old, .prior]] {
      for keyPath in [\Cell.value, \.copy, \.pair, \.derived] {
        if let options { observations.observe(cell, keyPath, options: options) { _, _, _ in } }
        let ends = probe.ends
        cell.value = Watched(probe, sentinel: true)
        cell.value = Watched(probe)
        XCTAssertEqual(probe.ends, ends + 1)
        cell.$value.wrappedValue = Watched(probe, sentinel: true)
        cell[keyPath: \.value] = Watched(probe)
        XCTAssertEqual(probe.ends, ends + 2)
        withObservationTransaction {
          cell.value = Watched(probe, sentinel: true)
          cell.value = Watched(probe, sentinel: true)
          cell.value = Watched(probe)
        }
        XCTAssertEqual(probe.ends, ends + 4)
        observations.unobserveAll()
      }
    }
  }

  func test_C22_deinitsOfHandlers_runWithNoLockHeld() {
    for keyPath in [\Cell.value, \.copy, \.pair, \.derived] {
      for options: ObservationOptions in [.old, [.initial, .old, .prior]] {
        let token = observations.observe(cell, keyPath, options: options) {
          [sentinel = Sentinel(probe.use)] _, _, _ in withExtendedLifetime(sentinel) {}
        }
        let uses = probe.uses
        token.invalidate()
        XCTAssertEqual(probe.uses, uses + 1)
      }
    }
  }

  func test_C22_reporter_runsWithNoLockHeld() {
    let reporter = ObservationIssue.reporter
    defer { ObservationIssue.reporter = reporter }
    ObservationIssue.reporter = { [probe] _ in probe.use() }
    observations.observe(cell, \.opaque, options: [.initial, .distinct]) { _, _, _ in }
    XCTAssertEqual(probe.uses, 1)
    observations.observe(cell, \.value) {
      $1.value = Watched(nil)
      _ = ($0, $2)
    }
    cell.value = Watched(nil)
    XCTAssertEqual(probe.uses, 2)
  }

  // MARK: Misuse

  // Ends the process, so that it happens in another one: this test, run again with a variable set.
  func test_C22_useInsideOfItsOwnLock_trapsAndNamesTheProperty() {
    let variable = "OBSERVATION_USES_ATOMIC_INSIDE"
    func add(_ count: inout Int, _ body: () -> Void) { body() }
    let uses: [(Meter) -> Void] = [
      { meter in meter.$count.withLock { $0 = meter.count } },
      { meter in meter.$count.withLock { _ in meter.count = 1 } },
      { meter in meter.$count.withLock { _ in meter.$count.withLock { $0 += 1 } } },
      { meter in meter.$count.withLock { $0 = meter.doubled } },
      { meter in meter.$count.withLock { _ in meter.count += 1 } },
      { meter in add(&meter.count) { meter.count += 1 } },
      { meter in add(&meter.count) { _ = meter.tripled } },
      { meter in meter.$other.withLock { _ in meter.$count.withLock { _ in meter.count = 1 } } },
    ]
    if let index = ProcessInfo.processInfo.environment[variable].flatMap({ Int($0) }) {
      return uses[index](Meter())
    }
    #if os(Linux)
      for index in uses.indices {
        let (status, output) = Subprocess.runAgain(
          "AtomicNoLockHeldTests/test_C22_useInsideOfItsOwnLock_trapsAndNamesTheProperty",
          environment: [variable: "\(index)"])
        XCTAssertNotEqual(status, 0)
        #if DEBUG
          XCTAssertTrue(
            output.contains("\\Meter.count was used inside of its own withLock(_:)"), output)
        #endif
      }
    #endif
  }
}

/// Uses the property on another thread.
private final class Probe: @unchecked Sendable {
  // Set before other threads exist.
  weak var cell: Cell?
  private let count = Atomic<Int>(0)

  var uses: Int { count.load(ordering: .relaxed) }

  /// The number of values deallocated.
  private let endCount = Atomic<Int>(0)

  var ends: Int { endCount.load(ordering: .relaxed) }

  func end() {
    endCount.wrappingAdd(1, ordering: .relaxed)
    use()
  }

  func use() {
    count.wrappingAdd(1, ordering: .relaxed)
    guard let cell else { return }
    onAnotherThread {
      _ = cell.value.changes
      let observer = SilentObserver()
      let observations = ObservationController(observer: observer)
      observations.observe(cell, \.value, options: [.initial]) { _, _, _ in }
    }
  }
}

private final class Cell: @unchecked Sendable {
  @AtomicObserved var value = Watched(nil)
  @AtomicObserved var opaque = Opaque()
  let number = AtomicObserved(wrappedValue: 0)
  let probe: Probe
  @Derived({ (cell: Cell) in
    cell.probe.use()
    return cell.value
  }) var derived: Watched

  init(_ probe: Probe) {
    self.probe = probe
    probe.cell = self
  }

  var copy: Watched {
    probe.use()
    return value
  }

  var pair: Watched {
    probe.use()
    return number.wrappedValue == 0 ? value : Watched(nil)
  }
}

private struct Watched: Equatable, @unchecked Sendable {
  let probe: Probe?
  let sentinel: Sentinel?
  var changes = 0

  init(_ probe: Probe?, sentinel: Bool = false) {
    self.probe = probe
    self.sentinel = sentinel ? Sentinel { probe?.end() } : nil
  }

  mutating func change() { changes += 1 }

  static func == (left: Self, right: Self) -> Bool {
    right.probe?.use()
    return false
  }
}
