/// How much a view had to draw of what there was to see.
struct LineTally: Equatable, Sendable {
  /// Lines that were on view, summed over all frames.
  var shown = 0
  /// Lines that were written, for their data changed or for the screen had to be drawn anew.
  var redrawn = 0
  /// Lines that were written for their data changed.
  var changed = 0
}
