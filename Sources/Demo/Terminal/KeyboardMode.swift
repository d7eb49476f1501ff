import Foundation

/// How the terminal hands over what is typed: by lines, or by keys.
protocol KeyboardMode: AnyObject {
  /// By keys from now on, and without showing them.
  func enter()

  /// As it was before ``enter()``. Does nothing when it is that way.
  func leave()
}

/// The keyboard mode of a terminal that is an open file.
///
/// Ctrl-C and Ctrl-Z go on sending signals: they work though the monitor be busy.
final class TerminalKeyboardMode: KeyboardMode {
  private let descriptor: Int32
  /// The attributes to go back to, while keys are handed over one by one.
  private var saved: termios?

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  func enter() {
    var attributes = termios()
    // No terminal, no keys: the monitor then runs until it gets a signal.
    guard saved == nil, tcgetattr(descriptor, &attributes) == 0 else { return }
    saved = attributes
    attributes.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN)
    withUnsafeMutableBytes(of: &attributes.c_cc) { characters in
      // Reading never waits.
      characters[Int(VMIN)] = 0
      characters[Int(VTIME)] = 0
    }
    _ = tcsetattr(descriptor, TCSANOW, &attributes)
  }

  func leave() {
    guard var attributes = saved else { return }
    saved = nil
    // TCSAFLUSH drops keys that were not read, so that the shell does not get them.
    _ = tcsetattr(descriptor, TCSAFLUSH, &attributes)
  }
}
