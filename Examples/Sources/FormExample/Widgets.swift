import ObservationController

/// A line of text that a user types.
///
/// The widgets stand for those of a toolkit: they know nothing of the form.
final class TextField {
  let title: String
  @Observed var text = ""

  /// Asked before what the user types is taken.
  let shouldChange = ObservableHook<String, Bool> { _ in true }

  init(_ title: String) {
    self.title = title
  }

  /// Simulates the user, who types a text.
  func type(_ newText: String) {
    print("  \(title): types \"\(newText)\"")
    guard shouldChange(newText) else {
      print("    not taken, \"\(text)\" stays")
      return
    }
    text = newText
  }
}

/// A text that the program sets.
final class Label {
  @Observed var text: String

  init(_ text: String) {
    self.text = text
  }
}

/// Something to press.
final class Button {
  let title: String
  @Observed var isEnabled = false
  let pressed = ObservableEvent<Void>()

  init(_ title: String) {
    self.title = title
  }

  /// Simulates the user, who presses the button.
  func press() {
    print("  [\(title)]: presses")
    if isEnabled { pressed.send(()) } else { print("    nothing happens") }
  }
}
