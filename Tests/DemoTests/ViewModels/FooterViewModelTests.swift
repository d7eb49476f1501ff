import TestSupport
import XCTest

@testable import Demo

final class FooterViewModelTests: TestCase {
  private let status = SystemStatus()
  private var activity: Activity!
  private lazy var table = ProcessTableViewModel(processes: status.processes, screen: Screen())
  private lazy var footer = FooterViewModel(table: table, activity: activity, screen: Screen())

  override func invokeTest() {
    activity = Activity()
    super.invokeTest()
    // It records, and would do so while other tests run.
    activity = nil
  }

  func test_footer_atFirst_namesTheKeys() {
    XCTAssertEqual(footer.activityLine.text.text, "A second is counted first")
    let keys = footer.keyLine.text.text
    XCTAssertLessThanOrEqual(keys.count, 80)
    for key in [
      "q quit", "arrows select", "Enter open", "/ filter", "w why drawn?", "o observers?", "? keys",
    ] {
      XCTAssertTrue(keys.contains(key), key)
    }
  }

  func test_footer_activity_isSaidOnceASecond() {
    _ = footer
    activity.next(LineTally(shown: 24, drawn: [.changed: 5]), at: 1)
    XCTAssertEqual(
      footer.activityLine.text.text.suffix(40),
      "handlers called -> 5 of 24 lines redrawn")
  }

  func test_footer_activityOfThousands_fitsTheUsualWidth() {
    let counts = Activity.Counts(
      changes: 9999, deliveries: 9999, linesDrawn: 9999, linesShown: 9999)
    XCTAssertEqual(
      Format.activity(counts, arrow: "->").text,
      "A second 9999 values set -> 9999 handlers called -> 9999 of 9999 lines redrawn")
    XCTAssertLessThanOrEqual(Format.activity(counts, arrow: "->").text.count, 80)
  }

  func test_footer_typing_filtersTheTableAtEachKey() {
    footer.beginEditing()
    for (key, filter) in [("a", "a"), (" ", "a"), ("b", "a b"), (" ", "a b")]
      as [(Character, String)]
    {
      footer.type(.character(key))
      XCTAssertEqual(table.filter, filter, "without blanks at its end")
    }
    XCTAssertEqual(footer.text, "a b ")
    XCTAssertEqual(
      footer.keyLine.text.text, " Filter  a b _   Enter keeps it, Esc removes it")
    footer.type(.backspace)
    footer.type(.backspace)
    XCTAssertEqual(table.filter, "a")
    footer.type(.up)
    footer.type(.enter)
    XCTAssertFalse(footer.isEditing)
    XCTAssertEqual(table.filter, "a")
    XCTAssertTrue(footer.keyLine.text.text.contains("q quit"))
  }

  func test_footer_escape_removesTheFilter() {
    footer.beginEditing()
    footer.type("x")
    footer.type(.escape)
    XCTAssertFalse(footer.isEditing)
    XCTAssertEqual(table.filter, "")
    footer.beginEditing()
    footer.type(.backspace)
    XCTAssertEqual(footer.text, "")
  }

  func test_footer_filterSetElsewhere_isInTheField() {
    _ = footer
    table.filter = "swift"
    XCTAssertEqual(footer.text, "swift")
  }

  func test_footer_typedControls_areNotDrawn() {
    footer.beginEditing()
    footer.type(.character("\u{202E}"))
    XCTAssertTrue(footer.keyLine.text.text.contains(#"\u{202E}_"#))
  }
}
