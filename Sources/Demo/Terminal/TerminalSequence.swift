/// Escape sequences that control a terminal, all of them as old as xterm.
enum TerminalSequence {
  /// Shows the other screen, without a cursor, and wraps no lines: one whose width was misjudged
  /// then loses its end, in place of moving all others.
  static let begin = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
  static let end = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
  static let clearScreen = "\u{1B}[2J"
  static let clearLine = "\u{1B}[2K"
  /// Those below move up, and the last one of the screen is blank.
  static let deleteLine = "\u{1B}[M"
  /// It and those below move down, and the last one of the screen is lost.
  static let insertLine = "\u{1B}[L"
  static let normal = "\u{1B}[0m"

  /// - Parameter row: From 0, though the terminal counts from 1.
  static func moveCursor(toRow row: Int) -> String {
    "\u{1B}[\(row + 1);1H"
  }
}

/// Styles in the colours of the terminal, which its user has chosen.
struct Palette: Sendable {
  private let styles: [StyledText.Style: String]
  private let backgrounds: [DisplayLine.Background: String]

  static let colored = Palette(
    styles: [
      .dim: "90", .strong: "1", .name: "36", .good: "32", .warning: "33", .alarm: "31",
    ],
    backgrounds: [.heading: "30;42", .selection: "30;46"])

  /// For terminals that have no colours, and people who want none.
  static let monochrome = Palette(
    styles: [.strong: "1"], backgrounds: [.heading: "7", .selection: "7;1"])

  /// The sequence that begins the style; empty for plain text.
  func sequence(_ style: StyledText.Style) -> String? {
    styles[style].map { "\u{1B}[\($0)m" }
  }

  func sequence(_ background: DisplayLine.Background) -> String? {
    backgrounds[background].map { "\u{1B}[\($0)m" }
  }
}
