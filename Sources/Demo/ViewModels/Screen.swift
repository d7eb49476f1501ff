import ObservationController

/// The screen as view models know it: its size and its characters.
final class Screen {
  /// Texts that fill the width derive from it, and change with it.
  @Observed var size: TerminalSize
  let gauge: Gauge

  init(size: TerminalSize = .usual, gauge: Gauge = .ascii) {
    self.gauge = gauge
    self.size = size
  }
}
