import ObservationController

/// One line of the screen, on its way from a view model to a view.
///
/// A view model sets its text when one of its observations says that the data behind it changed, or
/// binds it to the data. A view draws it when it is marked. A line keeps its place among the others as long as
/// it is there: what moves gets a new one, so that a view knows from the lines alone which of them
/// left and which came.
final class DisplayLine {
  let style: Style
  /// Marks the line when it becomes another one. A trace tells of that, and why.
  var text: String {
    didSet {
      guard text != oldValue else { return }
      if change == .unchanged { change = .changed }
      ObservationTrace.mark("line is now: \(text.prefix(100))")
    }
  }

  /// What happened to the line since a view last took it, at first how it came to be.
  private(set) var change: LineChange

  enum Style {
    case plain, heading
  }

  init(_ text: String = "", style: Style = .plain, as change: LineChange = .appeared) {
    self.text = text
    self.style = style
    self.change = change
    if !text.isEmpty { ObservationTrace.mark("line \(change): \(text.prefix(100))") }
  }

  var isMarked: Bool { change != .unchanged }

  /// Unmarks the line, for the view that draws it now.
  func unmark() {
    change = .unchanged
  }
}
