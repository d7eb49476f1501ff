import Foundation

/// The size of a terminal, in characters.
struct TerminalSize: Equatable, Sendable {
  var rows: Int
  var columns: Int

  static let usual = TerminalSize(rows: 24, columns: 80)

  /// The size of the window of a terminal now.
  ///
  /// - Returns: The usual size where none is known, as on a serial line.
  static func current(of descriptor: Int32) -> TerminalSize {
    var window = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_row > 0, window.ws_col > 0
    else { return usual }
    return TerminalSize(rows: Int(window.ws_row), columns: Int(window.ws_col))
  }
}

/// Capabilities of an output, found from its kind and the environment.
struct Abilities: Equatable, Sendable {
  /// Whether to draw in place. Otherwise frames are printed one after the other.
  var movesCursor: Bool
  var hasColors: Bool
  /// Whether it shows the characters that bars and plots are made of.
  var isUnicode: Bool

  /// - Parameter environment: `TERM` names the terminal: a dumb one can't move its cursor, and one
  ///   without a name can't be trusted to. `NO_COLOR`, if it is not empty, asks for none.
  init(isTerminal: Bool, environment: [String: String]) {
    let name = environment["TERM"] ?? ""
    movesCursor = isTerminal && !name.isEmpty && name != "dumb"
    hasColors =
      movesCursor && (environment["NO_COLOR"] ?? "").isEmpty && !name.hasPrefix("vt")
      && !name.hasSuffix("-m") && !name.hasSuffix("-mono")
    let language = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }
      .first { !$0.isEmpty }
    let encoding = language?.lowercased().filter { $0 != "-" } ?? ""
    isUnicode = movesCursor && encoding.contains("utf8") && name != "linux"
  }
}
