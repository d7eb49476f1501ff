/// How much a view had to draw of what there was to see.
struct LineTally: Equatable, Sendable {
  /// Lines that were on view, summed over all frames.
  var shown = 0
  var drawn: [LineChange: Int] = [:]

  /// Lines that were written.
  var redrawn: Int { drawn.values.reduce(0, +) }

  /// Lines that were written for something happened to them, not to the screen.
  var changed: Int { redrawn - self[.unchanged] }

  /// Lines that were written for one reason.
  subscript(change: LineChange) -> Int { drawn[change, default: 0] }

  /// Notes that a line is written.
  mutating func add(_ line: DisplayLine) {
    drawn[line.change, default: 0] += 1
  }
}
