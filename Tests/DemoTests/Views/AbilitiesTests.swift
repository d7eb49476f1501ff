import TestSupport
import XCTest

@testable import Demo

final class AbilitiesTests: TestCase {
  func test_abilities_onlyAnAbleTerminal_isDrawnOn() {
    XCTAssertTrue(abilities(["TERM": "xterm-256color"]).movesCursor)
    XCTAssertFalse(abilities(["TERM": "dumb"]).movesCursor)
    XCTAssertFalse(abilities(["TERM": ""]).movesCursor)
    XCTAssertFalse(abilities([:]).movesCursor)
    XCTAssertFalse(
      Abilities(isTerminal: false, environment: ["TERM": "xterm", "LANG": "C.UTF-8"]).movesCursor)
  }

  func test_abilities_colors_areUsedWhereThereAreAnyAndTheyAreWanted() {
    XCTAssertTrue(abilities(["TERM": "xterm"]).hasColors)
    XCTAssertTrue(abilities(["TERM": "xterm", "NO_COLOR": ""]).hasColors, "empty is as if not set")
    XCTAssertFalse(abilities(["TERM": "xterm", "NO_COLOR": "1"]).hasColors)
    for name in ["dumb", "vt100", "vt220", "linux-m", "xterm-mono"] {
      XCTAssertFalse(abilities(["TERM": name]).hasColors, name)
    }
    XCTAssertFalse(Abilities(isTerminal: false, environment: ["TERM": "xterm"]).hasColors)
  }

  func test_abilities_unicode_followsTheFirstLanguage() {
    XCTAssertTrue(abilities(["TERM": "xterm", "LANG": "de_DE.UTF-8"]).isUnicode)
    XCTAssertTrue(abilities(["TERM": "xterm", "LC_ALL": "", "LC_CTYPE": "C.utf8"]).isUnicode)
    XCTAssertFalse(abilities(["TERM": "xterm", "LC_ALL": "C", "LANG": "C.UTF-8"]).isUnicode)
    XCTAssertFalse(abilities(["TERM": "xterm"]).isUnicode)
    XCTAssertFalse(abilities(["TERM": "dumb", "LANG": "C.UTF-8"]).isUnicode)
  }

  private func abilities(_ environment: [String: String]) -> Abilities {
    Abilities(isTerminal: true, environment: environment)
  }
}
