import Foundation
import ObservationController
import TestSupport
import XCTest

/// C22: what is changed inside of `withLock` or an in-place mutation of an atomic property is
/// delivered when the property is unlocked again, as if it were a transaction. Run with
/// ThreadSanitizer too.
final class AtomicInsideTests: TestCase {
  private let job = Job()
  private let lines = LineRecorder()
  private lazy var observations = ObservationController(observer: lines)

  /// Records a delivery, and uses the properties that might be locked, on this thread and another.
  private func observe<Value>(
    _ keyPath: KeyPath<Job, Value>, _ name: String, options: ObservationOptions = .old
  ) {
    observations.observe(job, keyPath, options: options) { lines, job, change in
      lines.write("\(name) \(change) \(job.finished)\(job.failed.wrappedValue)")
      onAnotherThread { job.touch() }
    }
  }

  private typealias Access = (_ job: Job, _ body: () -> Void) -> Void

  /// The ways to lock a property, each of which adds one. Key paths are none: they read the value,
  /// and set it after the mutation.
  private let accesses: [(name: String, run: Access)] = [
    (
      "withLock",
      { job, body in
        job.$finished.withLock {
          $0 += 1
          body()
        }
      }
    ),
    (
      "in place",
      { job, body in
        func add(_ count: inout Int) {
          count += 1
          body()
        }
        add(&job.finished)
      }
    ),
    (
      "in place, by the projection",
      { job, body in
        func add(_ count: inout Int) {
          body()
          count += 1
        }
        add(&job.$finished.wrappedValue)
      }
    ),
  ]

  func test_C22_changeElsewhere_isDeliveredWhenUnlocked() {
    let changes: [(body: (Job) -> Void, lines: [String])] = [
      ({ $0.status = "x" }, ["status new → x 10"]),
      ({ $0.other += 2 }, ["other 0 → 2 10"]),
      ({ $0.$other.withLock { $0 += 2 } }, ["other 0 → 2 10"]),
      ({ $0.failed.wrappedValue = 4 }, ["failed 0 → 4 14"]),
      ({ $0.list.append(7) }, ["list batch [7] 10"]),
      ({ job in job.list.performBatchUpdates { job.list += [1, 2] } }, ["list batch [1, 2] 10"]),
      (
        {
          $0.status = "x"
          $0.other = 1
          $0.status = "y"
        }, ["status new → y 10", "other 0 → 1 10"]
      ),
      (
        { job in
          withObservationTransaction {
            job.status = "x"
            job.status = "y"
          }
        }, ["status new → y 10"]
      ),
    ]
    for (name, access) in accesses {
      for (index, change) in changes.enumerated() {
        job.reset()
        observe(\.status, "status")
        observe(\.other, "other")
        observe(\.failed.wrappedValue, "failed")
        observations.observeArray(job, \.list) { lines, job, change in
          lines.write("list \(change.kind) \(change.elements) \(job.finished)\(job.failed)")
          onAnotherThread { job.touch() }
        }
        access(job) {
          change.body(job)
          XCTAssertEqual(lines.events, [], "\(name) \(index)")
        }
        XCTAssertEqual(lines.takeEvents(), change.lines, "\(name) \(index)")
        job.status = "later"
        XCTAssertEqual(lines.takeEvents().count, 1, "\(name) \(index)")
        observations.unobserveAll()
      }
    }
  }

  /// The property's own change is part of it: what depends on both is notified once.
  func test_C22_changeOfBoth_isOneChange_ofWhatDependsOnBoth() {
    for (name, access) in accesses {
      for options: ObservationOptions in [.old, [.old, .prior], [.old, .distinct]] {
        job.reset()
        observe(\.finished, "finished", options: options)
        observe(\.sum, "sum", options: options)
        observe(\.total, "total", options: options)
        access(job) { job.other = 5 }
        XCTAssertEqual(
          lines.takeEvents().filter { !$0.contains("about to") }.sorted(),
          ["finished 0 → 1 10", "sum 0 → 6 10", "total 0 → 6 10"], "\(name) \(options.rawValue)")
        observations.unobserveAll()
      }
    }
  }

  func test_C22_nestedLocks_deliverWhenTheOutermostIsUnlocked() {
    for (outerName, outer) in accesses {
      job.reset()
      observe(\.status, "status")
      observe(\.other, "other")
      observe(\.finished, "finished")
      outer(job) {
        job.$other.withLock {
          job.failed.withLock { $0 += 3 }
          job.status = "x"
          $0 += 1
        }
        XCTAssertEqual(lines.events, [], outerName)
        job.other += 1
        job.failed.wrappedValue += 1
        XCTAssertEqual(lines.events, [], outerName)
      }
      XCTAssertEqual(
        lines.takeEvents(), ["status new → x 14", "other 0 → 2 14", "finished 0 → 1 14"], outerName)
      observations.unobserveAll()
    }
  }

  func test_C22_transactionAround_deliversAtItsEnd() {
    for (name, access) in accesses {
      job.reset()
      observe(\.status, "status")
      observe(\.finished, "finished")
      withObservationTransaction {
        access(job) { job.status = "x" }
        access(job) { job.status = "y" }
        XCTAssertEqual(lines.events, [], name)
      }
      XCTAssertEqual(lines.takeEvents(), ["status new → y 20", "finished 0 → 2 20"], name)
      observations.unobserveAll()
    }
  }

  func test_C22_bodyThatThrows_deliversWhatWasStored() {
    observe(\.status, "status")
    observe(\.finished, "finished")
    XCTAssertThrowsError(
      try job.$finished.withLock {
        $0 += 1
        job.status = "x"
        throw CancellationError()
      })
    XCTAssertEqual(lines.takeEvents(), ["status new → x 10", "finished 0 → 1 10"])
    func fail(_ count: inout Int) throws {
      job.status = "y"
      count += 1
      throw CancellationError()
    }
    XCTAssertThrowsError(try fail(&job.finished))
    XCTAssertEqual(lines.takeEvents(), ["status x → y 20", "finished 1 → 2 20"])
  }

  func test_C22_priorHandlersAndBindings_runWhenUnlocked() {
    let copy = Job()
    observations.bind(job, \.status, to: copy, \.status)
    observe(\.status, "status", options: [.prior, .old])
    for (name, access) in accesses {
      job.reset()
      copy.status = ""
      lines.clear()
      access(job) {
        job.status = "x"
        XCTAssertEqual(copy.status, "", name)
      }
      XCTAssertEqual(copy.status, "x", name)
      XCTAssertEqual(lines.takeEvents().count, 2, name)
    }
  }

  func test_C22_handlerThatLocksAgain_isDeliveredInTurn() {
    observe(\.finished, "finished")
    observations.observe(job, \.status) { _, job, change in
      guard change.newValue != "end" else { return }
      job.$finished.withLock {
        $0 += 1
        job.status = "end"
      }
    }
    observe(\.status, "status", options: [])
    job.$finished.withLock {
      $0 += 1
      job.status = "x"
    }
    XCTAssertEqual(job.finished, 2)
    XCTAssertEqual(
      lines.takeEvents().filter { $0.hasPrefix("finished") },
      ["finished 0 → 1 20", "finished 1 → 2 20"])
  }

  func test_C22_eventInside_doesNotWait() {
    let event = ObservableEvent<Int>()
    observations.observe(event) { lines, number in lines.write("event \(number)") }
    job.$finished.withLock { _ in
      event.send(1)
      XCTAssertEqual(lines.takeEvents(), ["event 1"])
    }
  }

  func test_C21_C22_manyThreads_thatChangeInside_keepTheChains() {
    let meter = Meter()
    let observers = (0..<3).map { _ in ChainObserver() }
    for (observer, keyPath) in zip(observers, [\Meter.count, \.other, \.total]) {
      observer.observations.observe(meter, keyPath) { observer, meter, change in
        observer.follow(change)
        _ = meter.count + meter.other
      }
    }
    let rounds = Effort.count(quick: 50, full: 500)
    onThreads(4) { thread in
      for _ in 0..<rounds {
        if thread.isMultiple(of: 2) {
          meter.$count.withLock {
            $0 += 1
            meter.other += 1
          }
        } else {
          meter.$count.withLock { count in
            meter.$other.withLock { $0 += 1 }
            count += 1
          }
        }
      }
    }
    XCTAssertEqual(meter.count, 4 * rounds)
    for (observer, factor) in zip(observers, [1, 1, 2]) {
      XCTAssertEqual(observer.breaks, [])
      XCTAssertEqual(observer.last, factor * 4 * rounds)
    }
  }

  // MARK: Tasks

  func test_C22_changeElsewhere_inATask_isDeliveredWhenUnlocked() async {
    for _ in 0..<3 {
      job.reset()
      observe(\.status, "status")
      observe(\.finished, "finished")
      for (name, access) in accesses {
        let finished = job.finished
        access(job) {
          job.status = name
          job.$other.withLock { _ in job.status = "inner" }
          XCTAssertEqual(lines.events, [], name)
        }
        XCTAssertEqual(lines.takeEvents().count, 2, name)
        XCTAssertEqual(job.finished, finished + 1)
      }
      observations.unobserveAll()
      await Task.yield()
    }
  }

  /// The task is suspended inside of an in-place mutation, which is advised against: its changes
  /// wait, on whatever thread it continues; those of other tasks on the same thread do not.
  @MainActor
  func test_C22_taskSuspendedInside_holdsBackItsOwnChangesAlone() async {
    let (job, outsider) = (Job(), Job())
    let lines = lines
    let observations = ObservationController(observer: lines)
    observations.observe(job, \.status) { lines, _, change in lines.write("own \(change)") }
    observations.observe(outsider, \.status) { lines, _, change in lines.write("other \(change)") }
    func add(_ count: inout Int) async {
      count += 1
      job.status = "x"
      let other = Task { @MainActor in
        outsider.status = "y"
        XCTAssertEqual(lines.takeEvents(), ["other new → y"])
        withObservationTransaction { outsider.status = "z" }
        outsider.other += 1
        outsider.$other.withLock { _ in outsider.status = "end" }
        XCTAssertEqual(lines.takeEvents(), ["other y → z", "other z → end"])
      }
      await other.value
      await Self.hop()
      XCTAssertEqual(lines.events, [])
    }
    await add(&job.finished)
    XCTAssertEqual(lines.takeEvents(), ["own new → x"])
    XCTAssertEqual(job.finished, 1)
    job.status = "later"
    XCTAssertEqual(lines.takeEvents(), ["own x → later"])
  }

  @concurrent private static func hop() async { await Task.yield() }

  func test_C22_tasksSuspendedInside_onAnyThread_loseNothing() async {
    let jobs = (0..<8).map { _ in Job() }
    let counter = CallCounter()
    let observations = ObservationController(observer: counter)
    for job in jobs {
      observations.observe(job, \.finished) { counter, _, _ in counter.increment() }
      observations.observe(job, \.other) { counter, _, _ in counter.increment() }
    }
    @Sendable func add(_ count: inout Int, of job: Job) async {
      count += 1
      job.other += 1
      await Task.yield()
      job.failed.wrappedValue += 1
      await Self.hop()
    }
    await withTaskGroup(of: Void.self) { group in
      for job in jobs {
        group.addTask { for _ in 0..<20 { await add(&job.finished, of: job) } }
      }
    }
    XCTAssertEqual(jobs.map(\.finished), Array(repeating: 20, count: 8))
    XCTAssertEqual(jobs.map(\.other), Array(repeating: 20, count: 8))
    XCTAssertEqual(counter.count, 8 * 40)
  }
}

private final class Job: @unchecked Sendable {
  // Unchecked because only one thread at a time uses the properties that are not atomic.
  @AtomicObserved var finished = 0
  @AtomicObserved var other = 0
  let failed = AtomicObserved(wrappedValue: 0)
  @Observed var status = "new"
  let list: ObservableArray<Int> = []
  @Derived({ (job: Job) in job.finished + job.other }) var total: Int

  var sum: Int { finished + other }

  /// Waits for the properties that are locked.
  func touch() { _ = finished + other + failed.wrappedValue }

  func reset() {
    (finished, other, failed.wrappedValue, status) = (0, 0, 0, "new")
    list.removeAll()
  }
}
