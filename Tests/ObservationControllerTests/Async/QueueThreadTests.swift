import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Queues and several threads. Run with ThreadSanitizer too.
final class QueueThreadTests: CountingTestCase {
  /// Whether the changes are a section of the chain 0 → 1 → 2 …
  private func isChain(_ events: [RecordedEvent<Int>]) -> Bool {
    guard case .changed(_, let first)? = events.first else { return events.isEmpty }
    return events == (0..<events.count).map { .changed(first + $0 - 1, first + $0) }
  }

  func test_C20_queue_changesOnOneThread_whileAnotherUnobserves() {
    for attributes in [[], .concurrent] as [DispatchQueue.Attributes] {
      let queue = DispatchQueue(label: "threads", attributes: attributes)
      for _ in 0..<100 {
        let counter = UncheckedReference(Counter())
        let recorder = ChangeRecorder<Int>()
        let observations = ObservationController(observer: recorder)
        let token = observations.observe(counter.object, \.count, on: queue) {
          recorder, _, change in
          recorder.record(change)
        }
        onThreads(2) { thread in
          if thread == 0 {
            for value in 1...50 { counter.object.count = value }
          } else {
            queue.async(flags: .barrier) {
              token.invalidate()
              recorder.append(.initial(-1))
            }
          }
        }
        queue.drain()
        let events = recorder.events
        XCTAssertEqual(events.last, .initial(-1), "delivered after the end")
        XCTAssertTrue(isChain(events.dropLast()), "\(events)")
      }
    }
  }

  func test_C20_queue_controllersDeallocated_whileJobsRun() {
    let queue = DispatchQueue(label: "threads", attributes: .concurrent)
    let counter = UncheckedReference(Counter())
    let recorders = (0..<50).map { _ in ChangeRecorder<Int>() }
    let controllers = Guarded(recorders.map { ObservationController(observer: $0) })
    for controller in controllers.withLock({ $0 }) {
      controller.observe(counter.object, \.count, on: queue) { recorder, _, change in
        recorder.record(change)
      }
    }
    onThreads(2) { thread in
      if thread == 0 {
        for value in 1...100 { counter.object.count = value }
      } else {
        while let last = controllers.withLock({ $0.popLast() }) { withExtendedLifetime(last) {} }
      }
    }
    queue.drain()
    XCTAssertTrue(recorders.map(\.events).allSatisfy(isChain))
  }

  func test_C20_queue_observersAndObjectsDeallocated_whileTheyAreNotified() {
    let queue = DispatchQueue(label: "threads")
    for _ in 0..<Effort.count(quick: 30, full: 300) {
      let box = Guarded<UncheckedReference<Counter>?>(UncheckedReference(Counter()))
      let observer = Guarded<ChangeRecorder<Int>?>(ChangeRecorder<Int>())
      let observations = ObservationController(
        observer: observer.withLock { $0! }, retainsObserved: false)
      scoped {
        let counter = box.withLock { $0!.object }
        observations.observe(counter, \.count, options: .initial, on: queue) {
          recorder, _, change in recorder.record(change)
        }
        for value in 1...5 { counter.count = value }
      }
      onThreads(2) { thread in
        if thread == 0 { observer.withLock { $0 = nil } } else { box.withLock { $0 = nil } }
      }
      queue.drain()
      XCTAssertNil(observations.observer)
      XCTAssertEqual(observations.observations.count, 0)
    }
  }

  func test_C20_queue_coalescedChanges_whileDelivered_areOneChain() {
    let queue = DispatchQueue(label: "threads")
    let counter = Counter()
    let recorder = ChangeRecorder<Int>()
    let observations = ObservationController(observer: recorder)
    observations.observe(counter, \.count, on: queue, coalescing: true) { recorder, _, change in
      recorder.record(change)
    }
    let count = Effort.count(quick: 2_000, full: 20_000)
    for value in 1...count { counter.count = value }
    queue.drain()
    var last = 0
    for event in recorder.events {
      guard case .changed(last, let new) = event, new > last else {
        return XCTFail("\(event) after \(last)")
      }
      last = new
    }
    XCTAssertEqual(last, count)
    withExtendedLifetime(observations) {}
  }

  func test_C20_queue_latest_changesOfFourThreads_whileBusy_areOneDelivery() {
    let queue = DispatchQueue(label: "threads")
    let (meter, recorder) = (Meter(), ChangeRecorder<Int>())
    let observations = ObservationController(observer: recorder)
    observations.observe(meter, \.count, on: queue, coalescing: .latest) { recorder, _, change in
      recorder.record(change)
    }
    queue.whileSuspended {
      onThreads(4) { _ in
        for _ in 0..<25_000 { meter.add(1) }
      }
    }
    XCTAssertEqual(recorder.events, [.changed(0, 100_000)])
    withExtendedLifetime(observations) {}
  }

  func test_C20_queue_latest_changesWhileItsHandlerRuns_areOneMore() {
    for attributes in [[], .concurrent] as [DispatchQueue.Attributes] {
      let queue = DispatchQueue(label: "threads", attributes: attributes)
      let (meter, recorder) = (Meter(), ChangeRecorder<Int>())
      let observations = ObservationController(observer: recorder)
      let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      observations.observe(meter, \.count, on: queue, coalescing: .latest) { recorder, _, change in
        recorder.record(change)
        guard change.newValue == 1 else { return }
        begun.signal()
        goOn.wait()
      }
      meter.add(1)
      begun.wait()
      onThreads(4) { _ in
        for _ in 0..<1_000 { meter.add(1) }
      }
      goOn.signal()
      queue.drain()
      XCTAssertEqual(recorder.events, [.changed(0, 1), .changed(1, 4_001)])
      withExtendedLifetime(observations) {}
    }
  }

  func test_C20_queue_observersOfSeveralThreads_areNotifiedOnTheirQueue() {
    let queue = DispatchQueue(label: "threads", attributes: .concurrent)
    let counter = UncheckedReference(Counter())
    let recorders = (0..<8).map { _ in ChangeRecorder<Int>() }
    let controllers = recorders.map { ObservationController(observer: $0) }
    onThreads(8) { index in
      controllers[index].observe(
        counter.object, \.count, options: [.initial, .old], on: queue
      ) { recorder, _, change in recorder.record(change) }
    }
    for value in 1...100 { counter.object.count = value }
    queue.drain()
    for recorder in recorders {
      XCTAssertEqual(recorder.events, [.initial(0)] + (1...100).map { .changed($0 - 1, $0) })
    }
    withExtendedLifetime(controllers) {}
  }

  /// The cost of a change does not grow with the backlog.
  func test_queue_longBacklog_isDeliveredWhole() {
    let queue = DispatchQueue(label: "backlog")
    let counter = Counter()
    let recorder = ChangeRecorder<Int>()
    let observations = ObservationController(observer: recorder)
    observations.observe(counter, \.count, on: queue) { recorder, _, change in
      recorder.record(change)
    }
    let count = Effort.count(quick: 5_000, full: 100_000)
    queue.whileSuspended {
      for value in 1...count { counter.count = value }
    }
    XCTAssertEqual(recorder.events, (1...count).map { .changed($0 - 1, $0) })
    withExtendedLifetime(observations) {}
  }
}
