import TestSupport
import XCTest

@testable import Demo

final class SamplerTests: TestCase {
  func test_sample_firstOfRecording_isAverageSinceStart() {
    var sampler = Sampler(reader: ReplayReader(recorded: "first"))
    let percents = sampler.sample().percents
    XCTAssertEqual(percents[1200]!, 1.0, accuracy: 1e-9, "10 of 1000 seconds")
    XCTAssertEqual(percents[2], 0)
  }

  func test_sample_secondOfRecording_isShareOfElapsedTime() {
    var sampler = Sampler(reader: ReplayReader(recorded: "first", "second"))
    _ = sampler.sample()
    let percents = sampler.sample().percents
    XCTAssertEqual(percents[1200]!, 200, accuracy: 1e-6, "two busy threads for two seconds")
    XCTAssertEqual(percents[1300]!, 15, accuracy: 1e-6)
    XCTAssertEqual(percents[1], 0)
  }

  func test_sample_processThatCameUpBetweenReadings_isAverageOverItsLife() {
    var sampler = Sampler(reader: ReplayReader(recorded: "first", "second"))
    _ = sampler.sample()
    XCTAssertEqual(sampler.sample().percents[1800]!, 50, accuracy: 1e-6)
  }

  func test_sample_identifierUsedAgain_isANewProcess() {
    var sampler = Sampler(reader: ReplayReader(recorded: "first", "second"))
    _ = sampler.sample()
    let sample = sampler.sample()
    XCTAssertEqual(sample.percents[1700]!, 0.4 / 3 * 100, accuracy: 1e-6)
    XCTAssertEqual(
      sample.processes.first { $0.processIdentifier == 1700 }?.command, "second-owner")
  }

  func test_sample_readTwiceInOneInstant_isFiniteAndNotNegative() {
    var sampler = Sampler(reader: ReplayReader(recorded: "first", "first"))
    let first = sampler.sample()
    XCTAssertEqual(sampler.sample(), first)
  }

  func test_sample_startsReadWithinTwoSeconds_areOneProcess() {
    var sampler = Sampler(
      reader: ReplayReader([
        reading(uptime: 100, used: 10, start: 50.2), reading(uptime: 101, used: 10.5, start: 51.1),
      ]))
    _ = sampler.sample()
    XCTAssertEqual(sampler.sample().percents[1]!, 50, accuracy: 1e-6)
  }

  func test_sample_withoutUptime_hasNoRatesAndNoError() {
    var sampler = Sampler(
      reader: ReplayReader([
        reading(uptime: nil, used: 10, start: 5), reading(uptime: nil, used: 20, start: 5),
      ]))
    XCTAssertEqual(sampler.sample().percents, [1: 0])
    XCTAssertEqual(sampler.sample().percents, [1: 0])
  }

  func test_sample_processors_areBusySinceTheLastReading() {
    var sampler = Sampler(reader: ReplayReader(recorded: "first", "second"))
    XCTAssertEqual(sampler.sample().processorPercents, [50, 30], "since the system started")
    XCTAssertEqual(sampler.sample().processorPercents, [50, 50])
    XCTAssertEqual(sampler.sample().processorPercents.count, 2, "no time has passed")
  }

  func test_sample_processorsThatAppear_areMeasuredFromTheirStart() {
    var sampler = Sampler(
      reader: ReplayReader([
        SystemReading(processors: [ProcessorReading(busyTicks: 90, totalTicks: 100)]),
        SystemReading(processors: [
          ProcessorReading(busyTicks: 95, totalTicks: 120),
          ProcessorReading(busyTicks: 1, totalTicks: 10),
        ]),
        SystemReading(processors: [
          ProcessorReading(busyTicks: 96, totalTicks: 130),
          ProcessorReading(busyTicks: 0, totalTicks: 0),
        ]),
      ]))
    XCTAssertEqual(sampler.sample().processorPercents, [90])
    XCTAssertEqual(sampler.sample().processorPercents, [95.0 / 120 * 100, 10])
    XCTAssertEqual(sampler.sample().processorPercents, [10, 0])
  }

  func test_sample_details_areThoseOfTheInspectedProcessAlone() {
    var sampler = Sampler(reader: Fixture.reader("first"))
    XCTAssertNil(sampler.sample().details)
    let details = sampler.sample(inspecting: 842).details
    XCTAssertEqual(details?.parentIdentifier, 1)
    XCTAssertEqual(details?.threadCount, 1)
    XCTAssertNil(sampler.sample(inspecting: 4711).details)
    XCTAssertNil(sampler.sample().details)
  }

  func test_sample_thisSystem_showsThisProcess() {
    #if os(Linux)
      var sampler = Sampler(reader: ProcReader())
      let sample = sampler.sample()
      let own = sample.processes.first {
        $0.processIdentifier == Int(ProcessInfo.processInfo.processIdentifier)
      }
      XCTAssertNotNil(sample.uptime)
      XCTAssertNotNil(sample.loadAverages)
      XCTAssertGreaterThan(sample.memory?.totalBytes ?? 0, 0)
      XCTAssertGreaterThan(own?.residentBytes ?? 0, 0)
    #endif
  }

  private func reading(uptime: Double?, used: Double, start: Double) -> SystemReading {
    SystemReading(
      uptime: uptime,
      processes: [
        ProcessReading(
          processIdentifier: 1, state: .running, processorSeconds: used, startSeconds: start,
          residentBytes: 0, command: "x")
      ])
  }
}

extension SystemSample {
  fileprivate var percents: [Int: Double] {
    Dictionary(uniqueKeysWithValues: processes.map { ($0.processIdentifier, $0.processorPercent) })
  }
}
