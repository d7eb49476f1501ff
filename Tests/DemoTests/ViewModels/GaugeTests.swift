import TestSupport
import XCTest

@testable import Demo

final class GaugeTests: TestCase {
  func test_bar_percent_isFilledByEighths() {
    let bars = [0, 50, 55, 100, 300, -5].map { Gauge.unicode.bar(percent: $0, width: 4).text }
    XCTAssertEqual(bars, ["░░░░", "██░░", "██▎░", "████", "████", "░░░░"])
    XCTAssertEqual(Gauge.ascii.bar(percent: 55, width: 4).text, "||..")
    XCTAssertEqual(Gauge.ascii.bar(percent: 55, width: 0), "")
    XCTAssertEqual(Gauge.ascii.bar(percent: 55, width: -3), "")
  }

  func test_bar_colors_rangeFromGreenToRed() {
    XCTAssertEqual(
      Gauge.ascii.bar(percent: 95, width: 20).runs,
      [
        StyledText.Run(text: "||||||||||||", style: .good),
        StyledText.Run(text: "|||||", style: .warning), StyledText.Run(text: "||", style: .alarm),
        StyledText.Run(text: ".", style: .dim),
      ])
  }

  func test_plot_values_standAtTheRightWithTheirHeights() {
    let plot = Gauge.unicode.plot([0, 25, 50, 100], width: 6, height: 2).map(\.text)
    XCTAssertEqual(plot, ["     █", "  ▁▄██"])
    XCTAssertEqual(Gauge.ascii.plot([0, 50, 100], width: 2, height: 1).map(\.text), [":#"])
  }

  func test_plot_noRoom_isEmptyLines() {
    XCTAssertEqual(Gauge.ascii.plot([5], width: 0, height: 1), [""])
    XCTAssertEqual(Gauge.ascii.plot([], width: 2, height: 2), ["  ", "  "])
  }
}
