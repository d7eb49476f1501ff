/// Why a line is drawn. The raw values are the words of the summary.
enum LineChange: String, CaseIterable, Sendable {
  /// It came into sight: at first, by scrolling, or for its process started or took the place of another.
  case appeared = "came into sight"

  /// The process it tells of has another place among the others.
  case moved

  /// What it says became different, or it was selected, or is no longer.
  case changed

  /// Nothing happened to the line, but to the screen; or the view draws everything at all times.
  case unchanged
}
