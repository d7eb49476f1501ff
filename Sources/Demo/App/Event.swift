/// What the session reacts to, one after the other.
enum Event: Equatable, Sendable {
  /// It is time for the next sample.
  case tick
  case key(Character)
  /// Ctrl-C, or the system or the user wants the monitor to end.
  case interruption
  /// Ctrl-Z: the monitor is to stop until it is continued.
  case suspension
  /// The window has another size, or had one in between.
  case resizing
}
