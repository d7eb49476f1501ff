/// One line of text, in pieces that each have a style. A view knows what a style looks like.
struct StyledText: Equatable, Sendable {
  enum Style: CaseIterable, Sendable {
    case plain, dim, strong, name, good, warning, alarm
  }

  struct Run: Equatable, Sendable {
    var text: String
    let style: Style
  }

  /// None is empty, and none has the style of the one before.
  private(set) var runs: [Run] = []

  init(_ text: String = "", _ style: Style = .plain) {
    if !text.isEmpty { runs = [Run(text: text, style: style)] }
  }

  /// Without styles.
  var text: String { runs.map(\.text).joined() }

  static func + (left: Self, right: Self) -> Self {
    var result = left
    result += right
    return result
  }

  static func += (left: inout Self, right: Self) {
    for run in right.runs {
      if left.runs.last?.style == run.style {
        left.runs[left.runs.count - 1].text += run.text
      } else {
        left.runs.append(run)
      }
    }
  }
}

extension StyledText: ExpressibleByStringInterpolation {
  init(stringLiteral text: String) {
    self.init(text)
  }
}
