/// Bars and plots, drawn with the characters that a terminal has.
struct Gauge: Sendable {
  /// A bar's cell by how many eighths of it are full, from 0.
  private let bar: [Character]
  /// A plot's cell by how many eighths of it are full, from 0.
  private let level: [Character]
  /// Marks the column that a table is sorted by.
  let mark: String
  let arrow: String
  let upAndDown: String

  static let unicode = Gauge(
    bar: Array("░▏▎▍▌▋▊▉█"), level: Array(" ▁▂▃▄▅▆▇█"), mark: "▾", arrow: "→",
    upAndDown: "↑↓")
  static let ascii = Gauge(
    bar: Array(".....||||"), level: Array(" ..::||##"), mark: "*", arrow: "->",
    upAndDown: "arrows")

  /// How full something is, from green on the left to red on the right.
  func bar(percent: Double, width: Int) -> StyledText {
    let eighths = Int((min(max(percent, 0), 100) / 100 * Double(max(width, 0) * 8)).rounded())
    return (0..<max(width, 0)).reduce(into: StyledText()) { text, cell in
      let full = min(max(eighths - cell * 8, 0), 8)
      let style = full == 0 ? .dim : Self.style(percent: Double(cell) / Double(width) * 100)
      text += StyledText(String(bar[full]), style)
    }
  }

  /// The last values, the newest at the right.
  ///
  /// - Parameter percents: None is drawn without a trace of it.
  /// - Returns: From the top down.
  func plot(_ percents: [Int], width: Int, height: Int) -> [StyledText] {
    let shown = percents.suffix(max(width, 0))
    return (0..<height).reversed().map { row in
      let start = StyledText(String(repeating: " ", count: max(width, 0) - shown.count))
      return shown.reduce(into: start) { text, percent in
        let eighths = max(min(percent, 100) * height * 8 / 100, 1)
        let full = min(max(eighths - row * 8, 0), 8)
        text += StyledText(String(level[full]), Self.style(percent: Double(percent)))
      }
    }
  }

  static func style(percent: Double) -> StyledText.Style {
    percent < 60 ? .good : percent < 85 ? .warning : .alarm
  }
}
