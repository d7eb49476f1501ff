import Foundation
import ObservationController
import TestSupport
import XCTest

/// Bindings, queues and sequences with atomic properties, from several threads.
final class AtomicBindingTests: TestCase {
  private let observer = SilentObserver()
  private lazy var observations = ObservationController(observer: observer)

  func test_C21_bind_sourceWrittenOnSeveralThreads_targetHasTheLastValue() {
    for _ in 0..<20 {
      let (meter, gauge) = (Meter(), Gauge())
      let target = ChainObserver()
      target.observations.observe(gauge, \.count.wrappedValue) { $0.follow($2) }
      let observations = UncheckedReference(self.observations)
      onThreads(4) { thread in
        if thread == 0 {
          observations.object.bind(meter, \.count, to: gauge, \.count.wrappedValue)
        } else {
          for _ in 0..<100 { meter.count += 1 }
        }
      }
      XCTAssertEqual(gauge.count.wrappedValue, 300)
      XCTAssertEqual(target.breaks, [])
      XCTAssertEqual(target.last, 300)
      self.observations.unobserveAll()
    }
  }

  func test_C21_bind_derivedToAtomic_withTransform() {
    let (meter, gauge) = (Meter(), Gauge())
    observations.bind(meter, \.total, to: gauge, \.count.wrappedValue) { -$0 }
    onThreads(4) { thread in
      for _ in 0..<300 { if thread < 2 { meter.count += 1 } else { meter.other += 1 } }
    }
    XCTAssertEqual(gauge.count.wrappedValue, -1_200)
  }

  func test_C21_bindTwoWay_oneEndWrittenOnSeveralThreads_bothEndsAgree() {
    let (meter, gauge) = (Meter(), Gauge())
    observations.bindTwoWay(meter, \.count, with: gauge, \.count.wrappedValue)
    onThreads(4) { _ in
      for _ in 0..<300 { meter.count += 1 }
    }
    XCTAssertEqual(meter.count, 1_200)
    XCTAssertEqual(gauge.count.wrappedValue, 1_200)
    onThreads(4) { _ in
      for _ in 0..<300 { gauge.count.withLock { $0 -= 1 } }
    }
    XCTAssertEqual(meter.count, 0)
    XCTAssertEqual(gauge.count.wrappedValue, 0)
  }

  func test_C21_bindTwoWay_bothEndsWrittenAtOnce_agreeAfterTheNextChange() {
    for round in 1...50 {
      let (meter, gauge) = (Meter(), Gauge())
      observations.bindTwoWay(meter, \.count, with: gauge, \.count.wrappedValue)
      onThreads(2) { thread in
        for value in 1...50 {
          if thread == 0 { meter.count = value } else { gauge.count.wrappedValue = -value }
        }
      }
      meter.count = 1_000 + round
      XCTAssertEqual(gauge.count.wrappedValue, 1_000 + round)
      gauge.count.wrappedValue = round
      XCTAssertEqual(meter.count, round)
      observations.unobserveAll()
    }
  }

  // MARK: Delivery elsewhere

  func test_C21_queue_receivesEveryChangeInOrder() {
    let meter = Meter()
    let queue = DispatchQueue(label: "atomic")
    let chain = ChainObserver()
    chain.observations.observe(meter, \.count, options: [.initial, .old], on: queue) {
      $0.follow($2)
    }
    onThreads(8) { _ in
      for _ in 0..<300 { meter.count += 1 }
    }
    queue.sync {}
    XCTAssertEqual(chain.breaks, [])
    XCTAssertEqual(chain.initials, 1)
    XCTAssertEqual(chain.deliveries, 2_400)
    XCTAssertEqual(chain.last, 2_400)
  }

  func test_C21_values_areCompleteAndInOrder() async {
    let (meter, gauge) = (Meter(), Gauge())
    let observations = observations
    let (counts, paths) = (
      observations.values(of: meter, \.count),
      observations.values(of: gauge, \.count.wrappedValue)
    )
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        onThreads(8) { _ in
          for _ in 0..<200 {
            meter.count += 1
            gauge.count.withLock { $0 += 1 }
          }
        }
      }
    }
    observations.unobserveAll()
    for sequence in [counts, paths] {
      var values: [Int] = []
      for await value in sequence { values.append(value) }
      XCTAssertEqual(values, Array(0...1_600))
    }
  }

  func test_C21_changes_begunWhileOthersWrite_areOneChain() async {
    for _ in 0..<20 {
      let meter = Meter()
      let observations = observations
      let found = Guarded<[ObservationChanges<Int>]>([])
      let shared = UncheckedReference(observations)
      onThreads(3) { thread in
        if thread > 0 {
          for _ in 0..<100 { meter.count += 1 }
        } else {
          for keyPath in [\Meter.count, \.tripled] {
            let changes = shared.object.changes(of: meter, keyPath, options: [.initial, .old])
            found.withLock { $0.append(changes) }
          }
        }
      }
      observations.unobserveAll()
      for (sequence, last) in zip(found.withLock({ $0 }), [200, 600]) {
        let chain = ChainObserver()
        for await change in sequence { chain.follow(change) }
        XCTAssertEqual(chain.breaks, [])
        XCTAssertEqual(chain.initials, 1)
        XCTAssertEqual(chain.last, last)
      }
    }
  }

  func test_event_sentByHandlersOfAnAtomic_isDeliveredAtOnce() {
    let meter = Meter()
    let event = ObservableEvent<Int>()
    let received = Recorder<Int>()
    observations.observe(event) { _, payload in received.append(payload) }
    observations.observe(meter, \.count) {
      event.send($2.newValue)
      _ = ($0, $1)
    }
    meter.count = 1
    withObservationTransaction {
      meter.count = 2
      event.send(-1)
    }
    XCTAssertEqual(received.events, [1, -1, 2])
  }

  func test_C14_bindForADeallocatedObserver_endsAtOnce() {
    let (source, target) = (Meter(), Meter())
    var observer: ChangeRecorder<Int>? = ChangeRecorder<Int>()
    let observations = ObservationController(observer: observer!)
    // Keeps the table of the controller from being empty.
    observations.observe(source, \.count) { $0.record($2) }
    observer = nil
    let token = observations.bind(source, \.count, to: target, \.other)
    XCTAssertFalse(token.isActive)
    source.count = 3
    XCTAssertEqual(target.other, 0)
  }
}
