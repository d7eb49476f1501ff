import XCTest

@testable import Demo

/// A terminal that understands what ``TerminalView`` writes, and fails the test at anything else.
final class EmulatedScreen: TextSink {
  private(set) var size: TerminalSize
  private(set) var showsOtherScreen = false
  private(set) var showsCursor = true
  private(set) var wraps = true
  /// The rows that characters were printed in.
  private var printedRows: Set<Int> = []
  private var cells: [[Character]] = []
  private var cursor = (row: 0, column: 0)

  init(rows: Int, columns: Int) {
    size = TerminalSize(rows: rows, columns: columns)
    resize(to: size)
  }

  /// What can be read, without the blank ends of lines and of the screen.
  var lines: [String] {
    let lines = cells.map { row in
      String(row.reversed().drop { $0 == " " }.reversed())
    }
    return Array(lines.reversed().drop(while: \.isEmpty).reversed())
  }

  /// The rows that characters were printed in since the last call.
  func takePrintedRows() -> [Int] {
    defer { printedRows = [] }
    return printedRows.sorted()
  }

  /// Cuts off what does not fit any more, at the right and at the bottom.
  func resize(to size: TerminalSize) {
    self.size = size
    cells = (0..<size.rows).map { row in
      let kept = row < cells.count ? cells[row].prefix(size.columns) : []
      return kept + Array(repeating: " ", count: size.columns - kept.count)
    }
    cursor = (0, 0)
  }

  func write(_ text: String) throws {
    var rest = text[...]
    while let character = rest.popFirst() {
      guard character == "\u{1B}" else {
        print(character)
        continue
      }
      let sequence = rest.prefix { !$0.isLetter }
      rest = rest.dropFirst(sequence.count)
      guard sequence.first == "[", let order = rest.popFirst() else {
        return XCTFail("no sequence that a view writes: \(sequence)")
      }
      follow(order, sequence.dropFirst())
    }
  }

  private func print(_ character: Character) {
    guard character.isASCII, !character.isNewline else {
      return XCTFail("nothing that the emulated terminal prints: \(character)")
    }
    cells[cursor.row][cursor.column] = character
    printedRows.insert(cursor.row)
    if wraps && cursor.column == size.columns - 1 { XCTFail("a line wraps") }
    cursor.column = min(cursor.column + 1, size.columns - 1)
  }

  private func follow(_ order: Character, _ arguments: Substring) {
    switch (order, arguments) {
    case ("H", _):
      let numbers = arguments.split(separator: ";").compactMap { Int($0) }
      guard numbers.count == 2 else { return XCTFail("moves to \(arguments)") }
      // As terminals do: what is outside is at the edge.
      cursor = (min(numbers[0], size.rows) - 1, min(numbers[1], size.columns) - 1)
    case ("J", "2"):
      cells = cells.map { _ in blankLine }
    case ("K", "2"):
      cells[cursor.row] = blankLine
    case ("L", ""):
      cells.insert(blankLine, at: cursor.row)
      cells.removeLast()
    case ("M", ""):
      cells.remove(at: cursor.row)
      cells.append(blankLine)
    case ("m", "7"), ("m", "0"):
      break
    case ("h", "?1049"), ("l", "?1049"):
      showsOtherScreen = order == "h"
      cells = cells.map { _ in blankLine }
    case ("h", "?25"), ("l", "?25"):
      showsCursor = order == "h"
    case ("h", "?7"), ("l", "?7"):
      wraps = order == "h"
    default:
      XCTFail("no sequence that a view writes: \(arguments)\(order)")
    }
  }

  private var blankLine: [Character] {
    Array(repeating: " ", count: size.columns)
  }
}
