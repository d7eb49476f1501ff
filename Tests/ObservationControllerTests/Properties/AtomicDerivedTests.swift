import Foundation
import ObservationController
import TestSupport
import XCTest

/// Derived properties of atomic ones, read and written on several threads.
final class AtomicDerivedTests: TestCase {
  func test_C21_derived_isNeverStale_afterAWriteOnTheSameThread() {
    let meter = Meter()
    let count = Effort.count(quick: 200, full: 2_000)
    onThreads(4) { thread in
      for value in 1...count {
        if thread == 0 {
          meter.count = value
          XCTAssertEqual(meter.tripled, 3 * value)
          XCTAssertGreaterThanOrEqual(meter.total, value)
        } else {
          meter.$other.withLock { $0 += 1 }
          XCTAssertGreaterThanOrEqual(meter.total, value)
          XCTAssertTrue(meter.tripled.isMultiple(of: 3))
        }
      }
    }
    XCTAssertEqual(meter.total, 4 * count)
  }

  /// A computed value is cached only if no dependency has changed meanwhile.
  func test_C21_derivedOfADerived_isConsistent_whileOthersWrite() {
    let model = Tower()
    let observer = ChainObserver()
    observer.observations.observe(model, \.top) { $0.follow($2) }
    let count = Effort.count(quick: 200, full: 1_000)
    onThreads(4) { thread in
      for value in 1...count {
        if thread == 0 {
          model.base = value
          XCTAssertEqual(model.top, 4 * value)
        } else {
          XCTAssertTrue(model.top.isMultiple(of: 4))
        }
      }
    }
    XCTAssertEqual(observer.breaks, [])
    XCTAssertEqual(observer.last, 4 * count)
  }

  func test_derived_ofSlowClosures_whileOthersWrite_isNoCycle() {
    let model = Tower()
    let isDone = Guarded(false)
    let issues = collectingIssues {
      onThreads(2) { thread in
        if thread == 0 {
          for _ in 0..<20 { XCTAssertGreaterThanOrEqual(model.slow, 0) }
          isDone.withLock { $0 = true }
        } else {
          while !isDone.withLock({ $0 }) { model.$base.withLock { $0 += 1 } }
        }
      }
    }
    XCTAssertEqual(issues.map(\.description), [])
  }

  func test_slowGetters_ofObservedPaths_whileOthersWrite_areNoCycle() {
    let model = Tower()
    let observer = ChainObserver()
    let issues = collectingIssues {
      observer.observations.observe(model, \.slowPair, options: [.initial, .old]) { $0.follow($2) }
      onThreads(3) { thread in
        for _ in 0..<(thread == 0 ? 50 : 1_000) { model.$base.withLock { $0 += 1 } }
      }
    }
    XCTAssertEqual(issues.map(\.description), [])
    XCTAssertEqual(observer.breaks, [])
    XCTAssertEqual(observer.last, 2_050)
  }

  func test_C27_valueThatBeginsToReadAnAtomicProperty_equal_isNotDelivered() {
    let model = Choice()
    let observer = ChainObserver()
    observer.observations.observe(model, \.chosen) { $0.follow($2) }
    model.isAtomic = true
    XCTAssertEqual(observer.deliveries, 0)
    model.atomic = 1
    XCTAssertEqual(observer.last, 1)
    model.isAtomic = false
    XCTAssertEqual(observer.last, 0)
    XCTAssertEqual(observer.breaks, [])
  }

  func test_C26_pathOverAValueThatBecomesShared_equal_isNotDelivered() {
    final class Holder {
      @Observed var choice: Choice? = Choice()
    }
    let holder = Holder()
    let recorder = LineRecorder()
    let observations = ObservationController(observer: recorder)
    observations.observe(holder, \.choice?.chosen) { $0.write($2) }
    holder.choice?.isAtomic = true
    XCTAssertEqual(recorder.events, [])
    holder.choice?.atomic = 1
    holder.choice?.isAtomic = false
    XCTAssertEqual(
      recorder.events, ["Optional(0) → Optional(1)", "Optional(1) → Optional(0)"])
  }

  func test_C21_valueThatAnotherThreadComputes_isDeliveredByTheThreadThatSets() {
    let model = Choice()
    let observer = ChainObserver()
    let (isReading, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    // Before the observers of the derived value: another thread begins to compute it.
    observer.observations.observe(model, \.atomic, options: .prior) { _, _, change in
      guard change.isPrior else { return }
      model.hook.withLock {
        $0 = {
          isReading.signal()
          mayGoOn.wait()
        }
      }
    }
    let reader = DispatchGroup()
    observer.observations.observe(model, \.atomic, context: "reader") { _, model, _ in
      reader.enter()
      Thread.detachNewThread {
        XCTAssertEqual(model.chosen, 1)
        reader.leave()
      }
      isReading.wait()
    }
    observer.observations.observe(model, \.chosen) { $0.follow($2) }
    model.isAtomic = true
    model.atomic = 1
    XCTAssertEqual(observer.last, 1)
    mayGoOn.signal()
    reader.wait()
    XCTAssertEqual(model.chosen, 1)
    XCTAssertEqual(observer.breaks, [])
  }

  func test_C28_valueThatBeginsToReadAnAtomicProperty_isDeliveredInOrder() {
    let model = Choice()
    let recorder = LineRecorder()
    let observations = ObservationController(observer: recorder)
    observations.observe(model, \.atomic, context: "first") { $0.write("first \($2)") }
    observations.observe(model, \.chosen) { $0.write("chosen \($2)") }
    observations.observe(model, \.atomic, context: "last") { $0.write("last \($2)") }
    model.isAtomic = true
    model.atomic = 1
    XCTAssertEqual(recorder.takeEvents(), ["first 0 → 1", "chosen 0 → 1", "last 0 → 1"])
    withObservationTransaction { model.atomic = 2 }
    XCTAssertEqual(recorder.takeEvents(), ["first 1 → 2", "chosen 1 → 2", "last 1 → 2"])
  }

  func test_withLock_observedValueThatBecameSharedLater_isNotifiedAtTheEnd() {
    for isAtomicAtFirst in [true, false] {
      let model = Choice()
      let recorder = LineRecorder()
      let observations = ObservationController(observer: recorder)
      model.isAtomic = isAtomicAtFirst
      observations.observe(model, \.total) { $0.write($2) }
      model.isAtomic = true
      model.$atomic.withLock { atomic in
        atomic += 1
        model.plain = 5
        recorder.write("end of withLock")
      }
      XCTAssertEqual(
        recorder.events, ["end of withLock", "0 → 6"], "atomic at first: \(isAtomicAtFirst)")
    }
  }

  func test_derived_ofADeallocatedObject_keepsNothingOfIt() {
    final class Reader: @unchecked Sendable {
      @Observed var tower: Tower?
      weak var weakTower: Tower?
      @Derived({ (reader: Reader) in reader.weakTower?.base ?? -1 }) var base: Int
    }
    let reader = Reader()
    let observations = ObservationController(observer: self, retainsObserved: false)
    assertLeavesNoObservations {
      let tower = Tower()
      reader.weakTower = tower
      XCTAssertEqual(reader.base, 0)
      observations.observe(tower.$base, \.wrappedValue) { _, _, _ in }
      observations.observe(tower, \.base) { _, _, _ in }
    }
    XCTAssertEqual(reader.base, -1)
  }
}

private final class Tower: @unchecked Sendable {
  @AtomicObserved var base = 0
  @AtomicObserved var other = 0
  @Derived({ (tower: Tower) in tower.base * 2 }) var middle: Int
  @Derived({ (tower: Tower) in tower.middle + tower.middle }) var top: Int

  /// Takes longer than a change.
  @Derived({ (tower: Tower) in
    let value = tower.base
    return value + (0..<300).reduce(0) { $0 &+ $1 } * 0
  }) var slow: Int

  var slowPair: Int { base + other + (0..<100).reduce(0) { $0 &+ $1 } * 0 }
}

private final class Choice: @unchecked Sendable {
  @Observed var isAtomic = false
  @Observed var plain = 0
  @AtomicObserved var atomic = 0
  let hook = Guarded<(@Sendable () -> Void)?>(nil)
  @Derived({ (choice: Choice) in
    guard choice.isAtomic else { return choice.plain }
    let value = choice.atomic
    choice.hook.withLock { $0.take() }?()
    return value
  }) var chosen: Int
  @Derived({ (choice: Choice) in choice.plain + (choice.isAtomic ? choice.atomic : 0) })
  var total: Int
}
