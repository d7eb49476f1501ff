/// What a terminal understands as orders. All of them are as old as xterm.
enum TerminalSequence {
  static let enterOtherScreen = "\u{1B}[?1049h"
  static let leaveOtherScreen = "\u{1B}[?1049l"
  static let hideCursor = "\u{1B}[?25l"
  static let showCursor = "\u{1B}[?25h"
  /// A line whose width was misjudged then loses its end, in place of moving all others.
  static let stopWrapping = "\u{1B}[?7l"
  static let startWrapping = "\u{1B}[?7h"
  static let clearScreen = "\u{1B}[2J"
  static let clearLine = "\u{1B}[2K"
  /// Those below move up, and the last one of the screen is blank.
  static let deleteLine = "\u{1B}[M"
  /// It and those below move down, and the last one of the screen is lost.
  static let insertLine = "\u{1B}[L"
  static let reverse = "\u{1B}[7m"
  static let normal = "\u{1B}[0m"

  /// - Parameter row: From 0, though the terminal counts from 1.
  static func moveCursor(toRow row: Int) -> String {
    "\u{1B}[\(row + 1);1H"
  }
}
