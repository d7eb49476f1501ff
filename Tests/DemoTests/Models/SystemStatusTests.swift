import ObservationController
import TestSupport
import XCTest

@testable import Demo

final class SystemStatusTests: TestCase {
  private let status = SystemStatus()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: self)

  func test_apply_eachSample_notifiesEachObserverOnce() {
    status.apply(.first)
    observeAll(options: [])
    status.apply(.second)
    XCTAssertEqual(
      recorder.events.sorted(), ["batch", "busiest", "counts", "memory", "uptime"],
      "one process of the two stayed, in the batch")
  }

  func test_apply_equalSample_isNotDeliveredWithDistinct() {
    status.apply(.second)
    observeAll(options: .distinct)
    status.apply(.second)
    XCTAssertEqual(recorder.events, [])
  }

  private func observeAll(options: ObservationOptions) {
    func observe(_ name: String, _ keyPath: KeyPath<SystemStatus, some Any>) {
      observations.observe(status, keyPath, options: options) { test, _, _ in test.note(name) }
    }
    observe("uptime", \.uptime)
    observe("memory", \.memory.usage)
    observe("counts", \.processes.counts)
    observe("busiest", \.processes.busiest?.command)
    observations.observeArray(
      status, \.processes.records, elements: [\.processorPercent], options: options
    ) { test, _, change in
      test.note("\(change.kind)")
    }
  }

  /// Records the observers notified, and checks that the models all have the second sample then.
  private func note(_ name: String) {
    recorder.write(name)
    XCTAssertEqual(status.minutesUp, 2, name)
    XCTAssertEqual(status.memory.usage, MemoryUsage(usedMebibytes: 3, totalMebibytes: 5), name)
    XCTAssertEqual(status.processes.records.map(\.processIdentifier), [2, 3], name)
    XCTAssertEqual(status.processes.counts, ProcessCounts(total: 2, running: 1, sleeping: 1), name)
    XCTAssertEqual(status.processes.busiest?.command, "p3", name)
  }
}

extension SystemSample {
  fileprivate static let first = SystemSample(
    uptime: 60, memory: MemoryReading(totalBytes: 4 << 20, availableBytes: 3 << 20),
    processes: [.stub(1, cpu: 5), .stub(2, cpu: 2)])

  fileprivate static let second = SystemSample(
    uptime: 120, memory: MemoryReading(totalBytes: 5 << 20, availableBytes: 2 << 20),
    processes: [.stub(2, cpu: 1), .stub(3, cpu: 9, state: .running)])
}
