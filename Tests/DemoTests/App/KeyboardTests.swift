import TestSupport
import XCTest

@testable import Demo

final class KeyboardTests: TestCase {
  func test_keyboard_characters_areKeys() {
    XCTAssertEqual(keys("q"), ["q"])
    XCTAssertEqual(keys("Mé/"), ["M", "é", "/"])
    XCTAssertEqual(keys("\r\n\u{7F}\u{8}"), [.enter, .enter, .backspace, .backspace])
    XCTAssertEqual(keys(""), [])
  }

  func test_keyboard_controls_areNone() {
    XCTAssertEqual(keys("\u{3}\t\u{202E}"), [])
    XCTAssertEqual(Keyboard.keys(in: [0xC3]), ["\u{FFFD}"], "half a character")
  }

  func test_keyboard_sequences_areTheirKeys() {
    XCTAssertEqual(
      keys("\u{1B}[A\u{1B}OB\u{1B}[5~\u{1B}[6~\u{1B}[H\u{1B}[F"),
      [.up, .down, .pageUp, .pageDown, .home, .end])
    XCTAssertEqual(keys("\u{1B}[1~\u{1B}[4~x"), [.home, .end, "x"])
  }

  func test_keyboard_unknownSequences_arePassedOverWhole() {
    XCTAssertEqual(keys("\u{1B}OP"), [], "F1 ends in a P")
    XCTAssertEqual(keys("\u{1B}[15~q\u{1B}[1;5A"), ["q"], "F5, and Ctrl with an arrow")
    XCTAssertEqual(keys("\u{1B}["), [])
  }

  func test_keyboard_escapeAlone_isAKey() {
    XCTAssertEqual(keys("\u{1B}"), [.escape])
    XCTAssertEqual(keys("\u{1B}q"), [.escape, "q"])
  }

  private func keys(_ text: String) -> [Key] {
    Keyboard.keys(in: text.utf8)
  }
}
