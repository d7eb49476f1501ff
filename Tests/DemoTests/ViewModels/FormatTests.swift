import TestSupport
import XCTest

@testable import Demo

final class FormatTests: TestCase {
  func test_uptime_everyLength_isDaysAndClock() {
    let times = [0, 61, 1440, 3 * 1440 + 245, nil].map {
      Format.uptime(minutes: $0, ProcessCounts()).runs[1].text
    }
    XCTAssertEqual(times, ["00:00", "01:01", "1 day, 00:00", "3 days, 04:05", "not available"])
  }

  func test_uptime_counts_nameUnusualStatesWhereThereAreAny() {
    let counts = ProcessCounts(total: 9, running: 2, sleeping: 4, stopped: 1, zombies: 2)
    XCTAssertTrue(
      Format.uptime(minutes: 0, counts).text
        .hasSuffix("  Tasks  9: 2 running, 4 sleeping, 1 stopped, 2 zombie"))
  }

  func test_bytes_everySize_usesTheFittingUnit() {
    XCTAssertEqual(Format.bytes(0), "0K")
    XCTAssertEqual(Format.bytes(512 << 10), "512K")
    XCTAssertEqual(Format.bytes(1 << 20), "1.0M")
    XCTAssertEqual(Format.bytes(12_900_000), "12.3M")
    XCTAssertEqual(Format.bytes(3 << 29), "1.5G")
    XCTAssertEqual(Format.bytes(1 << 41), "2.0T")
  }

  func test_titles_eachOrder_markItsColumn() {
    let titles = ProcessOrder.allCases.map {
      Format.titles(sortedBy: $0, shown: 3, of: 3, filter: "", on: Screen()).text.prefix(40)
    }
    XCTAssertEqual(
      titles,
      [
        "    PID  S   %CPU*      RES  COMMAND    ", "    PID  S    %CPU     RES*  COMMAND    ",
        "   PID*  S    %CPU      RES  COMMAND    ", "    PID  S    %CPU      RES  COMMAND*   ",
      ])
  }

  func test_titles_right_saysHowManyAreShownAndWhy() {
    func titles(_ shown: Int, _ filter: String) -> String {
      let titles = Format.titles(
        sortedBy: .processor, shown: shown, of: 9, filter: filter, on: Screen())
      XCTAssertEqual(titles.text.count, 78)
      return titles.text.drop { $0 != "D" }.dropFirst(10).trimmingCharacters(in: .whitespaces)
    }
    XCTAssertTrue(titles(9, "").hasSuffix(" 9"))
    XCTAssertTrue(titles(4, "").hasSuffix(" 4 of 9"))
    XCTAssertTrue(titles(0, "a\n").hasSuffix(#" 'a\u{A}': 0 of 9"#))
  }

  func test_command_program_standsOutOfItsFolder() {
    XCTAssertEqual(
      Format.command("/usr/bin/ls -l /").runs,
      [
        StyledText.Run(text: "/usr/bin/", style: .dim), StyledText.Run(text: "ls", style: .strong),
        StyledText.Run(text: " -l /", style: .plain),
      ])
    XCTAssertEqual(Format.command("top").runs, [StyledText.Run(text: "top", style: .strong)])
    XCTAssertEqual(Format.command("[kswapd0]").runs.map(\.style), [.dim])
    XCTAssertEqual(Format.command("").runs, [])
  }

  func test_escaping_plainText_staysAsItIs() {
    for text in ["", "ls -l 'a b' \\", "Zoë 東京 ½ €"] {
      XCTAssertEqual(PrintableText.escaping(text), text)
    }
  }

  func test_escaping_controlCharacters_areSpeltOut() {
    XCTAssertEqual(PrintableText.escaping("a\u{1B}[2J\nb\t\u{7F}"), #"a\u{1B}[2J\u{A}b\u{9}\u{7F}"#)
    XCTAssertEqual(PrintableText.escaping("\u{9B}31m"), #"\u{9B}31m"#, "C1 controls")
    XCTAssertEqual(PrintableText.escaping("a\u{202E}b\u{200B}"), #"a\u{202E}b\u{200B}"#)
    XCTAssertEqual(PrintableText.escaping("a\u{2028}\u{A0}"), #"a\u{2028}\u{A0}"#)
    XCTAssertEqual(PrintableText.escaping("e\u{301}"), #"e\u{301}"#, "piles of marks")
  }

  func test_clipping_columns_areThoseOfATerminal() {
    func clip(_ text: String, _ columns: Int) -> String {
      let clipped = PrintableText.clipping(text, toColumns: columns)
      return "\(clipped.text) \(clipped.width)"
    }
    XCTAssertEqual(clip("abcdef", 10), "abcdef 6")
    XCTAssertEqual(clip("abcdef", 6), "abcdef 6")
    XCTAssertEqual(clip("abcdef", 3), "abc 3")
    XCTAssertEqual(clip("abcdef", 0), " 0")
    XCTAssertEqual(clip("東京x", 4), "東京 4")
    XCTAssertEqual(clip("東京x", 3), "東 2", "no half character")
    XCTAssertEqual(clip("ë€x", 2), "ë€ 2")
  }
}
