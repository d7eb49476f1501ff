import TestSupport
import XCTest

@testable import Demo

final class PlainViewTests: TestCase {
  private let sink = StringSink()
  private lazy var view = PlainView(sink: sink, columns: 8)

  func test_draw_frames_areWholeAndApart() throws {
    let lines = [DisplayLine("HEADING", on: .heading), DisplayLine("a very long line")]
    view.open()
    try view.draw(lines)
    XCTAssertEqual(sink.take(), "HEADING\na very l\n")
    XCTAssertEqual(takeMarked(lines), [])
    lines[1].text = "short"
    try view.draw(lines)
    XCTAssertEqual(sink.take(), "\nHEADING\nshort\n")
    view.close()
    XCTAssertEqual(sink.take(), "")
    XCTAssertEqual(view.tally.shown, 4)
    XCTAssertEqual(view.tally.drawn, [.appeared: 2, .changed: 1, .unchanged: 1])
    XCTAssertEqual(view.tally.redrawn, 4)
    XCTAssertEqual(view.tally.changed, 3)
  }

  func test_draw_recordedSamples_printNoControlCharacters() throws {
    let view = PlainView(sink: sink)
    let monitor = Monitor(screen: Screen(size: view.size))
    for sample in Fixture.samples {
      monitor.apply(sample)
      try view.draw(monitor.lines(limit: 20))
    }
    let text = sink.take()
    XCTAssertTrue(
      text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
    XCTAssertTrue(text.contains(#"1900  T     0.0      64K  ./evil\u{1B}[2J\u{A}name"#))
  }

  func test_draw_recordedSamples_matchTheOutputOfTop() throws {
    let view = PlainView(sink: sink, columns: 70)
    let monitor = Monitor(screen: Screen(size: view.size))
    for sample in Fixture.samples.prefix(2) {
      _ = sink.take()
      monitor.apply(sample)
      try view.draw(monitor.lines(limit: 4))
    }
    XCTAssertEqual(
      sink.take(),
      """

      Up       1 day, 03:46   Tasks  11: 2 running, 7 sleeping, 1 stopped, 1
      CPU       0 |||||||||||||||||||||||||..........................  50%\u{20}\u{20}
                1 |||||||||||||||||||||||||..........................  50%\u{20}\u{20}
      Memory   ||||||||||||||||.................  8000 of 16000 MiB  50.0%
      Load     0.72  0.60  0.59                                         ::
      Busiest  of all: swift-build --target Demo
          PID  S   %CPU*      RES  COMMAND                        10 of 11
         1200  R   200.0   512.0M  swift-build --target Demo
         1800  D    50.0     8.0M  newcomer
         1300  S    15.0   512.0M  /usr/bin/editor notes.txt
         1700  S    13.3     2.0M  second-owner

      """)
  }
}
