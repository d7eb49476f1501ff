/// One line of the screen, on its way from a view model to a view.
///
/// A view model shows a text on it when one of its observations says that the data behind it
/// changed. A view draws it when it is marked. A line keeps its place among the others as long as
/// it is there: what moves gets a new one, so that a view knows from the lines alone which of them
/// left and which came.
final class DisplayLine {
  let style: Style
  private(set) var text: String

  /// What happened to the line since a view last took it, at first how it came to be.
  private(set) var change: LineChange

  enum Style {
    case plain, heading
  }

  init(_ text: String = "", style: Style = .plain, as change: LineChange = .appeared) {
    self.text = text
    self.style = style
    self.change = change
  }

  var isMarked: Bool { change != .unchanged }

  /// Replaces the text and marks the line, unless it says so already.
  func show(_ text: String) {
    guard text != self.text else { return }
    self.text = text
    if change == .unchanged { change = .changed }
  }

  /// Unmarks the line, for the view that draws it now.
  func unmark() {
    change = .unchanged
  }
}
