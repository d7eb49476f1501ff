/// Shows lines to the user. Knows nothing of processes.
///
/// A view is used in one isolation, that of its session: the main actor.
protocol MonitorView: AnyObject {
  /// Visible lines and columns. Only the columns count where frames are printed.
  var size: TerminalSize { get }
  /// Whether frames are drawn in place, for a user who presses keys, rather than printed.
  var isWatched: Bool { get }
  var tally: LineTally { get }

  /// Makes ready to draw. May be called again after ``close()``.
  func open() throws

  /// Draws a frame, and unmarks the lines it drew.
  func draw(_ lines: [DisplayLine]) throws

  /// Has the next frame drawn in full, for what was drawn may not be there any more.
  func invalidate()

  /// Leaves everything as it was before ``open()``. Does nothing when it is not open.
  func close()
}
