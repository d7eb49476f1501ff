/// One line of the screen, on its way from a view model to a view.
///
/// A view model shows a text on it when one of its observations says that the data behind
/// it changed. A view draws it when it is marked. Neither compares texts: the observations
/// alone decide what is drawn again.
final class DisplayLine {
  let style: Style
  private(set) var text = ""
  /// Whether the line was shown anew since a view last took it.
  private(set) var isMarked = false

  enum Style {
    case plain, heading
  }

  init(style: Style = .plain) {
    self.style = style
  }

  /// Replaces the text and marks the line.
  func show(_ text: String) {
    self.text = text
    isMarked = true
  }

  /// Unmarks the line, for the view that draws it now.
  func unmark() {
    isMarked = false
  }
}
