import Dispatch
import ObservationController
import TestSupport
import XCTest

@testable import Demo

final class BackgroundSamplerTests: TestCase {
  private let queue = DispatchQueue(label: "BackgroundSamplerTests")
  private lazy var observations = ObservationController(observer: self)

  func test_start_takesFirstSampleAtOnce_onItsQueue() {
    let sampler = BackgroundSampler(reader: QueueReader(queue: queue), queue: queue)
    let sampled = expectation(description: "sampled")
    observations.observe(sampler, \.latest.wrappedValue) { _, _, change in
      XCTAssertEqual(change.newValue?.uptime, 60)
      XCTAssertFalse(Thread.isMainThread)
      sampled.fulfill()
    }
    let clock = sampler.start(every: 86_400)
    wait(for: [sampled], timeout: 60)
    clock.cancel()
  }

  func test_start_queueIsBusy_doesNotWait() {
    let sampler = BackgroundSampler(reader: QueueReader(queue: queue), queue: queue)
    queue.suspend()
    let clock = sampler.start(every: 86_400)
    XCTAssertNil(sampler.latest.wrappedValue)
    let sampled = expectation(description: "sampled")
    observations.observe(sampler, \.latest.wrappedValue) { _, _, _ in sampled.fulfill() }
    queue.resume()
    wait(for: [sampled], timeout: 60)
    clock.cancel()
  }

  func test_inspected_process_isReadWithEachSample() {
    let sampler = BackgroundSampler(reader: QueueReader(queue: queue), queue: queue)
    sampler.inspected.wrappedValue = 7
    let sampled = expectation(description: "sampled")
    observations.observe(sampler, \.latest.wrappedValue) { _, _, change in
      XCTAssertEqual(change.newValue?.details, ProcessDetails(processIdentifier: 7, user: "ada"))
      sampled.fulfill()
    }
    let clock = sampler.start(every: 86_400)
    wait(for: [sampled], timeout: 60)
    clock.cancel()
  }

  func test_cancel_whileASampleIsTaken_thatIsTheLast() {
    let reader = SteppedReader()
    let sampler = BackgroundSampler(reader: reader, queue: queue)
    let count = expectation(description: "samples")
    count.expectedFulfillmentCount = 3
    observations.observe(sampler, \.latest.wrappedValue) { _, _, _ in count.fulfill() }
    let clock = sampler.start(every: 0.001)
    for _ in 0..<2 {
      reader.waitForReading()
      reader.endReading()
    }
    reader.waitForReading()
    clock.cancel()
    reader.endReading()
    queue.sync {}
    wait(for: [count], timeout: 60)
  }

  func test_cancel_releasesTheSampler() {
    weak var sampler: BackgroundSampler?
    let cancelled = expectation(description: "cancelled")
    do {
      let started = BackgroundSampler(reader: QueueReader(queue: queue), queue: queue)
      sampler = started
      let clock = started.start(every: 86_400)
      clock.setCancelHandler { cancelled.fulfill() }
      clock.cancel()
    }
    wait(for: [cancelled], timeout: 60)
    queue.sync {}
    XCTAssertNil(sampler)
  }
}

/// Checks that it is read on its queue.
private struct QueueReader: SystemReader {
  let queue: DispatchQueue

  func read() -> SystemReading {
    dispatchPrecondition(condition: .onQueue(queue))
    return SystemReading(uptime: 60)
  }

  func details(of processIdentifier: Int) -> ProcessDetails? {
    dispatchPrecondition(condition: .onQueue(queue))
    return ProcessDetails(processIdentifier: processIdentifier, user: "ada")
  }
}
