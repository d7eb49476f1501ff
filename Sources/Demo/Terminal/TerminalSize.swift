#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

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

/// Whether to draw in place or to print.
enum OutputKind: Equatable, Sendable {
  case terminal, plain

  /// - Parameter name: What `TERM` holds. A dumb terminal can't move its cursor, and one
  ///   without a name can't be trusted to.
  init(isTerminal: Bool, name: String?) {
    let isDumb = name.map { $0.isEmpty || $0 == "dumb" } ?? true
    self = isTerminal && !isDumb ? .terminal : .plain
  }
}
