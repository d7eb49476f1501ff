import TestSupport
import XCTest

@testable import Demo

final class FormatTests: TestCase {
  func test_uptime_everyLength_isDaysAndClock() {
    XCTAssertEqual(Format.uptime(minutes: 0), "00:00")
    XCTAssertEqual(Format.uptime(minutes: 61), "01:01")
    XCTAssertEqual(Format.uptime(minutes: 1440), "1 day, 00:00")
    XCTAssertEqual(Format.uptime(minutes: 3 * 1440 + 245), "3 days, 04:05")
    XCTAssertEqual(Format.uptime(minutes: nil), "not available")
  }

  func test_bytes_everySize_usesTheFittingUnit() {
    XCTAssertEqual(Format.bytes(0), "0K")
    XCTAssertEqual(Format.bytes(512 << 10), "512K")
    XCTAssertEqual(Format.bytes(1 << 20), "1.0M")
    XCTAssertEqual(Format.bytes(12_900_000), "12.3M")
    XCTAssertEqual(Format.bytes(3 << 29), "1.5G")
    XCTAssertEqual(Format.bytes(1 << 41), "2.0T")
  }

  func test_memory_nothingKnown_saysSo() {
    XCTAssertEqual(Format.memory(nil), "not available")
    XCTAssertEqual(
      Format.memory(MemoryUsage(usedMebibytes: 250, totalMebibytes: 1000)),
      "250 of 1000 MiB used (25.0 %)")
  }

  func test_titles_eachOrder_markItsColumn() {
    XCTAssertEqual(Format.titles(sortedBy: .processor), "    PID  S   %CPU*      RES  COMMAND")
    XCTAssertEqual(Format.titles(sortedBy: .memory), "    PID  S    %CPU     RES*  COMMAND")
  }

  func test_escaping_plainText_staysAsItIs() {
    for text in ["", "ls -l 'a b' \\", "Zoë 東京 ½ €"] {
      XCTAssertEqual(PrintableText.escaping(text), text)
    }
  }

  func test_escaping_whatMovesTheCursor_isSpeltOut() {
    XCTAssertEqual(PrintableText.escaping("a\u{1B}[2J\nb\t\u{7F}"), #"a\u{1B}[2J\u{A}b\u{9}\u{7F}"#)
    XCTAssertEqual(PrintableText.escaping("\u{9B}31m"), #"\u{9B}31m"#, "C1 controls")
    XCTAssertEqual(PrintableText.escaping("a\u{202E}b\u{200B}"), #"a\u{202E}b\u{200B}"#)
    XCTAssertEqual(PrintableText.escaping("a\u{2028}\u{A0}"), #"a\u{2028}\u{A0}"#)
    XCTAssertEqual(PrintableText.escaping("e\u{301}"), #"e\u{301}"#, "piles of marks")
  }

  func test_clipping_columns_areThoseOfATerminal() {
    XCTAssertEqual(PrintableText.clipping("abcdef", toColumns: 10), "abcdef")
    XCTAssertEqual(PrintableText.clipping("abcdef", toColumns: 6), "abcdef")
    XCTAssertEqual(PrintableText.clipping("abcdef", toColumns: 3), "abc")
    XCTAssertEqual(PrintableText.clipping("abcdef", toColumns: 0), "")
    XCTAssertEqual(PrintableText.clipping("東京x", toColumns: 4), "東京")
    XCTAssertEqual(PrintableText.clipping("東京x", toColumns: 3), "東", "no half character")
    XCTAssertEqual(PrintableText.clipping("ë€x", toColumns: 2), "ë€")
  }
}
