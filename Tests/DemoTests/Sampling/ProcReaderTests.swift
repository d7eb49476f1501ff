import TestSupport
import XCTest

@testable import Demo

final class ProcReaderTests: TestCase {
  func test_read_recordedTree_readsTheWholeSystem() {
    let reading = Fixture.reader("first").read()

    XCTAssertEqual(reading.uptime, 100_000)
    XCTAssertEqual(
      reading.loadAverages,
      LoadAverages(oneMinute: 0.52, fiveMinutes: 0.58, fifteenMinutes: 0.59))
    XCTAssertEqual(
      reading.memory,
      MemoryReading(totalBytes: 16_384_000 * 1024, availableBytes: 8_192_000 * 1024))
    XCTAssertEqual(
      reading.processors,
      [
        ProcessorReading(busyTicks: 250, totalTicks: 500),
        ProcessorReading(busyTicks: 150, totalTicks: 500),
      ])
    XCTAssertEqual(reading.processes.filter(\.isKernelThread).map(\.processIdentifier), [2])
    XCTAssertEqual(
      reading.processes.map(\.processIdentifier),
      [1, 2, 842, 901, 1200, 1300, 1400, 1700, 1900, 2000],
      "by number, without the files that make no sense")
  }

  func test_read_recordedTree_readsEveryPartOfAProcess() {
    let processes = Fixture.reader("first").read().processes
    XCTAssertEqual(
      processes.first { $0.processIdentifier == 1200 },
      ProcessReading(
        processIdentifier: 1200, state: .running, processorSeconds: 10, startSeconds: 99_000,
        residentBytes: 65_536 * 4096, command: "swift-build --target Demo"))
  }

  func test_read_recordedTree_namesEveryKindOfProcess() {
    let commands = Dictionary(
      uniqueKeysWithValues: Fixture.reader("first").read().processes.map {
        ($0.processIdentifier, $0.command)
      })
    XCTAssertEqual(commands[2], "[kthreadd]", "a kernel thread has no arguments")
    XCTAssertEqual(commands[842], "tmux new-session -s a (b) c")
    XCTAssertEqual(commands[901], "(sd-pam)")
    XCTAssertEqual(commands[2000], "[defunct]")
    XCTAssertEqual(commands[1900], "./evil\u{1B}[2J\nname \u{FFFD}", "escaped when it is shown")
  }

  func test_read_processVanishedBeforeItIsRead_isMissing() {
    XCTAssertTrue(Fixture.folder("second").names().contains("1400"))
    XCTAssertFalse(
      Fixture.reader("second").read().processes.contains { $0.processIdentifier == 1400 })
  }

  func test_read_processVanishesBetweenItsFiles_keepsItsName() {
    let files = FakeProcFiles(
      listed: ["7"],
      texts: [
        "7/stat": "7 (short one) S 1 1 1 0 -1 0 0 0 0 0 3 4 0 0 20 0 1 0 50 9 2 1",
        "7/cmdline": "short\0--one\0",
      ])
    files.willRead = { files, path in
      if path == "7/cmdline" { files.texts = [:] }
    }
    let processes = ProcReader(files: files, units: Fixture.units).read().processes
    XCTAssertEqual(processes.map(\.command), ["[short one]"])
  }

  func test_read_malformedTree_isEmptyAndNoError() {
    XCTAssertEqual(Fixture.reader("malformed").read(), SystemReading())
  }

  func test_read_missingTree_isEmptyAndNoError() {
    XCTAssertEqual(Fixture.reader("nowhere").read(), SystemReading())
  }

  func test_details_recordedTree_areThoseOfTheStatusFile() {
    var reader = Fixture.reader("first")
    reader.userName = { [0: "root", 1000: "ada"][$0] }
    XCTAssertEqual(
      reader.details(of: 1200),
      ProcessDetails(processIdentifier: 1200, user: "ada", parentIdentifier: 842, threadCount: 4))
    XCTAssertEqual(reader.details(of: 1)?.user, "root")
    XCTAssertEqual(reader.details(of: 1300)?.user, "70000", "a user without a name")
    XCTAssertNil(reader.details(of: 4711))
  }

  func test_details_malformed_areNotKnown() {
    let texts = [
      "1/status": "", "2/status": "Uid:\nUid 5\nPPid:\tx\nThreads:\t-1\n",
      "3/status": "Name:\tUid:\\nUid: 5\nUid:\t7\t8\nUid:\t9\n",
    ]
    let reader = ProcReader(
      files: FakeProcFiles(listed: [], texts: texts), units: Fixture.units,
      userName: { _ in nil })
    for identifier in 1...2 {
      XCTAssertEqual(
        reader.details(of: identifier), ProcessDetails(processIdentifier: identifier))
    }
    XCTAssertEqual(reader.details(of: 3)?.user, "7")
  }

  func test_userName_ofThisSystem_isThatOfTheFirstUser() {
    XCTAssertEqual(UserName.ofThisSystem(0), "root")
    XCTAssertNil(UserName.ofThisSystem(-1))
    XCTAssertNil(UserName.ofThisSystem(.max))
  }

  func test_text_ofAFolder_isNil() {
    XCTAssertNil(Fixture.folder("first").text(at: "1"))
  }

  func test_units_ofThisSystem_areSane() {
    XCTAssertGreaterThan(ProcUnits.ofThisSystem.ticksPerSecond, 0)
    XCTAssertGreaterThanOrEqual(ProcUnits.ofThisSystem.pageBytes, 4096)
  }
}
