import ObservationController
import TestSupport
import XCTest

/// C10 and C21: paths that read only one atomic property when they are registered, and others
/// later.
final class AtomicUnpinningTests: TestCase {
  private final class Till: @unchecked Sendable {
    // Unchecked because the storage of a wrapper is a variable, which is never replaced.
    @AtomicObserved var count = 0
    @AtomicObserved var bonus = 0

    init(count: Int = 0) { self.count = count }

    /// Reads one property as long as that is 0.
    var total: Int { count == 0 ? 0 : count + bonus }
  }

  private let till = Till()
  private let recorder = ChangeRecorder<Int>()
  private lazy var observations = ObservationController(observer: recorder)

  func test_C10_path_thatReadsAnotherPropertyAfterAChange_followsBoth() {
    observations.observe(till, \.total) { $0.record($2) }
    till.bonus = 1
    XCTAssertEqual(recorder.takeEvents(), [], "it does not read that")
    till.count = 1
    till.bonus = 5
    till.count = 0
    till.bonus = 7
    till.count = 2
    XCTAssertEqual(
      recorder.events, [.changed(0, 2), .changed(2, 6), .changed(6, 0), .changed(0, 9)])
  }

  func test_C10_path_withANewDependency_withEachOption_isNotifiedOnce() {
    let cases: [(ObservationOptions, [RecordedEvent<Int>])] = [
      ([], [.changed(nil, 1), .changed(nil, 1), .changed(nil, 3)]),
      ([.initial, .old], [.initial(0), .changed(0, 1), .changed(1, 1), .changed(1, 3)]),
      (.distinct, [.changed(nil, 1), .changed(nil, 3)]),
      ([.old, .distinct], [.changed(0, 1), .changed(1, 3)]),
    ]
    for (options, events) in cases {
      (till.count, till.bonus) = (0, 0)
      observations.observe(till, \.total, options: options) { $0.record($2) }
      till.count = 1
      till.count = 1
      till.bonus = 2
      XCTAssertEqual(recorder.takeEvents(), events, "\(options)")
      observations.unobserveAll()
    }
  }

  func test_C10_path_withANewDependencyInAHandler_isNotifiedInItsTurn() {
    observations.observe(till, \.count) { [till] _, _, change in
      if change.newValue == 1 { till.bonus = 10 }
    }
    observations.observe(till, \.total, context: "total") { $0.record($2) }
    till.count = 1
    till.count = 2
    XCTAssertEqual(recorder.events.last, .changed(11, 12))
    var last = 0
    for case .changed(let old, let new) in recorder.events {
      XCTAssertEqual(old, last)
      last = new
    }
  }

  func test_C11_path_withANewDependencyAfterATransaction_isNotifiedOnce() {
    observations.observe(till, \.total) { $0.record($2) }
    withObservationTransaction {
      till.bonus = 5
      till.count = 1
      till.count = 2
    }
    till.bonus = 6
    XCTAssertEqual(recorder.events, [.changed(0, 7), .changed(7, 8)])
  }

  func test_C21_path_withANewDependencyMeanwhile_chainIsContiguous() {
    for _ in 0..<Effort.count(quick: 20, full: 100) {
      let till = Till()
      let observer = ChainObserver()
      observer.observations.observe(till, \.total) { $0.follow($2) }
      onThreads(3) { thread in
        for value in 1...40 {
          if thread == 0 { till.bonus = value } else { till.count = value % 3 }
        }
      }
      XCTAssertEqual(observer.breaks, [])
      XCTAssertEqual(observer.last, till.total)
    }
  }

  /// Changes that another thread makes while the registration reads the first value come before it:
  /// that is the value after them, and the first change begins with it.
  func test_C21_path_withANewDependencyDuringRegistration_startsAtInitial() {
    for isReplaced in [true, false] {
      for options: ObservationOptions in [.old, [.initial, .old]] {
        let safe = Safe()
        let reads = Guarded(0)
        safe.onRead.withLock { handler in
          handler = {
            let read = reads.withLock { reads in
              reads += 1
              return reads
            }
            switch read {
            case 1: onAnotherThread { safe.till = Till(count: 5) }
            case 2:
              onAnotherThread {
                safe.till?.count = 6
                safe.till = isReplaced ? Till(count: 7) : nil
              }
            default: break
            }
          }
        }
        observations.observe(safe, \.count, options: options) { $0.record($2) }
        let first = isReplaced ? 7 : 0
        XCTAssertEqual(
          recorder.takeEvents(), options.contains(.initial) ? [.initial(first)] : [])
        safe.till = Till(count: 8)
        safe.till?.count = 9
        XCTAssertEqual(recorder.takeEvents(), [.changed(first, 8), .changed(8, 9)])
        observations.unobserveAll()
      }
    }
  }

  private final class Safe: Sendable {
    private let storage = AtomicObserved<Till?>(wrappedValue: nil)
    let onRead = Guarded<(@Sendable () -> Void)?>(nil)

    var till: Till? {
      get { storage.wrappedValue }
      set { storage.wrappedValue = newValue }
    }

    var count: Int {
      let count = till?.count ?? 0
      onRead.withLock { $0 }?()
      return count
    }
  }
}
