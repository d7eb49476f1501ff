import Foundation
import ObservationController
import TestSupport
import XCTest

/// C22 for bindings: no lock is held while a transform, a converter, a setter, a description or
/// `==` runs, or the deinit of a closure or of a value.
///
/// Each of them uses the library on another thread and waits for it, which never returns if a lock
/// is held.
final class BindingNoLockHeldTests: TestCase {
  private let probe = Probe()

  override func setUp() {
    probe.begin()
  }

  func test_C22_bind_callsTheUserWithNoLockHeld() {
    let (source, target) = (Probed(probe), Probed(probe))
    let controller = probe.controller
    var token: ObservationToken? = controller.bind(source, \.value, to: target, \.settable) {
      [probe, sentinel = Sentinel(probe.use)] value in
      probe.use()
      return withExtendedLifetime(sentinel) { value }
    }
    source.value = ProbedValue(probe, 1)
    XCTAssertEqual(probe.takeUses(), 4, "transform and setter, twice")
    token?.invalidate()
    token = nil
    XCTAssertEqual(probe.takeUses(), 1, "deinit of the transform")
    let label = Label()
    controller.bindText(source, \.value, to: label, \.text, replacing: .whole)
    XCTAssertEqual(probe.takeUses(), 1, "description")
  }

  func test_C22_bindTwoWay_callsTheUserWithNoLockHeld() {
    let (a, b) = (Probed(probe), Probed(probe))
    let controller = probe.controller
    controller.bindTwoWay(
      a, \.value, with: b, \.settable,
      forward: { [probe, sentinel = Sentinel(probe.use)] value in
        probe.use()
        return withExtendedLifetime(sentinel) { value }
      }, backward: { $0 })
    a.value = ProbedValue(probe, 1)
    b.settable = ProbedValue(probe, 2)
    XCTAssertEqual(a.value.number, 2)
    XCTAssertGreaterThan(probe.takeUses(), 4, "converter, setter")
    controller.unobserve(b)
    XCTAssertEqual(probe.takeUses(), 1, "deinit of the converter")
  }

  /// What a getter has made is compared by `==`, since it cannot be the value that was set.
  func test_C22_bindTwoWay_pathsThatMakeNewValues_holdNoLock() {
    for isConverting in [false, true] {
      let (a, b) = (Probed(probe), Probed(probe))
      let controller = probe.controller
      if isConverting {
        controller.bindTwoWay(
          a, \.fresh, with: b, \.fresh,
          forward: { [probe] in
            probe.use("converter")
            return $0
          }, backward: { $0 })
      } else {
        controller.bindTwoWay(a, \.fresh, with: b, \.fresh)
      }
      _ = probe.takeUsesByKind()
      a.fresh = ProbedObject(probe, 1)
      b.fresh = ProbedObject(probe, 2)
      a.fresh = ProbedObject(probe, 3)
      XCTAssertEqual([a.value.number, b.value.number], [3, 3])
      let uses = probe.takeUsesByKind()
      XCTAssertGreaterThan(uses.values.reduce(0, +), 8)
      XCTAssertGreaterThan(uses["==", default: 0], 2)
      // Each end is set three times, and read after each of its changes.
      XCTAssertGreaterThanOrEqual(uses["setter", default: 0], 6)
      XCTAssertGreaterThanOrEqual(uses["getter", default: 0], 6)
      XCTAssertGreaterThanOrEqual(uses["converter", default: 0], isConverting ? 2 : 0)
      controller.unobserveAll()
    }
  }

  func test_C22_bindTwoWay_releasesValuesWithNoLockHeld() {
    let (a, b) = (Holder<Sentinel?>(nil), Holder<Sentinel?>(nil))
    let controller = probe.controller
    controller.bindTwoWay(a, \.value, with: b, \.value)
    a.value = Sentinel(probe.use)
    XCTAssertEqual(probe.takeUses(), 0)
    b.value = nil
    XCTAssertEqual(probe.takeUses(), 1)
    b.value = Sentinel(probe.use)
    a.value = nil
    XCTAssertEqual(probe.takeUses(), 1)
  }
}

/// A value that reports its comparisons and descriptions.
private struct ProbedValue: Equatable, CustomStringConvertible {
  let probe: Probe
  let number: Int

  init(_ probe: Probe, _ number: Int) {
    self.probe = probe
    self.number = number
  }

  var description: String {
    probe.use()
    return "\(number)"
  }

  static func == (left: Self, right: Self) -> Bool {
    left.probe.use()
    return left.number == right.number
  }
}

/// An instance that reports its comparisons, and is never the one before.
private final class ProbedObject: Equatable {
  let probe: Probe
  let number: Int

  init(_ probe: Probe, _ number: Int) {
    self.probe = probe
    self.number = number
  }

  static func == (left: ProbedObject, right: ProbedObject) -> Bool {
    left.probe.use("==")
    return left.number == right.number
  }
}

private final class Probed {
  @Observed var value: ProbedValue
  private let probe: Probe

  init(_ probe: Probe) {
    self.probe = probe
    value = ProbedValue(probe, 0)
  }

  var settable: ProbedValue {
    get { value }
    set {
      probe.use()
      value = newValue
    }
  }

  /// Made anew at each reading.
  var fresh: ProbedObject {
    get {
      probe.use("getter")
      return ProbedObject(probe, value.number)
    }
    set {
      probe.use("setter")
      value = ProbedValue(probe, newValue.number)
    }
  }
}

/// Uses every table on another thread.
private final class Probe: Sendable {
  private let observer = UncheckedReference(SilentObserver())
  private let controllers = Guarded<ObservationController<SilentObserver>?>(nil)
  private let dial = UncheckedReference(Dial())
  private let uses = Guarded([String: Int]())

  func begin() {
    controllers.withLock { $0 = ObservationController(observer: observer.object) }
  }

  var controller: ObservationController<SilentObserver> { controllers.withLock { $0! } }

  /// Returns the number of uses, and resets it.
  func takeUses() -> Int {
    takeUsesByKind().values.reduce(0, +)
  }

  /// Returns the number of uses of each kind, and resets them.
  func takeUsesByKind() -> [String: Int] {
    uses.withLock { uses in
      defer { uses = [:] }
      return uses
    }
  }

  func use() { use("other") }

  func use(_ kind: String) {
    uses.withLock { $0[kind, default: 0] += 1 }
    onAnotherThread { [controller, dial] in
      _ = controller.observations
      controller.bind(dial.object, \.value, to: dial.object, \.other)
      controller.unobserve(dial.object)
    }
  }
}
