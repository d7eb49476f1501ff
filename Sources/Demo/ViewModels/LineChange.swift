/// Why a line is drawn. The raw values are the words of the summary.
enum LineChange: String, CaseIterable, Sendable {
  /// It is one of the first lines, or there is room for more of them.
  case appeared = "first shown"

  /// The process it tells of started.
  case started

  /// It fills the end of the table, for a process ended above it.
  case ended

  /// The process it tells of has another place among the others; or it fills the end of the table,
  /// for one has moved away from above it.
  case moved

  /// What it says became different.
  case changed

  /// Nothing happened to the line, but to the screen; or the view draws everything at all times.
  case unchanged
}
