import TestSupport
import XCTest

@testable import Demo

final class ProcTextTests: TestCase {
  func test_uptime_wellFormed_isFirstNumber() {
    XCTAssertEqual(ProcText.uptime("1237.84 2452.83\n"), 1237.84)
  }

  func test_uptime_malformed_isNil() {
    for text in ["", "\n", "soon", "nan 1", "inf", "-1 2"] {
      XCTAssertNil(ProcText.uptime(text), text)
    }
  }

  func test_loadAverages_wellFormed_areThreeNumbers() {
    XCTAssertEqual(
      ProcText.loadAverages("0.52 1.58 12.59 1/467 12345\n"),
      LoadAverages(oneMinute: 0.52, fiveMinutes: 1.58, fifteenMinutes: 12.59))
  }

  func test_loadAverages_malformed_areNil() {
    for text in ["", "0.1 0.2", "0.1 x 0.3"] { XCTAssertNil(ProcText.loadAverages(text), text) }
  }

  func test_memory_wellFormed_isInBytes() {
    let text = "MemTotal:   2000 kB\nMemFree:   500 kB\nMemAvailable:   1500 kB\nHugePages:  0\n"
    XCTAssertEqual(
      ProcText.memory(text), MemoryReading(totalBytes: 2_048_000, availableBytes: 1_536_000))
  }

  func test_memory_moreAvailableThanThereIs_isAllOfIt() {
    XCTAssertEqual(
      ProcText.memory("MemTotal: 10 kB\nMemAvailable: 12 kB"),
      MemoryReading(totalBytes: 10_240, availableBytes: 10_240))
  }

  func test_memory_malformed_isNil() {
    for text in [
      "", "MemTotal: 10 kB", "MemAvailable: 10 kB", "MemTotal: x kB\nMemAvailable: 1 kB",
      "MemTotal: 0 kB\nMemAvailable: 1 kB", "MemTotal: \(Int.max) kB\nMemAvailable: 1 kB",
      "MemTotal: 10 kB\nMemFree: 5 kB",
    ] {
      XCTAssertNil(ProcText.memory(text), text)
    }
  }

  func test_stat_wellFormed_addsTicks() {
    XCTAssertEqual(
      ProcText.stat(stat(name: "cat", state: "R", user: 12, system: 30, start: 77, pages: 381)),
      ProcStat(
        name: "cat", state: .running, processorTicks: 42, startTicks: 77, residentPages: 381,
        isKernelThread: false))
  }

  func test_stat_nameWithSpacesAndParentheses_endsAtLastParenthesis() {
    for name in ["a b", "(sd-pam)", ") S 1 (", "tmux: server (1)", "", "a\nb", "\u{301}x\u{301}"] {
      XCTAssertEqual(ProcText.stat(stat(name: name))?.name, name)
    }
  }

  func test_stat_unknownState_isUnknown() {
    XCTAssertEqual(ProcText.stat(stat(state: "K"))?.state, .unknown)
    XCTAssertEqual(ProcText.stat(stat(state: "t"))?.state, .stopped)
  }

  func test_stat_malformed_isNil() {
    let whole = stat(name: "cat")
    XCTAssertNotNil(ProcText.stat(whole))
    XCTAssertNil(ProcText.stat(""))
    XCTAssertNil(ProcText.stat(")("))
    XCTAssertNil(ProcText.stat(stat(user: Int.max, system: 1)), "overflow")
    // Cut off anywhere before the last field that is needed.
    let needed = whole.split(separator: " ").prefix(23).joined(separator: " ")
    for length in 0...needed.count { XCTAssertNil(ProcText.stat(String(needed.prefix(length)))) }
  }

  func test_stat_negativePages_areNone() {
    XCTAssertEqual(ProcText.stat(stat(pages: -3))?.residentPages, 0)
  }

  func test_stat_flags_identifyAKernelThread() {
    XCTAssertEqual(ProcText.stat(stat(flags: 2_129_984))?.isKernelThread, true)
    XCTAssertEqual(ProcText.stat(stat(flags: 4_194_304))?.isKernelThread, false)
  }

  func test_processors_lines_areBusyAndTotalTicks() {
    let text = "cpu  9 9 9 9\ncpu0 10 1 5 80 4 2 3 5 10 1\ncpu12 1 2 3 4\nintr 5 6 7 8\n"
    XCTAssertEqual(
      ProcText.processors(text),
      [
        ProcessorReading(busyTicks: 26, totalTicks: 110),
        ProcessorReading(busyTicks: 6, totalTicks: 10),
      ])
  }

  func test_processors_malformed_areMissing() {
    for line in [
      "", "cpu0", "cpu0 1 2 3", "cpu0 1 2 x 4", "cpu0 -1 2 3 4", "cpu0 \(Int.max) 1 1 1",
    ] {
      XCTAssertEqual(ProcText.processors(line), [], line)
    }
  }

  func test_commandLine_arguments_areJoined() {
    XCTAssertEqual(ProcText.commandLine("a\0b c\0d\0"), "a b c d")
    XCTAssertEqual(ProcText.commandLine("renamed\0\0\0\0"), "renamed")
  }

  func test_commandLine_empty_isNil() {
    for text in ["", "\0", "\0\0", " \0"] { XCTAssertNil(ProcText.commandLine(text)) }
  }

  private func stat(
    name: String = "x", state: String = "S", user: Int = 0, system: Int = 0, start: Int = 0,
    pages: Int = 0, flags: Int = 0
  ) -> String {
    "1 (\(name)) \(state) 1 1 1 0 -1 \(flags) 0 0 0 0 \(user) \(system) 0 0 20 0 1 0 \(start) 9 \(pages) 1"
  }
}
