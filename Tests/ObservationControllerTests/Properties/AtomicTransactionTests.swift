import Foundation
import ObservationController
import TestSupport
import XCTest

/// C11 with atomic properties, on one thread and on several.
final class AtomicTransactionTests: TestCase {
  private let meter = Meter()
  private let recorder = ChangeRecorder<Int>()
  private lazy var observations = ObservationController(observer: recorder)
  private let keyPaths: [KeyPath<Meter, Int>] = [\.count, \.doubled, \.tripled, \.sum]
  private let factors = [1, 2, 3, 1]

  func test_C11_transaction_isDeliveredOnce_withTheValueBefore() {
    for (keyPath, factor) in zip(keyPaths, factors) {
      meter.count = 1
      observations.observe(meter, keyPath, options: [.old, .prior]) { $0.record($2) }
      withObservationTransaction {
        meter.count = 2
        meter.$count.withLock { $0 += 1 }
        withObservationTransaction { meter.count += 1 }
        XCTAssertEqual(recorder.events, [])
        XCTAssertEqual(meter.tripled, 12)
      }
      XCTAssertEqual(recorder.takeEvents(), [.prior(factor), .changed(factor, 4 * factor)])
      observations.unobserveAll()
    }
  }

  func test_C11_distinct_backWhereItBegan_isNotDelivered() {
    for keyPath in keyPaths {
      observations.observe(meter, keyPath, options: [.old, .distinct]) { $0.record($2) }
    }
    withObservationTransaction {
      meter.count = 5
      meter.count = 0
    }
    XCTAssertEqual(recorder.events, [])
  }

  func test_C11_transactionThatThrows_deliversTheStoredValues() {
    observations.observe(meter, \.count) { $0.record($2) }
    XCTAssertThrowsError(
      try withObservationTransaction {
        meter.count = 5
        throw Failure()
      })
    XCTAssertEqual(recorder.events, [.changed(0, 5)])
  }

  func test_C11_observerAddedInside_isNotifiedOfLaterChanges() {
    for (keyPath, factor) in zip(keyPaths, factors) {
      meter.count = 0
      withObservationTransaction {
        meter.count = 1
        observations.observe(meter, keyPath, options: [.initial, .old]) { $0.record($2) }
        meter.count = 2
        meter.count = 3
      }
      XCTAssertEqual(recorder.takeEvents(), [.initial(factor), .changed(factor, 3 * factor)])
      observations.unobserveAll()
    }
  }

  func test_C11_C21_changeOfAnotherThread_becomesPartOfTheTransaction() {
    for (keyPath, factor) in zip(keyPaths, factors) {
      meter.count = 0
      observations.observe(meter, keyPath) { $0.record($2) }
      let meter = meter
      withObservationTransaction {
        meter.count = 1
        onAnotherThread { meter.count += 10 }
        meter.count += 100
        onAnotherThread { meter.count += 1_000 }
        XCTAssertEqual(recorder.events, [])
      }
      XCTAssertEqual(recorder.takeEvents(), [.changed(0, 1_111 * factor)])
      onAnotherThread { meter.count = 1 }
      XCTAssertEqual(recorder.takeEvents(), [.changed(1_111 * factor, factor)])
      observations.unobserveAll()
    }
  }

  /// C4: values seen by the transaction alone are not delivered.
  func test_C4_C11_changeOnAnotherThread_hasItsPriorAtTheTransactionsEnd() {
    for (keyPath, factor) in zip(keyPaths, factors) {
      meter.count = 0
      observations.observe(meter, keyPath, options: [.old, .prior]) { $0.record($2) }
      let meter = meter
      withObservationTransaction {
        meter.count = 1
        onAnotherThread { meter.count += 10 }
        onAnotherThread { meter.$count.withLock { $0 += 100 } }
        XCTAssertEqual(recorder.events, [])
      }
      XCTAssertEqual(recorder.takeEvents(), [.prior(0), .changed(0, 111 * factor)])
      onAnotherThread { meter.count = 1 }
      XCTAssertEqual(recorder.takeEvents(), [.prior(111 * factor), .changed(111 * factor, factor)])
      observations.unobserveAll()
    }
  }

  /// Its prior delivery is that of the change that it becomes part of.
  func test_C4_C11_changeBeforeATransactionOnAnotherThread_hasOnePrior() {
    for (keyPath, factor) in zip(keyPaths, factors) {
      meter.count = 0
      let (meter, recorder) = (meter, UncheckedReference(recorder))
      let (stored, joined, ended) = (
        DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
      )
      observations.observe(meter, keyPath, options: [.old, .prior]) {
        $0.record($2)
        guard $2.isPrior, $0.events.count == 1 else { return }
        Thread.detachNewThread {
          withObservationTransaction {
            meter.count = 1
            stored.signal()
            joined.wait()
            XCTAssertEqual(recorder.object.events, [.prior(0)])
          }
          ended.signal()
        }
        stored.wait()
      }
      meter.count += 10
      joined.signal()
      ended.wait()
      XCTAssertEqual(self.recorder.takeEvents(), [.prior(0), .changed(0, 11 * factor)])
      observations.unobserveAll()
    }
  }

  func test_C11_twoTransactionsAtOnce_onOneProperty_chainIsContiguous() {
    for (keyPath, factor) in zip(keyPaths, factors) {
      meter.count = 0
      observations.observe(meter, keyPath) { $0.record($2) }
      let meter = meter
      withObservationTransaction {
        meter.count += 1
        onAnotherThread {
          withObservationTransaction {
            meter.count += 10
            meter.count += 10
          }
        }
        meter.count += 1
      }
      XCTAssertEqual(recorder.takeEvents(), [.changed(0, 22 * factor)])
      observations.unobserveAll()
    }
  }

  func test_C11_C21_transactionsAndWrites_onEightThreads_chainIsContiguous() {
    let meter = meter
    let observers = keyPaths.map { keyPath in
      let observer = ChainObserver()
      observer.observations.observe(meter, keyPath) { $0.follow($2) }
      return observer
    }
    let rounds = Effort.count(quick: 30, full: 300)
    onThreads(8) { thread in
      for _ in 0..<rounds {
        if thread.isMultiple(of: 2) {
          withObservationTransaction {
            meter.$count.withLock { $0 += 1 }
            meter.other += 1
            meter.$count.withLock { $0 += 1 }
          }
        } else {
          meter.count += 1
          meter.other -= 1
        }
      }
    }
    XCTAssertEqual(meter.count, 12 * rounds)
    XCTAssertEqual(meter.other, 0)
    for (observer, factor) in zip(observers, factors) {
      XCTAssertEqual(observer.breaks, [])
      XCTAssertEqual(observer.last, 12 * rounds * factor)
    }
  }

  func test_C11_joinedWhileOthersHaveTransactions_chainStartsAtInitial() {
    for round in 0..<Effort.count(quick: 10, full: 60) {
      let meter = Meter()
      let observers = (0..<8).map { _ in ChainObserver() }
      onThreads(3) { thread in
        if thread > 0 {
          for _ in 0..<40 {
            withObservationTransaction {
              meter.count += 1
              meter.count += 1
            }
          }
        } else {
          for (index, observer) in observers.enumerated() {
            observer.observations.observe(
              meter, [\Meter.count, \.doubled, \.tripled, \.sum][index % 4],
              options: [.initial, .old]
            ) { $0.follow($2) }
          }
        }
      }
      for (index, observer) in observers.enumerated() {
        XCTAssertEqual(observer.breaks, [], "\(round) \(index)")
        XCTAssertEqual(observer.last, 160 * factors[index % 4], "\(round) \(index)")
      }
    }
  }

  /// Another thread changes what the value of a path or derived value depends on as well.
  func test_C11_valueThatAnotherThreadChangesToo_isDeliveredAtTheEnd() {
    for keyPath in [\Meter.sum, \.total] {
      let meter = Meter()
      observations.observe(meter, keyPath) { $0.record($2) }
      withObservationTransaction {
        meter.count = 1
        onAnotherThread { meter.other = 10 }
        XCTAssertEqual(recorder.events, [])
      }
      meter.other = 20
      XCTAssertEqual(recorder.takeEvents(), [.changed(0, 11), .changed(11, 21)])
    }
  }

  /// C22: nothing is delivered while the other property is locked.
  func test_C22_transactionInsideOfWithLock_ofAnother_deliversAfterIt() {
    observations.observe(meter, \.other) { $0.record($2) }
    meter.$count.withLock { count in
      withObservationTransaction {
        meter.other = 1
        meter.other = 2
        count = 3
      }
      XCTAssertEqual(recorder.events, [])
    }
    XCTAssertEqual(recorder.events, [.changed(0, 2)])
    withObservationTransaction {
      meter.$count.withLock { _ in meter.other = 5 }
      XCTAssertEqual(recorder.events, [.changed(0, 2)])
    }
    XCTAssertEqual(recorder.events, [.changed(0, 2), .changed(2, 5)])
  }
}
