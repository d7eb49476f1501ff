import TestSupport
import XCTest

@testable import Demo

/// The visible text of a terminal, and the lines that were printed.
final class TerminalScreenTests: TestCase {
  private let screen = EmulatedScreen(rows: 6, columns: 10)
  private lazy var view = TerminalView(
    sink: screen, keyboard: FakeKeyboard(), currentSize: { [unowned self] in screen.size })

  func test_draw_lineInserted_printsItAlone() throws {
    var lines = try open("a", "b", "c")
    lines.insert(DisplayLine("x"), at: 0)
    try view.draw(lines)
    XCTAssertEqual(screen.lines, ["x", "a", "b", "c"])
    XCTAssertEqual(screen.takePrintedRows(), [0])
    lines.append(DisplayLine("y"))
    try view.draw(lines)
    XCTAssertEqual(screen.lines, ["x", "a", "b", "c", "y"])
    XCTAssertEqual(screen.takePrintedRows(), [4])
  }

  func test_draw_lineDeleted_printsNothing() throws {
    var lines = try open("a", "b", "c")
    lines.remove(at: 1)
    try view.draw(lines)
    XCTAssertEqual(screen.lines, ["a", "c"])
    lines.removeLast()
    try view.draw(lines)
    XCTAssertEqual(screen.lines, ["a"])
    XCTAssertEqual(screen.takePrintedRows(), [])
  }

  func test_draw_lineReplacedByOneElsewhere_printsTheNewOneAlone() throws {
    for (old, new) in [(0, 5), (5, 0), (1, 3), (3, 1), (2, 2)] {
      var lines = try open("a", "b", "c", "d", "e", "f")
      lines.remove(at: old)
      lines.insert(DisplayLine("x"), at: new)
      try view.draw(lines)
      XCTAssertEqual(screen.lines, lines.map(\.text.text))
      XCTAssertEqual(screen.takePrintedRows(), [new])
      view.close()
    }
  }

  func test_draw_lineInsertedIntoFullScreen_losesTheLastOne() throws {
    var lines = try open("a", "b", "c", "d", "e", "f")
    lines.insert(DisplayLine("x"), at: 1)
    try view.draw(lines)
    XCTAssertEqual(screen.lines, ["a", "x", "b", "c", "d", "e"])
    XCTAssertEqual(screen.takePrintedRows(), [1])
    lines.remove(at: 0)
    try view.draw(lines)
    XCTAssertEqual(screen.lines, ["x", "b", "c", "d", "e", "f"])
    XCTAssertEqual(screen.takePrintedRows(), [5], "a line that returns is printed again")
  }

  func test_draw_lineThatMovesDown_isPrintedAtItsNewRow() throws {
    var lines = try open("a", "b", "c", "d")
    lines.append(lines.removeFirst())
    try view.draw(lines)
    XCTAssertEqual(screen.lines, ["b", "c", "d", "a"])
    XCTAssertEqual(screen.takePrintedRows(), [3])
  }

  func test_draw_windowResized_showsTheLinesThatFit() throws {
    let lines = try open("a", "b", "c", "d")
    for size in [(2, 10), (5, 3), (6, 10)] {
      screen.resize(to: TerminalSize(rows: size.0, columns: size.1))
      try view.draw(lines)
      XCTAssertEqual(screen.lines, ["a", "b", "c", "d"].prefix(size.0).map { $0 })
    }
  }

  func test_draw_windowResizedAndBack_isWholeAgainOnceInvalidated() throws {
    let lines = try open("a", "b", "c", "d")
    let size = screen.size
    screen.resize(to: TerminalSize(rows: 2, columns: 10))
    screen.resize(to: size)
    try view.draw(lines)
    XCTAssertEqual(screen.lines, ["a", "b"])
    view.invalidate()
    try view.draw(lines)
    XCTAssertEqual(screen.lines, ["a", "b", "c", "d"])
    XCTAssertEqual(screen.takePrintedRows(), [0, 1, 2, 3])
    XCTAssertEqual(view.tally.shown, 12)
    XCTAssertEqual(view.tally.drawn, [.appeared: 4, .unchanged: 4])
  }

  func test_close_andOpenAgain_showsAllLines() throws {
    var lines = try open("a", "b", "c")
    view.close()
    XCTAssertFalse(screen.showsOtherScreen)
    XCTAssertTrue(screen.showsCursor)
    XCTAssertTrue(screen.wraps)
    lines.remove(at: 0)
    try view.open()
    try view.draw(lines)
    XCTAssertEqual(screen.lines, ["b", "c"])
  }

  /// Lines are inserted, removed, moved and changed at random; the window is resized sometimes.
  func test_draw_randomFrames_showTheLines() throws {
    for seed in seeds(quick: 5, full: 100) {
      var random = SeededGenerator(seed: seed)
      var lines = try open("first")
      for frame in 0..<60 {
        for _ in 0..<Int.random(in: 0...4, using: &random) {
          edit(&lines, "\(seed).\(frame)", &random)
        }
        if Int.random(in: 0..<10, using: &random) == 0 {
          screen.resize(
            to: TerminalSize(
              rows: .random(in: 1...8, using: &random), columns: .random(in: 1...8, using: &random)
            ))
        }
        try view.draw(lines)
        let expected = lines.prefix(screen.size.rows).map {
          String($0.text.text.prefix(screen.size.columns))
        }
        XCTAssertEqual(screen.lines, expected, "frame \(frame)")
      }
      view.close()
    }
  }

  private func edit(
    _ lines: inout [DisplayLine], _ text: String, _ random: inout SeededGenerator
  ) {
    let place = Int.random(in: 0...lines.count, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0 where place < lines.count: lines.remove(at: place)
    case 1 where place < lines.count: lines[place].text = StyledText(text)
    case 2 where place < lines.count:
      let line = lines.remove(at: place)
      lines.insert(line, at: .random(in: 0...lines.count, using: &random))
    default: lines.insert(DisplayLine(StyledText(text)), at: place)
    }
  }

  /// Shows lines on an empty screen.
  private func open(_ texts: String...) throws -> [DisplayLine] {
    let lines = texts.map { DisplayLine(StyledText($0)) }
    try view.open()
    try view.draw(lines)
    _ = screen.takePrintedRows()
    return lines
  }
}
