import ObservationController
import TestSupport
import XCTest

/// C21: written from eight threads at once. Run with ThreadSanitizer too.
final class AtomicThreadTests: TestCase {
  private let meter = Meter()
  private let gauge = Gauge()

  private static let many = Effort.count(quick: 500, full: 50_000)

  /// For tests with more to do. Even at each effort: the last switch leads to the other branch.
  private static let some = Effort.count(quick: 50, full: 320)

  private func assertChain(
    _ observer: ChainObserver, to last: Int, deliveries: Int? = nil,
    file: StaticString = #filePath, line: UInt = #line
  ) {
    XCTAssertEqual(observer.breaks, [], file: file, line: line)
    XCTAssertEqual(observer.last, last, file: file, line: line)
    if let deliveries {
      XCTAssertEqual(observer.deliveries, deliveries, file: file, line: line)
    }
  }

  func test_C21_eightThreadsIncrement_noUpdateIsLost_everyChainIsContiguous() {
    let observers = (0..<3).map { _ in ChainObserver() }
    for observer in observers {
      observer.observations.observe(meter, \.count) { $0.follow($2) }
    }
    let (meter, many) = (meter, Self.many)
    onThreads(8) { _ in
      for _ in 0..<many { meter.$count.withLock { $0 += 1 } }
    }
    XCTAssertEqual(meter.count, 8 * many)
    for observer in observers { assertChain(observer, to: 8 * many, deliveries: 8 * many) }
  }

  func test_C21_constant_eightThreadsIncrement_oneDeliveryPerUpdate() {
    let (direct, path, doubled) = (ChainObserver(), ChainObserver(), ChainObserver())
    direct.observations.observe(gauge.count, \.wrappedValue) { $0.follow($2) }
    path.observations.observe(gauge, \.count.wrappedValue) { $0.follow($2) }
    doubled.observations.observe(gauge, \.doubled) { $0.follow($2) }
    let gauge = gauge
    onThreads(8) { thread in
      for _ in 0..<Self.some {
        if thread.isMultiple(of: 2) {
          gauge.count.withLock { $0 += 1 }
        } else {
          gauge.count.wrappedValue += 1
        }
      }
    }
    assertChain(direct, to: 8 * Self.some, deliveries: 8 * Self.some)
    assertChain(path, to: 8 * Self.some, deliveries: 8 * Self.some)
    assertChain(doubled, to: 16 * Self.some, deliveries: 8 * Self.some)
  }

  func test_C21_pathsOverTwoAtomics_chainIsContiguous_lastValueIsRight() {
    let observers = (0..<3).map { _ in ChainObserver() }
    for (index, observer) in observers.enumerated() {
      let keyPath = [\Meter.sum, \.total, \.sum][index]
      let options: ObservationOptions = index == 2 ? [.old, .distinct] : .old
      observer.observations.observe(meter, keyPath, options: options) { $0.follow($2) }
    }
    let meter = meter
    onThreads(8) { thread in
      for _ in 0..<Self.some {
        if thread.isMultiple(of: 2) { meter.count += 1 } else { meter.other += 1 }
      }
    }
    for observer in observers {
      assertChain(observer, to: 8 * Self.some)
      XCTAssertGreaterThan(observer.deliveries, 0)
    }
  }

  func test_C10_branches_switchedWhileOthersWrite_lastValueIsRight() {
    let observer = ChainObserver()
    observer.observations.observe(meter, \.selected) { $0.follow($2) }
    let meter = meter
    onThreads(4) { thread in
      for value in 1...Self.some {
        switch thread {
        case 0: meter.usesOther = value.isMultiple(of: 2)
        case 1: meter.count = value
        default: meter.$other.withLock { $0 -= 1 }
        }
      }
    }
    assertChain(observer, to: -2 * Self.some)
    meter.usesOther = false
    assertChain(observer, to: Self.some)
  }

  func test_C4_priorAndChange_alternate_howeverManyThreadsWrite() {
    final class Pairs: @unchecked Sendable {
      var prior: Int?
      var last = 0
      var breaks: [String] = []
      var changes = 0
      func note(_ change: ObservedChange<Int>) {
        if change.isPrior {
          if prior != nil || change.newValue != last { breaks.append("\(change)") }
          prior = change.newValue
        } else {
          if prior != change.oldValue || change.oldValue != last { breaks.append("\(change)") }
          (prior, last) = (nil, change.newValue)
          changes += 1
        }
      }
    }
    let pairs = Pairs()
    let observations = ObservationController(observer: pairs)
    observations.observe(meter, \.count, options: [.prior, .old]) { $0.note($2) }
    let meter = meter
    onThreads(8) { _ in
      for _ in 0..<Self.some { meter.count += 1 }
    }
    XCTAssertEqual(pairs.breaks.prefix(3), [])
    XCTAssertEqual(pairs.changes, 8 * Self.some)
    XCTAssertNil(pairs.prior)
  }

  func test_C7_handlerThatSetsTheProperty_whileOthersWrite_keepsTheChain() {
    let (setter, observer) = (ChainObserver(), ChainObserver())
    setter.observations.observe(meter, \.count) {
      $0.follow($2)
      // Makes every odd value even.
      if !$2.newValue.isMultiple(of: 2) { $1.$count.withLock { $0 += 1 } }
    }
    observer.observations.observe(meter, \.count) { $0.follow($2) }
    let meter = meter
    let issues = collectingIssues {
      onThreads(8) { _ in
        for _ in 0..<Self.some { meter.$count.withLock { $0 += 2 } }
        meter.$count.withLock { $0 += 1 }
      }
    }
    XCTAssertEqual(issues.map(\.description), [])
    assertChain(setter, to: meter.count, deliveries: setter.deliveries)
    assertChain(observer, to: meter.count, deliveries: setter.deliveries)
  }

  func test_C8_handlerThatSetsThePropertyForEver_whileOthersWrite_stops() {
    let observer = ChainObserver()
    observer.observations.observe(meter, \.other) {
      $1.$other.withLock { $0 += 1 }
      _ = ($0, $2)
    }
    let meter = meter
    let issues = collectingIssues {
      onThreads(4) { _ in
        for _ in 0..<5 { meter.$other.withLock { $0 += 1_000 } }
      }
    }
    XCTAssertGreaterThanOrEqual(issues.count, 1)
    XCTAssertLessThanOrEqual(meter.other, 20_000 + 20 * 200)
  }

  func test_C20_observersAddedAndRemoved_whileOthersWrite() {
    let permanent = ChainObserver()
    permanent.observations.observe(meter, \.count) { $0.follow($2) }
    let before = ObservationDispatcher.shared.activeObservationCount
    let meter = meter
    onThreads(4) { thread in
      if thread < 2 {
        for _ in 0..<10 * Self.some { meter.count += 1 }
      } else {
        for round in 0..<Self.some {
          let visitor = ChainObserver()
          let keyPath = [\Meter.count, \.doubled, \.tripled, \.sum][round % 4]
          let token = visitor.observations.observe(
            meter, keyPath, options: round.isMultiple(of: 3) ? .old : [.initial, .old, .prior]
          ) { if !$2.isPrior { _ = ($0, $1) } }
          if round.isMultiple(of: 2) { token.invalidate() }
        }
      }
    }
    assertChain(permanent, to: 20 * Self.some, deliveries: 20 * Self.some)
    XCTAssertEqual(ObservationDispatcher.shared.activeObservationCount, before)
  }

  /// Without `.initial`, the first delivery has an old value too.
  func test_C21_joinedWithoutInitial_everyDeliveryHasItsOldValue() {
    for round in 0..<Effort.count(quick: 6, full: 60) {
      let meter = Meter()
      let observers = (0..<6).map { _ in ChainObserver() }
      onThreads(3) { thread in
        if thread > 0 {
          for _ in 0..<100 { meter.count += 1 }
        } else {
          for (index, observer) in observers.enumerated() {
            let keyPath = [\Meter.count, \.doubled, \.tripled][index % 3]
            let isFirst = Guarded(true)
            observer.observations.observe(meter, keyPath) {
              let first = isFirst.withLock { first in
                defer { first = false }
                return first
              }
              if first {
                XCTAssertNotNil($2.oldValue)
                $0.startOver(from: $2.oldValue ?? -1)
              }
              $0.follow($2)
            }
          }
        }
      }
      for (index, observer) in observers.enumerated() {
        XCTAssertEqual(observer.breaks, [], "\(round)")
        if observer.deliveries > 0 { XCTAssertEqual(observer.last, 200 * (index % 3 + 1)) }
      }
    }
  }
}
