import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Deliveries on a queue, and their order.
final class QueueDeliveryTests: TestCase {
  private let queue = DispatchQueue(label: "delivery")
  private let counter = Counter()
  private let recorder = ChangeRecorder<Int>()
  private lazy var observations = ObservationController(observer: recorder)

  private func observe(
    _ options: ObservationOptions = .old, context: ObservationContext? = nil,
    on queue: DispatchQueue? = nil
  ) -> ObservationToken {
    observations.observe(
      counter, \.count, options: options, context: context, on: queue ?? self.queue
    ) { recorder, _, change in recorder.record(change) }
  }

  func test_queue_changes_areDeliveredOnIt_notBefore() {
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let lines = LineRecorder()
    let object = ObjectIdentifier(counter)
    observations.observe(counter, \.count, on: queue) { recorder, counter, change in
      lines.write(DispatchQueue.getSpecific(key: key) ?? false)
      XCTAssertEqual(ObjectIdentifier(counter), object)
      recorder.record(change)
    }
    queue.whileSuspended {
      counter.count = 1
      counter.count = 2
      XCTAssertEqual(recorder.events, [])
    }
    XCTAssertEqual(recorder.events, [.changed(0, 1), .changed(1, 2)])
    XCTAssertEqual(lines.events, ["true", "true"])
  }

  func test_queue_deliveries_keepTheirPlaceAmongTheBlocksOfTheQueue() {
    let lines = LineRecorder()
    observations.observe(counter, \.count, on: queue) { _, _, change in lines.write(change) }
    queue.whileSuspended {
      counter.count = 1
      queue.async { lines.write("first block") }
      counter.count = 2
      counter.count = 3
      queue.async { lines.write("second block") }
    }
    XCTAssertEqual(
      lines.events, ["0 → 1", "first block", "1 → 2", "2 → 3", "second block"])
  }

  func test_queue_change_hasItsOwnValues_andTheKeyPathAndContext() {
    let described = LineRecorder()
    observations.observe(counter, \.count, context: "queue", on: queue) { _, counter, change in
      described.write("\(change), now \(counter.count)")
      XCTAssertEqual(change.keyPath, \Counter.count)
      XCTAssertEqual(change.context, "queue")
    }
    queue.whileSuspended {
      counter.count = 1
      counter.count = 2
    }
    XCTAssertEqual(described.events, ["0 → 1, now 2", "1 → 2, now 2"])
  }

  func test_queue_initial_isDeliveredOnIt_first() {
    queue.whileSuspended {
      _ = observe([.initial, .old])
      XCTAssertEqual(recorder.events, [])
      counter.count = 1
    }
    XCTAssertEqual(recorder.events, [.initial(0), .changed(0, 1)])
  }

  /// The reporter is the only user code between registration and initial delivery.
  func test_queue_initial_standsBeforeAChangeMadeWhileItIsRegistered() {
    for coalescing: ObservationCoalescing in [.none, .latest] {
      let clock = UncheckedReference(Clock())
      let lines = LineRecorder()
      let reporter = ObservationIssue.reporter
      defer { ObservationIssue.reporter = reporter }
      ObservationIssue.reporter = { _ in clock.object.time.hours = 1 }
      queue.whileSuspended {
        observations.observe(
          clock.object, \.time, options: [.initial, .old, .distinct],
          context: coalescing == .latest ? "coalescing" : nil, on: queue, coalescing: coalescing
        ) { _, _, change in
          lines.write("\(change.oldValue?.hours ?? -1) → \(change.newValue.hours)")
          XCTAssertEqual(change.isInitial, change.oldValue == nil)
        }
      }
      XCTAssertEqual(lines.events, coalescing == .latest ? ["-1 → 1"] : ["-1 → 0", "0 → 1"])
    }
  }

  func test_queue_prior_isDeliveredInOrder() {
    queue.whileSuspended {
      _ = observe([.initial, .old, .prior])
      counter.count = 1
      counter.count = 2
    }
    XCTAssertEqual(
      recorder.events, [.initial(0), .prior(0), .changed(0, 1), .prior(1), .changed(1, 2)])
  }

  func test_queue_options_areThoseOfObserve() {
    _ = observe([])
    _ = observe([.old, .distinct], context: "distinct")
    queue.whileSuspended {
      counter.count = 1
      counter.count = 1
    }
    XCTAssertEqual(recorder.events, [.changed(nil, 1), .changed(0, 1), .changed(nil, 1)])
  }

  func test_queue_nestedAndComputedPaths_areDelivered() {
    let person = Person(employer: Company(name: "Navy"))
    let lines = LineRecorder()
    observations.observe(person, \.employer?.name, options: [.initial, .old], on: queue) {
      _, _, change in
      lines.write("\((change.oldValue ?? nil) ?? "nil") → \(change.newValue ?? "nil")")
    }
    observations.observe(person, \.summary, on: queue) { _, _, change in lines.write(change) }
    queue.whileSuspended {
      person.employer?.name = "Remington"
      person.age = 37
      person.employer = nil
    }
    XCTAssertEqual(
      lines.events,
      ["nil → Navy", "Navy → Remington", "Ada, 36 → Ada, 37", "Remington → nil"])
  }

  // MARK: Concurrent queues

  func test_concurrentQueue_deliveries_neverOverlap_andStayInOrder() {
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let running = Guarded(0)
    observations.observe(counter, \.count, on: queue) { recorder, _, change in
      let count = running.withLock { count in
        count += 1
        return count
      }
      XCTAssertEqual(count, 1)
      recorder.record(change)
      running.withLock { $0 -= 1 }
    }
    for value in 1...5_000 { counter.count = value }
    queue.drain()
    XCTAssertEqual(recorder.events, (1...5_000).map { .changed($0 - 1, $0) })
  }

  func test_concurrentQueue_jobDuringADelivery_leavesItsShareToThatJob() {
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let lines = LineRecorder()
    let passed = DispatchSemaphore(value: 0)
    observations.observe(counter, \.count, on: queue) { _, _, change in
      lines.write("begin \(change)")
      if change.newValue == 1 { passed.wait() }
      lines.write("end \(change)")
    }
    counter.count = 1
    counter.count = 2
    // Begins behind the second job, while the first one waits.
    queue.async { passed.signal() }
    queue.async(flags: .barrier) { lines.write("barrier") }
    queue.drain()
    XCTAssertEqual(
      lines.events, ["begin 0 → 1", "end 0 → 1", "begin 1 → 2", "end 1 → 2", "barrier"])
  }

  func test_severalQueues_eachGetsTheWholeChain() {
    let queues = (0..<4).map { DispatchQueue(label: "\($0)", attributes: .concurrent) }
    let recorders = queues.map { _ in ChangeRecorder<Int>() }
    let controllers = recorders.map { ObservationController(observer: $0) }
    for (queue, controller) in zip(queues, controllers) {
      controller.observe(counter, \.count, on: queue) { recorder, _, change in
        recorder.record(change)
      }
    }
    for value in 1...1_000 { counter.count = value }
    for (queue, recorder) in zip(queues, recorders) {
      queue.drain()
      XCTAssertEqual(recorder.events, (1...1_000).map { .changed($0 - 1, $0) })
    }
    withExtendedLifetime(controllers) {}
  }

  // MARK: Identity

  func test_C17_queue_observedAgain_onAnyQueue_isTheFirstObservation() {
    let first = observe()
    let other = DispatchQueue(label: "other")
    XCTAssertIdentical(observe(on: other), first)
    let plain = observations.observe(counter, \.count) { _, _, _ in XCTFail("not the first") }
    XCTAssertIdentical(plain, first)
    XCTAssertEqual(observations.observations.count, 1)
    queue.whileSuspended { counter.count = 1 }
    XCTAssertEqual(recorder.events, [.changed(0, 1)])
  }

  func test_C17_queue_afterPlainObserve_isThatObservation() {
    let first = observations.observe(counter, \.count) { recorder, _, change in
      recorder.record(change)
    }
    XCTAssertIdentical(observe([.initial, .old]), first)
    queue.whileSuspended {
      counter.count = 1
      XCTAssertEqual(recorder.events, [.changed(0, 1)])
    }
    XCTAssertEqual(recorder.events, [.changed(0, 1)])
  }

  func test_queue_description_namesOptionsAndPlace() {
    let line: UInt = #line + 1
    observations.observe(
      counter, \.count, options: [.initial, .prior], context: "queue", on: queue
    ) {
      recorder, _, change in recorder.record(change)
    }
    let description = observations.observations.first
    XCTAssertEqual(description?.options, [.initial, .prior])
    XCTAssertEqual(description?.context, "queue")
    XCTAssertEqual(description?.handlerKind, .block)
    XCTAssertEqual(description?.file, #fileID)
    XCTAssertEqual(description?.line, line)
    queue.drain()
  }

  // MARK: Misuse

  func test_C24_queue_pathNotObservable_isReported_andKeepsNothing() {
    let handlers = LifetimeCounter()
    let person = Person()
    var token: ObservationToken?
    let issues = collectingIssues {
      token = observations.observe(person, \.note, options: .initial, on: queue) {
        [ticket = handlers.makeTicket()] _, _, _ in withExtendedLifetime(ticket) {}
      }
    }
    queue.drain()
    guard case .nothingObservable(\Person.note, #fileID, _)? = issues.first else {
      return XCTFail("not reported: \(issues)")
    }
    XCTAssertEqual(issues.count, 1)
    XCTAssertEqual(token?.isActive, false)
    XCTAssertEqual(handlers.count, 0)
  }
}
