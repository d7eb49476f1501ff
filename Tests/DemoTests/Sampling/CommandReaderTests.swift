import TestSupport
import XCTest

@testable import Demo

/// The output of macOS commands, parsed on any system.
final class CommandReaderTests: TestCase {
  private static let sysctl = """
    17179869184
    { 1.23 1.45 12.67 }
    { sec = 1700000000, usec = 123456 } Tue Nov 14 22:13:20 2023

    """
  private static let vmStat = """
    Mach Virtual Memory Statistics: (page size of 16384 bytes)
    Pages free:                               10000.
    Pages active:                            400000.
    Pages inactive:                          200000.
    Pages speculative:                         2000.
    Pages wired down:                        150000.
    "Translation faults":                 123456789.

    """
  private static let ps = """
        1 Ss     2:05.50 01-00:00:00  12345 /sbin/launchd
      321 R+   120:00.25    02:00:30 204800 /Applications/Some App.app/Contents/MacOS/Some App -x  y
      322 U      0:00.00       00:01      0 (gone)
    garbage
      323 S      0:00.00       later      0 x

    """

  func test_read_allCommandsAnswer_readsTheWholeSystem() {
    let reading = reader(Self.sysctl, Self.vmStat, Self.ps).read()
    XCTAssertEqual(reading.uptime, 100_000)
    XCTAssertEqual(
      reading.loadAverages,
      LoadAverages(oneMinute: 1.23, fiveMinutes: 1.45, fifteenMinutes: 12.67))
    XCTAssertEqual(
      reading.memory,
      MemoryReading(totalBytes: 17_179_869_184, availableBytes: 212_000 * 16_384))
    XCTAssertEqual(
      reading.processes,
      [
        ProcessReading(
          processIdentifier: 1, state: .sleeping, processorSeconds: 125.5, startSeconds: 13_600,
          residentBytes: 12_345 * 1024, command: "/sbin/launchd"),
        ProcessReading(
          processIdentifier: 321, state: .running, processorSeconds: 7200.25,
          startSeconds: 92_770, residentBytes: 204_800 * 1024,
          command: "/Applications/Some App.app/Contents/MacOS/Some App -x  y"),
        ProcessReading(
          processIdentifier: 322, state: .waitingForDisk, processorSeconds: 0,
          startSeconds: 99_999, residentBytes: 0, command: "(gone)"),
      ])
  }

  func test_read_allCommandsFail_isEmptyAndNoError() {
    XCTAssertEqual(reader(nil, nil, nil).read(), SystemReading())
    XCTAssertEqual(reader("", "", "").read(), SystemReading())
    XCTAssertEqual(reader("a\nb\nc", "Mach: (8 bytes)", "1").read(), SystemReading())
  }

  func test_read_onlyProcesses_areStillListed() {
    let processes = reader(nil, nil, Self.ps).read().processes
    XCTAssertEqual(processes.map(\.startSeconds), [0, 0, 0])
  }

  func test_details_oneProcess_haveUserAndParent() {
    XCTAssertEqual(
      reader(nil, nil, "    1 _www\n").details(of: 321),
      ProcessDetails(processIdentifier: 321, user: "_www", parentIdentifier: 1))
    for text in [nil, "", "x y", "1", "1 a b"] {
      XCTAssertNil(reader(nil, nil, text).details(of: 321))
    }
  }

  func test_duration_everyForm_isInSeconds() {
    let expected: [(Substring, Double?)] = [
      ("00:01", 1), ("1:02.50", 62.5), ("123:00.00", 7380), ("01:02:03", 3723),
      ("2-00:00:01", 172_801), ("", nil), ("1", nil), ("1:2:3:4", nil), ("x-1:2", nil),
      ("1:-2", nil), (":", nil), ("-1:2", nil),
    ]
    for (text, seconds) in expected {
      XCTAssertEqual(CommandText.duration(text), seconds, String(text))
    }
  }

  func test_runner_commandThatPrints_givesItsOutput() {
    XCTAssertEqual(ProcessCommandRunner().output(of: "/bin/echo", ["a", "b"]), "a b\n")
  }

  func test_runner_commandThatFailsOrIsMissing_givesNil() {
    XCTAssertNil(ProcessCommandRunner().output(of: "/bin/sh", ["-c", "echo x; exit 3"]))
    XCTAssertNil(ProcessCommandRunner().output(of: "/nowhere/command", []))
  }

  private func reader(_ sysctl: String?, _ vmStat: String?, _ ps: String?) -> CommandReader {
    CommandReader(
      runner: FakeRunner(outputs: [
        "/usr/sbin/sysctl": sysctl, "/usr/bin/vm_stat": vmStat, "/bin/ps": ps,
      ]), now: { 1_700_100_000 })
  }
}

private struct FakeRunner: CommandRunner {
  let outputs: [String: String?]

  func output(of command: String, _ arguments: [String]) -> String? {
    outputs[command] ?? nil
  }
}
