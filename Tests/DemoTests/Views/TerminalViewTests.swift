import TestSupport
import XCTest

@testable import Demo

final class TerminalViewTests: TestCase {
  private let sink = StringSink()
  private let keyboard = FakeKeyboard()
  private var size = TerminalSize(rows: 4, columns: 10)
  private lazy var view = TerminalView(
    sink: sink, keyboard: keyboard, currentSize: { [unowned self] in size })

  func test_open_showsOtherScreenWithoutCursor() throws {
    try view.open()
    XCTAssertEqual(sink.take(), "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
    XCTAssertEqual(keyboard.recorder.events, ["enter"])
  }

  func test_close_takesEverythingBack() throws {
    try view.open()
    _ = sink.take()
    view.close()
    XCTAssertEqual(sink.take(), "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
    XCTAssertEqual(keyboard.recorder.events, ["enter", "leave"])
  }

  func test_close_twiceOrNeverOpened_doesNothing() throws {
    view.close()
    try view.open()
    view.close()
    _ = sink.take()
    view.close()
    XCTAssertEqual(sink.take(), "")
    XCTAssertEqual(keyboard.recorder.events, ["enter", "leave"])
  }

  func test_close_terminalClosed_stillRestoresTheKeyboard() throws {
    try view.open()
    sink.error = WriteError(code: EIO)
    view.close()
    XCTAssertEqual(keyboard.recorder.events, ["enter", "leave"])
  }

  func test_draw_firstFrame_drawsAllLines() throws {
    let lines = lines("a", "b")
    try open(lines)
    XCTAssertEqual(
      sink.take(), "\u{1B}[2J\u{1B}[1;1H\u{1B}[2Ka\u{1B}[2;1H\u{1B}[2Kb")
    XCTAssertEqual(view.tally.shown, 2)
    XCTAssertEqual(view.tally.drawn, [.appeared: 2])
  }

  func test_draw_laterFrames_drawMarkedLinesAlone() throws {
    let lines = lines("a", "b", "c")
    try open(lines)
    _ = sink.take()
    lines[1].text = "B"
    try view.draw(lines)
    XCTAssertEqual(sink.take(), "\u{1B}[2;1H\u{1B}[2KB")
    try view.draw(lines)
    XCTAssertEqual(sink.writes.events, [], "nothing changed, nothing written")
    XCTAssertEqual(view.tally.shown, 9)
    XCTAssertEqual(view.tally.drawn, [.appeared: 3, .changed: 1])
  }

  func test_draw_frame_isOneWrite() throws {
    try view.open()
    _ = sink.take()
    try view.draw(lines("a", "b", "c"))
    XCTAssertEqual(sink.writes.events.count, 1)
  }

  func test_draw_windowResized_drawsAllLinesAnew() throws {
    let lines = lines("abcdefghijkl", "b")
    try open(lines)
    _ = sink.take()
    size.columns = 5
    try view.draw(lines)
    XCTAssertEqual(
      sink.take(), "\u{1B}[2J\u{1B}[1;1H\u{1B}[2Kabcde\u{1B}[2;1H\u{1B}[2Kb")
    XCTAssertEqual(view.tally.shown, 4)
    XCTAssertEqual(view.tally.drawn, [.appeared: 2, .unchanged: 2])
  }

  func test_draw_moreLinesThanRows_drawsTheFirst() throws {
    size.rows = 2
    let lines = lines("a", "b", "c")
    try open(lines)
    XCTAssertFalse(sink.take().contains("c"))
    XCTAssertEqual(view.size.rows, 2)
    size.rows = 3
    try view.draw(lines)
    XCTAssertTrue(sink.take().hasSuffix("\u{1B}[3;1H\u{1B}[2Kc"))
  }

  func test_draw_linesLeave_deletesThemFromTheLastOn() throws {
    let lines = lines("a", "b", "c")
    try open(lines)
    _ = sink.take()
    try view.draw([lines[1]])
    XCTAssertEqual(sink.take(), "\u{1B}[3;1H\u{1B}[M\u{1B}[1;1H\u{1B}[M")
    XCTAssertEqual(view.tally.shown, 4)
    XCTAssertEqual(view.tally.drawn, [.appeared: 3])
  }

  func test_draw_newLines_areInsertedBetweenTheOthers() throws {
    let lines = lines("a", "b", "c")
    try open([lines[1]])
    _ = sink.take()
    try view.draw(lines)
    XCTAssertEqual(
      sink.take(),
      "\u{1B}[1;1H\u{1B}[L" + "\u{1B}[1;1H\u{1B}[2Ka" + "\u{1B}[3;1H\u{1B}[2Kc")
  }

  func test_draw_heading_fillsTheWidth() throws {
    try open([DisplayLine("PID", on: .heading)])
    XCTAssertTrue(sink.take().hasSuffix("\u{1B}[30;42mPID       \u{1B}[0m"))
  }

  func test_open_again_drawsAllLinesAnew() throws {
    let lines = lines("a")
    try open(lines)
    view.close()
    _ = sink.take()
    try open(lines)
    XCTAssertTrue(sink.take().hasSuffix("\u{1B}[2J\u{1B}[1;1H\u{1B}[2Ka"))
  }

  func test_draw_styles_areColorsThatEndWithTheirText() throws {
    try open([DisplayLine("a" + StyledText("b", .name) + StyledText("cdef", .alarm) + "g")])
    XCTAssertTrue(sink.take().hasSuffix("a\u{1B}[36mb\u{1B}[0m\u{1B}[31mcdef\u{1B}[0mg"))
  }

  func test_draw_stylesOfALongLine_areClippedTogether() throws {
    size.columns = 4
    try open([DisplayLine("ab" + StyledText("cdef", .good) + StyledText("g", .strong))])
    XCTAssertTrue(sink.take().hasSuffix("ab\u{1B}[32mcd\u{1B}[0m"))
  }

  func test_draw_selection_coversStylesAndFillsTheWidth() throws {
    let line = DisplayLine("a" + StyledText("b", .alarm))
    try open([line])
    _ = sink.take()
    line.background = .selection
    try view.draw([line])
    XCTAssertTrue(sink.take().hasSuffix("\u{1B}[30;46mab        \u{1B}[0m"))
    line.background = .none
    try view.draw([line])
    XCTAssertTrue(sink.take().hasSuffix("a\u{1B}[31mb\u{1B}[0m"))
  }

  func test_draw_monochrome_hasNoColors() throws {
    let view = TerminalView(
      sink: sink, keyboard: keyboard, palette: .monochrome,
      currentSize: { TerminalSize(rows: 4, columns: 4) })
    let text = StyledText.Style.allCases.reduce(into: StyledText()) { $0 += StyledText("x", $1) }
    try view.draw([
      DisplayLine(text), DisplayLine("h", on: .heading), DisplayLine("s", on: .selection),
    ])
    let written = sink.take()
    XCTAssertNil(written.firstMatch(of: #/\u{1B}\[[\d;]*[349]\d[;m]/#), written)
    XCTAssertTrue(written.contains("\u{1B}[7mh   \u{1B}[0m"))
    XCTAssertTrue(written.contains("\u{1B}[7;1ms   \u{1B}[0m"))
  }

  private func open(_ lines: [DisplayLine]) throws {
    try view.open()
    _ = sink.take()
    try view.draw(lines)
  }

  private func lines(_ texts: String...) -> [DisplayLine] {
    texts.map { DisplayLine(StyledText($0)) }
  }
}
