import XCTest

@testable import Demo

/// A terminal that understands the output of ``TerminalView``, and fails the test at any other.
final class EmulatedScreen: TextSink {
  private(set) var size: TerminalSize
  private(set) var showsOtherScreen = false
  private(set) var showsCursor = true
  private(set) var wraps = true
  private let isUnicode: Bool
  /// The rows that characters were printed in.
  private var printedRows: Set<Int> = []
  private var cells: [[Cell]] = []
  /// The numbers of the style that characters are printed in.
  private var style = ""

  private typealias Cell = (character: Character, style: String)

  private var cursor = (row: 0, column: 0)

  /// - Parameter isUnicode: Whether it shows characters of one column that are not ASCII.
  init(rows: Int, columns: Int, isUnicode: Bool = false) {
    self.isUnicode = isUnicode
    size = TerminalSize(rows: rows, columns: columns)
    resize(to: size)
  }

  /// The visible text, without the blank ends of lines and of the screen.
  var lines: [String] {
    let lines = cells.map { row in
      String(row.map(\.character).reversed().drop { $0 == " " }.reversed())
    }
    return Array(lines.reversed().drop(while: \.isEmpty).reversed())
  }

  /// The pieces of a row that have a style, each with its numbers.
  func styles(inRow row: Int) -> [String] {
    var pieces: [(style: String, text: String)] = []
    for cell in cells[row] {
      if pieces.last?.style == cell.style {
        pieces[pieces.count - 1].text.append(cell.character)
      } else {
        pieces.append((cell.style, String(cell.character)))
      }
    }
    return pieces.filter { !$0.style.isEmpty }.map { "\($0.style): \($0.text)" }
  }

  /// The rows that characters were printed in since the last call.
  func takePrintedRows() -> [Int] {
    defer { printedRows = [] }
    return printedRows.sorted()
  }

  /// Cuts off everything outside of the new size, at the right and at the bottom.
  func resize(to size: TerminalSize) {
    self.size = size
    cells = (0..<size.rows).map { row in
      let kept = row < cells.count ? cells[row].prefix(size.columns) : []
      return kept + Array(repeating: (" ", ""), count: size.columns - kept.count)
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
    guard character.isASCII || isUnicode, !character.isNewline else {
      return XCTFail("nothing that the emulated terminal prints: \(character)")
    }
    cells[cursor.row][cursor.column] = (character, style)
    printedRows.insert(cursor.row)
    if wraps && cursor.column == size.columns - 1 { XCTFail("a line wraps") }
    cursor.column = min(cursor.column + 1, size.columns - 1)
  }

  private func follow(_ order: Character, _ arguments: Substring) {
    switch (order, arguments) {
    case ("H", _):
      let numbers = arguments.split(separator: ";").compactMap { Int($0) }
      guard numbers.count == 2 else { return XCTFail("moves to \(arguments)") }
      // As terminals do: positions outside are moved to the edge.
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
    case ("m", "0"):
      style = ""
    case ("m", _):
      style = String(arguments)
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

  private var blankLine: [Cell] {
    Array(repeating: (" ", ""), count: size.columns)
  }
}
