import ObservationController

/// One line of the screen, on its way from a view model to a view.
///
/// A view model binds its text to a derived value, or sets it in a handler. A view draws the line
/// when it is marked, or when it was somewhere else before.
final class DisplayLine {
  /// Marks the line when its text differs. Traces record that, with its cause.
  var text: StyledText {
    didSet { if text != oldValue { mark(.changed) } }
  }

  /// The background of the whole line.
  var background: Background {
    didSet { if background != oldValue { mark(.changed) } }
  }

  /// The most important change since a view last drew the line.
  private(set) var change = LineChange.appeared

  enum Background {
    case none, heading, selection
  }

  init(_ text: StyledText = "", on background: Background = .none) {
    (self.text, self.background) = (text, background)
  }

  var isMarked: Bool { change != .unchanged }

  /// Has the line drawn. `appeared` and `moved` take precedence over `changed`.
  func mark(_ change: LineChange) {
    if self.change == .unchanged || (self.change, change) == (.changed, .moved) {
      self.change = change
    }
    // What changes before a view has drawn the line at all is part of its coming into sight.
    ObservationTrace.mark(traceLabel(self.change == .appeared ? .appeared : change))
  }

  /// The label of a change of this line in traces, with its current text.
  func traceLabel(_ change: LineChange) -> String {
    "line \(change == .changed ? "is now" : change.rawValue): \(text.text.prefix(100))"
  }

  /// Unmarks the line, for the view that draws it now.
  func unmark() { change = .unchanged }
}

extension [DisplayLine] {
  /// Makes the lines say `texts`. Those that say so already are not marked.
  mutating func show(_ texts: [StyledText]) {
    removeLast(Swift.max(count - texts.count, 0))
    for (line, text) in zip(self, texts) { line.text = text }
    self += texts.dropFirst(count).map { DisplayLine($0) }
  }
}
