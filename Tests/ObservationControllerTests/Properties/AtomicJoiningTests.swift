import ObservationController
import TestSupport
import XCTest

/// C21: observations that begin while other threads change the property.
///
/// Several observers join while two threads write; each receives the initial value first, then
/// every change from there.
final class AtomicJoiningTests: TestCase {
  private let writes = 60

  private func join<Object: Sendable>(
    _ make: () -> Object, to last: Int, file: StaticString = #filePath,
    line: UInt = #line, observe: @escaping @Sendable (ChainObserver, Object) -> Void,
    write: @escaping @Sendable (Object) -> Void
  ) {
    let writes = writes
    for round in 0..<Effort.count(quick: 4, full: 40) {
      let object = make()
      let observers = (0..<6).map { _ in ChainObserver() }
      onThreads(3) { thread in
        if thread > 0 {
          for _ in 0..<writes { write(object) }
        } else {
          for observer in observers { observe(observer, object) }
        }
      }
      for observer in observers {
        XCTAssertEqual(observer.breaks, [], "round \(round)", file: file, line: line)
        XCTAssertEqual(observer.initials, 1, "round \(round)", file: file, line: line)
        XCTAssertEqual(observer.last, last, "round \(round)", file: file, line: line)
      }
    }
  }

  private func join(
    _ keyPath: any KeyPath<Meter, Int> & Sendable, to last: Int,
    file: StaticString = #filePath, line: UInt = #line,
    write: @escaping @Sendable (Meter) -> Void
  ) {
    let observe: @Sendable (ChainObserver, Meter) -> Void = { observer, meter in
      observer.observations.observe(meter, keyPath, options: [.initial, .old]) { $0.follow($2) }
    }
    join(
      Meter.init, to: last, file: file, line: line, observe: observe, write: write)
  }

  func test_C21_property_joinedWhileOthersWrite_chainStartsAtInitial() {
    join(\.count, to: 120) { $0.count += 1 }
  }

  func test_C21_constant_joinedWhileOthersWrite_chainStartsAtInitial() {
    let observe: @Sendable (ChainObserver, Gauge) -> Void = { observer, gauge in
      observer.observations.observe(gauge, \.count.wrappedValue, options: [.initial, .old]) {
        $0.follow($2)
      }
    }
    join(
      Gauge.init, to: 120, observe: observe,
      write: { gauge in gauge.count.withLock { $0 += 1 } })
  }

  func test_C21_computedPath_joinedWhileOthersWrite_chainStartsAtInitial() {
    join(\.doubled, to: 240) { $0.count += 1 }
  }

  func test_C21_pathOverTwo_joinedWhileOthersWrite_chainStartsAtInitial() {
    join(\.sum, to: 240) { meter in
      meter.count += 1
      meter.other += 1
    }
  }

  func test_C21_derived_joinedWhileOthersWrite_chainStartsAtInitial() {
    join(\.tripled, to: 360) { $0.count += 1 }
  }

  func test_C21_derivedOfTwo_joinedWhileOthersWrite_chainStartsAtInitial() {
    join(\.total, to: 240) { meter in
      meter.count += 1
      meter.other += 1
    }
  }

  func test_C21_branches_joinedWhileOthersSwitchThem_chainStartsAtInitial() {
    join(\.selected, to: 120) { meter in
      meter.$count.withLock { $0 += 1 }
      meter.$other.withLock { $0 += 1 }
      meter.$usesOther.withLock { $0.toggle() }
    }
  }
}
