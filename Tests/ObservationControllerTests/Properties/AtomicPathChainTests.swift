import Foundation
import ObservationController
import TestSupport
import XCTest

/// Key paths and derived values over atomic properties that several threads change: each change
/// begins where the one before has ended, and the last one leads to the value that is left.
final class AtomicPathChainTests: TestCase {
  /// The path has yet to read the derived value when another transaction notes what it has read.
  func test_C11_transactionThatBeginsInAGetter_deliversWhatItLeadsBack() {
    let scale = Scale()
    let (recorder, controller) = observing(scale)
    let (hasSet, goesOn, hasEnded) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    scale.middle.set {
      Thread.detachNewThread {
        withObservationTransaction {
          scale.right = 10
          hasSet.signal()
          goesOn.wait()
          scale.left = 0
        }
        hasEnded.signal()
      }
      hasSet.wait()
    }
    withObservationTransaction {
      scale.left = 1
      scale.right = 5
    }
    goesOn.signal()
    hasEnded.wait()
    XCTAssertEqual(recorder.events, [.changed(0, 12), .changed(12, 10)])
    controller.unobserveAll()
  }

  /// The path reads what another thread has just set, at the end of a transaction that has led the
  /// derived value back.
  func test_C11_setWhileATransactionEvaluatesAPath_isDelivered() {
    let scale = Scale()
    let (recorder, controller) = observing(scale)
    withObservationTransaction {
      scale.left = 1
      XCTAssertEqual(scale.doubled, 2)
      scale.left = 0
      scale.start.set { onAnotherThread { scale.right = 10 } }
    }
    XCTAssertEqual(recorder.events, [.changed(0, 10)])
    controller.unobserveAll()
  }

  /// Without `.old`, and of values that are no plain ones.
  func test_C28_derivedValueLedBackByAnotherThread_isNotDelivered() {
    let scale = Scale()
    let (recorder, controller) = observing(scale)
    let weights = ChangeRecorder<Weight>()
    let others = ObservationController(observer: weights)
    others.observe(scale, \.weight, options: []) { $0.record($2) }
    scale.start.set {
      onAnotherThread {
        XCTAssertEqual(scale.weight.grams, 1)
        scale.left = 0
      }
    }
    scale.left = 1
    XCTAssertEqual(weights.events, [])
    scale.left = 2
    XCTAssertEqual(weights.events.count, 1)
    XCTAssertEqual(recorder.events.last, .changed(0, 4))
    controller.unobserveAll()
    others.unobserveAll()
  }

  /// The value that is kept for the next delivery.
  func test_C15_observedDerivedValue_releasesTheValueBefore() {
    let census = LifetimeCounter()
    let scale = Scale()
    scale.load = Weight(grams: 1, ticket: census.makeTicket())
    let recorder = SilentObserver()
    let controller = ObservationController(observer: recorder)
    let token = controller.observe(scale, \.loaded) { _, _, _ in }
    scale.load = Weight(grams: 2, ticket: census.makeTicket())
    XCTAssertEqual(census.count, 1)
    scale.load = Weight(grams: 2, ticket: census.makeTicket())
    scale.load = Weight(grams: 0)
    XCTAssertEqual(census.count, 0)
    scale.load = Weight(grams: 3, ticket: census.makeTicket())
    token.invalidate()
    scale.load = Weight(grams: 0)
    XCTAssertEqual(scale.loaded.grams, 0)
    XCTAssertEqual(census.count, 0)
  }

  func test_C21_pathsToValuesWithObjects_haveContiguousChanges() {
    for seed in seeds(quick: 15, full: 400) {
      let scale = Scale()
      let observer = SilentObserver()
      let controller = ObservationController(observer: observer)
      let chains = [WeightChain(), WeightChain(), WeightChain()]
      controller.observe(scale, \.weight, options: .old) { chains[0].follow($2) }
      controller.observe(scale, \.total, options: .old) { chains[1].follow($2) }
      controller.observe(scale, \.total, options: .old, context: "2") { chains[2].follow($2) }
      onThreads(3) { thread in
        var random = SeededGenerator(seed: seed &* 3 &+ UInt64(thread))
        for _ in 0..<300 { scale.change(by: &random) }
      }
      for chain in chains { XCTAssertEqual(chain.breaks, [], "seed \(seed)") }
      controller.unobserveAll()
      guard chains.allSatisfy(\.breaks.isEmpty) else { return }
    }
  }

  private func observing(
    _ scale: Scale
  ) -> (ChangeRecorder<Int>, ObservationController<ChangeRecorder<Int>>) {
    let recorder = ChangeRecorder<Int>()
    let controller = ObservationController(observer: recorder)
    controller.observe(scale, \.sum) { $0.record($2) }
    return (recorder, controller)
  }
}

/// A value that is not plain: it holds an object.
private struct Weight: Equatable, Sendable {
  var grams: Int
  var ticket: LifetimeCounter.Ticket?

  static func == (one: Weight, other: Weight) -> Bool { one.grams == other.grams }
}

private final class Scale: @unchecked Sendable {
  // Unchecked because the storage of a wrapper is a variable, which is never replaced.
  let start = Hook()
  let middle = Hook()

  @AtomicObserved var left = 0
  @AtomicObserved var right = 0
  @AtomicObserved var load = Weight(grams: 0)

  @Derived({ (scale: Scale) in scale.left * 2 }) var doubled: Int
  @Derived({ (scale: Scale) in Weight(grams: scale.left) }) var weight: Weight
  @Derived({ (scale: Scale) in scale.load }) var loaded: Weight

  /// Runs the hooks before anything is read, and before the derived value is.
  var sum: Int {
    start.run()
    let right = right
    middle.run()
    return doubled + right
  }

  var total: Weight { Weight(grams: weight.grams + right) }

  func change(by random: inout SeededGenerator) {
    func set() {
      let value = Int(random.next() % 4)
      if random.next().isMultiple(of: 2) { left = value } else { right = value }
    }
    switch random.next() % 4 {
    case 0:
      withObservationTransaction {
        set()
        set()
      }
    case 1: XCTAssertGreaterThanOrEqual(weight.grams, 0)
    default: set()
    }
  }
}

/// Checks that each change begins where the one before has ended.
private final class WeightChain: @unchecked Sendable {
  // Unchecked because one delivery follows the other, and what is read afterwards.
  private(set) var breaks: [String] = []
  private var last: Weight?

  func follow(_ change: ObservedChange<Weight>) {
    if let last, change.oldValue != last {
      let old = change.oldValue.map { "\($0.grams)" } ?? "nil"
      breaks.append("\(last.grams), then \(old) → \(change.newValue.grams)")
    }
    last = change.newValue
  }
}
